"""Every ruling at each of its values, where it is felt, for 2 to 5 players: no difference, and it is felt."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from hanabi_formal.reference import RULINGS

from .driver import PLAIN, Driver
from .events import events
from .setups import Setup

GAMES = 40
SMALL = ("red", "yellow", "green")


@dataclass(frozen=True)
class Felt:
    """Where a ruling's value shows: in these compositions, by events that must occur and others that must not."""

    value: str
    specs: tuple[str, ...]
    seen: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    also: tuple[tuple[str, str], ...] = ()
    red_tokens: int | None = None
    suits: tuple[str, ...] = ()
    top: int = 5


EMPTY, ANY = "a hint that touches no card", "a hint that touches a card"
FULL = "a discard with all blue tokens available"
DECLINED, TAKEN = "a token declined", "a token taken for a discard"
STOPS, PLAYS_ON = "perfect in the last round: stops", "perfect in the last round: plays on"
BETWEEN, NOT_BETWEEN = "a card laid between first and last", "a card between first and last does not fit"
DRAW, NO_DRAW = "a draw after a card that fits", "no draw after a card that fits"
DRAWN, UNDRAWN = "a card drawn by the action that ends the game", "the end draws nothing"
LOSES, COSTS = "misplaying an indispensable card loses", "misplaying an indispensable card costs a token only"
GAINS, NO_GAIN = "a right announcement of a misfit gains", "a right announcement of a misfit gains nothing"
OWN, OTHER, WRONG = "multi announced as multi", "multi announced as another colour", "multi announced wrongly"
LAST_RED, NO_LAST_RED = "the last red token ends the game", "the last red token ends nothing"
FIVE, NOT_FIVE = "five of six fireworks: the end", "five of six fireworks: no end"
NO_DRAWING, FORGIVEN = (("draw_after_fit", "no"),), (("misfit_is_discard", "no"),)

FELT: dict[str, list[Felt]] = {
    "empty_hint": [Felt("allowed", ("base",), (EMPTY, ANY)), Felt("refused", ("base",), (ANY,), (EMPTY,))],
    "discard_at_full": [Felt("refused", ("base",), (), (FULL,)), Felt("allowed", ("base",), (FULL,))],
    "take_token": [
        Felt("must", ("base+timed",), (TAKEN,), (DECLINED,)),
        Felt("may", ("base+timed",), (TAKEN, DECLINED)),
    ],
    "loss_score": [
        Felt("zero", ("base", "base+expert"), ("a lost game with points",)),
        Felt("sum", ("base", "base+expert"), ("a lost game with points",)),
    ],
    "perfect_in_last_round": [
        Felt("stops", ("base",), (STOPS,), (PLAYS_ON,)),
        Felt("plays_on", ("base", "base+expert"), (PLAYS_ON,), (STOPS,)),
    ],
    "fit": [
        Felt("continues", ("base",), (BETWEEN,), (NOT_BETWEEN,)),
        Felt("literal", ("base", "base+timed"), (NOT_BETWEEN,), (BETWEEN,)),
    ],
    "draw_after_fit": [
        Felt("yes", ("base", "base+timed"), (DRAW,), (NO_DRAW,)),
        Felt("no", ("base", "base+timed"), (NO_DRAW,), (DRAW,)),
    ],
    "draw_on_end": [
        Felt("no", ("base", "base+timed+expert"), (UNDRAWN,), (DRAWN,)),
        Felt("yes", ("base", "base+timed+expert"), (UNDRAWN, DRAWN)),
        Felt("yes", ("base",), (DRAWN,), also=NO_DRAWING),
    ],
    "stuck": [
        Felt("unruled", ("base+expert",), ("end (nobody can act)",), suits=SMALL),
        Felt("lost", ("base+expert",), ("end stuck",), suits=SMALL),
        Felt("skipped", ("base+expert",), ("a player passed over",), ("end stuck",), suits=SMALL),
        Felt("skipped", ("base+expert",), ("end stuck", "a player passed over"), also=FORGIVEN, suits=SMALL),
        Felt("unruled", ("base",), ("end (nobody can act)",), also=NO_DRAWING),
        Felt("lost", ("base",), ("end stuck",), also=NO_DRAWING),
        Felt("skipped", ("base",), ("end stuck", "a player passed over"), also=NO_DRAWING),
    ],
    "misfit_is_discard": [
        Felt("yes", ("base+expert",), (LOSES,), (COSTS,)),
        Felt("no", ("base+expert",), (COSTS,), (LOSES,)),
    ],
    "announced_but_misfit": [
        Felt("misfit", ("base+timed",), (NO_GAIN,), (GAINS,)),
        Felt("misfit_and_token", ("base+timed",), (GAINS,), (NO_GAIN,)),
    ],
    "announce_multi": [
        Felt("own_colour", ("base+timed+avalanche",), (OWN, WRONG), (OTHER,)),
        Felt("any_colour", ("base+timed+avalanche",), (OWN, OTHER), (WRONG,)),
        Felt("refused", ("base+timed+avalanche",), (WRONG,), (OWN, OTHER)),
    ],
    "red_limit": [
        Felt("all_given", ("base+difficulty",), (LAST_RED,), (NO_LAST_RED,), red_tokens=1),
        Felt("all_given", ("base+difficulty",), (LAST_RED,), (NO_LAST_RED,), red_tokens=2),
        Felt("third", ("base+difficulty",), (NO_LAST_RED,), (LAST_RED, "end strikes"), red_tokens=2),
        Felt("third", ("base",), ("end strikes",), (LAST_RED,), red_tokens=5),
    ],
    "all_or_five": [
        Felt("all", ("base+avalanche",), (NOT_FIVE,), (FIVE,)),
        Felt("five", ("base+avalanche", "base+rainbow"), (FIVE,), ()),
    ],
    "hopeless": [
        Felt("plays_on", ("base",), ("hopeless, and the game goes on",), ("end hopeless",)),
        Felt("stops", ("base", "base+expert"), ("end hopeless",), ("hopeless, and the game goes on",)),
    ],
    "deck_plays": [
        Felt("off", ("hanab_live",), (), ("the last card played from the pile",)),
        Felt("on", ("hanab_live",), ("the last card played from the pile",)),
    ],
}
RUNS = [(ruling, felt) for ruling, several in FELT.items() for felt in several]


def test_every_ruling_at_every_value() -> None:
    assert {ruling: tuple(dict.fromkeys(felt.value for felt in several)) for ruling, several in FELT.items()} == RULINGS


@pytest.mark.parametrize(("ruling", "felt"), RUNS, ids=[f"{r}-{f.value}-{n}" for n, (r, f) in enumerate(RUNS)])
@pytest.mark.sampled(6)
def test_ruling(ruling: str, felt: Felt) -> None:
    counts: dict[object, int] = {}
    for spec in felt.specs:
        for players in (2, 3, 4, 5):
            rulings = ((ruling, felt.value), *felt.also)
            params = (("red_tokens", felt.red_tokens),) if felt.red_tokens else ()
            setup = Setup(spec, players, rulings, params, felt.suits, felt.top)
            tally = Driver(setup, PLAIN, events).run(GAMES)
            assert tally.impossible() == []
            for name, many in (*tally.events.items(), *tally.happened.items()):
                counts[name] = counts.get(name, 0) + many
    assert [name for name in felt.seen if not counts.get(name)] == [], counts
    assert [name for name in felt.unseen if counts.get(name)] == [], counts

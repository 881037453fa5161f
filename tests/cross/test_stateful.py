"""Hypothesis plays both engines at once, over random compositions, rulings and decks; a difference shrinks to a short game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from hanabi_formal import reference as ref
from hanabi_formal.reference import RULINGS, SUITS, Action, ends, moves
from hanabi_formal.reference.table import Table

from .duel import Difference, Duel
from .players import STYLES, choose
from .scenes import shuffled
from .setups import PRINTED, Setup
from .stories import pair_of

SETTINGS = settings(
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)
SMALLEST = Setup("base", 2, suits=("red", "blue"), top=3)


def some_setup(rng: Random) -> Setup:
    """Any composition, printed or not, with any rulings that it has, often with a smaller deck."""
    spec = rng.choice(
        [
            *PRINTED,
            "base",
            "base+timed+rainbow",
            "nl+timed+expert",
            "sv+rainbow+expert",
            "hanab_live",
            "hanab_live+expert",
        ]
    )
    words = set(spec.split("+"))
    absent = {
        "misfit_is_discard": "expert" not in words,
        "announced_but_misfit": "timed" not in words,
        "announce_multi": not ("timed" in words and words & {"avalanche", "rainbow"}),
        "deck_plays": "hanab_live" not in words,
    }
    names = [name for name in RULINGS if not absent.get(name)]
    rulings = tuple((name, rng.choice(RULINGS[name])) for name in names if rng.random() < 0.35)
    params = tuple(
        (name, rng.randint(low, high))
        for name, low, high in (("red_tokens", 1, 3), ("extra_blue", 0, 3))
        if rng.random() < 0.3
    )
    setup = Setup(spec, rng.randint(2, 6 if "hanab_live" in words else 5), rulings, params)
    if rng.random() < 0.7:
        sixth = ("multi",) if words & {"avalanche", "rainbow"} else ()
        suits = tuple(suit for suit in SUITS[:5] if rng.random() < 0.5) or ("red",)
        setup = replace(setup, suits=suits + sixth, top=rng.randint(2, 5))
    rules = setup.rules()
    return setup if len(ref.composition(rules)) >= rules.players * rules.hand_size else some_setup(rng)


def some_setups(many: int) -> list[Setup]:
    """The simplest first: that is where shrinking ends if it can."""
    rng = Random("compositions, rulings and decks")
    return [SMALLEST, *(some_setup(rng) for _ in range(many - 1))]


class Engines(RuleBasedStateMachine):
    """A game in both engines. Every rule compares."""

    setups: list[Setup]
    duel: Duel

    @initialize(which=st.integers(0, 35), seed=st.integers(0, 31))
    def deal(self, which: int, seed: int) -> None:
        """One of the setups, and a deck: seed 0 is the cards in order."""
        pair = pair_of(self.setups[which % len(self.setups)])
        deck = shuffled(pair.rules, Random(seed)) if seed else ref.composition(pair.rules)
        self.duel = Duel(pair, deck)

    # A rule for each kind of action, so that a game still makes sense when some of its actions are left out.
    @precondition(lambda self: self._can("hint"))
    @rule(which=st.integers(0, 63))
    def hint(self, which: int) -> None:
        self._act_some("hint", which)

    @precondition(lambda self: self._can("discard"))
    @rule(which=st.integers(0, 9))
    def discard(self, which: int) -> None:
        self._act_some("discard", which)

    @precondition(lambda self: self._can("play"))
    @rule(which=st.integers(0, 9))
    def play(self, which: int) -> None:
        self._act_some("play", which)

    @precondition(lambda self: self._can("announce"))
    @rule(which=st.integers(0, 63))
    def announce(self, which: int) -> None:
        self._act_some("announce", which)

    @precondition(lambda self: self._can("pass", "abandon", "deck_play"))
    @rule(which=st.integers(0, 5))
    def other(self, which: int) -> None:
        if which or not self._can("hint", "discard", "play"):
            self._act_some("pass deck_play abandon", which)

    @precondition(lambda self: self.duel.legal())
    @rule(seed=st.integers(0, 9))
    def skilled(self, seed: int) -> None:
        """What a player would do who sees all cards: without it few games go far."""
        self._act(choose(self.duel.table, self.duel.legal(), Random(seed), STYLES[0]))

    @precondition(lambda self: self.duel.legal())
    @rule(style=st.integers(0, len(STYLES) - 1))
    def styled(self, style: int) -> None:
        self._act(choose(self.duel.table, self.duel.legal(), Random(len(self.duel.actions)), STYLES[style]))

    def _can(self, *kinds: str) -> bool:
        return any(action[0] in kinds for action in self.duel.legal())

    def _act_some(self, kinds: str, which: int) -> None:
        actions = [action for action in self.duel.legal() if action[0] in kinds.split()]
        self._act(actions[which % len(actions)])

    def _act(self, action: Action) -> None:
        self.duel.act(action)
        self.duel.legal()
        if len(self.duel.actions) % 4 == 0:
            self.duel.compare_views([self.duel.table.turn])

    @rule(seat=st.integers(0, 5), seed=st.integers(0, 7))
    def look(self, seat: int, seed: int) -> None:
        """What one seat sees, and what nobody may do."""
        self.duel.compare_views([seat % self.duel.pair.seats])
        if seed == 7:
            self.duel.compare_slowly()
            self.duel.compare_refusals(Random(seed), each=1)


class AnyGame(Engines):
    setups = some_setups(36)


class SmallGame(Engines):
    setups = [SMALLEST, replace(SMALLEST, suits=("red", "green", "blue")), Setup("nl", 2)]


def run(machine: type[Engines], actions: int, examples: int) -> None:
    chosen = settings(SETTINGS, stateful_step_count=actions, max_examples=examples)
    run_state_machine_as_test(machine, settings=chosen)


def agree(machine: type[Engines], examples: int) -> None:
    """No difference in long games; if there is one, the shortest game found that shows it.

    Hypothesis shrinks a long game only as far as leaving out actions goes, so games of 1, 2, 3... actions are tried too.
    """
    try:
        run(machine, 60, examples)
    except Difference as found:
        for actions in range(1, min(len(found.actions), 8)):
            run(machine, actions, 100)
        raise


@pytest.mark.deep
def test_the_engines_agree() -> None:
    agree(AnyGame, 60)


Swap = Callable[[pytest.MonkeyPatch], None]
PLANTED: dict[str, tuple[Swap, int]] = {
    "the second red token loses": (lambda patch: patch.setattr(ends, "strikes_allowed", lambda table: 2), 2),
    "no token for a discard": (
        lambda patch: patch.setattr(moves, "return_tokens", lambda table, tokens, take: table),
        2,
    ),
    "no last round": (lambda patch: patch.setattr(Table, "in_last_round", False), 3),
    "a firework is worth two points at most": (
        lambda patch: patch.setattr(Table, "points", property(lambda t: sum(min(len(f), 2) for f in t.fireworks))),
        3,
    ),
}


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.sampled(2)
def test_a_difference_shrinks_to_a_short_game(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shortest game that shows it, or not more than three actions longer: it may need a rare deck to be shorter."""
    plant, shortest = PLANTED[name]
    plant(monkeypatch)
    with pytest.raises(Difference) as found:
        agree(SmallGame, 60)
    assert shortest <= len(found.value.actions) <= shortest + 3, str(found.value)
    assert found.value.setup.suits, "a smaller deck shows it"

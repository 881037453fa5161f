"""Hypothesis plays both engines at once, over random compositions, rulings and decks; a difference shrinks to a short game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from hanabi_formal import reference as ref
from hanabi_formal.reference import RULINGS, SUITS, Action, ends, moves
from hanabi_formal.reference.table import Table

from .duel import Difference, Duel
from .players import STYLES, choose
from .setups import PRINTED, Setup
from .stories import pair_of

SETTINGS = settings(
    derandomize=True, database=None, deadline=None, max_examples=60, stateful_step_count=60, print_blob=False,
    report_multiple_bugs=False, suppress_health_check=list(HealthCheck),
)  # fmt: skip
SMALLEST = Setup("base", 2, suits=("red", "blue"), top=3)


def some_setup(rng: Random) -> Setup:
    """Any composition, printed or not, with any rulings that it has, often with a smaller deck."""
    spec = rng.choice([*PRINTED, "base", "base+timed+rainbow", "nl+timed+expert", "sv+rainbow+expert", "hanab_live", "hanab_live+expert"])
    words = set(spec.split("+"))
    absent = {
        "misfit_is_discard": "expert" not in words,
        "announced_but_misfit": "timed" not in words,
        "announce_multi": not ("timed" in words and words & {"avalanche", "rainbow"}),
        "deck_plays": "hanab_live" not in words,
    }
    names = [name for name in RULINGS if not absent.get(name)]
    rulings = tuple((name, rng.choice(RULINGS[name])) for name in names if rng.random() < 0.35)
    params = tuple((name, rng.randint(low, high)) for name, low, high in (("red_tokens", 1, 3), ("extra_blue", 0, 3))
                   if rng.random() < 0.3)  # fmt: skip
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
        deck = ref.shuffled(pair.rules, Random(seed)) if seed else ref.composition(pair.rules)
        self.duel = Duel(pair, deck)

    @precondition(lambda self: self.duel.legal())
    @rule(which=st.integers(0, 63))
    def act(self, which: int) -> None:
        """Anything legal."""
        actions = self.duel.legal()
        self._act(actions[which % len(actions)])

    @precondition(lambda self: self.duel.legal())
    @rule(style=st.integers(0, len(STYLES) - 1))
    def act_well(self, style: int) -> None:
        """What a player would do who sees all cards: without it few games go far."""
        rng = Random(len(self.duel.actions))
        self._act(choose(self.duel.table, self.duel.legal(), rng, STYLES[style]))

    @precondition(lambda self: self.duel.legal())
    @rule()
    def act_best(self) -> None:
        self._act(choose(self.duel.table, self.duel.legal(), Random(0), STYLES[0]))

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


def test_the_engines_agree() -> None:
    run_state_machine_as_test(AnyGame, settings=SETTINGS)


Swap = Callable[[pytest.MonkeyPatch], None]
PLANTED: list[tuple[str, Swap, int]] = [
    ("the second red token loses", lambda patch: patch.setattr(ends, "strikes_allowed", lambda table: 2), 2),
    (
        "no token for a discard",
        lambda patch: patch.setattr(moves, "return_tokens", lambda table, tokens, take: table),
        2,
    ),
    ("no last round", lambda patch: patch.setattr(Table, "in_last_round", False), 3),
    (
        "nothing is added to a firework that has three cards",
        lambda patch: patch.setattr(Table, "points", property(lambda t: sum(min(len(f), 2) for f in t.fireworks))),
        3,
    ),
]


@pytest.mark.parametrize(("plant", "shortest"), [p[1:] for p in PLANTED], ids=[p[0].replace(" ", "_") for p in PLANTED])
def test_a_difference_shrinks_to_a_short_game(plant: Swap, shortest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shortest game that shows it, and not more than two actions longer."""
    plant(monkeypatch)
    with pytest.raises(Difference) as found:
        run_state_machine_as_test(SmallGame, settings=settings(SETTINGS, max_examples=100, stateful_step_count=25))
    assert shortest <= len(found.value.actions) <= shortest + 2, str(found.value)

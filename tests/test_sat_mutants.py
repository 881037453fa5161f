"""Faults put into the encoder one at a time: the law that holds the clauses to the executor finds each of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from executor_laws import write_game
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.sat.encode.advance import Advance, Part
from hanabi_formal.sat.encode.counting import Counting
from hanabi_formal.sat.encode.exclusion import Exclusions
from hanabi_formal.sat.encode.gates import TRUE, Cnf
from hanabi_formal.sat.encode.grouped_actions import GroundGame
from hanabi_formal.sat.encode.node_values import Evaluator
from hanabi_formal.sat.encode.nodes import Nodes
from hanabi_formal.sat.encode.reach import Reach
from hanabi_formal.sat.encode.unroll import Unrolling
from small_decks import Deck, load_deck
from small_games import text_of
from unrolling_laws import Differs, Tally, agree, by_chance

SMALL = ("map_as_tuple", "swap_of_cards", "late_ends", "many_cards_come_at_once", "sums_and_extrema_over_cards")
# A late end that holds between the parts of every step, and after none.
BETWEEN = """game between {
  var n : 0..2
  var steps : 0..4
  start { n = 0  steps = 0 }
  action go() { n' = 1  steps' = steps + 1 } then { n' = 2 }
  end early late over when n == 1
  end done over when steps == 4
  score = n
}
"""


@cache
def tables() -> list[Compiled]:
    with TemporaryDirectory() as folder:
        found = [load_deck(Deck("base", 2, None), Path(folder)).compiled(2)]
        found.append(load_deck(Deck("expert", 2, ("draw_on_end", "yes")), Path(folder)).compiled(2))
        found.append(write_game(Path(folder), BETWEEN).compiled())
        found += [write_game(Path(folder), text_of(name)).compiled() for name in SMALL]
    return found


def law() -> None:
    for compiled in tables():
        for seed in range(3):
            faces = tuple(shuffled(compiled.system, seed)) if compiled.system.deck is not None else ()
            agree(compiled, faces, by_chance(compiled, seed), Tally(), most=14)


def replaced(owner: Any, name: str, make: Callable[[Any], Any]) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(owner, name, make(getattr(owner, name)))


def twisted_at_least(original: Any) -> Any:
    return lambda self, node, low: original(self, node, low + 1)


def without_last(original: Any) -> Any:
    return lambda self, literals: original(self, list(literals)[:-1])


MUTANTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "nothing stays as it was": replaced(Advance, "_frame", lambda _: lambda *args: None),
    "nothing is written": replaced(Advance, "_forward", lambda _: lambda *args: None),
    "every move writes everything": replaced(Advance, "_covers", lambda _: lambda *args: True),
    "the second part does not prevail": replaced(
        Advance,
        "_when_written",
        lambda f: lambda self, part, writers: [] if part is not self.first else f(self, part, writers),
    ),
    "sets of moves are one short": replaced(Part, "one_of", lambda f: lambda self, moves: f(self, moves[:-1] or moves)),
    "bounds are one too high": replaced(Nodes, "at_least", twisted_at_least),
    "conjunctions forget a part": replaced(
        Evaluator, "conjuncts", lambda f: lambda self, node: f(self, node)[:1] or [TRUE]
    ),
    "equality is of sorts": replaced(Evaluator, "_equal", lambda f: lambda self, a, b: -f(self, a, b)),
    "counts never change": replaced(Counting, "_change", lambda _: lambda *args: []),
    "counts only grow": replaced(Counting, "_change", lambda f: lambda *args: [(c, 1) for c, _ in f(*args)]),
    "counts change by one at most": replaced(Counting, "_exclusive", lambda _: lambda *args: True),
    "all excludes all": replaced(Exclusions, "rules_out", lambda _: lambda *args: True),
    "what a place may hold is forgotten": replaced(Reach, "excludes", lambda _: lambda *args: True),
    "one way to do something": replaced(
        GroundGame, "_moves", lambda f: lambda self: [m for m in f(self) if not m.members.__delitem__(slice(1, None))]
    ),
    "the game never ends": replaced(
        Unrolling,
        "_ends",
        lambda f: (
            lambda self, at, live, late, before, places: f(self, at, live, late, before, places)._replace(goes_on=live)
        ),
    ),
    "late ends come early": replaced(
        Unrolling,
        "_ends",
        lambda f: lambda self, at, live, late, before, places: f(self, at, live, True, before, places),
    ),
    "ends are forgotten": replaced(Unrolling, "_forbid", lambda _: lambda *args: None),
    "one move too many": replaced(Cnf, "at_most_one", lambda _: lambda *args: None),
    "guards are advice": replaced(
        Unrolling, "_guard", lambda f: lambda self, move, start: None if f(self, move, start) is None else []
    ),
    "gates are one-sided": replaced(Cnf, "both", without_last),
}


def test_the_encoder_keeps_the_law() -> None:
    law()


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_break_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTANTS[name](monkeypatch)
    with pytest.raises((Differs, AssertionError, KeyError, ValueError, TypeError)):
        law()

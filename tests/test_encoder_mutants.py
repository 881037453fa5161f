"""Faults put into the encoder, each of which makes it forbid a game that there is: the encoder's law finds them all.

Faults that only make it forbid too little are found by holding it to the executor (test_sat_mutants.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from encoder_laws import StepRelation, Unsound, check_deal
from executor_laws import write_game
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.sat.encode import advance
from hanabi_formal.sat.encode.advance import Advance, Part, WriteCollector
from hanabi_formal.sat.encode.counting import Counting
from hanabi_formal.sat.encode.exclusion import Exclusions
from hanabi_formal.sat.encode.gates import FALSE, Cnf
from hanabi_formal.sat.encode.grouped_actions import GroundGame
from hanabi_formal.sat.encode.node_values import Evaluator
from hanabi_formal.sat.encode.nodes import Nodes
from hanabi_formal.sat.encode.reach import Reach
from hanabi_formal.sat.encode.unroll import Unrolling
from small_decks import Deck, load_deck
from small_games import text_of

STEPS = 4
# A late end that holds between the parts of every step, and is not the end.
BETWEEN = """game between {
  var n : 0..2
  var steps : 0..4
  start { n = 0  steps = 0 }
  action go() { n' = 1  steps' = steps + 1 } then { n' = 2 }
  end early late lost when n == 1 score 0
  end done over when steps == 4 score 7
  score = n
}
"""
# Won at once or never: the value that a bad end comes with later is there in a game that is over.
WON_AT_ONCE = """game won_at_once {
  var n : 0..5
  start { n = 0 }
  action win() { n' = 5 }
  action wait() when n < 4 { n' = n + 1 }
  end won won when n == 5 score 1
  end late lost when n == 3 score 0
  score = 0
}
"""
# What the first part writes may be overwritten by the second, or not.
OVERWRITTEN = """game overwritten {
  var n : 0..3
  var odd : Bool
  start { n = 0  odd = false }
  action go(m : 0..3) { n' = m  odd' = not odd } then { case odd { n' = if n == 3 then 0 else n + 1 } }
  action wait() { }
  end done over when n == 3 and odd
  score = n
}
"""
# Cards that are drawn one after the other, one or two at a time; what is counted; two ways to do the same.
DRAWN = """game drawn {
  range Slot = 0..4
  enum Place = pile | hand | gone
  var place[Slot] : Place
  var upper : 0..5
  var up[Slot] : Bool
  var tired : Bool
  start { place[s] = pile  up[s] = false  upper = 0  tired = false }
  action draw() when upper < 5 { place[upper]' = hand  upper' = upper + 1 }
  action draw_two() when upper < 4 when not tired {
    place[upper]' = hand  place[upper + 1]' = hand  upper' = upper + 2  tired' = true
  }
  action drop(s : Slot) when place[s] == hand { place[s]' = gone }
  action turn(s : Slot) { up[s]' = not up[s] }
  action rest() when tired { tired' = false }
  action sleep() when count(place[s] == hand for s : Slot) == 2 { tired' = false }
  end done over when count(place[s] == gone for s : Slot) >= 2 or count(up[s] for s : Slot) == 3
  score = count(place[s] == hand for s : Slot)
}
"""
TEXTS = {"between": BETWEEN, "won at once": WON_AT_ONCE, "overwritten": OVERWRITTEN, "drawn": DRAWN}
TABLES = {"won at once": 1, "between": 7, "overwritten": 3, "drawn": 1, "late_ends": 100, "map_as_tuple": 32, "base": 6}
"""Games, each with its goal; the quick ones first."""


@cache
def relation(name: str) -> StepRelation:
    with TemporaryDirectory() as folder:
        if name == "base":
            system = load_deck(Deck(name, 2, None), Path(folder)).system(2)
        else:
            system = write_game(Path(folder), TEXTS[name] if name in TEXTS else text_of(name)).system()
    faces = tuple(shuffled(system, "1")) if system.deck is not None else ()
    return StepRelation(system, faces, TABLES[name])


def law() -> None:
    for name in TABLES:
        check_deal(relation(name), STEPS)


def replaced(owner: Any, name: str, make: Callable[[Any], Any]) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(owner, name, make(getattr(owner, name)))


def one_place_further(original: Any) -> Any:
    return lambda self, table, index, at: (
        (place if place is None or place + 1 >= table.first + table.size else place + 1, more)
        for place, more in original(self, table, index, at)
    )


def without_one(original: Any) -> Any:
    return lambda self: list(original(self))[:-1]


def of_first_only(original: Any) -> Any:
    """What arrives first is all that arrives."""
    return lambda self, source, value, arrival: value not in self.held and original(self, source, value, arrival)


def forbidden_for_good(original: Any) -> Any:
    return lambda self, literal, live, places: self.cnf.add([-literal])


def fewer_values(original: Any) -> Any:
    return lambda self, keys, old: original(self, keys[:-1] if len(keys) > 2 else keys, old)


def asks_for_one_more(original: Any) -> Any:
    return lambda self, game, start, goal: original(self, game, start, goal + 1)


MUTANTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "a frame overlooks the last that writes": replaced(
        Advance, "_frame", lambda f: lambda self, before, after, written: f(self, before, after, written[:-1])
    ),
    "a frame overlooks every condition": replaced(
        Advance, "_frame", lambda f: lambda self, before, after, written: f(self, before, after, [])
    ),
    "a value has one cause too few": replaced(
        Advance,
        "_explain",
        lambda f: lambda self, old, before, after, writers: f(self, old, before, after, writers[:-1]),
    ),
    "conditions of writes are forgotten": replaced(
        Advance,
        "_forward",
        lambda f: lambda self, old, writers, after, later: f(self, old, [(c[:1], v) for c, v in writers], after, later),
    ),
    "what the first part writes stays": replaced(
        Advance, "_forward", lambda f: lambda self, old, writers, after, later: f(self, old, writers, after, [])
    ),
    "every move writes everything": replaced(Advance, "_covers", lambda _: lambda *args: True),
    "sets of moves are one short": replaced(Part, "one_of", lambda f: lambda self, moves: f(self, moves[:-1] or moves)),
    "a place has one value less": replaced(Advance, "_literals", fewer_values),
    "bounds are one too high": replaced(Nodes, "at_least", lambda f: lambda self, node, low: f(self, node, low + 1)),
    "bounds are one too low": replaced(Nodes, "at_least", lambda f: lambda self, node, low: f(self, node, low - 1)),
    "equality is of sorts": replaced(Evaluator, "_equal", lambda f: lambda self, a, b: -f(self, a, b)),
    "counts never change": replaced(Counting, "_change", lambda _: lambda *args: []),
    "counts only grow": replaced(Counting, "_change", lambda f: lambda *args: [(c, 1) for c, _ in f(*args)]),
    "counts grow by two": replaced(
        Counting,
        "_shift",
        lambda f: (
            lambda self, number, count, conditions, by, shifted: f(
                self, number, count, conditions, by + (by > 0), shifted
            )
        ),
    ),
    "counts change by one at most": replaced(Counting, "_exclusive", lambda _: lambda *args: True),
    "all excludes all": replaced(Exclusions, "rules_out", lambda _: lambda *args, **more: True),
    "places exclude what they hold": replaced(
        Exclusions, "facts", lambda f: lambda self, conjunction: {k: v + 1 for k, v in f(self, conjunction).items()}
    ),
    "what a place may hold is forgotten": replaced(Reach, "excludes", lambda _: lambda *args: True),
    "only the first way somewhere counts": replaced(Reach, "_join", of_first_only),
    "an action is missing": replaced(GroundGame, "_moves", without_one),
    "one way to do something": replaced(
        GroundGame, "_moves", lambda f: lambda self: [m for m in f(self) if not m.members.__delitem__(slice(1, None))]
    ),
    "a guard is another one's": replaced(
        Unrolling, "_guard", lambda f: lambda self, move, start: f(self, self.game.moves[0], start)
    ),
    "writes go to the next place": replaced(WriteCollector, "_places", one_place_further),
    "the last value of a type is none": replaced(advance, "type_values", lambda f: lambda kind: f(kind)[:-1]),
    "the goal is one too high": replaced(Unrolling, "__init__", asks_for_one_more),
    "late ends come early": replaced(
        Unrolling,
        "_ends",
        lambda f: lambda self, at, live, late, before, places: f(self, at, live, True, before, places),
    ),
    "every end is forbidden": replaced(
        Unrolling,
        "_ends",
        lambda f: (
            lambda self, at, live, late, before, places: (
                f(self, at, live, late, before, places)
                if self.cnf.add([-live, -at.truth(self.game.ends[0].condition)]) is None
                else None
            )
        ),
    ),
    "what a bad end comes with is gone for good": replaced(Unrolling, "_forbid", forbidden_for_good),
    "the game goes on after its end": replaced(
        Unrolling,
        "_ends",
        lambda f: (
            lambda self, at, live, late, before, places: f(self, at, live, late, before, places)._replace(goes_on=live)
        ),
    ),
    "the game is over at once": replaced(
        Unrolling,
        "_ends",
        lambda f: (
            lambda self, at, live, late, before, places: f(self, at, live, late, before, places)._replace(goes_on=FALSE)
        ),
    ),
    "no move at all": replaced(
        Cnf, "at_most_one", lambda _: lambda self, literals: self.clauses.extend([-x] for x in literals)
    ),
    "gates are one-sided": replaced(Cnf, "both", lambda f: lambda self, literals: f(self, list(literals)[:-1])),
}


def test_the_encoder_keeps_the_law() -> None:
    law()


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_break_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for table in TABLES:
        relation(table)
    MUTANTS[name](monkeypatch)
    with pytest.raises((Unsound, AssertionError, KeyError)):
        law()

"""Two ends either never hold together, or a game shows that the order of the text decides between them."""

from __future__ import annotations

from pathlib import Path

import pytest

import hanabi_formal
from hanabi_formal.kernel.build import conj
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.prove.consistency.end_pairs import never_together, pair_goals, pair_results, pairs
from hanabi_formal.prove.induction.induction import Induction
from hanabi_formal.prove.induction.step_goals import Claims
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Result, Verdict
from hanabi_formal.prove.search.directed import distance
from hanabi_formal.prove.search.explorer import Explorer
from hanabi_formal.prove.search.goals import Purpose, Target
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.run.compiler.compile import Compiled

GAME = """game toy {{
  clause @rule "The rules of a toy."
  cards Card(number : Number) copies 1  @rule
  range Number = 1..4                   @rule
  enum Place = away | here              @rule
  var place[Card] : Place               @rule
  var left : 0..4                       @rule
  start {{
    place[c] = away @rule
    left = 4 @rule
  }}
  action take(c : Card) : move when place[c] == away @rule
  {{ place[c]' = here @rule {first} }}
  then {{ {second} }} @rule
  {ends}
  score = count(place[c] == here for c : Card)  @rule
}}
"""
COUNTED = "left' = left - 1  @rule"


def toy(tmp_path: Path, ends: str, first: str = COUNTED, second: str = "") -> Compiled:
    path = tmp_path / "toy.hrl"
    path.write_text(GAME.format(ends=ends, first=first, second=second))
    return hanabi_formal.load(str(path)).compiled(None)


def found_by(first: str, second: str) -> Target:
    return Target(Purpose.SHOW, Obligation.of(ObligationKind.ENDS_TOGETHER, first, second))


BOTH = found_by("strikes", "indispensable")


def results(
    compiled: Compiled, lemmas: tuple[Expr, ...] = (), traces: dict[Target, Trace] | None = None
) -> dict[str, Result]:
    return {result.name: result for result in pair_results(compiled, lemmas, traces or {})}


def lemmas(system: System, *names: str) -> tuple[Expr, ...]:
    exprs = {Obligation.declared(prop): conj(*prop.exprs) for prop in system.properties if prop.name in names}
    outcomes = Induction(system, tuple(exprs.values())).prove(Claims(exprs))
    assert all(outcome.proved for outcome in outcomes.values())
    return tuple(exprs.values())


def holds(compiled: Compiled, trace: Trace, name: str) -> bool:
    dealt, state = replay(compiled, trace)
    end = next(end for end in compiled.system.ends if end.name == name)
    return bool(compiled.predicate(end.condition)(dealt, state))


# ---- the game --------------------------------------------------------------------------------------
@pytest.mark.parametrize("players", [2, 3])
def test_the_ends_of_the_base_game(players: int) -> None:
    compiled = hanabi_formal.load("base").compiled(players)
    found = {result.name: result for result in pair_results(compiled, (), {})}
    apart = found.pop("ends strikes and perfect")
    assert (apart.verdict, apart.obligation.expected, apart.detail) == (
        Verdict.PROVED,
        Verdict.PROVED,
        "never together",
    )
    assert set(found) == {"ends strikes and last_round", "ends perfect and last_round"}
    for name, result in found.items():
        assert result.verdict is result.obligation.expected is Verdict.REACHED
        assert result.trace is not None
        _, first, _, second = name.split()
        assert holds(compiled, result.trace, first)
        assert holds(compiled, result.trace, second)
        _, state = replay(compiled, result.trace)
        assert compiled.system.ends[compiled.ended(state) - 1].name == first
        assert result.detail.startswith(f"`{first}` decides, being written first: ")
        assert f"; `{second}` would be over, " in result.detail


def test_games_of_a_shared_search_are_taken() -> None:
    compiled = hanabi_formal.load("expert").compiled(2)
    apart = never_together(compiled.system)
    goals = pair_goals(compiled, apart)
    assert set(goals) | {pair.target for pair in apart} == {pair.target for pair in pairs(compiled.system)}
    traces = dict(Explorer(compiled).explore(goals, 60).traces)
    assert set(traces) == set(goals) == {BOTH}
    shown = {result.obligation: result.trace for result in pair_results(compiled, (), traces, apart)}
    assert shown[BOTH.obligation] == traces[BOTH]


def test_games_that_show_nothing_are_not_believed() -> None:
    compiled = hanabi_formal.load("expert").compiled(2)
    short = Trace(tuple(range(25)) * 2, ())
    illegal = Trace(tuple(range(25)) * 2, (Instance("play", (49, 1)),))
    for wrong in (short, illegal):
        trace = results(compiled, traces={BOTH: wrong})["ends strikes and indispensable"].trace
        assert trace is not None
        assert trace != wrong


def test_a_patience_needs_a_lemma() -> None:
    """Completing ends the game at once, and what is drawn afterwards is not from what was built."""
    compiled = hanabi_formal.load("tests/games/solitaire.hrl").compiled(None)
    assert never_together(compiled.system) == frozenset()
    known = lemmas(compiled.system, "stock_is_undrawn")
    assert results(compiled, known)["ends complete and stuck"].verdict is Verdict.PROVED


# ---- when ends are tried ---------------------------------------------------------------------------
def test_both_after_the_first_part(tmp_path: Path) -> None:
    compiled = toy(tmp_path, "end three over when score >= 3 score 1 @rule\nend one_left won when left == 1 @rule")
    found = results(compiled)["ends three and one_left"]
    assert found.verdict is Verdict.REACHED
    assert found.detail == "`three` decides, being written first: over, 1 points; `one_left` would be won, 3 points"


def test_a_late_end_is_not_tried_after_the_first_part(tmp_path: Path) -> None:
    """Both hold in the last state, but the second end was never asked."""
    compiled = toy(tmp_path, "end three over when score >= 3 @rule\nend few late won when left <= 1 @rule")
    found = results(compiled)["ends three and few"]
    assert found.verdict is Verdict.PROVED
    trace = Trace((0, 1, 2, 3), tuple(Instance("take", (card,)) for card in range(3)))
    assert holds(compiled, trace, "three")
    assert holds(compiled, trace, "few")
    assert results(compiled, traces={found_by("three", "few"): trace})["ends three and few"].verdict is Verdict.PROVED


@pytest.mark.parametrize("late", [("late", ""), ("", "late")])
def test_a_late_end_and_another_after_the_second_part(tmp_path: Path, late: tuple[str, str]) -> None:
    ends = f"end many {late[0]} over when left <= 1 @rule\nend few {late[1]} won when left == 1 @rule"
    compiled = toy(tmp_path, ends, first="", second=COUNTED)
    found = results(compiled)["ends many and few"]
    assert found.verdict is Verdict.REACHED
    assert found.detail.startswith("`many` decides, being written first: ")


def test_a_third_end_may_decide(tmp_path: Path) -> None:
    ends = "".join(f"end {name} over when left == 1 @rule\n" for name in ("a", "b", "c"))
    found = results(toy(tmp_path, ends))
    assert found["ends b and c"].verdict is Verdict.REACHED
    assert found["ends b and c"].detail.startswith("`a` decides, being written before both: ")


def test_what_is_not_known_is_undecided(tmp_path: Path) -> None:
    """True only because of what is nowhere said: cards and what is left add up."""
    compiled = toy(tmp_path, "end two over when left == 2 @rule\nend three won when score == 3 @rule")
    found = results(compiled)["ends two and three"]
    assert (found.verdict, found.obligation.expected) == (Verdict.UNDECIDED, Verdict.REACHED)
    assert found.trace is None


def test_an_end_that_never_holds_is_in_no_pair(tmp_path: Path) -> None:
    compiled = toy(tmp_path, "end two over when left == 2 @rule\nend never won when 1 > 2 @rule")
    assert pairs(compiled.system) == []


# ---- distances -------------------------------------------------------------------------------------
@pytest.mark.parametrize("spec", ["base", "hanab_live", "tests/games/solitaire.hrl"])
def test_a_distance_is_zero_exactly_where_the_condition_holds(spec: str) -> None:
    game = hanabi_formal.load(spec)
    compiled = game.compiled(2 if game.player_counts else None)
    reader = compiled.interpreter
    held = 0
    for trace in Explorer(compiled).games(3):
        snapshots = [reader.start(trace.faces)]
        for name, args in trace.actions:
            snapshots.append(reader.step(snapshots[-1], trace.faces, Instance(name, args)).after)
        for snapshot in snapshots[::-25]:
            scene = reader.scene(snapshot, trace.faces)
            for end in compiled.system.ends:
                far, holds = reader.evaluate(distance(end.condition), scene), reader.evaluate(end.condition, scene)
                assert far >= 0
                assert (far == 0) == bool(holds)
                held += holds
    assert held >= 3

"""Bounds on the length of games are true, met where they can be, and never given to a game that has none."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import hanabi_formal
from hanabi_formal.kernel.build import conj
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.prove.induction.induction import Induction
from hanabi_formal.prove.induction.step_goals import Claims
from hanabi_formal.prove.length.length import Measured, length
from hanabi_formal.prove.length.ranking_synthesis import lightest
from hanabi_formal.prove.obligation import Obligation, Result, Verdict
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.run.compiler.compile import Compiled

LEMMAS = ("no_countdown_before", "pile_is_undrawn", "stock_is_undrawn")


def lemmas(system: System) -> tuple[Expr, ...]:
    """What the bounds rest on, proved here and now."""
    exprs = {Obligation.declared(prop): conj(*prop.exprs) for prop in system.properties if prop.name in LEMMAS}
    outcomes = Induction(system, tuple(exprs.values())).prove(Claims(exprs))
    return tuple(expr for one, expr in exprs.items() if outcomes[one].proved)


def of_variant(tmp_path: Path, changes: str, players: int = 2) -> Compiled:
    path = tmp_path / "mine.hrl"
    path.write_text(f'variant mine extends base {{\n  clause @mine "mine"\n{changes}\n}}\n')
    return hanabi_formal.load(str(path)).compiled(players)


def measured(compiled: Compiled) -> Result:
    found = length(compiled, lemmas(compiled.system))
    assert found is not None
    return found


def actions(compiled: Compiled, trace: Trace | None) -> int:
    """The length of a game that both readings of the rules replay, and that cannot go on."""
    assert trace is not None
    dealt, state = replay(compiled, trace)
    assert compiled.ended(state) or not compiled.legal(dealt, state)
    return len(trace.actions)


def bound(detail: str) -> int:
    return int(detail.partition("at most ")[2].partition(" ")[0])


# Tokens and twice the cards of the pile, a round at the end, less the token of the last discard: no turn is left for it.
@pytest.mark.parametrize(("players", "most"), [(2, 8 + 2 * 40 - 1 + 2), (3, 8 + 2 * 35 - 1 + 3)])
def test_the_base_game_has_an_exact_length(players: int, most: int) -> None:
    compiled = hanabi_formal.load("base").compiled(players)
    found = measured(compiled)
    assert found.verdict is Verdict.PROVED
    assert found.detail == f"exact: at most {most} actions, and a game has as many"
    assert actions(compiled, found.trace) == most
    assert found.obligation.clauses == ("end.last",)

    again = length(compiled, lemmas(compiled.system), found.trace, found.weights)
    assert again is not None
    assert again.detail == found.detail
    assert again.trace == found.trace
    assert again.weights == found.weights


def test_wrong_weights_are_refused() -> None:
    """One action less than there can be, a name that means nothing, and a number that is none."""
    compiled = hanabi_formal.load("tests/games/solitaire.hrl").compiled(None)
    right = measured(compiled).weights
    assert right is not None
    assert list(right.values()) == [1]
    for wrong in ({**right, "1": -1}, {"drawn": 1}, {**right, "nonsense": 1}, dict.fromkeys(right, "one"), {}):
        found = length(compiled, lemmas(compiled.system), None, wrong)
        assert found is not None
        assert bound(found.detail) == 12
        assert found.weights == right


def test_a_proof_can_be_told() -> None:
    told: list[str] = []

    def witness(text: str, serves: tuple[Obligation, ...] = (), where: str = "") -> None:
        told.append(text)

    compiled = hanabi_formal.load("base").compiled(2)
    weights = {"1": 99, "drawn": -2, "blue_left": 1, "turns_left": 2}
    trace = Trace(tuple(range(25)) * 2, ())
    found = length(compiled, lemmas(compiled.system), trace, weights, witness)
    assert found is not None
    assert found.weights == weights
    assert bound(found.detail) == 91
    assert len(told) == 3
    assert all("(check-sat)" in text for text in told)


def test_a_patience_has_an_exact_length() -> None:
    compiled = hanabi_formal.load("tests/games/solitaire.hrl").compiled(None)
    found = measured(compiled)
    assert found.detail == "exact: at most 12 actions, and a game has as many"
    assert actions(compiled, found.trace) == 12


# ---- other rules -----------------------------------------------------------------------------------
def test_without_a_last_round_games_are_longer_and_the_bound_is_too(tmp_path: Path) -> None:
    compiled = of_variant(tmp_path, "remove after countdown  @mine")
    found = measured(compiled)
    many = actions(compiled, found.trace)
    assert many == bound(found.detail) == 2 * 50 + 8


UNBOUNDED = {
    "an action that does nothing": "add action wait() : pause { }  @mine",
    "what is spent is given back": (
        "add action rest() : pause when blue_left < blue_max label room @mine { blue_left' = blue_left + 1 @mine }  @mine"
    ),
    "once in a while": ("add action wait() : pause when drawn == 40 and red_spent == 2 label late @mine { }  @mine"),
}


@pytest.mark.parametrize("changes", UNBOUNDED.values(), ids=UNBOUNDED.keys())
def test_a_game_without_end_has_no_bound(changes: str, tmp_path: Path) -> None:
    """The rules still promise an end, so that it is missing is told."""
    compiled = of_variant(tmp_path, changes)
    found = measured(compiled)
    assert found.verdict is Verdict.UNDECIDED
    assert found.trace is None
    assert found.weights == {}


def test_nothing_is_said_of_a_game_that_promises_no_end(tmp_path: Path) -> None:
    compiled = of_variant(tmp_path, "add action wait() : pause { }  @mine\nremove property by_cards  @mine")
    assert length(compiled, lemmas(compiled.system)) is None


def test_a_known_game_that_is_not_legal_is_not_shown() -> None:
    compiled = hanabi_formal.load("tests/games/solitaire.hrl").compiled(None)
    wrong = Trace(tuple(range(12)), (Instance("build", (11,)),) * 40)
    found = length(compiled, lemmas(compiled.system), wrong)
    assert found is not None
    assert actions(compiled, found.trace) == 12


def test_a_ranking_alone_bounds_games_too() -> None:
    """Every choice of its three numbers is left once at most; the first one has 50 of the values 0 to 50, and so on."""
    compiled = hanabi_formal.load("base").compiled(2)
    known = lemmas(compiled.system)
    ranking = next(prop for prop in compiled.system.properties if prop.kind == "terminates")
    found = Measured(compiled, known, None).lexicographic(ranking)
    assert found is not None
    assert found.actions == (50 * 3 + 2) * 9 + 8 + 1
    wrong = replace(ranking, exprs=ranking.exprs[:1])
    assert Measured(compiled, known, None).lexicographic(wrong) is None


def test_a_game_in_which_nothing_can_be_done(tmp_path: Path) -> None:
    never = (f"strengthen action {name} when turns_left > 2 label never @mine" for name in ("play", "discard", "hint"))
    compiled = of_variant(tmp_path, "\n".join(never))
    found = measured(compiled)
    assert found.verdict is Verdict.PROVED
    assert bound(found.detail) == 0


# ---- weights ---------------------------------------------------------------------------------------
def test_the_lightest_weights() -> None:
    assert lightest([(1, 0), (0, 2)], (3, 4), (1, 1)) == [Fraction(1), Fraction(1, 2)]
    assert lightest([(1, -1), (0, 1)], (1, 0), (1, 1)) == [Fraction(2), Fraction(1)]
    assert lightest([(1, -1), (-1, 1)], (1, 1), (1, 1)) is None
    assert lightest([(0, 0)], (1, 1), (1, 1)) is None

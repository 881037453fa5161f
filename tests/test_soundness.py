"""Rules made to mislead a prover: what is false in some game is never called proved, and what is possible never vacuous.

Each is a small game with something added; what was added goes wrong where a shortcut of some proof would not look.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hanabi_formal
from hanabi_formal.kernel.canonical import identity
from hanabi_formal.prove.archive import SCHEMA, load
from hanabi_formal.prove.checker import SystemCheck
from hanabi_formal.prove.obligation import Result, Verdict
from hanabi_formal.prove.search.goals import Memory
from hanabi_formal.verify.composition import FullCheck

GAME = """game trap {{
  param players : 2..2
  sort Player = players
  enum Suit = red | black
  range Rank = 1..5
  cards Card(suit : Suit, rank : Rank) copies 1
  var up[Card] : Bool
  var turn : Player
  var n : 0..10
  actor turn
  start {{ up[c] = false ; turn = Player(0) ; n = 0 }}
  action a(c : Card) when not up[c] {{ up[c]' = true ; n' = n + 1 ; turn' = next(turn) ; {first} }} {second}
  end done won when n == 10 {score}
  score = n
  invariant counted : n == count(up[c] for c : Card)
  view p : Player sees {{ turn, n ; up[c] for c : Card ; {seen} }}
  {more}
}}
"""
ALIKE = "what is alike to a seat stays alike"
BANDS = "bands cover every score once"
EXISTS = "every individual exists"
NOT_PROVED = {
    "two cards that may be different": (
        {"more": "invariant wrong : forall(c != d implies not (up[c] and up[d]) for c : Card, d : Card)"},
        "wrong",
    ),
    "two cards, one inside the other": (
        {"more": "invariant wrong : forall(forall(c != d implies not (up[c] and up[d]) for d : Card) for c : Card)"},
        "wrong",
    ),
    "two ranks that may be different": (
        {
            "more": "var lit[Rank] : Bool start { lit[r] = false }"
            "invariant wrong : forall(r != s implies not (lit[r] and lit[s]) for r : Rank, s : Rank)",
            "first": "lit[rank[c]]' = true",
        },
        "wrong",
    ),
    "two maps written at one card": (
        {
            "more": "var own[Card] : 0..1 start { own[c] = 0 }"
            "invariant wrong : count(up[c] and own[c] == 1 for c : Card) == 2 * n",
            "first": "own[c]' = 1",
        },
        "wrong",
    ),
    "a card that is only itself": (
        {"more": "invariant wrong : count(c == Card(0) and rank[c] == 1 for c : Card) == 2"},
        "wrong",
    ),
    "the face of another card": (
        {"more": "invariant wrong : count(suit[c] == suit[Card(0)] for c : Card) == 10"},
        "wrong",
    ),
    "a start that depends on deal and number": (
        {
            "more": "var lit[Card] : Bool start { lit[c] = if index(c) < 3 then rank[c] == 1 else rank[c] == 2 }"
            "invariant wrong : n > 0 or count(lit[c] for c : Card) == 2"
        },
        "wrong",
    ),
    "a game that is over at the start": (
        {"more": "end lucky lost when n == 0 and rank[Card(0)] == 5 score 0 invariant wrong : ended() implies n > 0"},
        "wrong",
    ),
    "what stays so when the game has ended": (
        {"more": "invariant so_far : ended() or n < 10 step wrong : not ended() or n < 10"},
        "wrong",
    ),
    "bands that rest on a falsehood": (
        {"more": 'bands { 0..3 "few" } invariant low : score <= 3 expect refuted because "more are played"'},
        BANDS,
    ),
    "bands and another score": (
        {"more": 'bands { 0..10 "all" } invariant high : score <= 10', "score": "score 2 * score"},
        BANDS,
    ),
    "bounds of what nobody reads": ({"more": "var w : 0..3 start { w = 0 }", "first": "w' = w + 1"}, "bounds of w"),
    "a field out of its range": (
        {
            "more": "union Where = slot(0..2) | off var at : Where start { at = off }",
            "first": "at' = if n == 7 then slot(n - 4) else off",
        },
        EXISTS,
    ),
    "an index out of its range": (
        {
            "more": "var lit[1..3] : Bool start { lit[i] = false } var w : Bool start { w = false }",
            "first": "w' = lit[n]",
        },
        EXISTS,
    ),
    "an individual that a guard asks for": ({"more": "action b() when rank[Card(n + 1)] == 1 { n' = n }"}, EXISTS),
    "an individual that an end asks for": ({"more": "end odd over when n > 8 and rank[Card(n + 1)] == 5"}, EXISTS),
    "an individual that is counted": (
        {"more": "var k : 0..20 start { k = 0 }", "first": "k' = count(rank[Card(index(d) + n)] == 1 for d : Card)"},
        EXISTS,
    ),
    "an individual that is seen": ({"seen": "rank[Card(n + 1)]"}, EXISTS),
    "an individual that is revealed": ({"first": "reveal rank[Card(n + 1)]"}, EXISTS),
    "a start that some deals do not allow": ({"more": "var z : 0..3 start { z = rank[Card(0)] }"}, "bounds of z"),
    "what is seen of two cards": (
        {
            "more": "var link[Card, Card] : Bool start { link[c, d] = false }",
            "seen": "link[c, d] for c : Card, d : Card",
            "first": "case c != Card(0) { link[c, Card(0)]' = suit[Card(9)] == red }",
        },
        ALIKE,
    ),
    "one of two games that is over at once": (
        {
            "more": "var x : 0..1 var y : 0..1 start { x = 0 ; y = 0 } end e won when x == 1 or y == 1",
            "seen": "y",
            "first": "x' = if n > 3 and suit[Card(9)] == red then 1 else 0",
            "second": "then { case n > 4 { y' = 1 } }",
        },
        ALIKE,
    ),
    "a loop over part of an index": (
        {
            "more": "var m[Card, 0..5] : Bool start { m[c, i] = false }"
            "invariant wrong : n == 0 or forall(m[c, 0] for c : Card)",
            "first": "for d : Card, i : 1..3 { m[d, i]' = true }",
        },
        "wrong",
    ),
    "a start that speaks of one card": (
        {
            "more": "var fr : 1..5 start { fr = rank[Card(0)] }"
            "invariant wrong : n > 0 or forall(fr == rank[c] for c : Card)"
        },
        "wrong",
    ),
    "a start that speaks of cards in a union": (
        {
            "more": "union At = at(Card) | off var lit[At] : Bool "
            "start { lit[x] = match x { at(c) : index(c) >= 5 ; off : false } } "
            "invariant wrong : n > 0 or count(lit[at(c)] and rank[c] == 1 for c : Card) == 0"
        },
        "wrong",
    ),
    "an end at the start that speaks of one card": (
        {
            "more": "end lucky lost when n == 0 and rank[Card(0)] == 5 score 0 "
            "invariant wrong : n > 0 or forall(ended() implies rank[c] == 5 for c : Card)"
        },
        "wrong",
    ),
    "bands that ask for nobody": ({"more": 'bands when rank[Card(n)] == 1 { 0..10 "x" }'}, EXISTS),
    "another fault than two writes": (
        {
            "more": "var k : 1..2 var j : 1..2 var lit[1..2] : Bool var w : 0..3 "
            "start { k = 1 ; j = 2 ; lit[i] = false ; w = 0 }",
            "first": "k' = j ; j' = k ; lit[k]' = true ; lit[j]' = true ; w' = w + 1",
        },
        "bounds of w",
    ),
}
REFUTED = NOT_PROVED.keys() - {"an individual that is seen", "bands that ask for nobody"}
"""Games are played without looking at what is seen, so none breaks down there, and it is left open."""


def result(tmp_path: Path, changes: dict[str, str], wanted: str, memory: Memory | None = None) -> Result:
    parts = dict.fromkeys(("first", "second", "score", "seen", "more"), "") | changes
    path = tmp_path / "trap.hrl"
    path.write_text(GAME.format(**parts), encoding="utf-8")
    compiled = hanabi_formal.load(str(path)).compiled(2)
    checker = SystemCheck(compiled, 2, 60) if memory is None else SystemCheck(compiled, 2, 60, memory)
    return next(found for found in checker.results() if found.name == wanted)


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_is_false_is_not_proved(name: str, tmp_path: Path) -> None:
    found = result(tmp_path, *NOT_PROVED[name])
    expected = Verdict.REFUTED if name in REFUTED else Verdict.UNDECIDED
    assert found.verdict is expected, found


def test_a_premise_about_two_cards_is_not_vacuous(tmp_path: Path) -> None:
    """It is so rare that no game is found; but there are such games."""
    up = " and ".join(f"up[Card({number})]" for number in range(1, 7))
    changes = {
        "more": f"invariant v : forall(c == Card(0) and d == Card(9) and n == 8 and up[c] and up[d] and {up}"
        " implies rank[c] != 1 or rank[d] != 2 for c : Card, d : Card)"
    }
    assert result(tmp_path, changes, "premise 1 of v comes about").verdict is not Verdict.VACUOUS


def test_a_premise_that_only_ended_games_meet_is_not_vacuous(tmp_path: Path) -> None:
    changes = {"more": "step s : ended() and n' == 10 implies n == 10"}
    assert result(tmp_path, changes, "premise 1 of s comes about").verdict is Verdict.REACHED


def test_an_end_of_rare_deals_is_not_impossible(tmp_path: Path) -> None:
    rare = " and ".join(f"rank[Card({number})] == {number + 1} and suit[Card({number})] == red" for number in range(5))
    changes = {"more": f"end lucky lost when n == 0 and {rare} score 0"}
    assert result(tmp_path, changes, "end lucky comes about").verdict is not Verdict.REFUTED


def test_a_fault_refutes_only_what_it_is_about(tmp_path: Path) -> None:
    changes, _ = NOT_PROVED["another fault than two writes"]
    assert result(tmp_path, changes, "distinct writes").verdict is Verdict.UNDECIDED


def test_a_guard_that_protects_the_next(tmp_path: Path) -> None:
    """Nothing breaks down where a guard is not asked."""
    changes = {
        "more": "var lit[0..4] : Bool start { lit[i] = false } action b(k : 0..1) "
        "when n < 5 label one when lit[n] or k == 0 label two { }"
    }
    assert result(tmp_path, changes, EXISTS).verdict is Verdict.PROVED
    assert result(tmp_path, changes, "guard b.two decides").verdict is Verdict.REACHED


def test_ended_in_rankings_and_revelations(tmp_path: Path) -> None:
    changes = {"more": "terminates t decreasing [if ended() then 0 else 10 - n] reveals rv : a(c) : ended()"}
    assert result(tmp_path, changes, "t").verdict is Verdict.PROVED
    assert result(tmp_path, changes, "rv").verdict is Verdict.PROVED


def test_a_property_that_is_restated_is_not_kept(tmp_path: Path) -> None:
    parts = dict.fromkeys(("first", "second", "score", "seen", "more"), "")
    (tmp_path / "trap.hrl").write_text(
        GAME.format(**parts | {"more": "invariant small : count(up[c] for c : Card) <= n"}), encoding="utf-8"
    )
    path = tmp_path / "mine.hrl"
    path.write_text(
        "variant mine extends trap { override invariant small : count(up[c] for c : Card) <= n + 1 }", encoding="utf-8"
    )
    found = {r.name: r for r in FullCheck(hanabi_formal.load(str(path)), 2, 30).results()}
    assert "small" not in found["kept of the base"].detail
    assert found["gives up small"].verdict is Verdict.PROVED  # it would hold all the same


def test_three_cards_at_once(tmp_path: Path) -> None:
    changes = {
        "more": "invariant wrong : not exists(up[c] and up[d] and up[e] and c != d and d != e and c != e"
        " for c : Card, d : Card, e : Card)"
    }
    assert result(tmp_path, changes, "wrong").verdict is Verdict.REFUTED


@pytest.mark.parametrize("numbers", ["2..2000000", "2..9"])
def test_an_example_too_hard_to_solve_is_left_open(numbers: str, tmp_path: Path) -> None:
    changes = {"more": f"example e(a : {numbers}, b : {numbers}) : a * b == 1000036000099"}
    expected = Verdict.UNDECIDED if "000" in numbers else Verdict.REFUTED
    assert result(tmp_path, changes, "e").verdict is expected


@pytest.mark.parametrize("weight", ['"1e9999999"', "Infinity", '"0x1"', "[]", '"1/0"'])
def test_weights_that_are_none(weight: str, tmp_path: Path) -> None:
    """A proof file is advice: whatever stands in it, the verdict is the same."""
    changes = {"more": "terminates falls decreasing [10 - n]"}
    name = "length of a game"
    honest = result(tmp_path, changes, name)
    game = hanabi_formal.load(str(tmp_path / "trap.hrl"))
    kept = tmp_path / "kept.json"
    system = game.compiled(2).system
    about = f'"schema": {json.dumps(SCHEMA)}, "identity": "{identity(system)}"'
    kept.write_text(f'{{{about}, "games": [], "weights": {{"n": {weight}}}, "needs": []}}', encoding="utf-8")
    again = result(tmp_path, changes, name, load(kept, system))
    assert (again.verdict, again.detail) == (honest.verdict, honest.detail)

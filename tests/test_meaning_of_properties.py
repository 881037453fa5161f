"""Properties mean what they say: the score the game has, in every state in which they are asked, at every step.

Rules made to deceive. Each property is false, or has no meaning somewhere, where a prover that reads it carelessly would
not look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from pathlib import Path
from random import Random

import pytest

import hanabi_formal
from hanabi_formal.api import Game, State
from hanabi_formal.kernel.expr import Ite
from hanabi_formal.kernel.system import PropertyKind
from hanabi_formal.prove.checker import SystemCheck
from hanabi_formal.prove.obligation import Result, Verdict
from hanabi_formal.prove.properties import asked
from hanabi_formal.run.faults import Fault, FaultKind
from small_games import GAMES

GAME = """game trap {{
  param players : 2..2
  sort Player = players
  enum Suit = red | black
  range Rank = 1..5
  cards Card(suit : Suit, rank : Rank) copies 1
  union Slot = slot(0..9) | off
  var up[Card] : Bool
  var lit[0..9] : Bool
  var turn : Player
  var n : 0..10
  actor turn
  start {{ up[c] = false ; lit[i] = false ; turn = Player(0) ; n = 0 }}
  action a(c : Card) when not up[c] {{ up[c]' = true ; n' = n + 1 ; turn' = next(turn) ; {first} }}
  {ends}
  score = n
  invariant counted : n == count(up[c] for c : Card)
  view p : Player sees {{ turn, n ; up[c], suit[c] for c : Card }}
  {more}
}}
"""
DONE = "end done won when n == 10"


def load(folder: Path, more: str, ends: str = DONE, first: str = "") -> Game:
    path = folder / "trap.hrl"
    path.write_text(GAME.format(more=more, ends=ends, first=first), encoding="utf-8")
    return hanabi_formal.load(str(path))


def results(folder: Path, more: str, ends: str = DONE, first: str = "") -> dict[str, Result]:
    checker = SystemCheck(load(folder, more, ends, first).compiled(2), 2, 60)
    return {result.name: result for result in checker.results()}


def states(game: Game, players: int | None, seed: int) -> Iterator[State]:
    """A game played at random, state by state; one that never ends is left."""
    choice, state = Random(seed), game.start(players, seed=seed)
    yield state
    for _ in range(60):
        if state.ended is not None or not state.legal():
            return
        state = state.step(choice.choice(state.legal()))
        yield state


# ---- the score -----------------------------------------------------------------------------------------
HUNDRED = f"{DONE} score 100"
TWO_ENDS = "end tired late lost when n == 10 score 7 end done won when n == 10 score 100"
LUCKY = f"end lucky lost when rank[Card(0)] == 5 score 50 {DONE}"
FALSE_OF_THE_SCORE = {
    "a hundred at the end": (HUNDRED, "unreachable wrong : score > 10"),
    "an invariant": (HUNDRED, "invariant wrong : score <= 10"),
    "a step": (HUNDRED, "step wrong : score' <= score + 1"),
    "after the end": (HUNDRED, "step wrong : ended() implies score == n"),
    "through a definition": (HUNDRED, "def worth() = score unreachable wrong : worth() > 10"),
    "through a definition after the step": (HUNDRED, "def worth() = score step wrong : worth()' <= 10"),
    "inside a quantifier": (HUNDRED, "invariant wrong : forall(index(p) + score <= 11 for p : Player)"),
    "nothing at the end": (f"{DONE} score 0", "step wrong : score' >= score"),
    "of two ends the first decides": (TWO_ENDS, "unreachable wrong : score == 7"),
    "at the start": (LUCKY, "unreachable wrong : score == 50"),
    "by a definition of the end's": (f"def twice() = 2 * score {DONE} score twice()", "invariant wrong : score <= 10"),
    "as a ranking": (f"{DONE} score 0", "terminates wrong decreasing [10 - score]"),
}


@pytest.mark.parametrize("name", FALSE_OF_THE_SCORE)
def test_what_is_false_of_the_score_is_refuted(name: str, tmp_path: Path) -> None:
    ends, more = FALSE_OF_THE_SCORE[name]
    found = results(tmp_path, more, ends)["wrong"]
    assert found.verdict is Verdict.REFUTED, found


TRUE_OF_THE_SCORE = {
    "never the running score at the end": (HUNDRED, "unreachable right : score == 10"),
    "a bound for all ends": (HUNDRED, "invariant right : score <= 100"),
    "the end that comes second never scores": (TWO_ENDS.replace(" late", ""), "unreachable right : score == 100"),
    "no jump while the game goes on": (HUNDRED, "step right : ended(done') or score' == score + 1"),
    "an end like the game": (f"{DONE} score score", "invariant right : score == n"),
}


@pytest.mark.parametrize("name", TRUE_OF_THE_SCORE)
def test_what_is_true_of_the_score_is_proved(name: str, tmp_path: Path) -> None:
    ends, more = TRUE_OF_THE_SCORE[name]
    found = results(tmp_path, more, ends)["right"]
    assert found.verdict is Verdict.PROVED, found


def test_the_score_of_an_end_is_reached(tmp_path: Path) -> None:
    found = results(tmp_path, "reachable high : score == 100 reachable low : score == 10", HUNDRED)
    assert found["high"].verdict is Verdict.REACHED
    assert found["low"].verdict is Verdict.REFUTED


def test_bands_are_rated_by_the_score_the_game_has(tmp_path: Path) -> None:
    game = load(tmp_path, 'bands when score > 50 { 0..100 "rated" }', HUNDRED)
    *_, state = states(game, 2, 1)
    assert (state.score, state.bands) == (100, ("rated",))


def test_a_lemma_about_the_score_bounds_the_end_it_speaks_of(tmp_path: Path) -> None:
    """What is proved of the running score says nothing of an end with a score of its own."""
    bands = 'bands { 0..10 "all" }'
    name = "bands cover every score once"
    doubled = results(tmp_path, f"{bands} invariant low : ended() or score <= 10", f"{DONE} score 2 * score")
    assert doubled[name].verdict is Verdict.REFUTED
    bounded = results(tmp_path, f"{bands} invariant low : score <= 10", f"{DONE} score min(2 * n, 10)")
    assert bounded[name].verdict is Verdict.PROVED


SCORED = ("late_ends", "ends_within_cases", "ends_at_the_start")


@pytest.mark.parametrize("name", SCORED)
def test_the_score_in_a_property_is_the_score_told_of_the_game(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.hrl"
    path.write_text(f"game {name} {{\n{GAMES[name]}\n  terminates probe decreasing [score]\n}}\n", encoding="utf-8")
    game = hanabi_formal.load(str(path))
    compiled = game.compiled(None)
    (score,) = next(prop.exprs for prop in compiled.system.properties if prop.name == "probe")
    assert isinstance(score, Ite)
    read, ends = compiled.measure(score), set()
    for seed in range(40):
        for state in states(game, None, seed):
            scene = compiled.interpreter.scene(compiled.snapshot(state.packed), tuple(state.dealt[0]))
            assert state.score == compiled.interpreter.evaluate(score, scene) == read(state.dealt, state.packed)
            ends.add(state.ended)
    assert len(ends) > 2 or name == "ends_at_the_start"


# ---- meaning -------------------------------------------------------------------------------------------
MEANINGLESS = {
    "an attribute of nobody": "invariant wrong : rank[Card(n)] >= 1",
    "a comparison that is folded": "invariant wrong : Card(n) != Card(3) or n == 3",
    "an individual like itself": "invariant wrong : Card(n) == Card(n)",
    "one that is sought": "invariant wrong : exists(c == Card(n) for c : Card)",
    "the smaller of two": "invariant wrong : min(rank[Card(n)], 0) == 0",
    "a choice that makes no difference": "invariant wrong : (if up[Card(n)] then 1 else 1) == 1",
    "something that is true anyway": "invariant wrong : up[Card(n)] or true",
    "something that is false anyway": "invariant wrong : not (up[Card(n)] and false)",
    "a union that is taken apart in one way": "invariant wrong : match slot(n) { else : true }",
    "a constructor that it was not made by": "invariant wrong : slot(n) != off",
    "a field of it": "invariant wrong : match slot(n) { slot(k) : k == n ; off : true }",
    "an index": "invariant wrong : lit[n] or not lit[n]",
    "an index in a loop": "invariant wrong : forall(not lit[index(c) + n] for c : Card)",
    "something unreachable": "unreachable wrong : rank[Card(n)] > 5",
    "something unreachable and its opposite": "unreachable wrong : up[Card(n)] and not up[Card(n)]",
    "a step": "step wrong : up[Card(n)] implies up[Card(n)]'",
    "the state after a step": "step wrong : rank[Card(n')] >= 1",
    "a ranking": "terminates wrong decreasing [(if up[Card(n)] then 10 else 10) - n]",
    "through a definition": "def strange() = rank[Card(n)] invariant wrong : strange() >= 1",
    "a guard asked of another state": "invariant wrong : enabled(a) or rank[Card(n)] >= 1",
}


@pytest.mark.parametrize("name", MEANINGLESS)
def test_what_has_no_meaning_in_some_state_is_not_proved(name: str, tmp_path: Path) -> None:
    """There are ten cards, numbered from 0, and n comes to be 10."""
    found = results(tmp_path, MEANINGLESS[name])
    assert found["wrong"].verdict is Verdict.REFUTED, found["wrong"]
    owed = found["wrong has a meaning"]
    assert (owed.verdict, owed.obligation.expected) == (Verdict.REFUTED, Verdict.PROVED), owed


def test_to_be_refuted_is_not_to_have_no_meaning(tmp_path: Path) -> None:
    """It is refuted, as expected; but not for the reason given, and that is told."""
    found = results(tmp_path, 'invariant wrong : rank[Card(n)] >= 1 expect refuted because "of the ranks"')
    assert found["wrong"].as_expected
    assert not found["wrong has a meaning"].as_expected


def test_what_has_no_meaning_is_not_reached(tmp_path: Path) -> None:
    found = results(tmp_path, "reachable wrong : not up[Card(n + 9)] and n > 0 reachable right : up[Card(n)]")
    assert found["wrong"].verdict is Verdict.REFUTED
    assert found["right"].verdict is Verdict.REACHED
    assert not any(name.endswith(" has a meaning") for name in found)


def test_what_is_revealed_must_have_a_meaning(tmp_path: Path) -> None:
    found = results(tmp_path, "reveals wrong : a(c) : rank[Card(n + 1)]", first="reveal rank[Card(min(n + 1, 9))]")
    assert found["wrong"].verdict is not Verdict.PROVED
    assert found["wrong has a meaning"].verdict is Verdict.REFUTED
    told = "rank[Card(n + 1)] for k : 0..0 where n < 9"
    found = results(tmp_path, f"reveals right : a(c) : {told}", first=f"reveal {told}")
    assert found["right"].verdict is Verdict.PROVED
    assert found["right has a meaning"].verdict is Verdict.PROVED


GUARDED = {
    "by a premise": "invariant right : n < 10 implies rank[Card(n)] >= 1",
    "by another invariant": "invariant right : ended() or rank[Card(n)] >= 1",
    "by what comes before it": "unreachable right : n < 10 and rank[Card(n)] > 5",
    "in the state before a step": "step right : ended() or rank[Card(n)] >= 1",
    "in both": "step right : n' < 10 implies rank[Card(n')] >= 1 and rank[Card(n)] >= 1",
}


@pytest.mark.parametrize("name", GUARDED)
def test_what_is_asked_only_where_it_has_a_meaning_is_proved(name: str, tmp_path: Path) -> None:
    found = results(tmp_path, GUARDED[name])
    assert found["right"].verdict is Verdict.PROVED, found["right"]
    assert found["right has a meaning"].verdict is Verdict.PROVED


def test_types_alone_owe_nothing(tmp_path: Path) -> None:
    stays = "step up_stays : forall(up[c] implies up[c]' for c : Card)"
    system = load(tmp_path, f"invariant right : forall(rank[c] >= 1 for c : Card) {stays}").system(2)
    assert tuple(asked(system).values()) == system.properties


@pytest.mark.parametrize("spec", ["base", "nl+rainbow", "en+expert", "hanab_live", "literal_fit"])
def test_the_specifications_owe_nothing_more(spec: str) -> None:
    system = hanabi_formal.load(spec).system(3)
    stated = tuple(prop for prop in system.properties if prop.kind != PropertyKind.DEFECT)
    assert tuple(asked(system).values()) == stated


def test_a_lemma_without_a_meaning_is_no_help(tmp_path: Path) -> None:
    """As a hypothesis it would be about a card that is not there, and anything could follow from that."""
    liar = "invariant liar : rank[Card(n)] >= 1 and (n < 10 or rank[Card(n)] < 1)"
    found = results(tmp_path, f"{liar} unreachable wrong : n == 10")
    assert found["wrong"].verdict is Verdict.REFUTED
    assert found["liar"].verdict is Verdict.REFUTED


def test_a_guard_is_folded_only_where_it_has_a_meaning(tmp_path: Path) -> None:
    """Rules have no more freedom than properties: nobody is asked for by a number that nobody has."""
    found = results(tmp_path, "action b() when Card(n + 1) == Card(3) { n' = n }")["every individual exists"]
    assert found.verdict is Verdict.REFUTED
    assert "there is no Card number 10" in found.detail or "10 stands where" in found.detail


# ---- rankings ------------------------------------------------------------------------------------------
def test_a_ranking_falls_with_the_last_step_too(tmp_path: Path) -> None:
    found = results(tmp_path, "terminates wrong decreasing [if n == 10 then 99 else 10 - n]")["wrong"]
    assert found.verdict is Verdict.REFUTED
    assert found.trace is not None
    assert len(found.trace.actions) == 10


def test_a_ranking_may_ask_whether_the_game_has_ended(tmp_path: Path) -> None:
    found = results(tmp_path, "terminates right decreasing [if ended() then 0 else 11 - n]")["right"]
    assert found.verdict is Verdict.PROVED


def test_numbers_of_a_ranking_are_compared_as_numbers(tmp_path: Path) -> None:
    """It falls, though nothing here proves that k is n; no game shows that it does not."""
    second = "if k == n then (if n > 4 then 20 - n else 10 - n) else 0"
    ranking = f"terminates right decreasing [if n > 4 then 3 else 7, {second}]"
    found = results(tmp_path, f"var k : 0..10 start {{ k = 0 }} {ranking}", first="k' = k + 1")["right"]
    assert found.verdict is Verdict.UNDECIDED


# ---- faults --------------------------------------------------------------------------------------------
def test_a_fault_is_known_by_its_kind_and_not_by_its_words(tmp_path: Path) -> None:
    """The place of a fault is told with it, and a folder may be called anything."""
    folder = tmp_path / "`turn` is updated twice, and becomes x"
    folder.mkdir()
    more = "var w : 0..3 start { w = 0 } var k : 1..2 start { k = 1 } var j : 1..2 start { j = 2 }"
    found = results(folder, more, first="w' = w + 1 ; k' = j ; j' = k ; lit[k]' = true ; lit[j]' = true")
    assert found["bounds of w"].verdict is Verdict.REFUTED
    assert found["distinct writes"].verdict is Verdict.UNDECIDED  # k and j differ, which nothing here says
    found = results(folder, "", first="lit[n]' = true ; lit[0]' = false")
    assert found["distinct writes"].verdict is Verdict.REFUTED
    assert found["bounds of turn"].verdict is Verdict.PROVED


KINDS = {
    FaultKind.OUT_OF_BOUNDS: ("var w : 0..3 start { w = 0 }", "w' = w + 1"),
    FaultKind.WRITTEN_TWICE: ("", "lit[n]' = true ; lit[0]' = false"),
    FaultKind.NOT_THERE: ("var w : Bool start { w = false }", "w' = up[Card(n + 1)]"),
}


def fault_of(step: Callable[[], object]) -> Fault | None:
    try:
        step()
    except Fault as fault:
        return fault
    return None


@pytest.mark.parametrize("kind", KINDS)
def test_both_readings_give_a_fault_its_kind(kind: FaultKind, tmp_path: Path) -> None:
    more, first = KINDS[kind]
    compiled = load(tmp_path, more, first=first).compiled(2)
    dealt = compiled.deal(list(range(10)))
    state = compiled.start(dealt)
    fast = slow = None
    while fast is None:
        code = compiled.legal(dealt, state)[0]
        taken, before = compiled.decode(state, code), compiled.snapshot(state)
        fast = fault_of(partial(compiled.step, dealt, state, code))
        slow = fault_of(partial(compiled.interpreter.step, before, tuple(dealt[0]), taken))
        state = state if fast else compiled.step(dealt, state, code)
    assert slow is not None
    assert fast.kind is slow.kind is kind
    assert fast.variable == slow.variable
    again = copy(fast)  # as it comes back from another process
    assert (again.kind, str(again), again.variable, again.span) == (fast.kind, str(fast), fast.variable, fast.span)

"""What is without effect in a text is noticed: cases, guards, properties and changes; and what a variant gives up."""

from __future__ import annotations

from pathlib import Path

import pytest

import hanabi_formal
from hanabi_formal.api import Game
from hanabi_formal.elaborate.changes import settled
from hanabi_formal.kernel.build import conj, negate
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.prove.consistency.dead_parts import DeadParts
from hanabi_formal.prove.obligation import Obligation, Result, Verdict
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.verify.kept_promises import KEPT, Promises
from hanabi_formal.verify.variant_effects import Effects, base_of, constant_cases

LEMMAS = ("pile_is_undrawn", "no_countdown_before")


def lemmas(system: System) -> tuple[Expr, ...]:
    """Two that every game here keeps; `check` proves them before it uses them."""
    return tuple(conj(*prop.exprs) for prop in system.properties if prop.name in LEMMAS)


def of_system(game: Game, players: int = 2, games: int = 300) -> dict[str, Result]:
    compiled = game.compiled(players)
    reasons = settled(game.merged, compiled.system)
    found = DeadParts(compiled, lemmas(compiled.system), games, settled=reasons).results()
    return {result.name: result for result in (*found, *constant_cases(game, players))}


def of_changes(game: Game, players: int = 2) -> dict[str, Result]:
    known = lemmas(game.system(players))
    return {result.name: result for result in Effects(game, players, lemmas=known).results()}


def variant(tmp_path: Path, changes: str) -> Game:
    """The base game with some changes, written for the occasion."""
    path = tmp_path / "mine.hrl"
    path.write_text(f'variant mine extends base {{\n  clause @mine "mine"\n{changes}\n}}\n')
    return hanabi_formal.load(str(path))


def strange(results: dict[str, Result]) -> dict[str, Verdict]:
    return {name: result.verdict for name, result in results.items() if not result.as_expected}


# ---- what is as it should be -----------------------------------------------------------------------
@pytest.mark.parametrize("spec", ["base", "rainbow"])
def test_nothing_is_without_effect(spec: str) -> None:
    game = hanabi_formal.load(spec)
    found = of_system(game)
    assert strange(found) == {}
    assert found["case play.fit comes about"].verdict is Verdict.REACHED
    assert found["case draw.card in play comes about"].verdict is Verdict.REACHED
    assert found["guard hint.token decides"].verdict is Verdict.REACHED
    assert found["guard hint.empty decides"].detail == "always true under empty_hint = allowed"
    case = found["case discard.draw_at_once comes about"]
    assert case.verdict is Verdict.VACUOUS
    assert "draw_on_end = no" in case.detail
    assert strange(of_changes(game)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["expert", "timed", "avalanche", "timed+avalanche", "nl+rainbow", "hanab_live+expert"])
@pytest.mark.parametrize("players", [3, 5])
def test_nothing_is_without_effect_in_other_games(spec: str, players: int) -> None:
    game = hanabi_formal.load(spec)
    assert strange(of_system(game, players)) == {}
    assert strange(of_changes(game, players)) == {}


def test_another_game_needs_no_change() -> None:
    game = hanabi_formal.load("tests/games/solitaire.hrl")
    compiled = game.compiled()
    found = list(DeadParts(compiled, (), settled=settled(game.merged, compiled.system)).results())
    assert found
    assert [result.name for result in found if not result.as_expected] == []


def test_a_game_shows_what_it_is_said_to_show() -> None:
    """The guard for the cost forbids something at the end of its game, and the case is taken by the last action."""
    game = hanabi_formal.load("base")
    compiled = game.compiled(2)
    found = of_system(game)
    cost = found["guard hint.token decides"].trace
    assert cost is not None
    _, state = replay(compiled, cost)
    assert compiled.snapshot(state).values["blue_left"] == 0
    bonus = found["case play.bonus comes about"].trace
    assert bonus is not None
    at = game.start(2, bonus.faces)
    for name, args in bonus.actions[:-1]:
        at = at.step(at.action(name, *args))
    last = at.explain(at.action(bonus.actions[-1][0], *bonus.actions[-1][1]))
    assert "play.bonus" in last.labels


def test_games_of_an_earlier_search_are_believed_if_they_reach_their_goal() -> None:
    compiled = hanabi_formal.load("base").compiled(2)
    known = {r.name: r.trace for r in DeadParts(compiled, ()).results() if r.trace is not None}
    again = {
        r.name: r.trace for r in DeadParts(compiled, (), 0, known.values()).results() if r.verdict is Verdict.REACHED
    }
    assert set(again) == set(known)
    assert set(again.values()) <= {Trace(t.faces, t.actions[:n]) for t in known.values() for n in range(99)}
    broken = {name: Trace(trace.faces, (Instance("play", (49, 1)), *trace.actions)) for name, trace in known.items()}
    first = next(DeadParts(compiled, (), 0, broken.values()).results())
    assert first.name in known
    assert first.verdict is not Verdict.REACHED


# ---- seeded faults: in the system ------------------------------------------------------------------
WATCH = "add var seen : Bool  @mine\nadd start { seen = false @mine }\n"
FIVES = " and ".join(f"suit[Card({n})] == {s} and rank[Card({n})] == 5" for n, s in enumerate(("red", "green", "blue")))
FAULTS = {
    "a case that cannot hold": (
        WATCH + "add after move extra { case turns_left == 0 label never { seen' = true @mine } }  @mine",
        "case extra.never in play comes about",
        Verdict.REFUTED,
        "induction",
    ),
    "a case that is false by its types": (
        WATCH + "add after move extra { case drawn > size(Card) label never { seen' = true @mine } }  @mine",
        "case extra.never comes about",
        Verdict.REFUTED,
        "text",
    ),
    "a case after one that takes everything": (
        WATCH + "add after move extra { case red_spent >= 0 label all { seen' = true @mine }\n"
        "else label never { seen' = false @mine } }  @mine",
        "case extra.never comes about",
        Verdict.REFUTED,
        "text",
    ),
    "a guard that is always true": (
        "strengthen action play when red_spent < red_tokens label idle  @mine",
        "guard play.idle decides",
        Verdict.REFUTED,
        "induction",
    ),
    "a guard that another implies": (
        "strengthen action play when place[c] != pile label idle  @mine",
        "guard play.idle decides",
        Verdict.REFUTED,
        "induction",
    ),
    "a guard that is true by its types": (
        "strengthen action hint when blue_left >= 0 label idle  @mine",
        "guard hint.idle decides",
        Verdict.REFUTED,
        "text",
    ),
    "a guard that is never true": (
        "strengthen action discard when turns_left == 0 label never  @mine",
        "guard discard.never decides",
        Verdict.REFUTED,
        "induction",
    ),
    "a guard that is false outright": (
        "override when discard.own false  @mine",
        "guard discard.own decides",
        Verdict.REFUTED,
        "text",
    ),
    "a premise that is never true": (
        "add invariant hollow : place[Card(0)] == pile implies score == 3  @mine",
        "premise 1 of hollow comes about",
        Verdict.VACUOUS,
        "induction",
    ),
    "a premise about a step that is never true": (
        "add step hollow : drawn' < drawn implies score' == 3  @mine",
        "premise 1 of hollow comes about",
        Verdict.VACUOUS,
        "induction",
    ),
    "a premise that no deal makes true": (
        "add invariant hollow : (suit[Card(0)] == suit[Card(1)] and rank[Card(0)] == 5 and rank[Card(1)] == 5)\n"
        "implies score == 3  @mine",
        "premise 1 of hollow comes about",
        Verdict.VACUOUS,
        "deals",
    ),
    "an invariant that is true by its types": (
        "add invariant hollow : blue_left > 8 implies score == 3  @mine",
        "premise of hollow comes about",
        Verdict.VACUOUS,
        "text",
    ),
}


@pytest.mark.parametrize(("changes", "name", "verdict", "method"), FAULTS.values(), ids=FAULTS.keys())
@pytest.mark.sampled(4)
def test_a_fault_is_noticed(changes: str, name: str, verdict: Verdict, method: str, tmp_path: Path) -> None:
    found = of_system(variant(tmp_path, changes), games=12)[name]
    assert (found.verdict, found.method) == (verdict, method), found
    assert not found.as_expected


def test_what_a_parameter_settles_is_no_fault(tmp_path: Path) -> None:
    changes = "strengthen action discard when players == 3 or blue_left > 0 label spare  @mine"
    result = of_system(variant(tmp_path, changes), 3, games=4)["guard discard.spare decides"]
    assert result.verdict is Verdict.VACUOUS
    assert result.as_expected
    assert result.detail == "always true under players = 3"


def test_a_premise_that_few_deals_make_true_is_met(tmp_path: Path) -> None:
    """No random deal begins with three given cards; one is made to order, and games are played from such deals."""
    changes = (
        f"add invariant rare : ({FIVES}) implies score <= 25  @mine\n"
        f"add invariant later : ({FIVES} and place[Card(0)] == discards) implies score <= 25  @mine"
    )
    game = variant(tmp_path, changes)
    found = of_system(game, games=40)
    rare, later = found["premise 1 of rare comes about"], found["premise 1 of later comes about"]
    assert rare.trace is not None
    assert rare.trace.actions == ()
    assert later.trace is not None
    dealt, state = replay(game.compiled(2), later.trace)
    premise = next(prop for prop in game.system(2).properties if prop.name == "later").exprs[0]
    assert game.compiled(2).predicate(premise)(dealt, state)
    assert game.start(2, later.trace.faces).deal.startswith("r5 g5 b5")


# ---- seeded faults: among the changes ----------------------------------------------------------------
IDLE = {
    "an override that repeats the base": (
        "override def held(c, p) = place[c] == hand(p)  @mine",
        "override def held by mine",
    ),
    "an override of a guard that repeats it": (
        "override when hint.token blue_left > 0  @mine",
        "override when hint.token by mine",
    ),
    "a default chosen again": ("set empty_hint = allowed  @mine", "set empty_hint by mine"),
    "the same range again": ("set extra_blue : 0..8  @mine", "set range of extra_blue by mine"),
    "a strengthening that forbids nothing": (
        "strengthen action play when red_spent < red_tokens label idle  @mine",
        "strengthen play.idle by mine",
    ),
    "a strengthening that is always true": (
        "strengthen action play when red_spent >= 0 label idle  @mine",
        "strengthen play.idle by mine",
    ),
    "a property stated again": (
        "override invariant heights : forall(height(s) <= size(Rank) for s : Suit)  @mine",
        "override property heights by mine",
    ),
}
BUSY = {
    "a guard weakened": ("override when discard.full true  @mine", "override when discard.full by mine", True),
    "another score": ("override score = 0  @mine", "override score by mine", True),
    "another start": ("override start { blue_left = 3 @mine }", "override start blue_left by mine", True),
    "another end": (
        "override end last_round lost when turns_left == 0  @mine",
        "override end last_round by mine",
        True,
    ),
    "fewer told": (
        "override effect draw(p) { case drawn < size(Card) label card { place[Card(drawn)]' = hand(p) @mine\n"
        "drawn' = drawn + 1 @mine } }  @mine",
        "override effect draw by mine",
        True,
    ),
    "less to see": ("override view p : Player sees { drawn, turn @mine }  @mine", "override view by mine", True),
    "another parameter": ("set red_tokens = 2  @mine", "set red_tokens by mine", False),
    "a stronger property": (
        "override invariant heights : forall(height(s) <= 4 for s : Suit)  @mine",
        "override property heights by mine",
        False,
    ),
}


@pytest.mark.parametrize(("changes", "name"), IDLE.values(), ids=IDLE.keys())
def test_a_change_without_effect_is_noticed(changes: str, name: str, tmp_path: Path) -> None:
    found = Effects(variant(tmp_path, changes), 2, games=4).results()
    result = {result.name: result for result in found}[f"{name} has an effect"]
    assert result.verdict is Verdict.REFUTED, result
    assert not result.as_expected


@pytest.mark.parametrize(("changes", "name", "shown"), BUSY.values(), ids=BUSY.keys())
def test_a_change_with_an_effect_is_shown(changes: str, name: str, shown: bool, tmp_path: Path) -> None:
    result = of_changes(variant(tmp_path, changes))[f"{name} has an effect"]
    assert result.as_expected, result
    assert (result.trace is not None) == shown


def test_a_change_may_take_effect_under_another_ruling(tmp_path: Path) -> None:
    changes = "strengthen action hint when empty_hint == allowed or blue_left > 1 label spare  @mine"
    result = of_changes(variant(tmp_path, changes))["strengthen hint.spare by mine has an effect"]
    assert result.verdict is Verdict.VACUOUS
    assert result.as_expected
    assert "under empty_hint = refused: the legal actions differ" in result.detail


def test_a_change_may_lose_its_effect_to_an_edition() -> None:
    found = Effects(hanabi_formal.load("nl+avalanche"), 2).results()
    result = next(result for result in found if result.name == "override bands by avalanche has an effect")
    assert result.verdict is Verdict.VACUOUS
    assert "in avalanche alone" in result.detail


# ---- what the base promised --------------------------------------------------------------------------
def test_what_is_kept_and_what_is_given_up() -> None:
    game = hanabi_formal.load("expert")
    base = base_of(game)
    assert base is not None
    assert base.name == "base"
    own = [Obligation.declared(prop) for prop in game.system(2).properties]
    told = {one: Result(one, one.expected, "") for one in own}
    stuck = next(one for one in own if one.name == "always_a_move")
    assert stuck.expected is told[stuck].verdict is Verdict.REFUTED
    found = {result.name: result for result in Promises(game, 2, base, told).results()}
    given_up = {"always_a_move", "hands_full", "buried_too_deep", "buried_and_perfect"}
    assert set(found) == {KEPT.name, *(f"gives up {name}" for name in given_up)}
    assert "score_bound" in found[KEPT.name].detail
    assert "always_a_move" not in found[KEPT.name].detail
    assert found["gives up always_a_move"].as_expected
    for name in given_up - {"always_a_move"}:
        removed = found[f"gives up {name}"]
        assert removed.verdict is Verdict.REFUTED
        assert removed.trace is not None
        dealt, state = replay(game.compiled(2), removed.trace)
        prop = next(p for p in base.system(2).properties if p.name == name)
        holds = conj(*prop.exprs) if prop.kind == "invariant" else negate(conj(*prop.exprs))
        assert not game.compiled(2).predicate(holds)(dealt, state)


def test_a_property_need_not_be_given_up(tmp_path: Path) -> None:
    game = variant(tmp_path, "remove property pile_is_undrawn  @mine")
    base = base_of(game)
    assert base is not None
    result = list(Promises(game, 2, base, {}, games=2).results())[-1]
    assert result.name == "gives up pile_is_undrawn"
    assert result.verdict is Verdict.PROVED
    assert not result.as_expected


def test_a_game_without_variants_has_no_base() -> None:
    assert base_of(hanabi_formal.load("nl")) is None

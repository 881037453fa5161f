"""What `check` proves is true, what it refutes is false, and it never mistakes one for the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hanabi_formal
from hanabi_formal.kernel.build import conj, negate
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import PropertyKind
from hanabi_formal.prove.archive import load, proof_path, save
from hanabi_formal.prove.checker import SystemCheck
from hanabi_formal.prove.induction.invariants import Claimant
from hanabi_formal.prove.induction.needed_lemmas import NeededLemmas
from hanabi_formal.prove.obligation import Obligation, ObligationKind, ObligationNames, Result, Verdict
from hanabi_formal.prove.search.directed import bounds_of_score, game_towards
from hanabi_formal.prove.search.goals import NOTHING, Memory
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.verify.composition import FullCheck


def results(spec: str, players: int | None, games: int = 120) -> dict[str, Result]:
    compiled = hanabi_formal.load(spec).compiled(players)
    return {result.name: result for result in SystemCheck(compiled, players, games).results()}


def of_variant(tmp_path: Path, changes: str, players: int = 2) -> dict[str, Result]:
    """The results for the base game with some changes, written for the occasion."""
    path = tmp_path / "mine.hrl"
    path.write_text(f'variant mine extends base {{\n  clause @mine "mine"\n{changes}\n}}\n')
    return results(str(path), players)


@pytest.mark.deep
def test_a_false_invariant_is_not_proved(tmp_path: Path) -> None:
    """One of the list below, and a fault of the rules; all of them with `-m slow`."""
    changes = "add invariant wrong : blue_left <= 7  @mine\nremove when hint.token  @mine"
    found = of_variant(tmp_path, changes)
    assert found["wrong"].verdict is Verdict.REFUTED
    assert found["bounds of blue_left"].verdict is Verdict.REFUTED


@pytest.mark.deep
def test_the_base_game_is_as_it_should_be() -> None:
    found = results("base", 3)
    assert [result.name for result in found.values() if not result.as_expected] == []
    assert found["score_bound"].verdict is Verdict.PROVED
    assert found["always_a_move"].verdict is Verdict.PROVED
    assert found["by_cards"].verdict is Verdict.PROVED
    assert found["maximum"].verdict is Verdict.REACHED


@pytest.mark.deep
def test_the_expert_game_can_get_stuck() -> None:
    found = results("expert", 2, 400)["always_a_move"]
    assert found.verdict is Verdict.REFUTED
    assert found.trace is not None
    compiled = hanabi_formal.load("expert").compiled(2)
    dealt, state = replay(compiled, found.trace)
    assert not compiled.ended(state)
    assert not compiled.legal(dealt, state)


def test_other_games_are_proved_with_no_change() -> None:
    found = results("tests/games/solitaire.hrl", None, 300)
    assert [result.name for result in found.values() if not result.as_expected] == []


FALSE = {
    "a bound that play breaks": "add invariant wrong : blue_left <= 7  @mine",
    "nearly the right bound": "add invariant wrong : score <= size(Suit) * size(Rank) - 1  @mine",
    "true at the start only": "add invariant wrong : forall(place[c] != discards for c : Card)  @mine",
    "a count one too small": "add invariant wrong : count(place[c] == fireworks for c : Card) <= 3  @mine",
    "a wrong step": "add step wrong : blue_left' <= blue_left  @mine",
    "a ranking that hints do not lower": "add terminates wrong decreasing [size(Card) - drawn]  @mine",
}


@pytest.mark.slow
@pytest.mark.parametrize("changes", FALSE.values(), ids=FALSE.keys())
def test_what_is_false_is_never_proved(changes: str, tmp_path: Path) -> None:
    assert of_variant(tmp_path, changes)["wrong"].verdict is not Verdict.PROVED


def invariant(name: str) -> Obligation:
    return Obligation.of(ObligationKind.INVARIANT, name)


def proved(spec: str, needs: NeededLemmas | None, keep: bool = False) -> tuple[set[Obligation], NeededLemmas]:
    """What induction proves with such advice, and the advice that it leaves."""
    claimant = Claimant(hanabi_formal.load(spec).compiled(None), None, Memory({}, needs=needs), keep)
    return {claim.obligation for claim in claimant.claims() if claim.outcome.proved}, claimant.found


def of_solitaire(tmp_path: Path, changes: str) -> Path:
    solitaire = Path("tests/games/solitaire.hrl")
    (tmp_path / "solitaire.hrl").write_text(solitaire.read_text())
    path = tmp_path / "mine.hrl"
    path.write_text(f'variant mine extends solitaire {{\n clause @mine "m"\n {changes}\n}}\n')
    return path


def test_what_holds_until_the_end_is_not_assumed_after_it(tmp_path: Path) -> None:
    """An ended game stays as it is, and conditions on steps are asked of that too."""
    path = of_solitaire(
        tmp_path,
        "add invariant so_far : ended() or score < full  @mine\nadd step ever : not ended() or score < full  @mine",
    )
    true, _ = proved(str(path), None)
    assert invariant("so_far") in true
    assert Obligation.of(ObligationKind.STEP, "ever") not in true


def test_a_game_that_cannot_begin_is_searched_and_decided(tmp_path: Path) -> None:
    path = of_solitaire(
        tmp_path,
        "override end stuck late over when false  @mine\n"
        "strengthen action build when false label never  @mine\n"
        "strengthen action toss when left < tosses label never  @mine",
    )
    game = hanabi_formal.load(str(path))
    compiled = game.compiled(None)
    assert game_towards(compiled, only(compiled, "all_built")) is None
    verdicts = {result.name: result.verdict for result in SystemCheck(compiled, None, 30).results()}
    assert verdicts["always_a_move"] is Verdict.REFUTED
    assert verdicts["action toss is possible"] is Verdict.REFUTED
    assert verdicts["case refill.card comes about"] is Verdict.REFUTED


def test_advice_changes_no_verdict(tmp_path: Path) -> None:
    """Whatever a proof file says of lemmas, what is true is proved, and what is false is not."""
    solitaire = Path("tests/games/solitaire.hrl").resolve()
    path = of_solitaire(tmp_path, "add invariant wrong : left >= 1  @mine")
    true, needs = proved(str(solitaire), None, keep=True)
    wrong, unknown = invariant("wrong"), invariant("no such lemma")
    assert needs["from those before it", (invariant("score_bound"),)] == (invariant("heights"),)
    assert Obligation.of(ObligationKind.UNREACHABLE, "too_high") in true
    useless: list[NeededLemmas] = [dict.fromkeys(needs, ()), dict.fromkeys(needs, (unknown,)), {("", ()): ()}]
    for advice in (needs, *useless):
        assert proved(str(solitaire), advice)[0] == true
    forged = {(where, (*shown, wrong)): (*true, wrong) for where, shown in needs}
    forged |= {("from those before it", (one,)): (*true, wrong) for one in (*true, wrong)}
    assert proved(str(path), forged)[0] == true


@pytest.mark.deep
def test_games_are_kept_and_believed_only_for_the_same_rules(tmp_path: Path) -> None:
    compiled = hanabi_formal.load("base").compiled(2)
    first = list(SystemCheck(compiled, 2, 120).results())
    path = tmp_path / "2.json"
    path.write_text(save(compiled.system, first))
    known = load(path, compiled.system)
    assert Obligation.of(ObligationKind.REACHABLE, "maximum") in known.games
    again = {result.name: result for result in SystemCheck(compiled, 2, 0, known).results()}
    assert again["maximum"].verdict is Verdict.REACHED
    always = Obligation.of(ObligationKind.DEADLOCK_FREE, "always_a_move")
    needs: NeededLemmas = {("in every state", (always,)): (invariant("hands_full"),)}
    path.write_text(save(compiled.system, first, needs))
    assert load(path, compiled.system).needs == needs
    path.write_text(path.read_text().replace('"needs": "hands_full"', '"needs": [[7]]'))
    assert load(path, compiled.system) == NOTHING
    other = hanabi_formal.load("base", rulings={"empty_hint": "refused"}).system(2)
    assert load(path, other) == NOTHING
    path.write_text(path.read_text().replace("play", "plaz"))
    assert load(path, compiled.system) == NOTHING


@pytest.mark.deep
def test_a_few_obligations_are_decided_as_among_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a game, the text or no lemma decides needs no induction; the rest gets all of it."""
    game = hanabi_formal.load("tests/games/solitaire.hrl")
    everything = {result.name: result for result in FullCheck(game, None).results()}
    few = [
        "ever_stuck",
        "every_toss_counts",
        "always_a_move",
        "by_cards",
        "length of a game",
        "bounds of drawn",
        "bands cover every score once",
        "end stuck comes about",
        "guard toss.left decides",
    ]
    few = [name for name in few if name in everything]
    assert len(few) > 5
    for name in few:
        found = {result.name: result for result in FullCheck(game, None, wanted=frozenset([name])).results()}
        assert found[name].verdict is everything[name].verdict, name
    monkeypatch.setattr(Claimant, "claims", lambda claimant: 1 / 0)
    for name in ("ever_stuck", "end stuck comes about", "guard toss.left decides"):
        (found_alone,) = FullCheck(game, None, wanted=frozenset([name])).results()
        assert found_alone.verdict is everything[name].verdict


# ---- names -------------------------------------------------------------------------------------------
def test_every_kind_of_property_is_one_of_obligation() -> None:
    words = [kind.word for kind in ObligationKind]
    assert len(set(words)) == len(words)
    assert set(PropertyKind) - set(words) == {PropertyKind.DEFECT}, "a defect is named like an obligation"


@pytest.mark.parametrize("kind", ObligationKind)
def test_a_name_is_read_as_what_it_names(kind: ObligationKind) -> None:
    """Whatever the subject is; what the text declares is known by its own name."""
    system = hanabi_formal.load("base").system(2)
    names = ObligationNames(system)
    for words in (("one", "other"), ("pair.one in play (2)", "a and b"), ("comes about", "premise"), ("{}", "{0}")):
        one = Obligation.of(kind, *words[: kind.form.count("{}")])
        read = names.read(one.name)
        assert read == (one if kind.form != "{}" else None), (one, read)
        assert read is None or read.name == one.name
    for prop in system.properties:
        assert names.read(prop.name) == Obligation.declared(prop)


def test_names_in_proof_files_are_read_as_they_were_written() -> None:
    system = hanabi_formal.load("nl+rainbow").system(2)
    path = proof_path(Path("proofs"), system, 2)
    kept = json.loads(path.read_text("utf-8"))
    shown = {name for game in kept["games"] for name in game["shows"]}
    memory = load(path, system)
    assert {one.name for one in memory.games} == shown
    assert len(memory.needs or ()) == len(kept["needs"]) > 10


def test_games_that_refute_are_short(tmp_path: Path) -> None:
    """Eight tokens are spent by eight hints."""
    path = tmp_path / "mine.hrl"
    path.write_text('variant mine extends base {\n clause @mine "m"\n add invariant wrong : blue_left > 0  @mine\n}\n')
    game = hanabi_formal.load(str(path))
    for players in (2, 5):
        found = next(FullCheck(game, players, wanted=frozenset(["wrong"])).results())
        assert found.trace is not None
        assert len(found.trace.actions) == 8
        replay(game.compiled(players), found.trace)


# ---- games played towards something ------------------------------------------------------------------
def test_the_rarest_score_is_played_towards() -> None:
    """Two players hardly ever reach thirty points by chance; the text says what bounds the score."""
    compiled = hanabi_formal.load("rainbow").compiled(2)
    (bound,) = bounds_of_score(compiled.system)
    trace = game_towards(compiled, only(compiled, "maximum"))
    assert trace is not None
    dealt, state = replay(compiled, trace)
    assert compiled.score(dealt, state) == compiled.predicate(bound)(dealt, state) == 30


def test_a_game_of_a_deal_made_to_order() -> None:
    """Won although the ones of two colours come last; where turns run out there are such deals, but no such game."""
    expert, base = hanabi_formal.load("expert").compiled(4), hanabi_formal.load("base").compiled(4)
    condition = only(base, "buried_and_perfect")
    trace = game_towards(expert, condition)
    assert trace is not None
    assert expert.predicate(condition)(*replay(expert, trace))
    assert game_towards(base, condition, budget=5000) is None
    assert game_towards(expert, conj(condition, negate(condition))) is None


def only(compiled: Compiled, name: str) -> Expr:
    (prop,) = [prop for prop in compiled.system.properties if prop.name == name]
    return conj(*prop.exprs)

"""Games that are not Hanabi: they load, play, and keep what they promise, with nothing in the package made for them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from hanabi_formal.api import Game, State, load
from hanabi_formal.citations.coverage import check_citations
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.faces import sorted_faces
from hanabi_formal.kernel.expr import Attr, Expr
from hanabi_formal.kernel.system import Property
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import SortType
from hanabi_formal.run.faults import IllegalAction
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.syntax.format import format_text

GAMES = Path(__file__).parent / "games"
FILES = sorted(GAMES.glob("*.hrl"))
SPECS = (
    "solitaire.hrl",
    "solitaire_relaxed.hrl",
    "solitaire_strict.hrl",
    "tricks.hrl",
    "tricks_short.hrl",
    "tricks_club.hrl",
    "tricks_club.hrl+tricks_short.hrl",
)
SEEDS = range(5)


@cache
def game(spec: str) -> Game:
    return load("+".join(str(GAMES / word) for word in spec.split("+")))


def tables(spec: str) -> list[tuple[str, int | None]]:
    return [(spec, players) for players in game(spec).player_counts or (None,)]


TABLES = [table for spec in SPECS for table in tables(spec)]


def random_game(state: State, seed: int) -> Iterator[tuple[State, Instance, State]]:
    """Every step of a game with random choices."""
    choices = Random(seed)
    while state.ended is None:
        action = choices.choice(state.legal())
        after = state.step(action)
        yield state, action, after
        state = after


def last_state(state: State, seed: int) -> State:
    end = state
    for _, _, end in random_game(state, seed):  # noqa: B007
        pass
    return end


# ---- text ------------------------------------------------------------------------------------------
def test_every_file_is_used() -> None:
    assert {path.name for path in FILES} == {word for spec in SPECS for word in spec.split("+")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_cited_and_formatted(path: Path) -> None:
    merged = game(path.name).merged
    assert check_citations(merged) == []
    text = path.read_text(encoding="utf-8")
    assert format_text(text) == text


# ---- play ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("spec", "players"), TABLES)
def test_plays_to_an_end(spec: str, players: int | None) -> None:
    rules = game(spec)
    for seed in SEEDS:
        end = last_state(rules.start(players, seed=seed), seed)
        assert end.ended is not None
        assert end.legal() == ()
        assert end.score >= 0
        assert len(end.bands) <= 1


@pytest.mark.parametrize(("spec", "players"), TABLES)
def test_executor_is_the_interpreter(spec: str, players: int | None) -> None:
    """Start, legal actions, every state, end, score and view, at every step."""
    rules = game(spec)
    judge = Interpreter(rules.system(players))
    for seed in SEEDS:
        state = rules.start(players, seed=seed)
        faces = tuple(state.dealt[0])
        known = judge.start(faces)
        _same(judge, known, faces, state)
        for _, action, after in random_game(state, seed):
            known = judge.step(known, faces, action).after
            _same(judge, known, faces, after)


def _same(judge: Interpreter, known: Snapshot, faces: tuple[int, ...], state: State) -> None:
    assert state.compiled.snapshot(state.packed) == known
    assert sorted((a.name, a.args) for a in state.legal()) == sorted(judge.legal(known, faces))
    assert state.score == judge.score(known, faces)
    view = judge.system.view
    if view is not None:
        assert isinstance(view.seat.type, SortType)
        for seat in range(view.seat.type.size):
            assert state.view(seat) == judge.view(known, faces, seat)


# ---- what the rules say ----------------------------------------------------------------------------
def test_a_game_without_players() -> None:
    rules = game("solitaire.hrl")
    assert rules.player_counts == ()
    state = rules.start(deal="m1 m2 m3 m4 s1 s2 s3 s4 t1 t2 t3 t4")
    assert state.actor is None
    assert [str(action) for action in state.legal()] == ["build(0)", "toss(0)", "toss(1)", "toss(2)"]
    with pytest.raises(Rejected, match="has no parameter `players`"):
        rules.start(players=2)


def test_a_refused_action_names_its_guard_and_clause() -> None:
    state = game("solitaire.hrl").start(deal="m1 m2 m3 m4 s1 s2 s3 s4 t1 t2 t3 t4")
    with pytest.raises(IllegalAction, match=r"`build` is refused by its guard `fits` @build\.order"):
        state.step(state.action("build", 1))


def test_the_second_part_is_left_out_when_the_first_ends_the_game() -> None:
    """Leading the storm loses at once: the turn does not go on. Playing it later does no harm."""
    state = _after_silence("w4 o1 w3 o2 w2 o3 w1 o4 u1 u2 u3 u4")
    lost = state.step(state.action("play", 0))
    assert lost.ended is not None
    assert (lost.ended.name, lost.ended.outcome, lost.score, lost.actor) == ("storm", "lost", 0, 0)

    state = _after_silence("w3 w4 o1 o2 o3 o4 w1 w2 u1 u2 u3 u4")
    led = state.step(state.action("play", 0))
    assert led.ended is None
    assert led.actor == 1
    taken = led.step(led.action("play", 1))
    assert taken.ended is None
    assert taken.actor == taken.value("leader") == 1
    assert [taken.value("tricks", seat) for seat in (0, 1)] == [0, 1]


def _after_silence(deal: str) -> State:
    """Two players who said nothing."""
    state = game("tricks.hrl").start(2, deal=deal)
    for _ in range(2):
        state = state.step(state.action("say", 0))
    return state


def test_a_step_tells_its_cases_its_clauses_and_who_learns_what() -> None:
    state = _after_silence("o1 u1 o2 u2 o3 u3 o4 u4 w1 w2 w3 w4")
    state = state.step(state.action("play", 0))
    step = state.explain(state.action("play", 1))
    assert step.labels == ("play.void", "play.trick")
    assert [(change.var, change.index, change.clauses) for change in step.changes if change.var == "shown"] == [
        ("shown", (1, 0), ("trick.follow",))
    ]
    assert [(seat, fact.value) for seat, fact in step.revealed] == [(None, 1), (None, 1), (0, 0)]


def test_a_hand_is_seen_by_its_owner_alone() -> None:
    state = game("tricks.hrl").start(3, seed=1)
    seen = [{fact.binding[0] for fact in state.view(seat) if isinstance(fact.expr, Attr)} for seat in range(3)]
    assert seen == [{card for card in range(12) if card % 3 == seat} for seat in range(3)]


def test_an_edition_decides_what_the_game_leaves_open() -> None:
    deal = "o1 u1 o2 u2 o3 u3 o4 u4 w1 w2 w3 w4"
    club = game("tricks_club.hrl").start(2, deal=deal)
    assert "say(nothing)" not in map(club.shown, club.legal())
    with pytest.raises(IllegalAction, match=r"guard `honest` @say\.true"):
        club.step(club.action("say", 0))
    asked = load(str(GAMES / "tricks_club.hrl"), rulings={"silence": "allowed"}).start(2, deal=deal)
    assert "say(nothing)" in map(asked.shown, asked.legal())


def test_an_edition_speaks_of_itself_with_a_variant() -> None:
    bands = game("tricks_club.hrl+tricks_short.hrl").system(3).bands
    assert bands is not None
    assert [(band.low, band.high, band.text) for band in bands.bands] == [(0, 2, "lost"), (3, 12, "won")]
    assert game("tricks_club.hrl+tricks_short.hrl").player_counts == (3,)


def test_a_variant_changes_every_kind_of_part() -> None:
    plain, relaxed = game("solitaire.hrl").system(), game("solitaire_relaxed.hrl").system()
    assert plain.deck is not None
    assert relaxed.deck is not None
    assert (plain.deck.sort.size, relaxed.deck.sort.size) == (12, 16)
    assert dict(plain.parameters) == {"open": 3, "tosses": 4}
    assert dict(relaxed.parameters) == {"open": 3, "tosses": 6}
    assert [action.name for action in relaxed.actions] == ["build", "toss", "recycle"]
    assert [guard.label for guard in relaxed.action("toss").guards] == ["open", "left", "useless"]
    assert [end.name for end in relaxed.ends] == ["complete", "evening", "stuck"]
    assert {p.name for p in plain.properties} - {p.name for p in relaxed.properties} == {
        "row_size",
        "every_toss_counts",
        "built_from_below",
        "no_gaps",
        "nothing_built",
        "by_cards",
    }


def test_variants_that_contradict_each_other() -> None:
    with pytest.raises(Rejected, match="HRL216: `solitaire_relaxed` and `solitaire_strict` contradict each other"):
        game("solitaire_strict.hrl+solitaire_relaxed.hrl")


def test_types_cut_down_and_parameters_set() -> None:
    rules = load(str(GAMES / "solitaire.hrl"), params={"open": 1}, cuts={"Suit": ["sun", "moon"], "Rank": ["1", "2"]})
    state = rules.start(deal="s2 s1 m1 m2")
    assert [str(action) for action in state.legal()] == ["toss(0)"]
    for name, card in (("toss", 0), ("build", 1), ("build", 2), ("build", 3)):
        assert state.ended is None
        state = state.step(state.action(name, card))
    assert state.ended is not None
    assert (state.ended.name, state.score, state.bands) == ("stuck", 3, ("not bad",))


# ---- promises --------------------------------------------------------------------------------------
@pytest.mark.parametrize(("spec", "players"), TABLES)
def test_random_games_keep_the_properties(spec: str, players: int | None) -> None:
    """No proof, but a property that a random game breaks is wrongly written."""
    rules = game(spec)
    promises = Promises(Interpreter(rules.system(players)))
    for seed in SEEDS:
        state = rules.start(players, seed=seed)
        promises.state(state)
        for before, _, after in random_game(state, seed):
            promises.state(after)
            promises.step(before, after)


class Promises:
    """Evaluates the properties of a game in states and steps that were played."""

    def __init__(self, judge: Interpreter) -> None:
        self.judge = judge
        self.properties = judge.system.properties

    def of_kind(self, *kinds: str) -> list[Property]:
        return [p for p in self.properties if p.kind in kinds and p.refuted_because is None]

    def value(self, expr: Expr, state: State, after: State | None = None) -> int:
        scene = self.judge.scene(state.compiled.snapshot(state.packed), tuple(state.dealt[0]))
        if after is not None:
            later = after.compiled.snapshot(after.packed)
            scene.after, scene.end_after = later.values, later.end
        return self.judge.evaluate(expr, scene)

    def state(self, state: State) -> None:
        for wanted in self.of_kind("invariant"):
            assert self.value(wanted.exprs[0], state), wanted.name
        for unwanted in self.of_kind("unreachable"):
            assert not self.value(unwanted.exprs[0], state), unwanted.name
        if self.of_kind("deadlock_free") and state.ended is None:
            assert state.legal()

    def step(self, before: State, after: State) -> None:
        for wanted in self.of_kind("step"):
            assert self.value(wanted.exprs[0], before, after), wanted.name
        for ranking in self.of_kind("terminates"):
            old = [self.value(expr, before) for expr in ranking.exprs]
            new = [self.value(expr, after) for expr in ranking.exprs]
            assert min(new) >= 0
            assert new < old, ranking.name


@pytest.mark.parametrize(("spec", "players"), TABLES)
def test_what_is_reachable_is_reached(spec: str, players: int | None) -> None:
    """By one of some hundred games; a refutation that is expected is found in the same way."""
    rules = game(spec)
    promises = Promises(Interpreter(rules.system(players)))
    wanted = {p.name: p for p in promises.properties if p.kind == "reachable" or p.refuted_because is not None}
    for end in ends(rules, players):
        wanted = {name: p for name, p in wanted.items() if not promises.value(p.exprs[0], end)}
        if not wanted:
            break
    assert not wanted


def ends(rules: Game, players: int | None) -> Iterator[State]:
    """The end of the tidiest game, the cards in order and always the first action, and then of random ones."""
    state = rules.start(players, deal=sorted_faces(rules.system(players)))
    while state.ended is None:
        state = state.step(state.legal()[0])
    yield state
    for seed in range(400):
        yield last_state(rules.start(players, seed=seed), seed)

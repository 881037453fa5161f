"""Games that are not Hanabi: they load, play, and keep what they promise, with nothing in the package made for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from hanabi_formal.api import Action, Game, State, load
from hanabi_formal.check.clauses import check_citations
from hanabi_formal.check.elaborate import elaborate
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Property
from hanabi_formal.kernel.types import SortType
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.syntax.format import format_source

GAMES = Path(__file__).parent / "games"
FILES = sorted(GAMES.glob("*.hrl"))
SPECS = (
    "solitaire.hrl", "solitaire_relaxed.hrl", "solitaire_strict.hrl", "tricks.hrl", "tricks_short.hrl",
    "tricks_club.hrl", "tricks_club.hrl+tricks_short.hrl",
)  # fmt: skip
SEEDS = range(12)


def game(spec: str, **settings: dict[str, str]) -> Game:
    return load("+".join(str(GAMES / word) for word in spec.split("+")), **settings)  # type: ignore[arg-type]


def tables(spec: str) -> list[tuple[str, int | None]]:
    return [(spec, players) for players in game(spec).player_counts or (None,)]


TABLES = [table for spec in SPECS for table in tables(spec)]


def random_game(state: State, seed: int) -> Iterator[tuple[State, Action, State]]:
    """Every step of a game with random choices."""
    choices = Random(seed)
    while state.ended is None:
        action = choices.choice(state.legal())
        after = state.step(action)
        yield state, action, after
        state = after


def last_state(state: State, seed: int) -> State:
    for _, _, state in random_game(state, seed):
        pass
    return state


# ---- text ------------------------------------------------------------------------------------------
def test_every_file_is_used() -> None:
    assert {path.name for path in FILES} == {word for spec in SPECS for word in spec.split("+")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_cited_and_formatted(path: Path) -> None:
    merged = game(path.name).merged
    assert check_citations(merged) == []
    text = path.read_text(encoding="utf-8")
    assert format_source(text) == text


# ---- play ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("spec", "players"), TABLES)
def test_plays_to_an_end(spec: str, players: int | None) -> None:
    rules = game(spec)
    for seed in SEEDS:
        end = last_state(rules.start(players, seed=seed), seed)
        assert end.ended is not None
        assert end.legal() == ()
        assert 0 <= end.score
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
            known = judge.step(known, faces, action.name, action.args).after
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
    """By a random game from one of some hundred seeds; a refutation that is expected is found in the same way."""
    rules = game(spec)
    promises = Promises(Interpreter(rules.system(players)))
    wanted = {p.name: p for p in promises.properties if p.kind == "reachable" or p.refuted_because is not None}
    for seed in range(600):
        if not wanted:
            break
        end = last_state(rules.start(players, seed=seed), seed)
        wanted = {name: p for name, p in wanted.items() if not promises.value(p.exprs[0], end)}
    assert not wanted

"""The compiled executor does what the interpreter does: as a law, over games of every kind."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from executor_laws import Table, attempt, by_chance, deal_of, write_game
from hanabi_formal.api import Game, State, load
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import type_values
from hanabi_formal.resources import builtin_names
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault, IllegalAction
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.syntax import ast
from random_games import random_game
from small_games import FAULTS, GAMES, text_of

BASE = load("base")
SOLITAIRE = str(Path(__file__).parent / "games" / "solitaire.hrl")
RULINGS: dict[str, tuple[str, ...]] = {
    item.name.text: tuple(value.text for value in item.values)
    for item in BASE.merged.of_kind("ruling")
    if isinstance(item, ast.Ruling)
}
ONE_RULING = [(name, value) for name, values in RULINGS.items() for value in values]
RANKS = ("1", "2", "3")
# Decks just large enough that every hand is full and some cards are left to draw; for two players also one with none.
SMALL_DECKS: dict[int, tuple[dict[str, tuple[str, ...]], ...]] = {
    2: ({"Suit": ("red", "blue"), "Rank": RANKS}, {"Suit": ("red",)}, {"Suit": ("yellow", "white")}),
    3: ({"Suit": ("red", "green", "white"), "Rank": RANKS}, {"Suit": ("red", "blue")}),
    4: ({"Suit": ("red", "green", "white"), "Rank": RANKS}, {"Suit": ("red", "blue")}),
    5: ({"Suit": ("red", "yellow", "green", "white"), "Rank": RANKS}, {"Suit": ("blue", "green", "white")}),
}
# Small games whose quantifiers take the interpreter long.
FEW_STEPS = {"quantifiers_nested_deeply": 6, "a_long_match": 30, "quantifiers_nested_over_cards": 40}


def fixed_budget(examples: int) -> settings:
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


# ---- the base game ---------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "value"), ONE_RULING)
@pytest.mark.sampled(8)
def test_every_ruling(name: str, value: str) -> None:
    number = ONE_RULING.index((name, value))
    for players in (2 + number % 4, 2 + (number + 2) % 4):
        compiled = load("base", rulings={name: value}, cuts=SMALL_DECKS[players][0]).compiled(players)
        Table(compiled, deal_of(compiled, number), by_chance(number)).play()


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_whole_deck(players: int) -> None:
    compiled = load("base", params={"red_tokens": 100}).compiled(players)
    done = Table(compiled, deal_of(compiled, 1), by_chance(1)).play()
    assert len(done) > 30


@st.composite
def tables(draw: st.DrawFn) -> tuple[Compiled, int]:
    """Any rulings, parameters, player count and small deck."""
    players = draw(st.integers(2, 5))
    rulings = {name: draw(st.sampled_from(values)) for name, values in RULINGS.items()}
    params = {"red_tokens": draw(st.sampled_from([1, 2, 3, 100])), "extra_blue": draw(st.sampled_from([0, 1, 8]))}
    cuts = draw(st.sampled_from(SMALL_DECKS[players]))
    return load("base", rulings=rulings, params=params, cuts=cuts).compiled(players), draw(st.integers(0, 999))


@fixed_budget(16)
@given(table=tables(), data=st.data())
@pytest.mark.deep
def test_any_rulings(table: tuple[Compiled, int], data: st.DataObject) -> None:
    compiled, seed = table
    first = iter(data.draw(st.lists(st.integers(0, 999), max_size=10), label="first choices"))
    later = by_chance(seed)

    def choose(many: int) -> int:
        chosen = next(first, None)
        return later(many) if chosen is None else chosen % many

    Table(compiled, deal_of(compiled, seed), choose).play()


@pytest.mark.parametrize("spec", [name for name in builtin_names() if name != "base"])
@pytest.mark.sampled(5)
def test_every_specification(spec: str) -> None:
    game = load(spec)
    for players in {game.player_counts[0], game.player_counts[-1]}:
        compiled = game.compiled(players)
        Table(compiled, deal_of(compiled, 5), by_chance(5), views=False).play(12)


# ---- whole games ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("spec", "players"), [("base", 2), ("base", 5), ("rainbow", 3), (SOLITAIRE, None)])
def test_a_playout_is_a_game_of_the_interpreter(spec: str, players: int | None) -> None:
    compiled = load(spec).compiled(players)
    for seed in range(3):
        table = Table(compiled, deal_of(compiled, seed), by_chance(seed), views=False)
        last = compiled.playout(table.dealt, table.state, Random(seed).random)
        for code in table.same_playout(seed, 1000):
            table.one_playout_each()
            assert table.step(code)
        assert table.state == last
        assert compiled.snapshot(last) == table.snapshot
        assert not table.agree()


def test_a_playout_goes_only_so_far() -> None:
    compiled = BASE.compiled(3)
    table = Table(compiled, deal_of(compiled, 1), by_chance(1))
    assert len(table.same_playout(1, 7)) == 7
    assert compiled.playout(table.dealt, table.state, Random(1).random, 0) == table.state


def test_a_playout_of_an_ended_game_changes_nothing() -> None:
    compiled = BASE.compiled(2)
    dealt = compiled.deal(list(deal_of(compiled, 1)))
    last = compiled.playout(dealt, compiled.start(dealt), Random(1).random)
    assert compiled.ended(last)
    assert compiled.playout(dealt, last, Random(1).random) == last


def test_a_playout_stops_where_nothing_is_legal(tmp_path: Path) -> None:
    body = "  var x : 0..3\n  start { x = 0 }\n  action up() when x < 3 { x' = x + 1 }"
    compiled, dealt, state = faulty(tmp_path, body)
    state = compiled.playout(dealt, state, Random(1).random)
    assert compiled.snapshot(state).values == {"x": 3}
    assert not compiled.ended(state)


# ---- small games -----------------------------------------------------------------------------------
def played(compiled: Compiled, steps: int) -> tuple[int, int]:
    """All states near the start and some games to the end, for three deals; steps tried and faults found."""
    tried, faults = 0, 0
    for seed in range(3):
        table = Table(compiled, deal_of(compiled, seed), by_chance(seed))
        tried += table.explore(steps if seed == 0 else steps // 4)
        faults += table.faults
        table = Table(compiled, deal_of(compiled, seed), by_chance(seed))
        tried += len(table.play(30))
        faults += table.faults
    return tried, faults


@pytest.mark.parametrize("name", GAMES)
def test_small_games(name: str, tmp_path: Path) -> None:
    tried, faults = played(write_game(tmp_path, text_of(name)).compiled(), FEW_STEPS.get(name, 80))
    assert tried > 0 or name == "ends_at_the_start"
    assert faults == 0


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str, tmp_path: Path) -> None:
    _, faults = played(write_game(tmp_path, text_of(name)).compiled(), 80)
    assert faults > 0


@pytest.mark.parametrize("batch", range(8))
@pytest.mark.sampled(3)
def test_random_games(batch: int, tmp_path: Path) -> None:
    done, wanted = 0, 6
    for seed in range(batch * 1000, batch * 1000 + 100):
        try:
            compiled = write_game(tmp_path, random_game(seed)).compiled()
        except Rejected:
            continue
        Table(compiled, deal_of(compiled, seed), by_chance(seed), views=seed % 3 == 0).play(8)
        done += 1
        if done == wanted:
            return
    raise AssertionError("nearly all random games are refused")


# ---- what exactly happens --------------------------------------------------------------------------
class Line:
    """A small game by hand; both executors take every step."""

    def __init__(self, folder: Path, name: str, seed: int = 0) -> None:
        self.compiled = write_game(folder, text_of(name)).compiled()
        self.table = Table(self.compiled, deal_of(self.compiled, seed), by_chance(seed))

    def do(self, *names: str) -> Line:
        for name in names:
            state = State(self.compiled, self.table.dealt, self.table.state)
            action = next(action for action in state.legal() if state.shown(action) in (name, f"{name}()"))
            code = next(c for c in self.table.agree() or () if self.compiled.decode(state.packed, c) == action)
            assert self.table.step(code)
        self.table.agree()
        return self

    def __getitem__(self, name: str) -> Any:
        return self.table.snapshot.values[name]

    @property
    def ended(self) -> str | None:
        end = self.table.snapshot.end
        return self.compiled.system.ends[end - 1].name if end else None

    @property
    def score(self) -> int:
        return self.compiled.score(self.table.dealt, self.table.state)


def test_updates_are_simultaneous(tmp_path: Path) -> None:
    line = Line(tmp_path, "swap").do("swap")
    assert (line["x"], line["y"]) == (7, 2)
    line.do("shift")
    assert (line["x"], line["y"]) == (2, 8)


def test_a_loop_is_simultaneous(tmp_path: Path) -> None:
    line = Line(tmp_path, "swap_in_a_tuple")
    assert line["n"] == (0, 2, 4)
    assert line.do("rotate")["n"] == (2, 4, 0)
    assert line.do("sums")["n"] == (6, 4, 2)
    assert line.do("two")["n"] == (4, 6, 2)


def test_the_second_part_follows_the_first(tmp_path: Path) -> None:
    line = Line(tmp_path, "late_ends").do("b")
    assert (line["x"], line["y"], line.ended, line.score) == (2, 2, "after", 102)


def test_an_end_stops_the_second_part(tmp_path: Path) -> None:
    line = Line(tmp_path, "late_ends").do("a", "b")
    assert (line["x"], line["y"], line.ended) == (3, 1, "early")


def test_a_late_end_waits_for_the_second_part(tmp_path: Path) -> None:
    """`c` makes y 1, then 2: `after` is late, and is asked only once the second part is done."""
    line = Line(tmp_path, "late_ends").do("c", "c")
    assert (line["y"], line.ended, line.score) == (2, "after", 100)


def test_a_game_may_end_at_the_start(tmp_path: Path) -> None:
    line = Line(tmp_path, "ends_at_the_start")
    assert (line.ended, line.score) == ("at_once", 9)
    assert line.table.agree() == []


def test_the_deal_decides_the_start(tmp_path: Path) -> None:
    compiled = write_game(tmp_path, text_of("starts_by_the_deal")).compiled()
    assert {
        compiled.snapshot(compiled.start(compiled.deal(list(deal_of(compiled, seed))))).values["lead"]
        for seed in range(9)
    } == {0, 1}


# ---- refusals and faults ---------------------------------------------------------------------------
def test_refusal_names_guard_and_clause() -> None:
    state = BASE.start(players=3, seed=1)
    with pytest.raises(IllegalAction, match=r"`discard` is refused by its guard `full` @discard\.full"):
        state.step(state.action("discard", 0, 1))
    with pytest.raises(IllegalAction, match=r"`hint` is refused by its guard `mate` @hint\.mate"):
        state.step(state.action("hint", 0, 0))


def test_nothing_is_legal_after_the_end() -> None:
    state = load("base", params={"red_tokens": 1}).start(players=2, seed=1)
    while state.ended is None:
        state = state.step(next(action for action in state.legal() if action.name == "play"))
    assert state.legal() == ()
    with pytest.raises(IllegalAction, match="the game has ended by `strikes`"):
        state.step(state.action("play", 0, 1))


@pytest.mark.parametrize(("spec", "players"), [("base", 2), ("rainbow+timed", 3), ("hanab_live", 6), ("expert", 4)])
def test_numbers_of_actions_both_ways(spec: str, players: int) -> None:
    """Exactly the legal actions have a number, and it is theirs."""
    game, rng = load(spec), Random(2)
    compiled = game.compiled(players)
    state = game.start(players, seed=1)
    packed = state.packed
    while not compiled.ended(packed):
        codes = compiled.legal(state.dealt, packed)
        legal = {compiled.decode(packed, code): code for code in codes}
        for action in state.system.actions:
            every = list(product(*(type_values(param.type) for param in action.params)))
            for args in rng.sample(every, min(20, len(every))):
                instance = Instance(action.name, args)
                assert compiled.encode(state.dealt, packed, instance) == legal.get(instance)
        for instance, code in legal.items():
            assert compiled.encode(state.dealt, packed, instance) == code
        packed = compiled.step(state.dealt, packed, rng.choice(codes))


@pytest.mark.parametrize(("name", "args"), [("fly", ()), ("play", ()), ("play", (50, 1)), ("play", (-1, 1))])
def test_strange_actions_are_refused(name: str, args: tuple[int, ...]) -> None:
    with pytest.raises(IllegalAction):
        BASE.start(players=2).step(Instance(name, args))


def faulty(folder: Path, body: str) -> tuple[Compiled, tuple[Any, ...], tuple[Any, ...]]:
    compiled = write_game(folder, f"game t {{\n{body}\n  end done over when false\n  score = 0\n}}").compiled()
    dealt = compiled.deal([])
    return compiled, dealt, compiled.start(dealt)


def test_a_fault_has_its_place(tmp_path: Path) -> None:
    compiled, dealt, state = faulty(tmp_path, "  var x : 0..3\n  start { x = 3 }\n  action up() { x' = x + 1 }")
    for step in (
        lambda: compiled.step(dealt, state, 0),
        lambda: compiled.interpreter.step(compiled.snapshot(state), (), Instance("up", ())).after,
    ):
        fault = attempt(step)
        assert isinstance(fault, Fault)
        assert fault.span is not None
        assert fault.span.place.endswith("game.hrl:4:17")
        assert fault.span.place in str(fault)
        assert "`x` is 0..3" in str(fault)


def test_a_start_out_of_bounds_is_a_fault(tmp_path: Path) -> None:
    body = "  sort P = 5\n  var x[P] : 0..3\n  start { x[p] = index(p) }\n  action go(p : P) { x[p]' = 0 }"
    with pytest.raises(Fault, match=r"`x` is 0\.\.3, and starts as 4 \(.*game\.hrl:3:3\)"):
        faulty(tmp_path, body)


def test_a_step_that_faults_changes_nothing(tmp_path: Path) -> None:
    compiled, dealt, state = faulty(tmp_path, "  var x : 0..1\n  start { x = 0 }\n  action up() { x' = x + 1 }")
    state = compiled.step(dealt, state, 0)
    before = compiled.snapshot(state)
    with pytest.raises(Fault):
        compiled.step(dealt, state, 0)
    assert compiled.snapshot(state) == before


# ---- states ----------------------------------------------------------------------------------------
def test_equal_states_by_different_ways(tmp_path: Path) -> None:
    """Two orders of the same moves meet in one state, with one hash."""
    state = load("base", rulings={"draw_after_fit": "no"}).start(players=2, seed=3)
    hints = [action for action in state.legal() if action.name == "hint"][:2]
    replies = [action for action in state.step(hints[0]).legal() if action.name == "hint"][:1]
    one = state.step(hints[0]).step(replies[0]).step(hints[1])
    other = state.step(hints[1]).step(replies[0]).step(hints[0])
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other, state}) == 2


def test_states_cannot_be_changed() -> None:
    state = BASE.start(players=2, seed=3)
    with pytest.raises(AttributeError):
        state.packed = ()  # type: ignore[misc]
    copy = state.packed
    state.step(state.legal()[0])
    assert state.packed == copy


def test_any_snapshot_can_be_packed() -> None:
    """Also one that no game leads to: the executor goes on from there as the interpreter does."""
    compiled = BASE.compiled(3)
    faces = deal_of(compiled, 2)
    dealt = compiled.deal(list(faces))
    start = compiled.interpreter.start(faces)
    place = [2, 3, 1, 4, 5, 0, 1, 2, 3, 1] * 5
    snapshot = Snapshot({**start.values, "place": tuple(place), "drawn": 50, "turns_left": 2, "blue_left": 3})
    table = Table(compiled, faces, by_chance(2))
    table.state, table.snapshot = compiled.pack(snapshot, dealt), snapshot
    assert table.play()


def test_interpreter_and_executor_have_one_order_of_seats() -> None:
    game = Game(BASE.merged, BASE.settings)
    compiled, faces = game.compiled(4), deal_of(game.compiled(4), 0)
    snapshot = Interpreter(compiled.system).start(faces)
    assert compiled.snapshot(compiled.start(compiled.deal(list(faces)))) == snapshot

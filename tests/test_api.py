"""The Python interface: loading, deals, playing by name, and what is refused."""

from __future__ import annotations

import doctest
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hanabi_formal
from hanabi_formal import api, load
from hanabi_formal.api import Game, State
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.deals import parse_deal, shuffled
from hanabi_formal.formats.faces import check_deal, face_names, show_deal, sorted_faces
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.faults import IllegalAction

BASE = load("base")
SORTED = " ".join(f"{suit}{rank}" for suit in "rygbw" for rank in "1112233445")
TOY = """game toy {{
  enum Animal = {animals}
  range Weight = 1..2
  cards Beast(animal : Animal, weight : Weight) copies weight
  var left : 0..9
  start {{ left = 9 }}
  action take() when left > 0 {{ left' = left - 1 }}
  end done over when left == 0
  score = left
  {interface}
}}
"""


def refused(deal: str | list[int], players: int = 2, game: Game = BASE) -> str:
    """The message that refuses a deal; always of the code for deals."""
    with pytest.raises(Rejected) as info:
        game.start(players=players, deal=deal)
    (diagnostic,) = info.value.diagnostics
    assert diagnostic.code == "HRL600"
    return f"{diagnostic.message} ({diagnostic.help})" if diagnostic.help else diagnostic.message


def written(folder: Path, text: str) -> Game:
    path = folder / "toy.hrl"
    path.write_text(text, encoding="utf-8")
    return load(str(path))


# ---- the module ------------------------------------------------------------------------------------
def test_doctests() -> None:
    failed, tried = doctest.testmod(api)
    assert tried > 0
    assert failed == 0


def test_the_package_offers_the_interface() -> None:
    assert hanabi_formal.load is api.load
    assert hanabi_formal.Game is api.Game
    assert {*api.__all__, "__version__"} == set(hanabi_formal.__all__)
    assert set(api.__all__) == {"Game", "IllegalAction", "Instance", "Rejected", "State", "load"}
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = hanabi_formal.nothing


def undocumented(module: ModuleType) -> list[str]:
    """Public names of a module, and public attributes of its classes, that say nothing about themselves."""
    named = {name: getattr(module, name) for name in module.__all__ if not name.startswith("__")}
    for name, value in list(named.items()):
        if isinstance(value, type):
            named |= {f"{name}.{inner}": part for inner, part in vars(value).items() if is_public(inner, part)}
    return [name for name, value in named.items() if not value.__doc__ or value.__doc__.startswith(f"{name}(")]


def is_public(name: str, part: object) -> bool:
    return not name.startswith("_") and (callable(part) or isinstance(part, property | cached_property))


@pytest.mark.parametrize("module", [hanabi_formal, api], ids=lambda module: module.__name__)
def test_every_public_name_is_documented(module: ModuleType) -> None:
    assert undocumented(module) == []


def test_a_public_name_without_documentation_is_noticed() -> None:
    """A dataclass without a docstring is given one, made of its fields, which says nothing."""

    @dataclass
    class Point:
        x: int

        @property
        def y(self) -> int:
            return self.x

        def z(self) -> int:
            return self.x

    module = ModuleType("made_up")
    module.__dict__.update(__all__=["Point"], Point=Point)
    assert undocumented(module) == ["Point", "Point.y", "Point.z"]


def test_the_readme_of_the_module_runs() -> None:
    code = "import hanabi_formal; print(len(hanabi_formal.load('base').start(players=3, seed=7).legal()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert int(done.stdout) == len(BASE.start(players=3, seed=7).legal())


# ---- load ------------------------------------------------------------------------------------------
def test_load_names_the_game() -> None:
    assert BASE.name == "base"
    assert BASE.player_counts == (2, 3, 4, 5)


def test_load_takes_settings() -> None:
    game = load("base", params={"red_tokens": 100}, rulings={"empty_hint": "refused"}, cuts={"Suit": ["red", "blue"]})
    system = game.system(2)
    assert dict(system.parameters)["red_tokens"] == 100
    assert dict(system.rulings)["empty_hint"] == "refused"
    assert system.deck is not None
    assert system.deck.sort.size == 20


def test_players_can_be_a_setting() -> None:
    game = load("base", params={"players": 4})
    assert game.player_counts == (4,)
    assert dict(game.start().system.parameters)["players"] == 4


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"rulings": {"empty_hints": "refused"}}, "HRL219"),
        ({"rulings": {"empty_hint": "never"}}, "HRL220"),
        ({"params": {"red_tokens": 0}}, "HRL220"),
        ({"params": {"green_tokens": 1}}, "HRL219"),
        ({"cuts": {"Suit": ["pink"]}}, "HRL220"),
        ({"cuts": {"Rank": ["1", "3"]}}, "HRL220"),
        ({"cuts": {"Sort": ["1"]}}, "HRL219"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, dict[str, str]], code: str) -> None:
    with pytest.raises(Rejected) as info:
        load("base", **settings).start(players=2)  # type: ignore[arg-type]
    assert info.value.diagnostics[0].code == code


@pytest.mark.parametrize("spec", ["nothing", "", "base+", "base+base", "./no/such.hrl"])
def test_wrong_specifications_are_refused(spec: str) -> None:
    with pytest.raises(Rejected):
        load(spec)


@pytest.mark.parametrize("players", [0, 1, 6, -2])
def test_wrong_player_counts_are_refused(players: int) -> None:
    with pytest.raises(Rejected) as info:
        BASE.start(players=players)
    assert info.value.diagnostics[0].code == "HRL220"


def test_a_game_is_compiled_once() -> None:
    assert BASE.compiled(3) is BASE.compiled(3)
    assert BASE.system(3) is BASE.compiled(3).system


# ---- deals -----------------------------------------------------------------------------------------
def test_a_deal_as_text() -> None:
    state = BASE.start(players=2, deal=SORTED)
    assert state.deal == SORTED
    assert [fact.value for fact in state.view(1)]


def test_a_deal_as_numbers() -> None:
    faces = sorted_faces(BASE.system(2))
    assert BASE.start(players=2, deal=faces).deal == SORTED
    assert BASE.start(players=2, deal=tuple(faces)) == BASE.start(players=2, deal=SORTED)


@pytest.mark.parametrize("text", [SORTED.upper(), SORTED.replace(" ", ","), SORTED.replace(" ", "\n"), f"  {SORTED}\n"])
def test_deals_are_read_kindly(text: str) -> None:
    assert BASE.start(players=2, deal=text).deal == SORTED


def test_seats_get_whole_hands_in_turn() -> None:
    state = BASE.start(players=3, deal=SORTED)
    assert [state.value("place", card) for card in range(16)] == [1] * 5 + [2] * 5 + [3] * 5 + [0]


def test_a_seed_is_the_same_everywhere() -> None:
    deal = BASE.start(players=2, seed=7).deal
    assert deal == BASE.start(players=5, seed=7).deal == load("base").start(seed="7").deal
    assert deal.startswith("g1 b4 r5 w3 b1 g2 ")
    assert deal != BASE.start(players=2, seed=8).deal
    assert sorted(deal.split()) == sorted(SORTED.split())


def test_without_a_seed_the_seed_is_nought() -> None:
    assert BASE.start(players=2).deal == BASE.start(players=2, seed=0).deal


def test_missing_copies() -> None:
    message = refused(SORTED.removesuffix("w5") + "w4")
    assert "w4 3 times instead of 2" in message
    assert "w5 0 times instead of 1" in message


def test_too_many() -> None:
    assert "has 51 cards, `base` has 50: r5 2 times instead of 1" in refused(SORTED + " r5")


def test_wrong_length() -> None:
    assert "the deal has 3 cards, `base` has 50" in refused("r1 r2 r3")
    assert "and 21 more" in refused("r1 r2 r3")


@pytest.mark.parametrize("deal", ["", "   ", "\n", ","])
def test_empty(deal: str) -> None:
    refused(deal)


@pytest.mark.parametrize("word", ["x1", "r6", "r0", "1r", "r", "red1", "r1r1", "é1", "m1", "r-1", "r1" * 40])
def test_unknown_card(word: str) -> None:
    message = refused(SORTED.replace("y1", word, 1))
    assert f"card 11 of the deal, `{word[:20]}`" in message
    assert "a card is written like `r1`; the suits are b, g, r, w, y" in message


@pytest.mark.parametrize("faces", [[], [0], [25] * 50, [-1] * 50, list(range(25)) * 2])
def test_wrong_numbers(faces: list[int]) -> None:
    refused(faces)


def test_a_cut_deck_wants_a_cut_deal() -> None:
    game = load("base", cuts={"Suit": ["red", "blue"]})
    assert game.start(players=2, deal=" ".join(word for word in SORTED.split() if word[0] in "rb"))
    assert "`y1`, is no card" in refused(SORTED, game=game)


@settings(max_examples=30, derandomize=True, deadline=None, database=None)
@given(st.permutations(range(50)))
def test_every_order_is_a_deal(order: list[int]) -> None:
    system = BASE.system(2)
    faces = tuple(sorted_faces(system)[i] for i in order)
    assert check_deal(faces, system) == faces
    assert parse_deal(show_deal(faces, system), system) == faces


def test_shuffles_are_fair_enough() -> None:
    system = BASE.system(2)
    first = {shuffled(system, seed)[0] for seed in range(400)}
    assert first == set(range(25))


def test_cards_without_letters_have_names(tmp_path: Path) -> None:
    game = written(tmp_path, TOY.format(animals="Cat | dog", interface=""))
    assert face_names(game.system()) == ("Cat-1", "Cat-2", "dog-1", "dog-2")
    assert game.start(deal="Cat-2 dog-2 Cat-2 dog-1 dog-2 Cat-1").deal == "Cat-2 dog-2 Cat-2 dog-1 dog-2 Cat-1"


def test_letters_may_be_missing(tmp_path: Path) -> None:
    game = written(tmp_path, TOY.format(animals="cat | dog", interface='interface cards { letters = "cat c" }'))
    assert face_names(game.system()) == ("c1", "c2", "dog-1", "dog-2")
    assert game.start(deal="c1 c2 c2 dog-1 dog-2 dog-2").deal == "c1 c2 c2 dog-1 dog-2 dog-2"


def test_a_game_without_cards_has_no_deal(tmp_path: Path) -> None:
    text = "var x : 0..3 start { x = 0 } action up() when x < 3 { x' = x + 1 } end e over when x == 3 score = x"
    game = written(tmp_path, f"game t {{ {text} }}")
    assert game.start().step(Instance("up", ())).score == 1
    with pytest.raises(Rejected) as info:
        game.start(deal="r1")
    assert info.value.diagnostics[0].code == "HRL600"
    with pytest.raises(Rejected) as info:
        game.start(players=2)
    assert info.value.diagnostics[0].code == "HRL219"


# ---- playing ---------------------------------------------------------------------------------------
def test_actions_show_their_arguments() -> None:
    state = BASE.start(players=2, deal=SORTED)
    shown = {state.shown(action) for action in state.legal()}
    assert {"play(0, true)", "hint(1, colour(red))", "hint(1, value(5))"} <= shown
    assert str(Instance("play", (0, 1))) == "play(0, 1)"
    assert Instance("play", (0, 1)) == state.action("play", 0, 1)


@pytest.mark.parametrize("args", [(), (1,), (0, 2), (50, 0), (0, 1, 1)])
def test_actions_that_cannot_be(args: tuple[int, ...]) -> None:
    with pytest.raises(IllegalAction, match="`play` does not take"):
        BASE.start(players=2).action("play", *args)


def test_no_such_action() -> None:
    with pytest.raises(IllegalAction, match="there is no action `shout`"):
        BASE.start(players=2).action("shout")


def test_a_game_to_its_end() -> None:
    state = load("base", params={"red_tokens": 1}).start(players=2, deal=SORTED)
    assert (state.actor, state.ended, state.score, state.bands) == (0, None, 0, ())
    state = state.step(state.action("play", 0, 1))
    assert (state.actor, state.score, state.value("blue_left")) == (1, 1, 8)
    state = state.step(state.action("play", 7, 1))
    assert state.ended is not None
    assert (state.ended.name, state.ended.outcome, state.score) == ("strikes", "lost", 0)
    assert len(state.bands) == 1
    assert state.legal() == ()


def test_explain_tells_what_changed() -> None:
    state = BASE.start(players=2, deal=SORTED)
    step = state.explain(state.action("play", 0, 1))
    first = step.changes[0]
    assert (first.var, first.index, first.clauses) == ("place", (0,), ("play.fit",))
    assert step.after == state.compiled.snapshot(state.step(state.action("play", 0, 1)).packed)
    assert "play.fit" in step.labels


def test_a_seat_does_not_see_its_own_cards() -> None:
    state = BASE.start(players=3, seed=4)
    for seat in range(3):
        own = {card for card in range(50) if state.value("place", card) == 1 + seat}
        known = {fact.binding[0] for fact in state.view(seat) if "Attr" in type(fact.expr).__name__}
        assert known
        assert not known & own


def test_states_compare_by_position() -> None:
    one, other = BASE.start(players=2, seed=4), BASE.start(players=2, seed=4)
    assert one == other
    assert hash(one) == hash(other)
    assert one != one.step(one.legal()[0])
    assert len({BASE.start(players=2, seed=seed) for seed in range(5)}) == 5, "other deals are other states"
    assert isinstance(one, State)
    assert "packed" in repr(one)

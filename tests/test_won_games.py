"""Games with as many points as were asked for meet the clauses that are to deny such games, and a broken encoder is found.

The quick tests tell a few hundred games, the slow ones many thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hanabi_formal.api import Game, load
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.judge.refutations.cnf import ClauseBuilder
from hanabi_formal.judge.refutations.seats import Seats, Tokens
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.drivers import random_driver, skilled_driver
from hanabi_formal.winnability.ladder import Ladder
from small_decks import SPECS, Deck, load_deck
from won_games import Denied, Kind, Told, followed, played, tell_rules, tell_seats

DEVIATIONS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
ALL: tuple[Kind, ...] = ("seats", "spending", "tokens")
KINDS: dict[str, tuple[Kind, ...]] = {
    "base": ALL,
    "rainbow": ALL,
    "avalanche": ALL,
    "difficulty": ALL,
    "literal_fit": ALL,
    "hanab_live": ALL,
    "timed": ("seats",),
    "nl": ("seats", "spending"),
}
"""Specifications whose rules have what the clauses need, and which clauses those are."""


def skilled(compiled: Compiled, deal: object, many: int = len(DEVIATIONS)) -> list[Told]:
    """Games of one deal that end with points, from hardly a mistake to many."""
    faces = shuffled(compiled.system, f"won {deal}")
    found = (
        played(compiled, faces, skilled_driver(compiled, f"{deal} {k}", DEVIATIONS[k % len(DEVIATIONS)]))
        for k in range(many)
    )
    return [told for told in found if told is not None and told.score > 0]


def won(ladder: Ladder, deal: object) -> list[Told]:
    """A game with all points, if the ladder finds one."""
    faces = shuffled(ladder.system, f"won {deal}")
    answer = ladder.ask(ladder.game.start(ladder.players, faces))
    told = followed(ladder.compiled, faces, answer.line) if answer.verdict == "winnable" else None
    return [told] if told is not None else []


def tell(game: Game, players: int, several: Sequence[Told], kinds: Sequence[Kind], begun: int = 0) -> int:
    return sum(tell_seats(game, players, several, kind, begun) for kind in kinds) if several else 0


def tell_each(game: Game, deals: Sequence[Sequence[Told]]) -> None:
    """Games of two players, deal by deal, told to the clauses about tokens."""
    for several in deals:
        tell(game, 2, several, ("tokens",))


def tell_all(spec: str, players: int, deals: range) -> int:
    """Skilled games and won ones, from the first state on and from one on the way."""
    game = load(spec)
    ladder, many = Ladder(game, players), 0
    for deal in deals:
        several = skilled(ladder.compiled, deal)
        many += tell(game, players, several, KINDS[spec])
        several = won(ladder, deal)
        many += tell(game, players, several, KINDS[spec])
        for told in several:
            many += tell(game, players, [told], KINDS[spec], begun=(deal * 7) % len(told.actions))
    return many


# ---- whole decks ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(("spec", "players"), [("base", 2), ("avalanche", 5), ("nl", 3), ("timed", 4)])
@pytest.mark.sampled(2)
def test_games_meet_the_clauses_about_seats(spec: str, players: int) -> None:
    assert tell_all(spec, players, range(3)) > 15


@pytest.mark.slow
@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize("spec", KINDS)
def test_thousands_meet_the_clauses_about_seats(spec: str, players: int) -> None:
    assert tell_all(spec, players, range(100, 115)) > 150


def test_rules_without_what_the_clauses_need_are_noticed() -> None:
    """With tokens left where they may be, more is done than the clauses about tokens allow."""
    game = load("nl")
    several = [skilled(game.compiled(2), deal) for deal in range(5)]
    with pytest.raises(Denied):
        tell_each(game, several)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "players"), [("base", 2), ("base", 5), ("expert", 3), ("timed", 2), ("avalanche", 2), ("nl", 4)]
)
def test_whole_decks_meet_the_unrolled_rules(spec: str, players: int) -> None:
    game, many = load(spec), 0
    ladder = Ladder(game, players)
    for deal in range(3):
        several = [*skilled(ladder.compiled, deal, 20), *(won(ladder, deal) if spec != "expert" else [])]
        many += sum(
            tell_rules(ladder.compiled, [told for told in several if told.score >= least])
            for least in {min(t.score for t in several), max(t.score for t in several)}
        )
    assert many > 50


# ---- small decks ---------------------------------------------------------------------------------------
def tell_small(spec: str, folder: Path, deals: range, many: int) -> int:
    """Random and skilled games on small decks, told to the rules unrolled, for every score that was had."""
    compiled = load_deck(Deck(spec, 2, None), folder).compiled(2)
    found = 0
    for deal in deals:
        faces = shuffled(compiled.system, f"small {deal}")
        games = [played(compiled, faces, random_driver(compiled, k)) for k in range(many)]
        games += [played(compiled, faces, skilled_driver(compiled, k, 0.2)) for k in range(many)]
        ended = list({told.actions: told for told in games if told is not None}.values())
        for goal in {told.score for told in ended}:
            found += tell_rules(compiled, [told for told in ended if told.score >= goal])
    return found


@pytest.mark.parametrize("spec", SPECS)
def test_small_decks_meet_the_unrolled_rules(spec: str, tmp_path: Path) -> None:
    assert tell_small(spec, tmp_path, range(2), 20) > 40


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_thousands_meet_the_unrolled_rules(spec: str, tmp_path: Path) -> None:
    assert tell_small(spec, tmp_path, range(100, 110), 60) > 1000


# ---- broken encoders -----------------------------------------------------------------------------------
def replaced(owner: Any, name: str, make: Callable[[Any], Any]) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(owner, name, make(getattr(owner, name)))


def smaller_hands(original: Any) -> Any:
    def hold(self: Seats) -> None:
        position = self.position
        self.position = replace(position, hand_size=position.hand_size - 1)
        original(self)
        self.position = position

    return hold


def with_tokens(change: int) -> Callable[[Any], Any]:
    def make(original: Any) -> Any:
        def step(self: Tokens, number: int, left: list[int], mistakes: list[int]) -> list[int]:
            return original(self, number, left[change:] + [-1] * change, mistakes)  # type: ignore[no-any-return]

        return step

    return make


def one_token_less(original: Any) -> Any:
    def init(self: Tokens, seats: Seats, at_full: bool) -> None:
        position = seats.position
        seats.position = replace(position, token_limit=position.token_limit - 1, tokens=position.tokens - 1)
        original(self, seats, at_full)
        seats.position = position

    return init


MUTANTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "one card more has to be played": replaced(
        Seats, "__init__", lambda f: lambda self, position, goal, *a, **k: f(self, position, min(goal + 1, 25), *a, **k)
    ),
    "hands are smaller": replaced(Seats, "_hold", smaller_hands),
    "whoever acts is the one before": replaced(
        Seats, "holder", lambda f: lambda self, card: f(self, card)[1:] + f(self, card)[:1]
    ),
    "a card is held one step later": replaced(
        Seats,
        "_by_holder",
        lambda f: lambda self, plays, card: f(self, plays, min(card + 1, len(self.position.faces) - 1)),
    ),
    "only one card of all is played": replaced(
        Seats,
        "_choose_cards",
        lambda f: lambda self: (f(self), self.cnf.at_most_one([u for u in self.used if u > 1]))[0],
    ),
    "limits are one too low": replaced(
        ClauseBuilder, "at_most", lambda f: lambda self, lits, limit: f(self, lits, max(0, limit - 1))
    ),
    "a token is gone at every step": replaced(Tokens, "_step", with_tokens(1)),
    "hints are one more than seats between": replaced(
        Tokens, "_hints_between", lambda f: lambda self, step: f(self, step)[1:] + f(self, step)[:1]
    ),
    "there is a token less": replaced(Tokens, "__init__", one_token_less),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_encoder_denies_a_game(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("base")
    several = [skilled(game.compiled(2), deal) for deal in range(3)]
    MUTANTS[name](monkeypatch)
    with pytest.raises(Denied):
        tell_each(game, several)

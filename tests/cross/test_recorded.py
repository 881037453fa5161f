"""Games that people played on the site, replayed by both engines. They lie beside the checkout, or the tests are skipped."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hanabi_formal.reference import SUITS, Action

from .duel import Duel
from .setups import Setup
from .stories import pair_of

GAMES = Path(__file__).resolve().parents[3] / "shared" / "data" / "hanab-live-games.jsonl"
pytestmark = pytest.mark.skipif(not GAMES.is_file(), reason="the recorded games are not here")


@cache
def recorded() -> list[dict[str, Any]]:
    return [json.loads(line) for line in GAMES.read_text(encoding="utf-8").splitlines()]


def setup_of(game: dict[str, Any]) -> Setup:
    on = [name for name, chosen in game["options"].items() if chosen]
    assert set(on) <= {"deckPlays", "emptyClues"}, on
    rulings = []
    if "deckPlays" in on:
        rulings.append(("deck_plays", "on"))
    if "emptyClues" in on:
        rulings.append(("empty_hint", "allowed"))
    return Setup("hanab_live", game["playerCount"], tuple(rulings))


def action_of(duel: Duel, move: dict[str, int]) -> Action:
    target, value = move["target"], move["value"]
    match move["type"]:
        case 0:
            return ("play", target, True) if target < duel.table.drawn else ("deck_play", True)
        case 1:
            return ("discard", target, True)
        case 2:
            return ("hint", target, ("colour", SUITS[value]))
        case 3:
            return ("hint", target, ("value", value))
    return ("abandon",)


def replayed(game: dict[str, Any]) -> tuple[Duel, int]:
    """The game as far as our rules go, and how many recorded actions come after their end."""
    deck = [(SUITS[card["suitIndex"]], card["rank"]) for card in game["deck"]]
    duel = Duel(pair_of(setup_of(game)), deck)
    for number, move in enumerate(game["actions"]):
        if not duel.legal():
            return duel, len(game["actions"]) - number
        duel.act(action_of(duel, move))
        duel.compare_views([number % duel.pair.seats])
    duel.compare_views(range(duel.pair.seats))
    duel.compare_slowly()
    return duel, 0


def test_all_recorded_games() -> None:
    over_early = {}
    for number, game in enumerate(recorded()):
        duel, left = replayed(game)
        assert duel.table.end is not None, f"game {number} has not ended"
        assert duel.pair.compiled.score(duel.dealt, duel.state) == game["score"], f"game {number}"
        if left:
            over_early[number] = (duel.table.end, left)
    assert len(recorded()) == 95
    # In two games people went on, without points to gain, after the rules had stopped them.
    assert sorted(left for _, left in over_early.values()) == [1, 2]
    assert {end for end, _ in over_early.values()} == {"hopeless"}

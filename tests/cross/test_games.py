"""Seeded games without a difference: the five editions, alone and with each variant they offer, for 2 to 5 players.

`CROSS_GAMES` says how many games each (1,000 unless set); what must happen in them is asked of 1,000 only.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from .driver import PLAIN, Driver, Tally
from .events import events
from .setups import PRINTED, Setup

GAMES = int(os.environ.get("CROSS_GAMES", "1000"))


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("spec", PRINTED)
def test_editions_and_their_variants(spec: str, players: int, record_property: Callable[[str, object], None]) -> None:
    tally = Driver(Setup(spec, players)).run(GAMES)
    record_property("cross", tally.line())
    assert tally.games == GAMES
    assert tally.impossible() == []
    if GAMES >= 1000:
        assert tally.deep * 3 >= tally.games, "too few games reach the last round or a perfect end"
        assert tally.missing() == []


@pytest.mark.parametrize(("spec", "players"), [(spec, 2 + at % 4) for at, spec in enumerate(PRINTED)])
@pytest.mark.sampled(8)
def test_a_few_games_of_each(spec: str, players: int) -> None:
    check(Driver(Setup(spec, players), PLAIN).run(20))


@pytest.mark.parametrize("deck_plays", ["off", "on"])
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.sampled(4)
def test_the_site(players: int, deck_plays: str) -> None:
    tally = check(Driver(Setup("hanab_live", players, (("deck_plays", deck_plays),)), PLAIN, events).run(60))
    assert (tally.events["the last card played from the pile"] > 0) == (deck_plays == "on")
    assert tally.ends["hopeless"] > 0


@pytest.mark.parametrize("players", [2, 4, 6])
def test_the_site_all_or_nothing(players: int) -> None:
    check(Driver(Setup("hanab_live+expert", players), PLAIN).run(40))


UNPRINTED = [
    "base+rainbow+timed+expert+difficulty",
    "en+rainbow+timed",
    "nl+timed+expert",
    "sv+rainbow+expert",
    "no+difficulty+timed",
]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("spec", UNPRINTED)
@pytest.mark.sampled(5)
def test_unprinted_combinations(spec: str, players: int) -> None:
    check(Driver(Setup(spec, players), PLAIN).run(30))


SMALL = [
    Setup("base", 2, suits=("red", "blue"), top=3),
    Setup("nl", 2, suits=("red", "green", "white"), top=2),
    Setup("base+expert", 2, suits=("red", "yellow"), top=3),
    Setup("en+timed", 3, suits=("red", "blue", "white"), top=4),
    Setup("sv+avalanche", 3, suits=("red", "blue", "multi"), top=5),
    Setup("nl+rainbow", 2, suits=("yellow", "green", "multi"), top=3),
    Setup("hanab_live", 6, (("deck_plays", "on"),), suits=("red", "yellow", "green"), top=4),
]


@pytest.mark.parametrize("setup", SMALL, ids=str)
def test_cut_down_decks(setup: Setup) -> None:
    check(Driver(setup).run(150))


def check(tally: Tally) -> Tally:
    assert tally.impossible() == []
    assert tally.deep * 3 >= tally.games
    return tally

"""Rules with a fault in them: each is refuted by a game that ends at the fault, or by the count or score that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import hanabi_formal
from hanabi_formal.prove.obligation import Result, Verdict
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.verify.composition import FullCheck

HINT = """override action hint(p : Player, about : Clue) : move  @mine
    when p != turn label mate       @mine
    when blue_left > 0 label token  @mine
  {{
    blue_left' = blue_left - 1      @mine
    for c : Card where held(c, p) {{ told[c, about]' = if touches(c, about) then yes else no {more} }}  @mine
    reveal touches(c, about) for c : Card where held(c, p)  @mine
    {reveal}
  }}  @mine"""

FAULTS = {
    "a token beyond the maximum": (
        "override effect gain(n) { blue_left' = blue_left + n  @mine }  @mine\noverride when discard.full true  @mine",
        "bounds of blue_left",
    ),
    "a bonus beyond the maximum": (
        "override case play.bonus { blue_left' = blue_left + 1  @mine }  @mine",
        "bounds of blue_left",
    ),
    "a hint without a token": ("remove when hint.token  @mine", "bounds of blue_left"),
    "a red token too many": (
        "override effect misfit(c) { place[c]' = discards  @mine red_spent' = red_spent + 1  @mine }  @mine\n"
        "override end strikes lost when red_spent == red_tokens and blue_left == 0 score 0  @mine",
        "bounds of red_spent",
    ),
    "a forgotten draw": ("override effect draw(p) { }  @mine", "hands_full"),
    "two cards drawn": (
        "override effect draw(p) { case drawn + 1 < size(Card) label card { place[Card(drawn)]' = hand(p)  @mine\n"
        "place[Card(drawn + 1)]' = hand(p)  @mine drawn' = drawn + 2  @mine } }  @mine",
        "hand_sizes",
    ),
    "a card drawn for somebody else": (
        "override effect draw(p) { case drawn < size(Card) label card { place[Card(drawn)]' = hand(next(p))  @mine\n"
        "drawn' = drawn + 1  @mine } }  @mine",
        "hand_sizes",
    ),
    "a card drawn beyond the pile": (
        "override effect draw(p) { place[Card(drawn)]' = hand(p)  @mine drawn' = drawn + 1  @mine }  @mine",
        "every individual exists",
    ),
    "cards fit anywhere": ("override def fits(c) = true  @mine", "heights"),
    "the same value twice": ("override def fits(c) = rank[c] <= height(suit[c]) + 1  @mine", "one_of_each"),
    "points that are lost again": (
        "override effect throw_away(c) { for d : Card where place[d] == fireworks { place[d]' = discards @mine } }  @mine",
        "score_grows",
    ),
    "no turn passes": ("remove after next_turn  @mine", "hands_full"),
    "no countdown": ("remove after countdown  @mine\nremove end last_round  @mine", "hands_full"),
    "a countdown that does not end the game": (
        "remove end last_round  @mine\n"
        "override after move countdown { case drawn == size(Card) and turns_left > 0 label last_round"
        " { turns_left' = turns_left - 1  @mine } }  @mine",
        "always_a_move",
    ),
    "a hint that costs nothing": (
        "override action hint(p : Player, about : Clue) : move  @mine when p != turn label mate  @mine { }  @mine",
        "by_cards",
    ),
    "a misfit that stays in the hand": (
        "override effect misfit(c) { red_spent' = min(red_spent + 1, red_tokens)  @mine }  @mine",
        "hand_sizes",
    ),
    "a perfect game that can be lost": ("set perfect_in_last_round = plays_on  @mine", "perfect_but_lost"),
    "nothing to do without a token": (
        "override when play.own held(c, turn) and blue_left > 0  @mine\n"
        "override when discard.own held(c, turn) and blue_left > 0  @mine",
        "always_a_move",
    ),
    "a gap in the bands": (
        'override bands when rated { 0..2 "low" 4..25 "high" }  @mine',
        "bands cover every score once",
    ),
    "an overlap of the bands": (
        'override bands when rated { 0..9 "low" 9..25 "high" }  @mine',
        "bands cover every score once",
    ),
    "a deck that is too large": ("override def copies(s, r) = 3  @mine", "box"),
    "a deck that cannot be completed": (
        "override def copies(s, r) = if r == last(Rank) then 0 else 3  @mine",
        "deck_completes",
    ),
    "a hint that leaks the value": (
        HINT.format(
            more="told[c, value(rank[c])]' = if about == value(rank[c]) or touches(c, about) then yes else untold"
            " @mine",
            reveal="",
        ),
        "distinct writes",
    ),
    "a hint that tells too much": (
        HINT.format(more="", reveal="reveal rank[c] for c : Card where held(c, p)  @mine"),
        "what_a_hint_tells",
    ),
    "a record of what nobody was told": (
        HINT.format(
            more="",
            reveal="for c : Card where held(c, turn)"
            " { told[c, value(1)]' = if rank[c] == 1 then yes else no  @mine }  @mine",
        ),
        "what is alike to a seat stays alike",
    ),
    "a rule that asks for what the player cannot see": (
        "strengthen action discard when rank[c] != last(Rank) label five  @mine",
        "what is legal is known",
    ),
    "a false record": (
        HINT.format(more="", reveal="").replace("then yes else no", "then yes else yes"),
        "told_is_true",
    ),
    "a case that never happens": (
        "override case play.bonus { case height(suit[c]) > size(Rank) label never { gain(1)  @mine } }  @mine",
        "case play.never comes about",
    ),
    "a guard that forbids nothing": (
        "strengthen action play when height(red) <= size(Rank) label idle  @mine",
        "guard play.idle decides",
    ),
    "an end that never comes": (
        "add end never lost when height(red) > size(Rank) score 0  @mine before perfect",
        "end never comes about",
    ),
    "a game that cannot begin": (
        "strengthen action play when false label never  @mine\nstrengthen action hint when false label never  @mine",
        "case discard.token comes about",
    ),
    "a lie about games that are over": (
        "add invariant so_far : ended() or red_spent < red_tokens  @mine\n"
        "add step ever : not ended() or red_spent < red_tokens  @mine",
        "ever",
    ),
}
WITHOUT_A_GAME = {
    "a deck that is too large",
    "a deck that cannot be completed",
    "a case that never happens",
    "a guard that forbids nothing",
    "an end that never comes",
    "a game that cannot begin",
}


def found(tmp_path: Path, changes: str, wanted: str, players: int = 5, alone: bool = False) -> Result:
    """The result for one obligation of the base game with some changes, asked for alone or among all."""
    path = tmp_path / "mine.hrl"
    path.write_text(f'variant mine extends base {{\n  clause @mine "mine"\n{changes}\n}}\n', encoding="utf-8")
    game = hanabi_formal.load(str(path))
    asked = frozenset([wanted] if alone else ())
    for result in FullCheck(game, players, 200, wanted=asked).results():
        if result.name == wanted:
            if result.trace is not None:
                replay(game.compiled(players), result.trace)
            return result
    raise AssertionError(f"nothing is said of `{wanted}`")


def test_there_are_many_kinds() -> None:
    assert len(FAULTS) >= 15


QUICK = {
    "a gap in the bands",
    "a deck that is too large",
    "a deck that cannot be completed",
    "a hint that tells too much",
    "a record of what nobody was told",
    "a rule that asks for what the player cannot see",
    "a forgotten draw",
    "a case that never happens",
    "a guard that forbids nothing",
    "an end that never comes",
    "a game that cannot begin",
}
"""Those whose proofs fail quickly; a proof that fails takes the longer the more is broken."""
QUICKEST = {"a deck that is too large", "a deck that cannot be completed"}
"""For every run, with those that are asked for alone."""


def marks(name: str) -> list[pytest.MarkDecorator]:
    return [] if name in QUICKEST else [pytest.mark.deep if name in QUICK else pytest.mark.slow]


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in FAULTS])
def test_a_fault_is_refuted(name: str, tmp_path: Path) -> None:
    changes, broken = FAULTS[name]
    result = found(tmp_path, changes, broken)
    assert result.verdict is Verdict.REFUTED, result
    assert not result.as_expected
    assert (result.trace is None) == (name in WITHOUT_A_GAME)
    if name in WITHOUT_A_GAME - {"a deck that is too large", "a deck that cannot be completed"}:
        assert result.detail


STRUCTURE = ("bounds of ", "distinct writes", "every individual exists")
ALONE = [name for name, (_, wanted) in FAULTS.items() if name not in QUICK and not wanted.startswith(STRUCTURE)]
"""Nothing needs to be proved before a game refutes these."""


@pytest.mark.parametrize("name", ALONE)
def test_a_fault_is_refuted_alone(name: str, tmp_path: Path) -> None:
    result = found(tmp_path, *FAULTS[name], alone=True)
    assert result.verdict is Verdict.REFUTED, result
    assert result.trace is not None

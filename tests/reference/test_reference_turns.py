"""Hints, discards and plays in the base game, and the rulings about them."""

import pytest

from cross.scenes import staged, tell
from hanabi_formal.reference import IllegalAction, Rules, Table, apply, legal, view

HANDS = ["r1 r2 b1 b2 w5", "r1 g1 g1 y4 y5"]
PILE = "w1 w2 w3"


def kinds(table: Table) -> set[str]:
    return {action[0] for action in legal(table)}


# Hints


def test_a_hint_spends_a_token_and_marks_the_whole_hand() -> None:
    table = tell(staged(Rules(2), HANDS, PILE), "hint 1 green")
    assert (table.blue, table.turn, table.pile_size) == (7, 1, 3)
    told = view(table, 1).told
    assert [told[card, ("colour", "green")] for card in table.hands[1]] == ["no", "yes", "yes", "no", "no"]
    assert [told[card, ("colour", "red")] for card in table.hands[1]] == ["untold"] * 5
    assert [told[card, ("colour", "green")] for card in table.hands[0]] == ["untold"] * 5


def test_what_was_told_stays_with_the_card() -> None:
    table = tell(staged(Rules(2), HANDS, PILE), "hint 1 1; play r1; hint 1 red")
    told = view(table, 0).told
    played, new = 5, table.hands[1][-1]
    assert table.place(played) == ("fireworks",)
    assert told[played, ("value", 1)] == "yes"
    assert told[new, ("value", 1)] == "untold"
    assert told[new, ("colour", "red")] == "no"
    assert told[played, ("colour", "red")] == "untold"


def test_no_hint_without_a_token() -> None:
    table = staged(Rules(2), HANDS, PILE, blue=1)
    assert "hint" in kinds(table)
    assert kinds(tell(table, "hint 1 1")) == {"discard", "play"}


def test_no_hint_to_oneself() -> None:
    table = staged(Rules(3), ["r1", "r2", "r3"], PILE, turn=1)
    assert {action[1] for action in legal(table) if action[0] == "hint"} == {0, 2}
    with pytest.raises(IllegalAction, match="seat 1 may not"):
        apply(table, ("hint", 1, ("value", 2)))


def test_an_empty_hint_is_allowed_or_refused() -> None:
    told = view(tell(staged(Rules(2), HANDS, PILE), "hint 1 white"), 1).told
    assert {told[card, ("colour", "white")] for card in range(5, 10)} == {"no"}

    refusing = staged(Rules(2, empty_hint="refused"), HANDS, PILE)
    hints = [action[2] for action in legal(refusing) if action[0] == "hint"]
    assert hints == [
        ("colour", "red"),
        ("colour", "yellow"),
        ("colour", "green"),
        ("value", 1),
        ("value", 4),
        ("value", 5),
    ]


# Discards


def test_a_discard_returns_a_token_and_draws() -> None:
    table = tell(staged(Rules(2), HANDS, PILE, blue=3), "discard r2")
    assert (table.blue, table.pile_size, table.turn) == (4, 2, 1)
    assert [str(table.deck[card]) for card in table.hands[0]] == ["r1", "b1", "b2", "w5", "w1"]
    assert table.place(1) == ("discard",)


def test_no_discard_with_all_tokens_available() -> None:
    assert kinds(staged(Rules(2), HANDS, PILE)) == {"hint", "play"}
    allowing = staged(Rules(2, discard_at_full="allowed"), HANDS, PILE)
    assert kinds(allowing) == {"hint", "discard", "play"}
    assert tell(allowing, "discard r2").blue == 8


def test_a_ninth_blue_token() -> None:
    rules = Rules(2, extra_blue=1)
    assert staged(rules, HANDS, PILE).blue == 9
    assert tell(staged(rules, HANDS, PILE, blue=8), "discard r2").blue == 9
    assert "discard" not in kinds(staged(rules, HANDS, PILE, blue=9))


def test_a_returned_token_may_be_declined() -> None:
    table = staged(Rules(2, take_token="may"), HANDS, PILE, blue=3)
    assert tell(table, "discard r2").blue == 4
    assert tell(table, "discard r2 declined").blue == 3
    with pytest.raises(IllegalAction):
        tell(staged(Rules(2), HANDS, PILE, blue=3), "discard r2 declined")


def test_declining_is_a_choice_for_every_card_lest_it_tell_which() -> None:
    table = staged(Rules(2, take_token="may"), HANDS, PILE, heights={"white": 4}, blue=8)
    plays = [action[1:] for action in legal(table) if action[0] == "play"]
    assert plays == [(card, take) for card in range(5) for take in (True, False)]


# Plays


def test_a_card_that_starts_or_continues_a_firework_is_added() -> None:
    table = tell(staged(Rules(2), HANDS, PILE, blue=3), "play r1; hint 0 2; play r2")
    assert table.height("red") == 2
    assert (table.blue, table.red, table.pile_size) == (2, 0, 1)


@pytest.mark.parametrize(
    ("card", "red_height"), [("r2", 0), ("b2", 1), ("r1", 1)], ids=["too high", "other colour", "there already"]
)
def test_any_other_card_is_discarded_for_a_red_token(card: str, red_height: int) -> None:
    table = staged(Rules(2), HANDS, PILE, heights={"red": red_height}, blue=3)
    after = tell(table, f"play {card}")
    assert (after.red, after.blue, after.pile_size) == (1, 3, 2)
    assert after.fireworks == table.fireworks
    assert len(after.discards) == len(table.discards) + 1


def test_the_literal_reading_of_begins_or_completes() -> None:
    rules = Rules(2, suits=("red", "blue"), fit="literal")
    assert tell(staged(rules, ["r1", "b1"]), "play r1").height("red") == 1
    assert tell(staged(rules, ["r2", "b1"], heights={"red": 1}), "play r2").red == 1
    assert tell(staged(rules, ["r5", "b1"], heights={"red": 4}), "play r5").height("red") == 5
    two_high = Rules(2, suits=("red",), top=2, hand=1, fit="literal")
    assert tell(staged(two_high, ["r1", "r2"], "r1"), "play r1; play r2").points == 2


@pytest.mark.parametrize(("before", "after"), [(0, 1), (7, 8), (8, 8)])
def test_completing_a_firework_returns_a_token_unless_all_are_there(before: int, after: int) -> None:
    table = staged(Rules(2), HANDS, PILE, heights={"white": 4}, blue=before)
    assert tell(table, "play w5").blue == after


def test_the_bonus_may_be_declined() -> None:
    table = staged(Rules(2, take_token="may"), HANDS, PILE, heights={"white": 4}, blue=3)
    assert tell(table, "play w5 declined").blue == 3


def test_the_dutch_layout_draws_only_after_a_misfit() -> None:
    table = staged(Rules(2, draw_after_fit="no"), HANDS, PILE)
    fitted, misfitted = tell(table, "play r1"), tell(table, "play r2")
    assert (len(fitted.hands[0]), fitted.pile_size) == (4, 3)
    assert (len(misfitted.hands[0]), misfitted.pile_size) == (5, 2)


# What a player sees


def test_one_sees_every_hand_but_ones_own() -> None:
    table = tell(staged(Rules(2), HANDS, PILE, heights={"white": 4}), "play w5; play g1")
    own = view(table, 0)
    assert [own.faces[card] for card in table.hands[0]] == [None] * 5
    assert [str(own.faces[card]) for card in table.hands[1]] == ["r1", "g1", "y4", "y5", "w2"]
    assert own.faces[table.drawn :] == (None,)
    assert str(own.faces[4]) == "w5"
    assert all(own.faces[card] == table.deck[card] for card in table.discards)
    assert own.places[4] == ("fireworks",)
    assert own.places[table.drawn] == ("pile",)
    assert own.places[table.hands[1][0]] == ("hand", 1)

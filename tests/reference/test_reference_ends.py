"""The ends of the base game, what they are worth, and the rulings about them."""

import pytest

from cross.scenes import staged, tell
from hanabi_formal.reference import IllegalAction, Rules, Table, band, legal, outcome, rules_for, score

ALMOST = {"red": 4, "yellow": 5, "green": 5, "blue": 5, "white": 5}  # 24 points, the red 5 is wanted


def result(table: Table) -> tuple[str | None, str | None, int]:
    return (table.end, outcome(table), score(table))


# The last round


@pytest.mark.parametrize("action", ["play r1", "play b2", "discard b1"], ids=["fit", "misfit", "discard"])
def test_after_the_last_card_is_drawn_everyone_has_one_turn(action: str) -> None:
    table = staged(Rules(3), ["r1 b1 b2", "b1 b2", "b3 b3"], "w1", blue=4)
    table = tell(table, action)
    assert (table.pile_size, table.turns_left, table.end, len(table.hands[0])) == (0, 3, None, 3)
    table = tell(table, "hint 0 1; discard b3")
    assert (table.turns_left, table.end) == (1, None)
    table = tell(table, "play w1")  # by the one who drew it
    assert (table.turns_left, table.end, outcome(table)) == (0, "last_round", "over")
    assert table.turn == 0
    assert legal(table) == []


def test_hands_shrink_in_the_last_round() -> None:
    table = tell(staged(Rules(2), ["r1 b1", "b2 b3"], "", blue=4, turns_left=2), "discard b1; discard b2")
    assert [len(hand) for hand in table.hands] == [1, 1]
    assert table.end == "last_round"


def test_an_ended_game_allows_nothing() -> None:
    table = tell(staged(Rules(2), ["r1 b1", "b2 b3"], "", turns_left=1), "hint 1 2")
    with pytest.raises(IllegalAction, match=r"the game has ended \(last_round\)"):
        tell(table, "hint 1 2")


# Red tokens


def test_the_third_red_token_loses_at_once() -> None:
    table = tell(staged(Rules(2), ["b2 b1", "r1"], "w1 w2", heights={"red": 3}, red=2), "play b2")
    assert result(table) == ("strikes", "lost", 0)
    assert (table.pile_size, table.turn, len(table.hands[0])) == (2, 0, 1)  # nothing drawn, the turn not passed


def test_the_third_red_token_on_the_last_turn_loses() -> None:
    table = staged(Rules(2), ["b2 b1", "r1"], "", heights={"red": 3}, red=2, turns_left=1)
    assert result(tell(table, "play b1")) == ("last_round", "over", 4)
    lost = tell(table, "play b2")
    assert result(lost) == ("strikes", "lost", 0)
    assert band(lost) == ("0..5",)


def test_a_lost_game_may_score_its_sum() -> None:
    table = staged(Rules(2, loss_score="sum"), ["b2", "r1"], "w1", heights={"red": 3, "white": 5}, red=2)
    assert result(tell(table, "play b2")) == ("strikes", "lost", 8)


@pytest.mark.parametrize(
    ("given", "limit", "misfits"),
    [
        (1, "all_given", 1),
        (2, "all_given", 2),
        (3, "all_given", 3),
        (4, "all_given", 4),
        (1, "third", None),
        (2, "third", None),
        (3, "third", 3),
        (4, "third", 3),
    ],
)
def test_how_many_misfits_lose(given: int, limit: str, misfits: int | None) -> None:
    rules = rules_for(None, ["difficulty"], 2, {"red_tokens": given, "red_limit": limit})
    table = staged(rules, ["b2 b3 b4", "w2 w3 w4"], "r3 r4 y2 y3 y4 y5")
    made = 0
    for line in ["play b2", "play w2", "play b3", "play w3", "play b4", "play w4"]:
        if table.end is None:
            table = tell(table, line)
            made += 1
            assert table.red == min(made, given)
    assert (made if table.end == "strikes" else None) == misfits


def test_a_card_drawn_by_the_action_that_ends_the_game() -> None:
    table = staged(Rules(2, draw_on_end="yes"), ["b2 b1", "r1"], "w1 w2", red=2)
    lost = tell(table, "play b2")
    assert (lost.end, lost.pile_size, len(lost.hands[0]), lost.turn) == ("strikes", 1, 2, 0)


# Perfection


@pytest.mark.parametrize("ruling", ["stops", "plays_on"])
@pytest.mark.parametrize(("drawing", "left"), [("no", 1), ("yes", 0)])
def test_the_25th_point_with_one_card_in_the_pile_wins(ruling: str, drawing: str, left: int) -> None:
    rules = rules_for(None, (), 2, {"perfect_in_last_round": ruling, "draw_on_end": drawing})
    table = tell(staged(rules, ["r5 b1", "b1"], "w1", heights=ALMOST), "play r5")
    assert result(table) == ("perfect", "won", 25)
    assert (table.pile_size, band(table)) == (left, ("25",))


def test_the_25th_point_in_the_last_round() -> None:
    stops = staged(Rules(2), ["r5 b1", "b1"], "", heights=ALMOST, blue=0)
    assert result(tell(stops, "play r5")) == ("perfect", "won", 25)

    plays_on = staged(Rules(2, perfect_in_last_round="plays_on"), ["r5 b1", "b1"], "", heights=ALMOST, blue=0)
    table = tell(plays_on, "play r5")
    assert (table.end, table.turns_left, table.turn) == (None, 1, 1)
    assert result(tell(table, "discard b1")) == ("last_round", "over", 25)


def test_a_perfect_game_can_still_be_lost_where_it_plays_on() -> None:
    rules = Rules(2, perfect_in_last_round="plays_on")
    table = staged(rules, ["r5 b1", "b1"], "", heights=ALMOST, red=2)
    assert result(tell(table, "play r5; play b1")) == ("strikes", "lost", 0)


def test_the_25th_point_on_the_very_last_turn_is_over_not_won_where_it_plays_on() -> None:
    rules = Rules(2, perfect_in_last_round="plays_on")
    table = staged(rules, ["r5 b1", "b1"], "", heights=ALMOST, turns_left=1)
    assert result(tell(table, "play r5")) == ("last_round", "over", 25)


def test_five_or_all_of_six_fireworks() -> None:
    for ruling, end in [("all", None), ("five", "perfect")]:
        rules = rules_for(None, ["avalanche"], 2, {"all_or_five": ruling})
        table = tell(staged(rules, ["r5 b1", "m1"], "w1", heights=ALMOST), "play r5")
        assert (table.end, score(table)) == (end, 25)


def test_with_fewer_fireworks_than_five_all_are_needed() -> None:
    for ruling in ("all", "five"):
        rules = rules_for(None, (), 2, {"all_or_five": ruling}, suits=["red", "blue"])
        table = staged(rules, ["r5", "b1"], "b2", heights={"red": 4, "blue": 0})
        assert tell(table, "play r5").end is None
        table = staged(rules, ["r5", "b1"], "b2", heights={"red": 4, "blue": 5})
        assert result(tell(table, "play r5")) == ("perfect", "won", 10)


# Hopeless games


def test_a_game_that_can_gain_nothing_stops_or_plays_on() -> None:
    for ruling, end in [("plays_on", None), ("stops", "hopeless")]:
        rules = rules_for(None, (), 2, {"hopeless": ruling})
        table = tell(staged(rules, ["r5 b1", "b1"], "w1 w1", heights=ALMOST, blue=3), "discard r5")
        assert (table.end, score(table)) == (end, 24)


def test_a_card_of_one_who_has_acted_for_the_last_time_is_gone() -> None:
    table = staged(Rules(3, hopeless="stops"), ["r5 b1", "b1", "b2"], "", heights=ALMOST)
    assert result(tell(table, "hint 1 1")) == ("hopeless", "over", 24)
    later = staged(Rules(3, hopeless="stops"), ["b1", "b1", "r5 b2"], "", heights=ALMOST)
    assert tell(later, "hint 1 1").end is None


def test_in_the_expert_game_nobody_acts_for_the_last_time() -> None:
    table = staged(Rules(3, hopeless="stops", expert=True), ["r5 b1", "b1", "b2"], "", heights=ALMOST)
    assert tell(table, "hint 1 1").end is None


# The scale


@pytest.mark.parametrize(
    ("edition", "variants", "points", "expected"),
    [
        (None, [], 5, ("0..5",)),
        ("en", [], 6, ("6..10",)),
        ("sv", [], 15, ("11..15",)),
        ("nl", [], 20, ("16..20",)),
        ("no", [], 24, ("21..24",)),
        ("fi", [], 25, ("25",)),
        ("sv", ["avalanche"], 25, ("25", "25..29")),
        ("sv", ["avalanche"], 30, ("30",)),
        ("nl", ["avalanche"], 25, ("25",)),
        ("nl", ["rainbow"], 26, ()),
        ("nl", ["avalanche"], 30, ()),
        ("en", ["avalanche"], 25, ("25..29",)),
        (None, ["avalanche"], 30, ("30",)),
        (None, ["avalanche"], 24, ("21..24",)),
        ("hanab_live", [], 24, ()),
    ],
)
def test_band(edition: str | None, variants: list[str], points: int, expected: tuple[str, ...]) -> None:
    rules = rules_for(edition, variants, 2)
    heights = {suit: max(0, min(5, points - 5 * i)) for i, suit in enumerate(rules.suits)}
    table = staged(rules, ["r1", "b1"], "", heights=heights, turns_left=1)
    assert band(table) == ()
    table = tell(table, "hint 1 1")
    assert score(table) == points
    assert band(table) == expected

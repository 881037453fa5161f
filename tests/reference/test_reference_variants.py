"""Expert, timed, sixth colour, rainbow; and the player who cannot act."""

from collections.abc import Callable

import pytest

from cross.scenes import staged, tell
from hanabi_formal.reference import Rules, Table, band, legal, outcome, rules_for, score, view

ALMOST = {"red": 4, "yellow": 5, "green": 5, "blue": 5, "white": 5}


# Expert: until perfect or lost


def test_the_expert_game_has_no_last_round_and_hands_shrink() -> None:
    table = staged(Rules(2, expert=True), ["b1 b1", "y1 r5 y1"], "w1", heights=ALMOST, blue=2)
    table = tell(table, "discard b1; discard y1; discard b1; hint 0 1; hint 1 5")
    assert (table.pile_size, table.turns_left, table.end) == (0, 2, None)
    assert [len(hand) for hand in table.hands] == [1, 2]
    table = tell(table, "play r5")
    assert (table.end, outcome(table), score(table), band(table)) == ("perfect", "won", 25, ())


@pytest.mark.parametrize("line", ["discard r3", "play r3"])
def test_losing_an_indispensable_card_loses(line: str) -> None:
    table = staged(Rules(2, expert=True), ["r3 b1", "r5"], "w1", heights={"red": 1}, blue=3)
    assert [str(table.deck[card]) for card in table.discards].count("r3") == 1
    table = tell(table, line)
    assert (table.end, outcome(table), score(table)) == ("indispensable", "lost", 0)
    assert (table.pile_size, table.turn) == (1, 0)


@pytest.mark.parametrize(
    ("hands", "pile", "height"),
    [(["r3 b1", "r3"], "w1", 1), (["r3 b1", "r5"], "r3", 1), (["r3 b1", "r5"], "w1", 3)],
    ids=["another in a hand", "another in the pile", "its firework has it"],
)
def test_a_card_that_can_be_spared(hands: list[str], pile: str, height: int) -> None:
    table = staged(Rules(2, expert=True), hands, pile, heights={"red": height}, blue=3)
    assert tell(table, "discard r3").end is None


def test_a_misplayed_card_need_not_count_as_discarded() -> None:
    rules = Rules(2, expert=True, misfit_is_discard="no")
    table = staged(rules, ["r3 b1", "r5"], "w1", heights={"red": 1}, blue=3)
    assert tell(table, "play r3").end is None
    assert tell(table, "discard r3").end == "indispensable"


def test_the_third_red_token_comes_before_the_indispensable_card() -> None:
    table = staged(Rules(2, expert=True), ["r3 b1", "r5"], "w1", heights={"red": 1}, red=2)
    assert tell(table, "play r3").end == "strikes"


def test_in_the_base_game_no_card_is_indispensable() -> None:
    assert tell(staged(Rules(2), ["r5 b1", "r3"], "w1", blue=3), "discard r5").end is None


# A player who cannot act


def expert_stuck(ruling: str) -> Table:
    """Seat 0 spends the last token; seat 1 has no card left; seat 2 holds the red 5."""
    rules = rules_for(None, ["expert"], 3, {"stuck": ruling})
    return staged(rules, ["b1", "", "r5"], "", heights=ALMOST, blue=1)


def base_stuck(ruling: str) -> Table:
    """The Dutch layout: seat 1 has played all its cards and drawn none."""
    rules = rules_for(None, (), 3, {"stuck": ruling, "draw_after_fit": "no"})
    return staged(rules, ["b1", "", "r5"], "w1 w1", heights=ALMOST, blue=1)


@pytest.mark.parametrize("scene", [expert_stuck, base_stuck])
class TestStuck:
    def test_the_print_does_not_say(self, scene: Callable[[str], Table]) -> None:
        table = tell(scene("unruled"), "hint 2 5")
        assert (table.turn, table.end, legal(table)) == (1, None, [])

    def test_lost(self, scene: Callable[[str], Table]) -> None:
        table = tell(scene("lost"), "hint 2 5")
        assert (table.end, outcome(table), score(table)) == ("stuck", "lost", 0)

    def test_passed_over(self, scene: Callable[[str], Table]) -> None:
        table = tell(scene("skipped"), "hint 2 5")
        assert (table.end, legal(table)) == (None, [("pass",)])
        after = tell(table, "pass")
        assert (after.turn, after.pile_size, after.blue) == (2, table.pile_size, 0)
        assert tell(after, "play r5").end == "perfect"

    def test_nobody_passes_who_can_act(self, scene: Callable[[str], Table]) -> None:
        assert ("pass",) not in legal(scene("skipped"))


def test_when_nobody_can_act_the_skipping_game_is_lost() -> None:
    rules = rules_for(None, ["expert"], 2, {"stuck": "skipped", "misfit_is_discard": "no"})
    table = tell(staged(rules, ["r5", ""], "", heights={"red": 2}, blue=0), "play r5")
    assert (table.end, outcome(table)) == ("stuck", "lost")


def test_passing_is_a_turn_of_the_last_round() -> None:
    rules = Rules(3, stuck="skipped", draw_after_fit="no")
    table = staged(rules, ["b1", "", "r5"], "", heights=ALMOST, blue=0, turn=1, turns_left=2)
    table = tell(table, "pass")
    assert (table.turn, table.turns_left) == (2, 1)
    last = staged(rules, ["b1", "", "r5"], "", heights=ALMOST, blue=0, turn=1, turns_left=1)
    assert tell(last, "pass").end == "last_round"


def test_a_hint_may_go_to_an_empty_hand_if_it_may_be_empty() -> None:
    for ruling, expected in [("allowed", 10), ("refused", 0)]:
        rules = rules_for(None, ["expert"], 2, {"empty_hint": ruling, "stuck": "unruled"})
        hints = [a for a in legal(staged(rules, ["b1", ""], "", blue=8)) if a[0] == "hint"]
        assert len(hints) == expected


# Timed: announcing the colour


TIMED = ["r1 r2 w5 m1", "b1"]


@pytest.mark.parametrize(
    ("line", "blue", "red"),
    [
        ("play r1", 3, 0),
        ("announce r1 as red", 4, 0),
        ("announce w5 as white", 5, 0),
        ("announce r1 as white", 3, 1),
        ("announce r2 as red", 3, 1),
        ("announce r2 as blue", 3, 1),
    ],
)
def test_announcing_a_colour(line: str, blue: int, red: int) -> None:
    rules = rules_for(None, ["timed", "avalanche"], 2)
    table = tell(staged(rules, TIMED, "w1", heights={"white": 4}, blue=3), line)
    assert (table.blue, table.red, table.pile_size) == (blue, red, 0)


@pytest.mark.parametrize(("before", "after"), [(6, 8), (7, 8), (8, 8)])
def test_announced_tokens_beyond_eight_are_lost(before: int, after: int) -> None:
    rules = rules_for(None, ["timed", "avalanche"], 2)
    table = staged(rules, TIMED, "w1", heights={"white": 4}, blue=before)
    assert tell(table, "announce w5 as white").blue == after


def test_declining_declines_both_tokens() -> None:
    rules = rules_for("nl", ["timed", "avalanche"], 2)
    table = staged(rules, TIMED, "w1", heights={"white": 4}, blue=3)
    assert tell(table, "announce w5 as white declined").blue == 3


def test_a_right_announcement_of_a_card_that_does_not_fit() -> None:
    for ruling, blue in [("misfit", 3), ("misfit_and_token", 4)]:
        rules = rules_for(None, ["timed", "avalanche"], 2, {"announced_but_misfit": ruling})
        table = staged(rules, TIMED, "w1", blue=3)
        right, wrong = tell(table, "announce r2 as red"), tell(table, "announce r2 as blue")
        assert (right.blue, right.red, wrong.blue, wrong.red) == (blue, 1, 3, 1)
        assert right.place(1) == wrong.place(1) == ("discard",)


def test_a_wrong_announcement_can_lose_an_indispensable_card() -> None:
    table = staged(rules_for(None, ["timed", "expert"], 2), ["w5", "b1"], "w1", heights={"white": 4})
    assert tell(table, "announce w5 as red").end == "indispensable"
    assert tell(table, "announce w5 as white").height("white") == 5


def test_announcing_only_in_the_timed_variant() -> None:
    table = staged(rules_for(None, ["avalanche"], 2), TIMED, "w1")
    assert not [action for action in legal(table) if action[0] == "announce"]


@pytest.mark.parametrize(
    ("ruling", "multi_as_multi", "multi_as_red", "red_as_multi"),
    [
        ("own_colour", "right", "wrong", "wrong"),
        ("any_colour", "right", "right", "wrong"),
        ("refused", "illegal", "wrong", "illegal"),
    ],
)
@pytest.mark.parametrize("sixth", ["avalanche", "rainbow"])
def test_announcing_the_sixth_colour(
    sixth: str, ruling: str, multi_as_multi: str, multi_as_red: str, red_as_multi: str
) -> None:
    rules = rules_for(None, ["timed", sixth], 2, {"announce_multi": ruling})
    table = staged(rules, TIMED, "w1", blue=3)

    def verdict(line: str) -> str:
        try:
            return "wrong" if tell(table, line).red else "right"
        except ValueError:
            return "illegal"

    assert verdict("announce m1 as multi") == multi_as_multi
    assert verdict("announce m1 as red") == multi_as_red
    assert verdict("announce r1 as multi") == red_as_multi
    assert verdict("announce r1 as red") == "right"


# The sixth colour


def touched(table: Table) -> str:
    """The cards of seat 1 that the last hint pointed at."""
    pointed = {card for card, _, touches in table.told if touches}
    return " ".join(str(table.deck[card]) for card in table.hands[1] if card in pointed)


@pytest.mark.parametrize(
    ("clue", "avalanche", "rainbow"),
    [
        ("red", "r1", "r1 m1 m4"),
        ("blue", "b4", "m1 b4 m4"),
        ("green", "", "m1 m4"),
        ("1", "r1 m1", "r1 m1"),
        ("4", "b4 m4", "b4 m4"),
        ("multi", "m1 m4", None),
    ],
)
def test_a_multicoloured_card_under_each_hint(clue: str, avalanche: str, rainbow: str | None) -> None:
    hands = ["w1", "r1 m1 b4 m4"]
    table = staged(rules_for("nl", ["avalanche"], 2), hands, "w1")
    assert touched(tell(table, f"hint 1 {clue}")) == avalanche
    table = staged(rules_for("nl", ["rainbow"], 2), hands, "w1")
    if rainbow is None:
        assert all(action[2] != ("colour", "multi") for action in legal(table) if action[0] == "hint")
        assert (0, ("colour", "multi")) not in view(table, 0).told
    else:
        assert touched(tell(table, f"hint 1 {clue}")) == rainbow


def test_a_multicoloured_card_is_played_on_its_own_firework() -> None:
    table = staged(rules_for("nl", ["rainbow"], 2), ["m1", "m2"], "w1", heights={"red": 1})
    table = tell(table, "play m1; play m2")
    assert (table.height("multi"), table.height("red"), table.red) == (2, 1, 0)

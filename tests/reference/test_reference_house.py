"""The house rules of hanab.live."""

import pytest

from cross.scenes import staged, tell
from hanabi_formal.reference import Table, band, legal, outcome, rules_for, score

ALMOST = {"red": 4, "yellow": 5, "green": 5, "blue": 5, "white": 5}
ON = {"deck_plays": "on"}


def result(table: Table) -> tuple[str | None, str | None, int]:
    return (table.end, outcome(table), score(table))


def test_a_game_may_be_abandoned_at_any_time_and_scores_nothing() -> None:
    for overrides in ({}, {"loss_score": "sum"}):
        table = staged(rules_for("hanab_live", (), 2, overrides), ["r5", "b1"], "w1", heights=ALMOST)
        gone = tell(table, "abandon")
        assert result(gone) == ("abandoned", "lost", 0)
        assert (gone.turn, legal(gone), band(gone)) == (0, [], ())


def test_the_printed_games_cannot_be_abandoned() -> None:
    assert ("abandon",) not in legal(staged(rules_for("en", (), 2), ["r5", "b1"], "w1"))


def test_to_abandon_is_not_to_be_able_to_act() -> None:
    for ruling, end, actions in [
        ("unruled", None, [("abandon",)]),
        ("skipped", None, [("pass",), ("abandon",)]),
        ("lost", "stuck", []),
    ]:
        rules = rules_for("hanab_live", ["expert"], 3, {"stuck": ruling})
        table = tell(staged(rules, ["b1", "", "r5"], "", heights=ALMOST, blue=1), "hint 2 5")
        assert (table.end, legal(table)) == (end, actions)


def test_six_seats() -> None:
    table = staged(rules_for("hanab_live", (), 6), ["r1", "r2", "r3", "r4", "r5", "b1"], "w1 w2")
    assert tell(table, "play r1; play r2; play r3; play r4; play r5; hint 0 1").turn == 0


@pytest.mark.parametrize(("pile", "offered"), [("", False), ("w1", True), ("w1 w2", False)])
def test_the_last_card_may_be_played_from_the_pile(pile: str, offered: bool) -> None:
    table = staged(rules_for("hanab_live", (), 2, ON), ["r5", "b1"], pile, heights={"red": 4})
    assert (("deck_play", True) in legal(table)) == offered
    assert ("deck_play", False) not in legal(table)


def test_a_play_from_the_pile_starts_the_last_round() -> None:
    table = staged(rules_for("hanab_live", (), 2, ON), ["r5 b2", "b1"], "w1", heights={"red": 4})
    table = tell(table, "deck play")
    assert (table.height("white"), table.pile_size, table.turns_left, table.turn) == (1, 0, 2, 1)
    assert [len(hand) for hand in table.hands] == [2, 1]
    assert result(tell(table, "play b1; play r5")) == ("last_round", "over", 7)


def test_a_misfit_from_the_pile() -> None:
    table = staged(rules_for("hanab_live", (), 2, ON), ["r5 b2", "b1"], "w2", heights={"red": 4})
    after = tell(table, "deck play")
    assert (after.red, after.pile_size, after.place(len(after.deck) - 1)) == (1, 0, ("discard",))
    assert [len(hand) for hand in after.hands] == [2, 1]


@pytest.mark.parametrize("ruling", ["stops", "plays_on"])
def test_the_25th_point_from_the_pile_is_before_the_last_round(ruling: str) -> None:
    rules = rules_for("hanab_live", (), 2, {**ON, "perfect_in_last_round": ruling})
    table = tell(staged(rules, ["b1", "b1"], "r5", heights=ALMOST), "deck play")
    assert result(table) == ("perfect", "won", 25)


def test_its_expert_game_is_lost_when_the_next_player_has_no_card_and_no_token() -> None:
    table = staged(rules_for("hanab_live", ["expert"], 3), ["b1", "", "r5"], "", heights=ALMOST, blue=1)
    assert result(tell(table, "hint 2 5")) == ("stuck", "lost", 0)
    assert tell(table, "discard b1").end is None


def test_it_stops_when_nothing_can_be_gained() -> None:
    table = staged(rules_for("hanab_live", (), 2), ["r5 b1", "b1"], "", heights=ALMOST, blue=3)
    assert result(tell(table, "discard b1")) == ("hopeless", "over", 24)

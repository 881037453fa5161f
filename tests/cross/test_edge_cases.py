"""The corners of the rules, each a short game told in words and played in both engines from its first card on."""

from __future__ import annotations

import pytest

from .setups import Setup
from .stories import Story

TWO = ("red", "blue")  # with values 1 to 3: r1 r1 r1 r2 r2 r3 and the same in blue, ten dealt and two in the pile
THREE = ("red", "green", "blue")
OPEN = "r1 r2 b1 b1 b1 | b2 b3 r1 r1 r2 | b2 r3"


def small(spec: str = "base", suits: tuple[str, ...] = TWO, top: int = 3, **rulings: str) -> Setup:
    return Setup(spec, 2, tuple(rulings.items()), suits=suits, top=top)


# ---- the last round --------------------------------------------------------------------------------
def test_the_last_card_drawn_by_a_play() -> None:
    """Each player has one more turn, the one who drew it included, and draws nothing more."""
    Story(OPEN, small()).tell("""
        -> 8 blue, 2 in the pile, 2 turns left, seat 0 to act, goes on
        0 play r1 -> red at 1, 1 in the pile, 2 turns left, seat 0 holds b1 b1 b1 b2 r2
        1 play r2 -> red at 2, 0 in the pile, 2 turns left, seat 1 holds b2 b3 r1 r1 r3, goes on
        0 play b1 -> blue at 1, 1 turn left, seat 0 holds b1 b1 b2 r2, seat 1 to act, goes on
        1 play r3 -> over by last_round, 4 points, 0 turns left, seat 1 holds b2 b3 r1 r1, in the band 0..5
    """)


def test_the_last_card_drawn_by_a_discard() -> None:
    Story(OPEN, small()).tell("""
        0 hint 1 1 -> 7 blue
        1 discard r1 -> 8 blue, 1 in the pile, 2 turns left
        0 hint 1 2 -> 7 blue
        1 discard r1 -> 8 blue, 0 in the pile, 2 turns left, goes on
        0 hint 1 3 -> 7 blue, 1 turn left, goes on
        1 discard b2 -> over by last_round, 0 points, 8 blue, seat 1 holds b2 b3 r2 r3, discarded b2 r1 r1
    """)


def test_a_pile_that_is_empty_from_the_start() -> None:
    """One colour alone is dealt out: the last round begins at once."""
    Story("r1 r1 r2 r3 r4 | r1 r2 r3 r4 r5", small(suits=("red",), top=5)).tell("""
        -> 0 in the pile, 2 turns left, goes on
        0 play r1 -> 1 turn left, red at 1, seat 0 holds r1 r2 r3 r4
        1 play r2 -> over by last_round, 2 points
    """)


@pytest.mark.parametrize(("loss_score", "points"), [("zero", 0), ("sum", 1)])
def test_the_third_red_token_on_the_last_turn(loss_score: str, points: int) -> None:
    """Lost, though the last round is over too."""
    Story(OPEN, small(loss_score=loss_score)).tell(f"""
        0 play r2 -> 1 red, 1 in the pile, discarded r2
        1 play b3 -> 2 red, 0 in the pile, 2 turns left, discarded b3 r2
        0 play r1 -> red at 1, 1 turn left, goes on
        1 play r3 -> 3 red, 0 turns left, lost by strikes, {points} points, in the band 0..5
    """)


# ---- a perfect display -----------------------------------------------------------------------------
NINE = "r1 r3 b2 g1 g3 | r2 b1 b3 g2 r1 | r1 r2 b1 b1 b2 g1 g1 g2"
EIGHT_POINTS = """
    0 play r1
    1 play r2
    0 play r3 -> red at 3, 8 blue
    1 play b1
    0 play b2
    1 play b3 -> blue at 3, 2 in the pile
    0 play g1
    1 play g2 -> 8 points, 0 in the pile, 2 turns left, goes on
"""


def test_perfect_in_the_last_round_stops() -> None:
    Story(NINE, small(suits=THREE, perfect_in_last_round="stops")).tell(EIGHT_POINTS).tell("""
        0 play g3 -> won by perfect, 9 points, 1 turn left, in the band 6..10
    """)


def test_perfect_in_the_last_round_plays_on() -> None:
    Story(NINE, small(suits=THREE, perfect_in_last_round="plays_on")).tell(EIGHT_POINTS).tell("""
        0 play g3 -> 9 points, 1 turn left, seat 1 to act, goes on
        1 hint 0 1 -> over by last_round, 9 points, 0 turns left
    """)


def test_a_perfect_game_is_lost_if_it_plays_on() -> None:
    setup = Setup("no", 2, params=(("red_tokens", 1),), suits=THREE, top=3)
    Story(NINE, setup).tell(EIGHT_POINTS).tell("""
        0 play g3 -> 9 points, 1 turn left, seat 1 to act, goes on
        1 play r1 -> 1 red, lost by strikes, 0 points
    """)


@pytest.mark.parametrize("draw_on_end", ["no", "yes"])
def test_the_25th_point_with_one_card_in_the_pile(draw_on_end: str) -> None:
    """It ends the game at once: nothing is drawn, unless the ruling says so, and there is no last round."""
    wanted = [f"{suit}{value}" for suit in "rygbw" for value in range(1, 6)]
    spare = [f"{suit}{value}" for suit in "rygbw" for value in (1, 1, 2, 3, 4)]
    pile = []
    for turn in range(15):  # seat 0 plays and draws what it plays later; seat 1 discards and draws another spare card
        pile += [wanted[5 + turn], spare[5 + turn]]
    pile += wanted[20:] + spare[20:]
    story = Story(" ".join(wanted[:5] + spare[:5] + pile), Setup("nl", 2, (("draw_on_end", draw_on_end),)))
    for turn, face in enumerate(wanted[:-1]):
        story.tell(f"0 play {face}")
        story.tell(f"1 discard {spare[turn]}" if turn < 15 else "1 hint 0 1")
    drawn = draw_on_end == "yes"
    story.tell(f"""
        -> 24 points, 1 in the pile, 2 turns left, seat 0 to act, goes on
        0 play w5 -> won by perfect, 25 points, 2 turns left, in the band 25, {0 if drawn else 1} in the pile
        -> seat 0 holds {5 if drawn else 4} cards
    """)


def test_five_of_six_fireworks() -> None:
    """With the ruling `five` the sixth firework is not needed."""
    suits = ("red", "yellow", "green", "blue", "white", "multi")
    deck = "r1 y1 g1 b1 w1 | r1 y1 g1 b1 m1"
    for ruling, end in (("all", "goes on"), ("five", "won by perfect, 11 points, multi at 1")):
        story = Story(f"{deck} | r2 y2 g2 b2 w2", small("base+avalanche", suits, 2, all_or_five=ruling))
        for suit in "rygbw":
            story.tell(f"0 play {suit}1\n1 hint 0 1")
        for suit in "rygb":
            story.tell(f"0 play {suit}2\n1 hint 0 2" if suit != "b" else "0 play b2\n1 play m1")
        story.tell(f"0 play w2 -> {end}")


# ---- tokens ----------------------------------------------------------------------------------------
PAIRS = "r1 r2 b1 b1 b1 | r1 r1 g1 g1 g1 | b2 g2"  # values 1 and 2 only


def test_the_bonus_is_lost_at_eight() -> None:
    Story(PAIRS, small(suits=THREE, top=2)).tell("""
        0 play r1 -> 8 blue
        1 play g1 -> 8 blue
        0 play r2 -> red at 2, 8 blue, 3 points
    """)


def test_the_bonus_is_returned_below_eight() -> None:
    Story(PAIRS, small(suits=THREE, top=2)).tell("""
        0 play r1
        1 hint 0 red -> 7 blue
        0 play r2 -> red at 2, 8 blue
    """)


def test_a_token_may_be_declined() -> None:
    Story(PAIRS, small("nl", suits=THREE, top=2)).tell("""
        0 play r1
        1 hint 0 red -> 7 blue
        0 play r2 declined -> red at 2, 7 blue, seat 1 to act
        1 discard r1 declined -> 7 blue, discarded r1
    """)
    Story(PAIRS, small(suits=THREE, top=2)).tell("0 may not play r1 declined")


def test_no_hint_without_a_token() -> None:
    hints = "\n".join(f"{turn % 2} hint {1 - turn % 2} 1 -> {7 - turn} blue" for turn in range(8))
    Story(OPEN, small()).tell(hints).tell("""
        0 may not hint 1 1 -> 0 blue
        0 discard b1 -> 1 blue
    """)


def test_a_discard_with_all_blue_tokens() -> None:
    Story(OPEN, small(discard_at_full="refused")).tell("""
        0 may not discard b1
        0 hint 1 1 -> 7 blue
        1 discard r1 -> 8 blue
    """)
    Story(OPEN, small(discard_at_full="allowed")).tell("0 discard b1 -> 8 blue, discarded b1, 1 in the pile")


def test_nine_blue_tokens() -> None:
    setup = Setup("base+difficulty", 2, params=(("extra_blue", 1),), suits=TWO, top=3)
    Story(OPEN, setup).tell("""
        -> 9 blue
        0 may not discard b1
        0 hint 1 1 -> 8 blue
        1 discard r1 -> 9 blue
        0 play r1 -> 9 blue
        1 may not discard r1
    """)


@pytest.mark.parametrize("tokens", [1, 2, 3])
def test_one_two_and_three_red_tokens(tokens: int) -> None:
    setup = Setup("nl+difficulty", 2, params=(("red_tokens", tokens), ("extra_blue", 0)))
    story = Story("r2 y2 g2 b2 w2 | r3 y3 g3 b3 w3", setup)
    for spent, face in enumerate(("r2", "r3", "y2")[: tokens - 1], 1):
        story.tell(f"{(spent - 1) % 2} play {face} -> {spent} red, goes on")
    last = ("r2", "r3", "y2")[tokens - 1]
    story.tell(
        f"{(tokens - 1) % 2} play {last} -> {tokens} red, lost by strikes, 0 points, 40 in the pile".replace(
            "40", str(41 - tokens)
        )
    )


def test_two_red_tokens_where_only_a_third_would_lose() -> None:
    setup = Setup("base+difficulty", 2, (("red_limit", "third"),), (("red_tokens", 2),))
    Story("r2 y2 g2 b2 w2 | r3 y3 g3 b3 w3", setup).tell("""
        0 play r2 -> 1 red
        1 play r3 -> 2 red, goes on
        0 play y2 -> 2 red, goes on, discarded r2 r3 y2
    """)


# ---- hands that shrink, players without a move -----------------------------------------------------
def test_expert_hands_shrink_and_there_is_no_last_round() -> None:
    Story(OPEN, small("base+expert")).tell("""
        0 play r1
        1 play r2 -> 0 in the pile, 2 turns left
        0 play b1 -> seat 0 holds b1 b1 b2 r2
        1 play b2 -> seat 1 holds b3 r1 r1 r3, goes on
        0 hint 1 3 -> 7 blue
        1 play r3 -> 8 blue, seat 1 holds b3 r1 r1, goes on
        0 play b1 -> 1 red, seat 0 holds b1 b2 r2
        1 play b3 -> won by perfect, 6 points, seat 1 holds r1 r1, 2 turns left, in no band
    """)


LONELY = "r1 r2 b1 b2 b3 | r1 r2 r3 b1 b2 | r1 b1"
EXPERT_STUCK = """
    0 hint 1 1
    1 play r1
    0 hint 1 2
    1 play r2 -> 0 in the pile, 6 blue
    0 hint 1 3
    1 play r3 -> 6 blue, seat 1 holds b1 b1 b2 r1
    0 hint 1 1
    1 play b1
    0 hint 1 2
    1 play b2 -> seat 1 holds b1 r1
    0 hint 1 1
    1 discard r1 -> 4 blue
    0 hint 1 1
    1 play b1 -> seat 1 holds nothing, 1 red, 3 blue, goes on
    0 hint 1 1 -> 2 blue
    1 hint 0 1 -> 1 blue
    0 hint 1 1 -> 0 blue, seat 1 holds nothing"""


@pytest.mark.parametrize(
    ("stuck", "then"),
    [
        ("unruled", "nobody can act, 5 points"),
        ("lost", "lost by stuck, 0 points"),
        ("skipped", "goes on, seat 1 to act"),
    ],
)
def test_a_stuck_player_in_the_expert_game(stuck: str, then: str) -> None:
    story = Story(LONELY, small("base+expert", stuck=stuck)).tell(f"{EXPERT_STUCK}, {then}")
    if stuck == "skipped":
        story.tell("""
            1 pass -> seat 0 to act, 0 blue
            0 may not pass
            0 play b3 -> won by perfect, 6 points, 1 blue
        """)


SHRINKING = "r1 b1 g1 r3 b3 | r1 r2 b1 b2 g1 | r1 r2 b1 b2 g1 g2 g2 g3"
BASE_STUCK = """
    0 hint 1 1
    1 play r1 -> seat 1 holds 4 cards, 8 in the pile
    0 hint 1 1
    1 play r2
    0 hint 1 1
    1 play b1
    0 hint 1 1
    1 play b2
    0 hint 1 1
    1 play g1 -> seat 1 holds nothing, 3 blue, 8 in the pile, goes on
    0 hint 1 1
    1 hint 0 1
    0 hint 1 1 -> 0 blue"""


@pytest.mark.parametrize(
    ("stuck", "then"),
    [
        ("unruled", "nobody can act, 5 points"),
        ("lost", "lost by stuck, 0 points"),
        ("skipped", "goes on, seat 1 to act"),
    ],
)
def test_a_stuck_player_in_the_base_game(stuck: str, then: str) -> None:
    """With no draw after a card that fits, a hand can run out while the pile is full."""
    setup = small(suits=THREE, draw_after_fit="no", stuck=stuck)
    story = Story(SHRINKING, setup).tell(f"{BASE_STUCK}, {then}")
    if stuck == "skipped":
        story.tell("""
            1 pass -> seat 0 to act
            0 play r3 -> red at 3, 1 blue, 8 in the pile
            1 may not pass
            1 hint 0 1 -> 0 blue
        """)


def test_nobody_can_act_and_all_are_passed_over() -> None:
    setup = small(suits=("red", "green", "blue", "white"), draw_after_fit="no", stuck="skipped", take_token="may")
    Story("r3 b3 g2 g3 w1 | r1 r2 b1 b2 g1", setup).tell(BASE_STUCK.replace("8 in the pile", "14 in the pile")).tell("""
        1 pass
        0 play r3 declined -> 0 blue
        1 pass
        0 play b3 declined
        1 pass
        0 play g2
        1 pass
        0 play g3 declined -> 0 blue, seat 0 holds w1
        1 pass
        0 play w1 -> lost by stuck, 0 points, seat 0 holds nothing, seat 1 holds nothing, 14 in the pile
    """)


# ---- the expert game -------------------------------------------------------------------------------
def test_an_indispensable_card_is_discarded() -> None:
    Story(OPEN, small("base+expert")).tell("""
        0 hint 1 1
        1 discard b2 -> goes on, discarded b2
        0 hint 1 3
        1 discard b3 -> lost by indispensable, 0 points, seat 1 holds 4 cards, 1 in the pile
    """)


@pytest.mark.parametrize(("ruling", "then"), [("yes", "lost by indispensable, 0 points"), ("no", "goes on")])
def test_an_indispensable_card_is_misplayed(ruling: str, then: str) -> None:
    Story(OPEN, small("base+expert", misfit_is_discard=ruling)).tell(f"""
        0 hint 1 1
        1 play b3 -> 1 red, {then}
    """)


def test_the_last_copy_of_a_card_already_laid_is_not_indispensable() -> None:
    Story(OPEN, small("base+expert")).tell("""
        0 play b1
        1 hint 0 1
        0 discard b1 -> goes on
        1 hint 0 1
        0 discard b1 -> goes on, discarded b1 b1
    """)


# ---- announcements ---------------------------------------------------------------------------------
@pytest.mark.parametrize(("ruling", "blue"), [("misfit", 6), ("misfit_and_token", 7)])
def test_a_right_announcement_of_a_card_that_does_not_fit(ruling: str, blue: int) -> None:
    Story(OPEN, small("base+timed", announced_but_misfit=ruling)).tell(f"""
        0 hint 1 1
        1 hint 0 1 -> 6 blue
        0 announce r2 as red -> 1 red, {blue} blue, discarded r2, red at 0, 1 in the pile
    """)


def test_right_and_wrong_announcements() -> None:
    Story(OPEN, small("base+timed")).tell("""
        0 hint 1 1
        1 hint 0 1
        0 hint 1 1
        1 hint 0 1 -> 4 blue
        0 announce r1 as red -> red at 1, 5 blue, 0 red
        1 announce r2 as blue -> 1 red, 5 blue, discarded r2, red at 1
        0 announce r2 as red -> red at 2, 6 blue
        1 announce r3 as red -> red at 3, 8 blue, over by last_round, 3 points
    """)


@pytest.mark.parametrize(
    ("ruling", "as_multi", "as_red"),
    [
        ("own_colour", "multi at 1, 7 blue", "1 red, 6 blue, discarded m1"),
        ("any_colour", "multi at 1, 7 blue", "multi at 1, 7 blue"),
        ("refused", "", "1 red, 6 blue, discarded m1"),
    ],
)
def test_announcing_a_multicoloured_card(ruling: str, as_multi: str, as_red: str) -> None:
    setup = small("base+timed+avalanche", ("red", "blue", "multi"), announce_multi=ruling)
    begin = "0 hint 1 1\n1 hint 0 1 -> 6 blue\n"
    deck = "m1 r1 r2 b1 b2"
    Story(deck, setup).tell(f"{begin}0 announce m1 as red -> {as_red}")
    line = f"0 announce m1 as multi -> {as_multi}" if as_multi else "0 may not announce m1 as multi"
    Story(deck, setup).tell(f"{begin}{line}\n")


# ---- hints -----------------------------------------------------------------------------------------
SIXTH = "r1 r1 r2 b1 b3 | m1 r3 b1 b2 m3"


def test_a_rainbow_card_under_each_hint() -> None:
    """Every colour touches it, its own cannot be named, and a value touches it as any other card."""
    Story(SIXTH, small("nl+rainbow", ("red", "blue", "multi"))).tell("""
        0 may not hint 1 multi
        0 hint 1 red -> m1 told red yes, m3 told red yes, r3 told red yes, b1 told red no, b2 told red no
        1 hint 0 red -> r1 told red yes, b1 told red no
        0 hint 1 blue -> m1 told blue yes, m3 told blue yes, r3 told blue no, b2 told blue yes, b2 told red no
        1 hint 0 1
        0 hint 1 1 -> m1 told 1 yes, m3 told 1 no, r3 told 1 no, m1 told 3 untold
        1 hint 0 1
        0 hint 1 3 -> m1 told 3 no, m3 told 3 yes, r3 told 3 yes, m1 told multi untold
    """)


def test_a_multicoloured_card_that_is_a_colour_of_its_own() -> None:
    Story(SIXTH, small("nl+avalanche", ("red", "blue", "multi"))).tell("""
        0 hint 1 red -> m1 told red no, r3 told red yes
        1 hint 0 red
        0 hint 1 multi -> m1 told multi yes, m3 told multi yes, r3 told multi no
    """)


def test_a_hint_that_touches_nothing() -> None:
    deck = "r1 r1 r2 b1 b3 | r1 r2 r3 b2 b2 | b1 b1"
    Story(deck, small(empty_hint="allowed")).tell("""
        0 hint 1 1
        1 hint 0 3
        0 hint 1 blue -> 5 blue, r3 told blue no, b2 told blue yes
    """)
    none = "r1 r1 r1 r2 r3 | b1 b1 b1 b2 b3 | r2 b2"
    Story(none, small(empty_hint="allowed")).tell("0 hint 1 red -> 7 blue, b1 told red no, b3 told red no")
    Story(none, small(empty_hint="refused")).tell("0 may not hint 1 red -> 8 blue")


def test_no_hint_to_oneself() -> None:
    Story(OPEN, small()).tell("0 may not hint 0 1\n0 play r1\n1 may not hint 1 1")


# ---- the readings kept to be refuted ---------------------------------------------------------------
def test_begins_or_completes() -> None:
    """Read literally, a 2 never fits on a 1."""
    Story(OPEN, small(fit="literal")).tell("""
        0 play r1 -> red at 1
        1 play r2 -> red at 1, 1 red, discarded r2
    """)


def test_no_draw_after_a_card_that_fits() -> None:
    Story(OPEN, small(draw_after_fit="no", draw_on_end="yes")).tell("""
        0 play r1 -> seat 0 holds 4 cards, 2 in the pile
        1 play b3 -> 1 red, seat 1 holds 5 cards, 1 in the pile
    """)


# ---- the site --------------------------------------------------------------------------------------
def test_the_last_card_played_from_the_pile() -> None:
    """It is in no hand before; the last round begins as if it had been drawn."""
    deck = "r1 r3 b1 b1 b1 | b2 b3 r1 r1 r2 | b2 r2"
    Story(deck, small("hanab_live", deck_plays="on")).tell("""
        0 may not deck play
        0 play r1 -> 1 in the pile
        1 deck play -> red at 2, 0 in the pile, 2 turns left, seat 1 holds b2 b3 r1 r1 r2, seat 0 to act, goes on
        0 play r3 -> red at 3, 1 turn left
    """)
    Story(deck, small("hanab_live", deck_plays="off")).tell("0 play r1\n1 may not deck play")
    Story(OPEN, small("hanab_live", deck_plays="on")).tell("""
        0 play r1 -> 1 in the pile
        1 deck play -> 0 in the pile, 1 red, discarded r3, 2 turns left, seat 1 holds 5 cards
    """)


def test_the_site_stops_when_no_more_points_can_be_made() -> None:
    """Blue is complete, and whoever acts next holds no 1 of red: all three lie with a player who has had the last turn."""
    Story("b1 b3 r1 r1 r1 | b2 r2 r2 r3 b1 | b2 b1", small("hanab_live")).tell("""
        0 play b1
        1 play b2 -> 0 in the pile, 2 turns left, goes on
        0 play b3 -> 3 points, 1 turn left, over by hopeless, in no band
    """)


def test_the_site_can_be_abandoned() -> None:
    Story(OPEN, small("hanab_live")).tell("0 play r1\n1 abandon -> lost by abandoned, 0 points, red at 1")

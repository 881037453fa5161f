"""Parts, deal, editions and scale."""

from collections import Counter
from random import Random

import pytest

from cross.scenes import shuffled, stacked
from hanabi_formal.reference import EDITIONS, RULINGS, SUITS, Face, Rules, composition, legal, rules_for, start


def test_fifty_cards_of_five_colours() -> None:
    cards = composition(Rules(2))
    assert len(cards) == 50
    assert [face.value for face in cards if face.suit == "green"] == [1, 1, 1, 2, 2, 3, 3, 4, 4, 5]


def test_the_sixth_colour_adds_one_card_of_each_value() -> None:
    cards = composition(rules_for(None, ["avalanche"], 2))
    assert len(cards) == 55
    assert [face.value for face in cards if face.suit == "multi"] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("top", "values"), [(1, [1]), (2, [1, 1, 1, 2]), (3, [1, 1, 1, 2, 2, 3]), (4, [1, 1, 1, 2, 2, 3, 3, 4])]
)
def test_a_cut_down_deck_has_one_card_of_the_highest_value(top: int, values: list[int]) -> None:
    cards = composition(Rules(2, suits=("white", "multi"), top=top))
    assert [face.value for face in cards if face.suit == "white"] == values
    assert [face.value for face in cards if face.suit == "multi"] == list(range(1, top + 1))


@pytest.mark.parametrize(("players", "each"), [(2, 5), (3, 5), (4, 4), (5, 4), (6, 3)])
def test_the_deal(players: int, each: int) -> None:
    rules = Rules(players, house=True)
    table = start(rules, shuffled(rules, Random(1)))
    assert [len(hand) for hand in table.hands] == [each] * players
    assert table.pile_size == 50 - players * each
    assert (table.blue, table.red, table.turn, table.end) == (8, 0, 0, None)


def test_seat_0_is_dealt_the_first_whole_hand() -> None:
    rules = Rules(2)
    table = start(rules, stacked(rules, "r1 r2 r3 r4 r5 b1 b2 b3 b4 b5 w5"))
    assert [[str(table.deck[card]) for card in hand] for hand in table.hands] == [
        ["r1", "r2", "r3", "r4", "r5"],
        ["b1", "b2", "b3", "b4", "b5"],
    ]
    assert table.deck[table.drawn] == Face("white", 5)


def test_a_deck_must_be_a_shuffle_of_the_games_cards() -> None:
    rules = Rules(2)
    deck = composition(rules)
    with pytest.raises(ValueError, match=r"too many \[\], missing \[w5\]"):
        start(rules, deck[:-1])
    with pytest.raises(ValueError, match=r"too many \[r1\], missing \[w5\]"):
        start(rules, (*deck[:-1], Face("red", 1)))
    with pytest.raises(ValueError, match="4 cards cannot deal 2 hands of 5"):
        start(Rules(2, suits=("red",), top=2), composition(Rules(2, suits=("red",), top=2)))


def test_a_deck_dealt_out_whole_begins_with_the_last_round() -> None:
    rules = Rules(2, suits=("red",), top=5)
    table = start(rules, composition(rules))
    assert (table.pile_size, table.turns_left, table.end) == (0, 2, None)
    assert table.in_last_round
    assert legal(table)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"players": 1}, "players: 2 to 5, not 1"),
        ({"players": 6}, "players: 2 to 5, not 6"),
        ({"players": 7, "house": True}, "players: 2 to 6, not 7"),
        ({"suits": ()}, "suits: at least one"),
        ({"suits": ("red", "red")}, "repeats one"),
        ({"suits": ("pink",)}, "not in"),
        ({"top": 6}, "top: 1 to 5, not 6"),
        ({"red_tokens": 0}, "red_tokens: 1 to 127, not 0"),
        ({"extra_blue": 9}, "extra_blue: 0 to 8, not 9"),
        ({"rainbow": True}, "rainbow: needs the suit multi"),
        ({"deck_plays": "on"}, "deck_plays: a house rule only"),
        ({"fit": "sometimes"}, "fit: one of"),
    ],
)
def test_rules_that_cannot_be(settings: dict[str, object], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        Rules(**{"players": 2} | settings)  # type: ignore[arg-type]


def test_every_ruling_with_its_default_first() -> None:
    assert RULINGS == {
        "empty_hint": ("allowed", "refused"),
        "discard_at_full": ("refused", "allowed"),
        "take_token": ("must", "may"),
        "loss_score": ("zero", "sum"),
        "perfect_in_last_round": ("stops", "plays_on"),
        "fit": ("continues", "literal"),
        "draw_after_fit": ("yes", "no"),
        "draw_on_end": ("no", "yes"),
        "stuck": ("unruled", "lost", "skipped"),
        "misfit_is_discard": ("yes", "no"),
        "announced_but_misfit": ("misfit", "misfit_and_token"),
        "announce_multi": ("own_colour", "any_colour", "refused"),
        "red_limit": ("all_given", "third"),
        "all_or_five": ("all", "five"),
        "hopeless": ("plays_on", "stops"),
        "deck_plays": ("off", "on"),
    }
    assert all(getattr(Rules(2), name) == values[0] for name, values in RULINGS.items())


def test_what_each_edition_sets_apart_from_the_defaults() -> None:
    apart = {
        edition: {
            name: getattr(rules_for(edition, (), 2), name)
            for name, values in RULINGS.items()
            if getattr(rules_for(edition, (), 2), name) != values[0]
        }
        for edition in EDITIONS
    }
    assert apart == {
        "no": {"perfect_in_last_round": "plays_on"},
        "nl": {"take_token": "may", "discard_at_full": "allowed"},
        "en": {"empty_hint": "refused", "perfect_in_last_round": "plays_on"},
        "sv": {"perfect_in_last_round": "plays_on"},
        "fi": {"perfect_in_last_round": "plays_on"},
        "hanab_live": {"empty_hint": "refused", "hopeless": "stops", "stuck": "lost"},
    }


def test_variants_and_overrides() -> None:
    rules = rules_for("nl", ["rainbow", "expert", "difficulty"], 3, {"red_tokens": 1, "stuck": "lost"})
    assert rules.suits == SUITS
    assert (rules.rainbow, rules.expert, rules.timed, rules.house) == (True, True, False, False)
    assert (rules.red_tokens, rules.stuck, rules.take_token) == (1, "lost", "may")
    with pytest.raises(ValueError, match="edition"):
        rules_for("de", (), 2)
    with pytest.raises(ValueError, match="variants"):
        rules_for(None, ["blitz"], 2)
    with pytest.raises(ValueError, match="overrides"):
        rules_for(None, (), 2, {"stucked": "lost"})


def test_a_shuffle_keeps_the_cards() -> None:
    rules = Rules(4, suits=SUITS, top=3)
    assert Counter(shuffled(rules, Random(7))) == Counter(composition(rules))

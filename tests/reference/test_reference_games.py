"""Random games over every ruling and variant, the same on every run: what holds of all of them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cross.scenes import shuffled
from hanabi_formal.reference import (
    RULINGS,
    SUITS,
    Action,
    IllegalAction,
    Rules,
    Table,
    apply,
    band,
    composition,
    legal,
    outcome,
    replay,
    rules_for,
    score,
    start,
    view,
)
from hanabi_formal.reference.actions import may
from reference_players import choose, play_out

Step = tuple[Table, Action, Table]
same_every_run = settings(derandomize=True, deadline=None, max_examples=200, database=None)


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """Any combination of variants, rulings, parts and seats whose deck can be dealt."""
    house = draw(st.booleans())
    players = draw(st.integers(2, 6 if house else 5))
    rulings = {name: draw(st.sampled_from(values)) for name, values in RULINGS.items()}
    if not house:
        rulings["deck_plays"] = "off"
    full = draw(st.booleans())
    suits = SUITS[:5] if full else tuple(draw(st.lists(st.sampled_from(SUITS), min_size=1, unique=True)))
    rainbow = draw(st.booleans())
    if rainbow and "multi" not in suits:
        suits += ("multi",)
    rules = Rules(
        players,
        suits=suits,
        top=5 if full else draw(st.integers(1, 5)),
        red_tokens=draw(st.sampled_from([1, 2, 3, 3, 3, 4, 127])),
        extra_blue=draw(st.sampled_from([0, 0, 1, 8])),
        expert=draw(st.booleans()),
        timed=draw(st.booleans()),
        rainbow=rainbow,
        house=house,
        edition=draw(st.sampled_from([None, "no", "nl", "en", "sv", "fi"])),
        **rulings,  # type: ignore[arg-type]
    )
    largest = len(composition(rules)) // players
    if largest == 0:
        return replace(rules, suits=SUITS, top=5)
    if largest < rules.hand_size or draw(st.booleans()):
        rules = replace(rules, hand=draw(st.integers(1, min(5, largest))))
    return rules


def random_choice(table: Table, rng: Random) -> Action:
    actions = legal(table)
    if rng.random() < 0.95:
        actions = [action for action in actions if action[0] != "abandon"] or actions
    return rng.choice(actions)


def skilled_choice(table: Table, rng: Random) -> Action:
    return choose(table, rng, deviation=0.05, waste=0.3)


def steps(rules: Rules, seed: int, player: Callable[[Table, Random], Action]) -> list[Step]:
    rng = Random(seed)
    table, told = start(rules, shuffled(rules, rng)), []
    while legal(table):
        action = player(table, rng)
        told.append((table, action, apply(table, action)))
        table = told[-1][2]
    return told


games = given(rules=any_rules(), seed=st.integers(0, 10**6), player=st.sampled_from([random_choice, skilled_choice]))
Player = Callable[[Table, Random], Action]


@games
@same_every_run
def test_every_card_is_in_exactly_one_place(rules: Rules, seed: int, player: Player) -> None:
    for _, _, table in steps(rules, seed, player):
        places = [*range(table.drawn, len(table.deck)), *table.discards]
        places += [card for group in (*table.hands, *table.fireworks) for card in group]
        assert sorted(places) == list(range(len(table.deck)))


@games
@same_every_run
def test_tokens_stay_within_what_was_given(rules: Rules, seed: int, player: Player) -> None:
    for before, action, table in steps(rules, seed, player):
        assert 0 <= table.blue <= rules.blue_max
        assert before.red <= table.red <= min(before.red + 1, rules.red_tokens)
        gained = table.blue - before.blue
        most = 2 if action[0] == "announce" else 1
        assert gained == -1 if action[0] == "hint" else 0 <= gained <= most
        if action[-1] is False:
            assert gained == 0


@games
@same_every_run
def test_fireworks_rise_one_by_one_in_their_own_colour(rules: Rules, seed: int, player: Player) -> None:
    for before, _, table in steps(rules, seed, player):
        assert table.points - before.points in (0, 1)
        for suit, firework in zip(rules.suits, table.fireworks, strict=True):
            assert [table.deck[card] for card in firework] == [(suit, v + 1) for v in range(len(firework))]


@games
@same_every_run
def test_a_turn_is_one_action_and_then_the_next_players(rules: Rules, seed: int, player: Player) -> None:
    for before, action, table in steps(rules, seed, player):
        moved = len(table.discards) + table.points - len(before.discards) - before.points
        assert moved == (0 if action[0] in ("hint", "pass", "abandon") else 1)
        if table.end in (None, "hopeless", "stuck"):
            assert table.turn == (before.turn + 1) % rules.players
        else:
            assert table.turn == before.turn
        for seat, hand in enumerate(table.hands):
            if seat != before.turn:
                assert hand == before.hands[seat]


@games
@same_every_run
def test_the_last_round_has_as_many_turns_as_players(rules: Rules, seed: int, player: Player) -> None:
    told = steps(rules, seed, player)
    turns = sum(before.pile_size == 0 and action[0] != "abandon" for before, action, _ in told)
    if rules.expert:
        assert all(table.turns_left == rules.players and table.end != "last_round" for _, _, table in told)
        return
    assert turns <= rules.players
    if told and told[-1][2].end == "last_round":
        assert turns == rules.players
    if told and told[-1][2].pile_size == 0:
        assert told[-1][2].turns_left == rules.players - turns


@games
@same_every_run
def test_what_is_told_is_true_and_was_told_by_a_hint(rules: Rules, seed: int, player: Player) -> None:
    expected = set()
    for before, action, table in steps(rules, seed, player):
        if action[0] == "hint":
            _, mate, (kind, name) = action
            for card in before.hands[mate]:
                suit, value = table.deck[card]
                wild = rules.rainbow and suit == "multi"
                answer = value == name if kind == "value" else suit == name or wild
                expected.add((card, (kind, name), answer))
                assert not (wild and name == "multi")
        assert table.told == expected


@games
@same_every_run
def test_neither_view_nor_choices_depend_on_hidden_cards(rules: Rules, seed: int, player: Player) -> None:
    told = steps(rules, seed, player)
    rng = Random(seed)
    for table, _, _ in told[:: max(1, len(told) // 5)]:
        own = table.turn
        hidden = [*table.hands[own], *range(table.drawn, len(table.deck))]
        deck = list(table.deck)
        for card, other in zip(hidden, rng.sample(hidden, len(hidden)), strict=True):
            deck[card] = table.deck[other]
        changed = replace(table, deck=tuple(deck))
        assert view(changed, own) == view(table, own)
        assert legal(changed) == legal(table)


@games
@same_every_run
def test_every_legal_action_can_be_taken_and_no_other(rules: Rules, seed: int, player: Player) -> None:
    told = steps(rules, seed, player)
    for table, action, after in told[:: max(1, len(told) // 4)]:
        actions = legal(table)
        assert len(set(actions)) == len(actions)
        assert apply(table, action) == after
        kept = table.copied()
        for choice in actions:
            apply(table, choice)
        assert table == kept
        tried = conceivable(table)
        assert {other for other in tried if may(table, other)} == set(actions).intersection(tried)
        foreign = [card for card in range(len(table.deck)) if card not in table.hands[table.turn]]
        for card in foreign[:3]:
            with pytest.raises(IllegalAction):
                apply(table, ("play", card, True))


def conceivable(table: Table) -> list[Action]:
    """Whatever somebody might try."""
    cards, seats = range(-1, min(len(table.deck), table.drawn + 1) + 1), range(-1, table.rules.players + 1)
    found: list[Action] = [("pass",), ("abandon",)]
    found += [("hint", seat, ("colour", suit)) for seat, suit in product(seats, SUITS)]
    found += [("hint", seat, ("value", value)) for seat, value in product(seats, range(7))]
    for take in (True, False):
        found.append(("deck_play", take))
        found += [("announce", card, suit, take) for card, suit in product(cards[:: len(cards) // 9 + 1], SUITS)]
        for card in cards:
            found += [("play", card, take), ("discard", card, take)]
    return found


@games
@same_every_run
def test_ended_games_have_an_outcome_a_score_and_no_actions(rules: Rules, seed: int, player: Player) -> None:
    told = steps(rules, seed, player)
    for before, _, _ in told:
        assert before.end is None
        assert outcome(before) is None
    if not told:
        return
    table = told[-1][2]
    assert legal(table) == []
    if table.end is None:
        assert rules.stuck == "unruled"
        assert not table.hands[table.turn]
        return
    assert (outcome(table) == "won") == (table.end == "perfect")
    assert 0 <= score(table) <= len(rules.suits) * rules.top
    assert len(band(table)) <= 2


@pytest.mark.parametrize("stuck", RULINGS["stuck"])
def test_expert_games_do_run_out_of_cards_and_tokens(stuck: str) -> None:
    rules = rules_for(None, ["expert"], 4, {"stuck": stuck})
    ends: Counter[str | None] = Counter()
    for seed in range(60):
        rng = Random(seed)
        tables = play_out(start(rules, shuffled(rules, rng)), rng, lambda t, r: choose(t, r, 0.0, 1.0))
        ends[tables[-1].end] += 1
        ends["passed over"] += any(legal(table) == [("pass",)] for table in tables)
    seen = {"unruled": None, "lost": "stuck", "skipped": "passed over"}[stuck]
    assert ends[seen] >= 5


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_skilled_games_go_deep(players: int) -> None:
    rules = rules_for(None, (), players)
    deep = 0
    for seed in range(60):
        rng = Random(seed)
        last = play_out(start(rules, shuffled(rules, rng)), rng)[-1]
        deep += last.end in ("perfect", "last_round")
    assert deep >= 30


def test_a_game_is_its_deck_and_its_actions() -> None:
    rules = rules_for("nl", ["rainbow", "timed", "expert"], 3)
    told = steps(rules, 5, skilled_choice)
    assert replay(told[0][0], [action for _, action, _ in told]) == told[-1][2]
    assert all(one != other for (one, _, _), (other, _, _) in combinations(told, 2))

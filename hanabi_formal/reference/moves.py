"""Dealing, and what each action does."""

from collections.abc import Iterable
from typing import NamedTuple

from .actions import Action, may
from .decks import Face, checked
from .ends import end_at_once, end_between_turns
from .rules import MULTI, Clue, Rules
from .table import Table


class IllegalAction(ValueError):
    """The action is not among those the player to act may choose."""


class Moved(NamedTuple):
    """The table after a move, before anything is drawn."""

    table: Table
    draws: bool = False  # a card is to be drawn
    lost_card: int | None = None  # the card that was discarded, or counts as discarded


def start(rules: Rules, deck: Iterable[tuple[str, int]]) -> Table:
    """setup: seat 0 is dealt the first whole hand, then seat 1, and so on; seat 0 begins."""
    size = rules.hand_size
    table = Table(
        rules=rules,
        deck=checked(rules, deck),
        hands=tuple(tuple(range(seat * size, (seat + 1) * size)) for seat in range(rules.players)),
        drawn=rules.players * size,
        fireworks=((),) * len(rules.suits),
        discards=frozenset(),
        blue=rules.blue_max,
        red=0,
        turn=0,
        turns_left=rules.players,
        told=frozenset(),
    )
    return table._replace(end=end_at_once(table, None, was_last_round=False) or end_between_turns(table))


def apply(table: Table, action: Action) -> Table:
    """One turn, if the action is legal."""
    if not may(table, action):
        why = f": the game has ended ({table.end})" if table.end else ""
        raise IllegalAction(f"seat {table.turn} may not {action!r}{why}")
    return take_turn(table, action)


def take_turn(table: Table, action: Action) -> Table:
    """The move and its tokens, the ends that come at once, the draw, and on to the next player.

    Whether the action is legal is not asked again.
    """
    if action[0] == "abandon":
        return table._replace(end="abandoned")
    rules, last_round = table.rules, table.in_last_round

    moved = move(table, action)
    after = moved.table
    if last_round:
        after = after._replace(turns_left=table.turns_left - 1)
    if moved.draws and rules.draw_on_end == "yes":
        after = draw(after)
    end = end_at_once(after, moved.lost_card, was_last_round=last_round)
    if end is not None:
        return after._replace(end=end)

    if moved.draws and rules.draw_on_end == "no":
        after = draw(after)
    after = after._replace(turn=(table.turn + 1) % rules.players)
    end = end_between_turns(after)
    return after if end is None else after._replace(end=end)


def replay(table: Table, actions: Iterable[Action]) -> Table:
    """Where a list of actions leads."""
    for action in actions:
        table = apply(table, action)
    return table


def move(table: Table, action: Action) -> Moved:
    match action:
        case ("hint", mate, clue):
            return hint(table, mate, clue)
        case ("discard", card, take):
            return discard(table, card, take)
        case ("play", card, take):
            return play(without(table, card), card, None, take)
        case ("announce", card, suit, take):
            return play(without(table, card), card, suit, take)
        case ("deck_play", take):
            laid = play(table._replace(drawn=table.drawn + 1), table.drawn, None, take)
            return Moved(laid.table, draws=False, lost_card=laid.lost_card)
        case ("pass",):
            return Moved(table)
    raise AssertionError(action)


def hint(table: Table, mate: int, clue: Clue) -> Moved:
    """hint.cost, hint.complete: a blue token is spent, and each card of that hand is pointed at or not."""
    told = {(card, clue, table.touches(clue, table.deck[card])) for card in table.hands[mate]}
    return Moved(table._replace(blue=table.blue - 1, told=table.told | told))


def discard(table: Table, card: int, take: bool) -> Moved:
    """discard.gain, discard.pile, discard.draw."""
    table = table._replace(hands=hands_without(table, card), discards=table.discards | {card})
    return Moved(return_tokens(table, 1, take), draws=True, lost_card=card)


def play(table: Table, card: int, announced: str | None, take: bool) -> Moved:
    """play.fit, play.misfit, play.draw, fireworks.bonus, and the announcement of the timed variant.

    The card has already left the hand, or the pile. One wrongly announced is discarded even if it would fit.
    """
    rules, face = table.rules, table.deck[card]
    right = announced is not None and is_right(rules, announced, face)
    wrong = announced is not None and not right

    if not wrong and table.fits(face):
        bonus = face.value == rules.top
        table = return_tokens(add_to_firework(table, card), right + bonus, take)
        return Moved(table, draws=rules.draw_after_fit == "yes")

    table = table._replace(discards=table.discards | {card}, red=min(table.red + 1, rules.red_tokens))
    if right and rules.announced_but_misfit == "misfit_and_token":
        table = return_tokens(table, 1, take)
    return Moved(table, draws=True, lost_card=card if rules.misfit_is_discard == "yes" else None)


def is_right(rules: Rules, announced: str, face: Face) -> bool:
    """timed: whether the colour announced is the card's. announce_multi rules on the sixth."""
    if face.suit == MULTI and rules.announce_multi != "own_colour":
        return rules.announce_multi == "any_colour"
    return face.suit == announced


def add_to_firework(table: Table, card: int) -> Table:
    number = table.rules.suits.index(table.deck[card].suit)
    fireworks = table.fireworks
    grown = (*fireworks[number], card)
    return table._replace(fireworks=(*fireworks[:number], grown, *fireworks[number + 1 :]))


def return_tokens(table: Table, tokens: int, take: bool) -> Table:
    """fireworks.bonus.lost: tokens beyond those of the game are lost."""
    if not take or not tokens:
        return table
    return table._replace(blue=min(table.blue + tokens, table.rules.blue_max))


def without(table: Table, card: int) -> Table:
    """The card leaves the hand of the player to act."""
    return table._replace(hands=hands_without(table, card))


def hands_without(table: Table, card: int) -> tuple[tuple[int, ...], ...]:
    hand = table.hands[table.turn]
    place = hand.index(card)
    return with_hand(table, hand[:place] + hand[place + 1 :])


def draw(table: Table) -> Table:
    """The player to act takes the next card, if the pile has one."""
    if table.pile_size == 0:
        return table
    return table._replace(hands=with_hand(table, (*table.hands[table.turn], table.drawn)), drawn=table.drawn + 1)


def with_hand(table: Table, hand: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """All hands, that of the player to act being this one."""
    return (*table.hands[: table.turn], hand, *table.hands[table.turn + 1 :])

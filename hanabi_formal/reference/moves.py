"""Dealing, and what each action does.

A turn is taken on the table it is given, which it changes. Who wants to keep that one takes it on a copy.
"""

from collections.abc import Iterable

from .actions import Action, may
from .decks import Face, checked
from .ends import end_at_once, end_between_turns
from .rules import MULTI, Clue, Rules
from .table import Table

Moved = tuple[bool, int | None]
"""Of a move, before anything is drawn: whether a card is to be drawn; the card discarded, or counted as discarded."""


class IllegalAction(ValueError):
    """The action is not among those the player to act may choose."""


def start(rules: Rules, deck: Iterable[tuple[str, int]]) -> Table:
    """setup: seat 0 is dealt the first whole hand, then seat 1, and so on; seat 0 begins."""
    size = rules.hand_size
    table = Table(
        rules=rules,
        deck=checked(rules, deck),
        hands=[list(range(seat * size, (seat + 1) * size)) for seat in range(rules.players)],
        drawn=rules.players * size,
        fireworks=[[] for _ in rules.suits],
        discards=set(),
        blue=rules.blue_max,
        red=0,
        turn=0,
        turns_left=rules.players,
        told=set(),
    )
    table.end = end_at_once(table, None, was_last_round=False) or end_between_turns(table)
    return table


def apply(table: Table, action: Action) -> Table:
    """The table after one turn, if the action is legal."""
    return replay(table, (action,))


def replay(table: Table, actions: Iterable[Action]) -> Table:
    """The table that a list of actions leads to, each of them being legal in its turn."""
    table = table.copied()
    for action in actions:
        if not may(table, action):
            why = f": the game has ended ({table.end})" if table.end else ""
            raise IllegalAction(f"seat {table.turn} may not {action!r}{why}")
        take_turn(table, action)
    return table


def take_turn(table: Table, action: Action) -> None:
    """The move and its tokens, the ends that come at once, the draw, and on to the next player.

    Whether the action is legal is not asked again.
    """
    if action[0] == "abandon":
        table.end = "abandoned"
        return
    rules, last_round = table.rules, table.in_last_round

    draws, lost_card = move(table, action)
    if last_round:
        table.turns_left -= 1
    if draws and rules.draw_on_end == "yes":
        draw(table)
    table.end = end_at_once(table, lost_card, was_last_round=last_round)
    if table.end is not None:
        return

    if draws and rules.draw_on_end == "no":
        draw(table)
    table.turn = (table.turn + 1) % rules.players
    table.end = end_between_turns(table)


def move(table: Table, action: Action) -> Moved:
    match action:
        case ("hint", mate, clue):
            return hint(table, mate, clue)
        case ("discard", card, take):
            return discard(table, card, take)
        case ("play", card, take):
            table.hands[table.turn].remove(card)
            return play(table, card, None, take)
        case ("announce", card, suit, take):
            table.hands[table.turn].remove(card)
            return play(table, card, suit, take)
        case ("deck_play", take):
            table.drawn += 1
            _, lost_card = play(table, table.drawn - 1, None, take)
            return False, lost_card
        case ("pass",):
            return False, None
    raise AssertionError(action)


def hint(table: Table, mate: int, clue: Clue) -> Moved:
    """hint.cost, hint.complete: a blue token is spent, and each card of that hand is pointed at or not."""
    table.blue -= 1
    for card in table.hands[mate]:
        table.told.add((card, clue, table.touches(clue, table.deck[card])))
    return False, None


def discard(table: Table, card: int, take: bool) -> Moved:
    """discard.gain, discard.pile, discard.draw."""
    table.hands[table.turn].remove(card)
    table.discards.add(card)
    return_tokens(table, 1, take)
    return True, card


def play(table: Table, card: int, announced: str | None, take: bool) -> Moved:
    """play.fit, play.misfit, play.draw, fireworks.bonus, and the announcement of the timed variant.

    The card has already left the hand, or the pile. One wrongly announced is discarded even if it would fit.
    """
    rules, face = table.rules, table.deck[card]
    right = announced is not None and is_right(rules, announced, face)
    wrong = announced is not None and not right

    if not wrong and table.fits(face):
        table.firework(face.suit).append(card)
        bonus = face.value == rules.top
        return_tokens(table, right + bonus, take)
        return rules.draw_after_fit == "yes", None

    table.discards.add(card)
    table.red = min(table.red + 1, rules.red_tokens)
    if right and rules.announced_but_misfit == "misfit_and_token":
        return_tokens(table, 1, take)
    return True, card if rules.misfit_is_discard == "yes" else None


def is_right(rules: Rules, announced: str, face: Face) -> bool:
    """timed: whether the colour announced is the card's. announce_multi rules on the sixth."""
    if face.suit == MULTI and rules.announce_multi != "own_colour":
        return rules.announce_multi == "any_colour"
    return face.suit == announced


def return_tokens(table: Table, tokens: int, take: bool) -> None:
    """fireworks.bonus.lost: tokens beyond those of the game are lost."""
    if take and tokens:
        table.blue = min(table.blue + tokens, table.rules.blue_max)


def draw(table: Table) -> None:
    """The player to act takes the next card, if the pile has one."""
    if table.pile_size > 0:
        table.hands[table.turn].append(table.drawn)
        table.drawn += 1

"""What the player to act may do.

An action is a plain tuple. `take` says whether the tokens it returns are taken. To decline them is a choice
only under take_token: may, and then of every such action: nobody knows what an unseen card will return.
"""

from collections.abc import Iterator
from typing import Literal

from .rules import Clue
from .table import Table

Hint = tuple[Literal["hint"], int, Clue]
Discard = tuple[Literal["discard"], int, bool]
Play = tuple[Literal["play"], int, bool]
Announce = tuple[Literal["announce"], int, str, bool]
DeckPlay = tuple[Literal["deck_play"], bool]
Pass = tuple[Literal["pass"]]
Abandon = tuple[Literal["abandon"]]
Action = Hint | Discard | Play | Announce | DeckPlay | Pass | Abandon


def legal(table: Table) -> list[Action]:
    """Every action the player to act may choose; none once the game has ended."""
    if table.end is not None:
        return []
    actions = list(choices(table, table.turn))
    if not actions and passed_over(table):
        actions.append(("pass",))
    if table.rules.house:
        actions.append(("abandon",))
    return actions


def may(table: Table, action: Action) -> bool:
    """Whether `legal` lists it, without listing all."""
    rules = table.rules
    if table.end is not None:
        return False
    match action:
        case ("hint", mate, clue):
            if table.blue == 0 or mate == table.turn or mate not in range(rules.players) or clue not in rules.clues:
                return False
            hand = table.hands[mate]
            return rules.empty_hint == "allowed" or any(table.touches(clue, table.deck[card]) for card in hand)
        case ("discard", card, take):
            return may_discard(table) and card in table.hands[table.turn] and take in rules.takes
        case ("play", card, take):
            return card in table.hands[table.turn] and take in rules.takes
    return action in legal(table)


def choices(table: Table, seat: int) -> Iterator[Action]:
    """turn.one: the hints, discards and plays open to this seat if it is, or were, its turn."""
    rules = table.rules
    takes = rules.takes

    yield from hints(table, seat)

    if may_discard(table):
        for card in table.hands[seat]:
            for take in takes:
                yield ("discard", card, take)

    for card in table.hands[seat]:
        for take in takes:
            yield ("play", card, take)
            if rules.timed:
                for suit in rules.announceable:
                    yield ("announce", card, suit, take)

    if rules.deck_plays == "on" and table.pile_size == 1:
        for take in takes:
            yield ("deck_play", take)


def hints(table: Table, seat: int) -> Iterator[Action]:
    """hint.cost, hint.mate, hint.kind, hint.empty."""
    if table.blue == 0:
        return
    for mate in table.mates(seat):
        faces = {table.deck[card] for card in table.hands[mate]}
        for clue in table.rules.clues:
            if table.rules.empty_hint == "allowed" or any(table.touches(clue, face) for face in faces):
                yield ("hint", mate, clue)


def may_discard(table: Table) -> bool:
    """discard.full."""
    return table.blue < table.rules.blue_max or table.rules.discard_at_full == "allowed"


def could_act(table: Table, seat: int) -> bool:
    return next(choices(table, seat), None) is not None


def passed_over(table: Table) -> bool:
    """stuck: skipped. Whether a player who cannot act is passed over: somebody else still could."""
    return table.rules.stuck == "skipped" and anyone_could_act(table)


def anyone_could_act(table: Table) -> bool:
    return any(could_act(table, seat) for seat in range(table.rules.players))

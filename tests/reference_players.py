"""A player who sees every card and plays well, to take random games deep into the rules.

It is no model of a human. With the chance `deviation` it does something else, so that games also go wrong.
"""

from collections.abc import Callable
from random import Random

from hanabi_formal.reference import Action, Face, Table, apply, legal
from hanabi_formal.reference.ends import strikes_allowed

Player = Callable[[Table, Random], Action]


def choose(table: Table, rng: Random, deviation: float = 0.1, waste: float = 0.0) -> Action:
    """A legal action; ValueError if there is none.

    With the chance `waste` a hint is given for its own sake: near 1, expert games run out of tokens.
    """
    actions = legal(table)
    if not actions:
        raise ValueError("no action is legal")
    actions = [action for action in actions if action[0] != "abandon"] or actions
    if rng.random() < deviation:
        return stray(table, actions, rng)
    if rng.random() < waste and (wasted := [action for action in actions if action[0] == "hint"]):
        return rng.choice(wasted)
    best = max(worth(table, action) for action in actions)
    return rng.choice([action for action in actions if worth(table, action) == best])


def play_out(table: Table, rng: Random, player: Player = choose) -> list[Table]:
    """The tables of one game from here to where nobody can act, this one first."""
    tables = [table]
    while legal(tables[-1]):
        tables.append(apply(tables[-1], player(tables[-1], rng)))
    return tables


def stray(table: Table, actions: list[Action], rng: Random) -> Action:
    """Some action of some kind; half the time not one that risks the last red token."""
    kinds = sorted({action[0] for action in actions})
    if table.red == strikes_allowed(table) - 1 and rng.random() < 0.5:
        kinds = [kind for kind in kinds if kind in ("hint", "discard", "pass")] or kinds
    kind = rng.choice(kinds)
    return rng.choice([action for action in actions if action[0] == kind])


def worth(table: Table, action: Action) -> float:
    """How good an action is, knowing all cards. The steps matter, not the numbers."""
    match action:
        case ("play", card, take):
            return play_worth(table, table.deck[card]) + take
        case ("announce", card, suit, take):
            face = table.deck[card]
            return play_worth(table, face) + 2 * take if face.suit == suit else -80.0
        case ("deck_play", take):
            return play_worth(table, table.deck[table.drawn]) + take - 5
        case ("discard", card, take):
            return discard_worth(table, card) + take
        case ("hint", _, _):
            return hint_worth(table)
    return 0.0


def play_worth(table: Table, face: Face) -> float:
    """Lower cards first: more is waiting for them."""
    return 100.0 - 3 * face.value if table.fits(face) else -50.0


def discard_worth(table: Table, card: int) -> float:
    face = table.deck[card]
    if face.value <= table.height(face.suit) or is_dead(table, face):
        return 30.0
    others = [other for other in copies_in_game(table, face) if other != card]
    if any(other < table.drawn for other in others):
        return 25.0
    return 10.0 + face.value if others else -20.0 + face.value


def hint_worth(table: Table) -> float:
    """A hint only lets time pass: good when tokens abound, or when turns must not be spent on drawing."""
    if table.in_last_round or table.pile_size <= 1 or table.blue == table.rules.blue_max:
        return 40.0
    seen = [table.deck[card] for mate in table.mates(table.turn) for card in table.hands[mate]]
    if any(map(table.fits, seen)) and table.blue > 1:
        return 28.0
    return 20.0


def copies_in_game(table: Table, face: Face) -> list[int]:
    return [card for card, other in enumerate(table.deck) if other == face and card not in table.discards]


def is_dead(table: Table, face: Face) -> bool:
    """Whether the firework can no longer reach this card."""
    between = range(table.height(face.suit) + 1, face.value)
    return any(not copies_in_game(table, Face(face.suit, value)) for value in between)

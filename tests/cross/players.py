"""Players who see every card, quicker than those of `reference_players.py`: one look at the hand, then a decision.

They are no model of a human: they are there to take games into every corner of the rules.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

from hanabi_formal.reference import Action, Face, Table
from hanabi_formal.reference.ends import strikes_allowed


@dataclass(frozen=True)
class Style:
    """How the seats play: with the chance `deviation` anything, with the chance `waste` a hint for its own sake."""

    name: str
    deviation: float = 0.0
    waste: float = 0.0
    late_waste: float = 0.0  # once the pile is empty all but seat 0 waste more: it then runs out of cards and tokens
    declines: float = 0.1  # a returned token, where that may be
    misnames: float = 0.05  # a card that fits, where its colour may be announced
    hoards: bool = False  # blue tokens: discards rather than hints, so that a bonus is lost


STYLES = (
    Style("careful", misnames=0.0),
    Style("sound", 0.02),
    Style("human", 0.07),
    Style("late spender", 0.0, 0.7, 1.0),
    Style("hasty", 0.15),
    Style("careful", declines=0.0, misnames=0.0),
    Style("wasteful", 0.02, 0.5),
    Style("hoarder", 0.02, hoards=True),
    Style("spendthrift", 0.0, 0.92, 1.0, misnames=0.0),
    Style("random", 1.0),
)


def choose(table: Table, actions: list[Action], rng: Random, style: Style) -> Action:
    """One of the legal actions."""
    if style.name == "random":
        return rng.choice(actions)
    if rng.random() < style.deviation:
        return stray(table, actions, rng)
    late = style.late_waste > 0 and table.pile_size == 0
    waste = (style.late_waste if table.turn else 0.0) if late else style.waste
    hints = [action for action in actions if action[0] == "hint"]
    if hints and rng.random() < waste:
        return rng.choice(hints)
    unseen = [action for action in actions[-3:] if action[0] == "deck_play"]
    if unseen and rng.random() < (0.5 if table.fits(table.deck[-1]) else 0.1):
        return rng.choice(unseen)
    wanted = useless(table, actions) if late and not table.turn else []
    wanted = wanted or plays(table, actions, rng, style)
    if not wanted and late and table.turn and not hints and table.red < strikes_allowed(table) - 1:
        risks = discard_risks(table)  # a play, for a discard would return a token
        wanted = [action for action in actions if action[0] == "play" and risks[action[1]] == min(risks.values())]
    if not wanted and hints and not late and prefers_hint(table, style):
        return rng.choice(hints)
    if not wanted:
        wanted, risk = discards(table, actions)
        if hints and (not wanted or risk >= 3):
            return rng.choice(hints)
    if not wanted:
        return stray(table, actions, rng)
    takes = rng.random() >= style.declines
    return rng.choice([action for action in wanted if action[-1] is takes] or wanted)


def plays(table: Table, actions: list[Action], rng: Random, style: Style) -> list[Action]:
    """The ways to play the lowest card that fits, if one does."""
    fitting = [card for card in table.hands[table.turn] if table.fits(table.deck[card])]
    if not fitting:
        return []
    card = min(fitting, key=lambda card: table.deck[card].value)
    suit = table.deck[card].suit
    found: list[Action] = [action for action in actions if action[0] == "play" and action[1] == card]
    if table.rules.timed:
        misnamed = rng.random() < style.misnames
        found += [a for a in actions if a[0] == "announce" and a[1] == card and (a[2] == suit or misnamed)]
    return found


def useless(table: Table, actions: list[Action]) -> list[Action]:
    """The discards that lose nothing."""
    found, risk = discards(table, actions)
    return found if risk == 0 else []


def prefers_hint(table: Table, style: Style) -> bool:
    """Rather than a discard: with tokens to spare, or no cards to draw, or somebody else to act on it."""
    if table.pile_size <= 1 or table.blue == table.rules.blue_max:
        return True
    others = (card for seat in table.mates(table.turn) for card in table.hands[seat])
    return not style.hoards and table.blue > 1 and any(table.fits(table.deck[card]) for card in others)


def discards(table: Table, actions: list[Action]) -> tuple[list[Action], int]:
    """The discards that risk least, and how much that is."""
    risks = discard_risks(table)
    found = [action for action in actions if action[0] == "discard"]
    if not found:
        return [], 0
    least = min(risks.values())
    return [action for action in found if risks[action[1]] == least], least


def stray(table: Table, actions: list[Action], rng: Random) -> Action:
    """Some action of some kind; mostly not one that risks the last red token, and rarely giving up."""
    kinds = sorted({action[0] for action in actions})
    if table.red == strikes_allowed(table) - 1 and rng.random() < 0.7:
        kinds = [kind for kind in kinds if kind in ("hint", "discard", "pass")] or kinds
    if "abandon" in kinds and len(kinds) > 1 and rng.random() < 0.9:
        kinds.remove("abandon")
    kind = rng.choice(kinds)
    return rng.choice([action for action in actions if action[0] == kind])


def discard_risks(table: Table) -> dict[int, int]:
    """How much is lost with each card held: 0 nothing, 1 a copy that somebody holds, 2 one in the pile, 3 and more the last."""
    deck, rules = table.deck, table.rules
    gone = Counter([deck[card] for card in table.discards])
    held = Counter([deck[card] for hand in table.hands for card in hand])
    risks = {}
    for card in table.hands[table.turn]:
        face = deck[card]
        height = table.height(face.suit)
        between = [Face(face.suit, value) for value in range(height + 1, face.value)]
        if face.value <= height or any(gone[lower] == rules.copies(*lower) for lower in between):
            risks[card] = 0
        elif gone[face] + 1 == rules.copies(*face):
            risks[card] = 9 - face.value
        else:
            risks[card] = 1 if held[face] > 1 else 2
    return risks

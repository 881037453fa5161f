"""Players who see every card, quicker than the reference engine's: one look at the hand, then a decision.

They are no model of a human: they are there to take games into every corner of the rules.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

from hanabi_formal.reference import Action, Table
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
    Style("careful"), Style("sound", 0.02), Style("human", 0.07), Style("late spender", 0.0, 0.5, 1.0),
    Style("hasty", 0.15), Style("careful", declines=0.0), Style("wasteful", 0.02, 0.5), Style("hoarder", 0.02, hoards=True),
    Style("spendthrift", 0.0, 0.92), Style("random", 1.0),
)  # fmt: skip


def choose(table: Table, actions: list[Action], rng: Random, style: Style) -> Action:
    """One of the legal actions."""
    if style.name == "random":
        return rng.choice(actions)
    if rng.random() < style.deviation:
        return stray(table, actions, rng)
    hints = [action for action in actions if action[0] == "hint"]
    late = style.late_waste > 0 and table.pile_size == 0
    waste = (style.late_waste if table.turn else 0.0) if late else style.waste
    if hints and rng.random() < waste:
        return rng.choice(hints)
    if actions[-1][0] in ("abandon", "deck_play"):
        unseen = [action for action in actions if action[0] == "deck_play"]
        if unseen and rng.random() < (0.5 if table.fits(table.deck[-1]) else 0.1):
            return rng.choice(unseen)
    hand = table.hands[table.turn]
    deck = table.deck
    heights = {suit: len(firework) for suit, firework in zip(table.rules.suits, table.fireworks, strict=True)}
    wanted: list[Action] = []
    fitting = [card for card in hand if table.fits(deck[card])]
    if fitting:
        lowest = min(deck[card].value for card in fitting)
        card = next(card for card in fitting if deck[card].value == lowest)
        suit = deck[card].suit
        wanted = [a for a in actions if a[0] == "play" and a[1] == card]
        misnamed = table.rules.timed and rng.random() < style.misnames
        wanted += [a for a in actions if a[0] == "announce" and a[1] == card and (a[2] == suit or misnamed)]
    elif (hints and not late and (table.pile_size <= 1 or table.blue == table.rules.blue_max)) or (hints and not late and not style.hoards and table.blue > 1 and _helps(table)):
        return rng.choice(hints)
    else:
        discards = [a for a in actions if a[0] == "discard"]
        if discards:
            risks = discard_risks(table, hand, heights)
            least = min(risks.values())
            if least >= 3 and hints:
                return rng.choice(hints)
            wanted = [a for a in discards if risks[a[1]] == least]
        elif hints:
            return rng.choice(hints)
        else:
            return rng.choice([action for action in actions if action[0] != "abandon"] or actions)
    if not wanted:
        return stray(table, actions, rng)
    takes = rng.random() >= style.declines
    return rng.choice([a for a in wanted if a[-1] is takes] or wanted)


def stray(table: Table, actions: list[Action], rng: Random) -> Action:
    """Some action of some kind; mostly not one that risks the last red token, and rarely giving up."""
    kinds = sorted({action[0] for action in actions})
    if table.red == strikes_allowed(table) - 1 and rng.random() < 0.7:
        kinds = [kind for kind in kinds if kind in ("hint", "discard", "pass")] or kinds
    if "abandon" in kinds and len(kinds) > 1 and rng.random() < 0.9:
        kinds.remove("abandon")
    kind = rng.choice(kinds)
    return rng.choice([action for action in actions if action[0] == kind])


def discard_risks(table: Table, hand: tuple[int, ...], heights: dict[str, int]) -> dict[int, int]:
    """How much is lost with each card: 0 nothing, 1 a copy that somebody holds, 2 one in the pile, 3 and more: the last."""
    deck, rules = table.deck, table.rules
    gone = Counter([deck[card] for card in table.discards])
    risks = {}
    for card in hand:
        face = deck[card]
        reachable = all(
            gone[type(face)(face.suit, value)] < rules.copies(face.suit, value)
            for value in range(heights[face.suit] + 1, face.value)
        )
        if face.value <= heights[face.suit] or not reachable:
            risks[card] = 0
        elif gone[face] + 1 >= rules.copies(face.suit, face.value):
            risks[card] = 9 - face.value
        else:
            held = any(deck[other] == face for cards in table.hands for other in cards if other != card)
            risks[card] = 1 if held else 2
    return risks


def _helps(table: Table) -> bool:
    """Whether somebody else could play a card."""
    return any(
        table.fits(table.deck[card]) for seat, hand in enumerate(table.hands) if seat != table.turn for card in hand
    )

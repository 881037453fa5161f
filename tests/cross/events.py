"""What is worth counting in a step: for each ruling, where it is felt. Read off the reference engine's tables."""

from __future__ import annotations

from collections.abc import Iterator

from hanabi_formal.reference import Action, Table
from hanabi_formal.reference.ends import is_hopeless, is_perfect, was_indispensable
from hanabi_formal.reference.rules import MULTI


def events(before: Table, action: Action, after: Table) -> Iterator[str]:
    rules = before.rules
    match action:
        case ("hint", mate, clue):
            touched = any(before.touches(clue, before.deck[card]) for card in before.hands[mate])
            yield "a hint that touches a card" if touched else "a hint that touches no card"
        case ("discard", _, take):
            if before.blue == rules.blue_max:
                yield "a discard with all blue tokens available"
            yield "a token taken for a discard" if take else "a token declined"
        case ("pass",):
            yield "a player passed over"
        case ("deck_play", _):
            yield "the last card played from the pile"
        case ("play" | "announce", card, *_):
            yield from _played(before, action, after, card)
    if rules.red_tokens == after.red > before.red:
        ended = "the last red token ends the game" if after.end == "strikes" else "the last red token ends nothing"
        yield ended
    if after.end in ("strikes", "indispensable", "stuck") and after.points:
        yield "a lost game with points"
    if after.end is not None and action[0] != "deck_play":
        yield "a card drawn by the action that ends the game" if after.drawn > before.drawn else "the end draws nothing"
    if is_perfect(after) and not is_perfect(before) and before.in_last_round:
        yield "perfect in the last round: stops" if after.end == "perfect" else "perfect in the last round: plays on"
    if len(rules.suits) == 6 and after.complete == 5 > before.complete:
        yield "five of six fireworks: the end" if after.end == "perfect" else "five of six fireworks: no end"
    if after.end is None and is_hopeless(after) and not is_perfect(after):
        yield "hopeless, and the game goes on"


def _played(before: Table, action: Action, after: Table, card: int) -> Iterator[str]:
    rules, face = before.rules, before.deck[card]
    fitted = card not in after.discards
    if face.value == before.height(face.suit) + 1 and 1 < face.value < rules.top:
        yield "a card laid between first and last" if fitted else "a card between first and last does not fit"
    if fitted and before.pile_size and after.end is None:
        yield "a draw after a card that fits" if after.drawn > before.drawn else "no draw after a card that fits"
    if rules.expert and not fitted and was_indispensable(after, card) and after.end != "strikes":
        lost = after.end == "indispensable"
        yield (
            "misplaying an indispensable card loses" if lost else "misplaying an indispensable card costs a token only"
        )
    if action[0] == "announce":
        if not fitted and face.suit == action[2] and before.blue < rules.blue_max:
            gained = after.blue > before.blue
            yield (
                "a right announcement of a misfit gains" if gained else "a right announcement of a misfit gains nothing"
            )
        if face.suit == MULTI and fitted:
            yield "multi announced as multi" if action[2] == MULTI else "multi announced as another colour"
        if face.suit == MULTI and not fitted and before.fits(face):
            yield "multi announced wrongly"

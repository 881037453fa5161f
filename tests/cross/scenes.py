"""Scenes for the reference engine: decks in a given order, a table set in the middle of a game, games told in words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from hanabi_formal.reference import SUITS, Action, Face, Rules, Table, apply, composition, start

LETTERS = {suit[0]: suit for suit in SUITS}


def shuffled(rules: Rules, rng: Random) -> tuple[Face, ...]:
    cards = list(composition(rules))
    rng.shuffle(cards)
    return tuple(cards)


def parse_face(text: str) -> Face:
    """'r1' is the red 1, 'm5' the multicoloured 5."""
    return Face(LETTERS[text[0]], int(text[1:]))


def stacked(rules: Rules, first: str, last: str = "") -> tuple[Face, ...]:
    """A deck drawn in the order of `first`, then the cards not mentioned, sorted, then those of `last`."""
    top = [parse_face(word) for word in first.split()]
    bottom = [parse_face(word) for word in last.split()]
    rest = list(composition(rules))
    for face in top + bottom:
        rest.remove(face)
    return (*top, *rest, *bottom)


def staged(
    rules: Rules, hands: Sequence[str], pile: str = "", heights: Mapping[str, int] | None = None, **fields: int
) -> Table:
    """A table in mid-game: `staged(rules, ["r1 r2", "b1"], pile="w1", heights={"red": 3}, blue=0)`.

    Cards neither in a hand, nor in the pile, nor on a firework are discarded. `fields` may set blue, red,
    turn and turns_left. No end is looked for, and nobody has been told anything.
    """
    words = [hand.split() for hand in hands]
    deck = stacked(rules, " ".join(hands), pile)
    in_hands, drawn = sum(map(len, words)), len(deck) - len(pile.split())
    cards = iter(range(in_hands))
    spare = list(range(in_hands, drawn))
    fireworks: list[list[int]] = []
    for suit in rules.suits:
        values = range(1, (heights or {}).get(suit, 0) + 1)
        firework = [next((card for card in spare if deck[card] == (suit, v)), None) for v in values]
        if None in firework:
            raise ValueError(f"the {suit} firework needs a card that is in a hand or in the pile")
        fireworks.append([card for card in firework if card is not None])
    return replace(
        start(rules, deck),
        hands=[[next(cards) for _ in hand] for hand in words],
        drawn=drawn,
        fireworks=fireworks,
        discards=set(spare).difference(*fireworks),
        end=None,
        **fields,  # type: ignore[arg-type]
    )


def tell(table: Table, text: str) -> Table:
    """Plays a transcript: one action a line, or several between semicolons. A card is named by its face.

    hint 1 red · hint 1 3 · play r1 · discard r1 · announce r1 as red · deck play · pass · abandon;
    with `declined` at its end, an action leaves the tokens it returns.
    """
    for line in text.replace(";", "\n").splitlines():
        if line.strip():
            table = apply(table, parse_action(table, line))
    return table


def parse_action(table: Table, line: str) -> Action:
    words = line.split()
    take = words[-1] != "declined"
    match words if take else words[:-1]:
        case ["hint", seat, colour] if colour in SUITS:
            return ("hint", int(seat), ("colour", colour))
        case ["hint", seat, value]:
            return ("hint", int(seat), ("value", int(value)))
        case ["play", face]:
            return ("play", held(table, face), take)
        case ["discard", face]:
            return ("discard", held(table, face), take)
        case ["announce", face, "as", suit]:
            return ("announce", held(table, face), suit, take)
        case ["deck", "play"]:
            return ("deck_play", take)
        case ["pass"]:
            return ("pass",)
        case ["abandon"]:
            return ("abandon",)
    raise ValueError(f"not an action: {line!r}")


def held(table: Table, text: str) -> int:
    """The oldest card with this face in the hand of the player to act."""
    face = parse_face(text)
    for card in table.hands[table.turn]:
        if table.deck[card] == face:
            return card
    raise ValueError(f"seat {table.turn} holds no {text}")

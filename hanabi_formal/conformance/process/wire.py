"""The protocol's JSON: moves and tables as its messages write them. Needs nothing but Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from hanabi_formal.conformance.messages import Failed, ProtocolMove, Reply, Seen, Setup

MOST_LISTED = 2000
MOST_TOLD = 300
MOST_OF_A_CARD = 20


# ---- writing, by whoever implements ------------------------------------------------------------------
def answer_data(answer: Reply, setup: Setup) -> dict[str, Any]:
    """What is not told is left out."""
    state = answer.seen.told
    if answer.seen.fireworks is not None:
        state["fireworks"] = dict(zip(setup.letters, answer.seen.fireworks, strict=True))
    if answer.legal is not None:
        state["legal"] = [setup.moves[number].data(setup.colours) for number in sorted(answer.legal)]
    return {"state": state} if answer.refused is None else {"state": state, "refused": answer.refused}


def all_moves(players: int, hand_size: int, colours: int, ranks: tuple[int, ...]) -> tuple[ProtocolMove, ...]:
    """Every play, discard and hint there can be, for those who have to list them."""
    found = [ProtocolMove(kind, slot) for kind, slot in product(("play", "discard"), range(hand_size))]
    for seat in range(players):
        found += [ProtocolMove("hint", to=seat, suit=colour) for colour in range(colours)]
        found += [ProtocolMove("hint", to=seat, rank=rank) for rank in ranks]
    return tuple(found)


def setup_from(message: Mapping[str, Any]) -> Setup:
    ranks = tuple(message["ranks"])
    suits = tuple(message["suits"])
    colours = tuple(message.get("colours", suits))
    moves = all_moves(message["players"], message["hand_size"], len(colours), ranks)
    return Setup(
        message["spec"],
        message["players"],
        suits,
        tuple(message["letters"]),
        ranks,
        tuple(tuple(row) for row in message["copies"]),
        message["hand_size"],
        message["blue_tokens"],
        message["red_tokens"],
        dict(message["rulings"]),
        moves,
        colours[len(suits) :],
    )


# ---- reading, by us: nothing is taken on trust -----------------------------------------------------------
def answer_from(message: Mapping[str, Any], setup: Setup) -> Reply:
    """`Failed` for what means nothing."""
    state = message.get("state", {})
    refused = message.get("refused")
    if not isinstance(state, dict) or not isinstance(refused, str | None):
        raise _nonsense(f"`state` is an object, and `refused` a text: {message}")
    if "state" not in message and refused is None:
        raise _nonsense(f"there is no `state` in {message}")
    return Reply(_seen(state, setup), _legal(state.get("legal"), setup), None if refused is None else reason(refused))


def _is_number(value: object) -> bool:
    return type(value) is int


def _is_cards(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(card, str) and len(card) <= MOST_OF_A_CARD for card in value)


FORMS: dict[str, tuple[Callable[[object], bool], str]] = {
    **dict.fromkeys(("pile", "blue", "red", "turn", "score"), (_is_number, "a whole number")),
    "ended": (lambda value: isinstance(value, bool), "true or false"),
    "hands": (lambda value: isinstance(value, list) and all(map(_is_cards, value)), "a list of lists of cards"),
    "discards": (_is_cards, "a list of cards"),
    "fireworks": (
        lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
        "a number for each letter",
    ),
}
"""What each part of a table must be, as a test and in words."""


def _seen(state: Mapping[str, Any], setup: Setup) -> Seen:
    told = {name: state[name] for name in FORMS if state.get(name) is not None}
    for name, value in told.items():
        is_right, words = FORMS[name]
        if not is_right(value):
            raise _nonsense(f"`{name}` is {value!r}, not {words}")
    if "hands" in told:
        told["hands"] = tuple(map(tuple, told["hands"]))
    if "discards" in told:
        told["discards"] = tuple(sorted(told["discards"]))
    if "fireworks" in told:
        told["fireworks"] = tuple(told["fireworks"].get(letter, 0) for letter in setup.letters)
    return Seen(**told)


def reason(text: str) -> str:
    """What an implementation gives as its reason, in a line of a sensible length."""
    return " ".join(text[: 2 * MOST_TOLD].split())[:MOST_TOLD]


def _legal(listed: object, setup: Setup) -> frozenset[int] | None:
    if listed is None:
        return None
    if not isinstance(listed, list) or len(listed) > MOST_LISTED:
        raise _nonsense("`legal` is no list of actions")
    known = {tuple(sorted(move.data(setup.colours).items())): number for number, move in enumerate(setup.moves)}
    found = set()
    for action in listed:
        if not isinstance(action, dict):
            raise _nonsense(f"in `legal` is {action!r}, which is no action")
        key = tuple(sorted((name, value) for name, value in action.items() if name != "card"))
        try:
            number = known.get(key)
        except TypeError:
            number = None
        if number is None:
            raise _nonsense(f"in `legal` is {action!r}, which is no action of this game")
        found.add(number)
    return frozenset(found)


def _nonsense(what: str) -> Failed:
    return Failed("babbled", what[:MOST_TOLD])

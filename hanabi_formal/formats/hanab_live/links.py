"""Games as hanab.live packs them into a link: `https://hanab.live/replay-json/…`.

Three parts with commas between them: players and deck, actions, the number of the variant; newer links have the seed as
a fourth. Everything is digits of base 62. A deck begins with its lowest and highest rank, and a card is one digit,
`suit * ranks + rank`; actions begin with their lowest and highest type, and an action is two digits, the first
`(value + 1) * types + type`, the second its target. Hyphens stand in for line breaks and mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hanabi_formal.diagnostics.diagnostic import Rejected, refuse
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.formats.hanab_live.records import ActionKind, GameRecord, RecordedAction, RecordedCard
from hanabi_formal.formats.hanab_live.seeds import NO_VARIANT, Seed, parse_seed

ADDRESS = "https://hanab.live/replay-json/"
DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SEATS = "23456"
LINE = 20
_ADDRESS = re.compile(r"(?:https?://)?[\w.:-]*/?(?:shared-)?replay-json/", re.ASCII | re.IGNORECASE)
_PACKED = re.compile(r"[2-6][0-9]{2}[0-9A-Za-z-]{8,},[0-9A-Za-z-]*,[0-9-]+(?:,[^#\s]*)?(?:#\d*)?/?", re.ASCII)


def looks_like_link(text: str) -> bool:
    return _ADDRESS.match(text) is not None or _PACKED.fullmatch(text) is not None


# ---- reading ---------------------------------------------------------------------------------------
def read_link(span: Span) -> GameRecord:
    """The game that a link holds, not yet compared with any rules."""
    text = span.file.text[span.start : span.end]
    found = _ADDRESS.match(text)
    packed = text[found.end() if found else 0 :].partition("#")[0].rstrip("/")
    parts = packed.split(",")
    if len(parts) < 3 or parts[0][:1] not in [*SEATS]:
        raise _broken(span, "it has not the three parts of a game")
    cards, actions, variant = (part.replace("-", "") for part in parts[:3])
    players = int(cards[:1])
    options = {} if variant == "0" else {"variant": f"number {variant[:20]}"}
    places = dict.fromkeys(("players", "deck", "actions", "variant", "seed"), span)
    seed = _seed(",".join(parts[3:]), players)
    return GameRecord(
        span, players, _cards(cards[1:], span), _actions(actions, span), options, seed, None, None, places
    )


def _seed(text: str, players: int) -> Seed | None:
    try:
        seed = parse_seed(Span(SourceFile("<seed>", text), 0, len(text))) if text else None
    except Rejected:
        return None
    return seed if seed is not None and seed.players == players else None


def _cards(text: str, span: Span) -> tuple[RecordedCard, ...]:
    low, high = _bounds(text, span)
    many = high - low + 1
    digits = [_digit(char, span) for char in text[2:]]
    return tuple(RecordedCard(digit // many, digit % many + low, span) for digit in digits)


def _actions(text: str, span: Span) -> tuple[RecordedAction, ...]:
    low, high = _bounds(text, span)
    many = high - low + 1
    if len(text) % 2:
        raise _broken(span, "half an action is missing")
    found = []
    for first, second in zip(text[2::2], text[3::2], strict=True):
        value, kind = divmod(_digit(first, span), many)
        if kind + low not in list(ActionKind):
            raise _broken(span, f"it has an action of type {kind + low}")
        found.append(RecordedAction(ActionKind(kind + low), _digit(second, span), max(0, value - 1), span))
    return tuple(found)


def _bounds(text: str, span: Span) -> tuple[int, int]:
    bounds = text[:2]
    if len(bounds) < 2 or not bounds.isdecimal() or bounds[0] > bounds[1]:
        raise _broken(span, "a part does not begin with its lowest and highest number")
    return int(bounds[0]), int(bounds[1])


def _digit(char: str, span: Span) -> int:
    digit = DIGITS.find(char)
    if digit < 0:
        raise _broken(span, f"`{char}` means nothing in it")
    return digit


def _broken(span: Span, why: str) -> Rejected:
    return refuse(
        "HRL600",
        f"this is no link to a game of hanab.live: {why}",
        span,
        help="copy the whole link; the game can also be given as JSON",
    )


# ---- writing ---------------------------------------------------------------------------------------
def as_link(record: Mapping[str, Any]) -> str:
    """A link to a game in the form of `as_record`. A game that does not fit into one is refused."""
    players, deck = len(record["players"]), record["deck"]
    if "suits" in record or record["options"].get("variant", NO_VARIANT) != NO_VARIANT:
        raise refuse(
            "HRL600",
            f"a link can hold only games with the cards of hanab.live's {NO_VARIANT}",
            help="write the game as JSON or text instead",
        )
    if str(players) not in SEATS:
        raise refuse("HRL600", f"a link cannot hold a game of {players} players")
    packed = f"{players}{_packed_deck(deck)},{_packed_actions(record['actions'])},0"
    lines = (packed[at : at + LINE] for at in range(0, len(packed), LINE))
    return ADDRESS + "-".join(lines)


def _packed_deck(deck: Sequence[Mapping[str, int]]) -> str:
    ranks = [card["rank"] for card in deck]
    low, many = min(ranks), max(ranks) - min(ranks) + 1
    digits = (_letter(card["suitIndex"] * many + card["rank"] - low) for card in deck)
    return f"{low}{max(ranks)}{''.join(digits)}"


def _packed_actions(actions: Sequence[Mapping[str, int]]) -> str:
    if not actions:
        return "00"
    kinds = [action["type"] for action in actions]
    low, many = min(kinds), max(kinds) - min(kinds) + 1
    pairs = (
        _letter((action["value"] + 1) * many + action["type"] - low) + _letter(max(0, action["target"]))
        for action in actions
    )
    return f"{low}{max(kinds)}{''.join(pairs)}"


def _letter(digit: int) -> str:
    if not 0 <= digit < len(DIGITS):
        raise refuse("HRL600", "this game does not fit into a link", help="write the game as JSON or text instead")
    return DIGITS[digit]

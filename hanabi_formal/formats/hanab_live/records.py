"""Recorded games in JSON, in the shape that hanab.live gives them: `{players, deck, actions, options, seed}`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from hanabi_formal.diagnostics.diagnostic import Rejected, refuse
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.formats.hanab_live.seeds import NO_VARIANT, Seed, parse_seed
from hanabi_formal.formats.located_json import Json

MOST_PLAYERS = 100
CARD = '`{"suitIndex": 0, "rank": 1}`'
ACTION = '`{"type": 0, "target": 7, "value": 0}`'
EXAMPLE = '`{"players": ["Alice", "Bob"], "deck": [{"suitIndex": 0, "rank": 1}, …]}`'


class ActionKind(IntEnum):
    """What an action's `type` means. The last two are no moves: somebody ended the game, or all did by a vote."""

    PLAY = 0
    DISCARD = 1
    COLOUR_HINT = 2
    VALUE_HINT = 3
    ENDED = 4
    VOTED = 5


@dataclass(frozen=True)
class RecordedAction:
    """`target` is the number of a card in the deck, or a seat; `value` says what a hint is about."""

    kind: ActionKind
    target: int
    value: int = 0
    span: Span | None = field(default=None, compare=False, repr=False)

    def data(self) -> dict[str, int]:
        return {"type": int(self.kind), "target": self.target, "value": self.value}


@dataclass(frozen=True)
class RecordedCard:
    suit: int
    rank: int
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True)
class GameRecord:
    """A game of the right shape, not yet compared with any rules.

    `deck` may be the place of a text instead; `suits` are what a deck of ours calls them, in the order of `suitIndex`.
    """

    span: Span = field(compare=False, repr=False)
    players: int | None
    deck: tuple[RecordedCard, ...] | Span | None
    actions: tuple[RecordedAction, ...]
    options: Mapping[str, Any]
    seed: Seed | None
    suits: tuple[str, ...] | None
    score: int | None
    places: Mapping[str, Span] = field(compare=False, repr=False)

    @property
    def variant(self) -> str:
        return str(self.options.get("variant", NO_VARIANT))


def read_record(whole: Json) -> GameRecord:
    """Fields that are not needed are not looked at."""
    fields = whole.fields("the deal", help=f"a deal is {EXAMPLE}")
    players = _players(fields)
    options = _options(fields)
    seed = _seed(fields)
    places = {key: node.span for key, node in fields.items()}
    if "playerCount" in places:
        places.setdefault("players", places["playerCount"])
    if isinstance(options.get("variant"), Json):
        places["variant"] = options["variant"].span
    if "deck" not in fields and seed is None:
        raise refuse("HRL600", "the JSON has neither `deck` nor `seed`", whole.span, help=f"a deal is {EXAMPLE}")
    if seed is not None and players not in (None, seed.players):
        raise refuse(
            "HRL600",
            f"the seed is for {seed.players} players, and the game has {players}",
            places["seed"],
            places["players"],
            help="keep the one that is right",
        )
    score = fields.get("score")
    return GameRecord(
        whole.span,
        players if seed is None else seed.players,
        _deck(fields["deck"]) if "deck" in fields else None,
        _actions(fields.get("actions")),
        {key: node.value for key, node in options.items()},
        seed,
        _suits(fields.get("suits")),
        score.integer("`score`") if score is not None else None,
        places,
    )


def _players(fields: Mapping[str, Json]) -> int | None:
    """From `players`, a list of names or a number, or from `playerCount`."""
    counts: dict[str, int] = {}
    for key in ("players", "playerCount"):
        if key in fields:
            node = fields[key]
            counts[key] = len(node.value) if isinstance(node.value, list) else node.integer(f"`{key}`")
            if not 1 <= counts[key] <= MOST_PLAYERS:
                raise refuse(
                    "HRL600",
                    f"there is no game of {counts[key]} players",
                    node.span,
                    help="`players` is a list with a name for each, or their number",
                )
    if len(set(counts.values())) == 2:
        raise refuse(
            "HRL600",
            f"`players` says {counts['players']}, `playerCount` says {counts['playerCount']}",
            fields["playerCount"].span,
            fields["players"].span,
            help="keep the one that is right",
        )
    return next(iter(counts.values()), None)


def _options(fields: Mapping[str, Json]) -> dict[str, Json]:
    node = fields.get("options")
    if node is None or node.value is None:
        return {}
    options = node.fields("`options`")
    if "variant" in options:
        options["variant"].text("`variant`")
    return options


def _seed(fields: Mapping[str, Json]) -> Seed | None:
    """A seed that is not understood is of no use, and does no harm where the deck itself is given."""
    node = fields.get("seed")
    if node is None or node.value is None or not node.text("`seed`"):
        return None
    text = node.text("`seed`")
    try:
        return parse_seed(Span(SourceFile("<seed>", text), 0, len(text)))
    except Rejected as problem:
        if "deck" in fields:
            return None
        found = problem.diagnostics[0]
        raise refuse(found.code, found.message, node.span, help=found.help) from None


def _suits(node: Json | None) -> tuple[str, ...] | None:
    return None if node is None else tuple(item.text("a suit") for item in node.items("`suits`"))


def _deck(node: Json) -> tuple[RecordedCard, ...] | Span:
    match node.value:
        case str(text):
            inside = Span(node.span.file, node.span.start + 1, node.span.end - 1)
            if inside.file.text[inside.start : inside.end] == text:
                return inside
            return Span(SourceFile("<deck>", text), 0, len(text))
        case list(items):
            return tuple(_card(position, item) for position, item in enumerate(items, 1))
        case _:
            raise node.not_("a list of cards or a text", "`deck`", help=f"a deck is a list of {CARD}, or `r1 y3 …`")


def _card(position: int, node: Json) -> RecordedCard:
    fields = node.fields(f"card {position} of the deck", help=f"a card is written {CARD}")
    for key in ("suitIndex", "rank"):
        if key not in fields:
            raise refuse(
                "HRL600", f"card {position} of the deck has no `{key}`", node.span, help=f"a card is written {CARD}"
            )
    suit, rank = (fields[key].integer(f"`{key}` of card {position}") for key in ("suitIndex", "rank"))
    return RecordedCard(suit, rank, node.span)


def _actions(node: Json | None) -> tuple[RecordedAction, ...]:
    if node is None:
        return ()
    return tuple(_action(position, item) for position, item in enumerate(node.items("`actions`"), 1))


def _action(position: int, node: Json) -> RecordedAction:
    """Without a `value` it is 0, as for what needs none."""
    fields = node.fields(f"action {position}", "HRL601", help=f"an action is written {ACTION}")
    for key in ("type", "target"):
        if key not in fields:
            raise refuse(
                "HRL601", f"action {position} has no `{key}`", node.span, help=f"an action is written {ACTION}"
            )
    kind, target = (fields[key].integer(f"`{key}` of action {position}", "HRL601") for key in ("type", "target"))
    if kind not in list(ActionKind):
        known = ", ".join(f"{int(k)} {k.name.lower().replace('_', ' ')}" for k in ActionKind)
        raise refuse(
            "HRL601", f"action {position} has the type {kind}", fields["type"].span, help=f"the types are {known}"
        )
    value = fields.get("value")
    number = 0 if value is None or value.value is None else value.integer(f"`value` of action {position}", "HRL601")
    return RecordedAction(ActionKind(kind), target, number, node.span)

"""Games as text: the deal, and an action a line, as `play` prints them.

    base, 2 players
    deal  r1 y3 b5 …
      1  seat 0  hint(1, colour(red))
      2  seat 1  play(y3#7, true)

Numbers, seats and what follows an action may be missing; so may arguments that the interface of the game fixes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from hanabi_formal.diagnostics.diagnostic import counted, did_you_mean, refuse
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.formats.faces import face_names
from hanabi_formal.kernel.expr import Lit
from hanabi_formal.kernel.system import Action, System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import Type, UnionType, show_value, type_values
from hanabi_formal.roles.entries import action_patterns

_PLAYERS = re.compile(r"\b([0-9]{1,3}) players?\b", re.ASCII)
_DEAL = re.compile(r"\s*deal\s+(\S.*?)\s*$")
_END = re.compile(r"\s*(?:end|stopped|illegal|note)\b")
_ACTION = re.compile(r"\s*(?:\d+\s+)?(?:seat \d+:?\s+)?([A-Za-z_]\w*)\s*\(")
_WORD = re.compile(r"[^(),\s]+")


@dataclass(frozen=True)
class WrittenAction:
    """An action as it is written, not yet compared with any rules."""

    name: str
    args: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class TextGame:
    span: Span
    players: int | None
    deal: Span | None
    actions: tuple[WrittenAction, ...]


def looks_like_game(text: str) -> bool:
    return any(_DEAL.match(line) for line in text.splitlines()[:20])


def read_game_text(source: SourceFile) -> TextGame:
    players: int | None = None
    deal: Span | None = None
    actions = []
    start = 0
    for line in source.text.splitlines(keepends=True):
        span = Span(source, start, start + len(line.rstrip()))
        start += len(line)
        if not line.strip() or line.lstrip().startswith("#") or _END.match(line):
            continue
        if (found := _DEAL.match(line)) and deal is None:
            deal = Span(source, span.start + found.start(1), span.start + found.end(1))
        elif deal is None:
            said = _PLAYERS.search(line)
            players = int(said[1]) if said else players
        elif found := _ACTION.match(line):
            actions.append(_action(source, span.start + found.start(1), span.end))
        else:
            raise refuse(
                "HRL601",
                f"this line is no action: `{line.strip()[:40]}`",
                span,
                help="an action is written `play(7)` or `hint(1, red)`; `#` begins a remark",
            )
    if deal is None:
        raise refuse(
            "HRL600",
            "the game has no deal",
            Span(source, 0, 0),
            help="a line such as `deal  r1 y3 b5 …` comes before the actions",
        )
    return TextGame(Span(source, 0, len(source.text)), players, deal, tuple(actions))


def _action(source: SourceFile, start: int, end: int) -> WrittenAction:
    """The name, and what stands in the brackets, parted by the commas that are in no bracket of their own."""
    text = source.text[start:end]
    opened = text.index("(")
    depth, begin, args = 0, opened + 1, []
    for at in range(opened, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if (text[at] == "," and depth == 1) or depth == 0:
            args.append("".join(text[begin:at].split()))
            begin = at + 1
        if depth == 0:
            span = Span(source, start, start + at + 1)
            return WrittenAction(text[:opened].strip(), tuple(arg for arg in args if arg), span)
    raise refuse("HRL601", "the bracket of this action is not closed", Span(source, start, end))


# ---- as a game has them ------------------------------------------------------------------------------
class ActionReader:
    """Actions in writing, for one game and its deal."""

    def __init__(self, system: System, faces: Sequence[int]) -> None:
        self._system = system
        self._faces = faces
        self._values: dict[Type, dict[str, int]] = {}

    def action(self, written: WrittenAction) -> Instance:
        names = [action.name for action in self._system.actions]
        if written.name not in names:
            raise refuse(
                "HRL601",
                f"`{self._system.name}` has no action `{written.name}`",
                written.span,
                help=did_you_mean(written.name, names, "actions"),
            )
        action = self._system.action(written.name)
        given = iter(written.args)
        args = []
        for number, fixed in enumerate(self._fixed(action, written)):
            args.append(fixed if fixed is not None else self._value(action.params[number].type, next(given), written))
        return Instance(action.name, tuple(args))

    def _fixed(self, action: Action, written: WrittenAction) -> list[int | None]:
        """For each parameter its value, where it is not in writing because the interface says it."""
        many = len(written.args)
        if many == len(action.params):
            return [None] * many
        for pattern in action_patterns(self._system).values():
            fixed = [arg.value if isinstance(arg, Lit) else None for arg in pattern.args]
            if pattern.action == action.name and fixed.count(None) == many:
                return fixed
        raise refuse(
            "HRL601", f"`{action.name}` takes {counted(len(action.params), 'argument')}; here are {many}", written.span
        )

    def _value(self, kind: Type, word: str, written: WrittenAction) -> int:
        if kind not in self._values:
            self._values[kind] = self._words(kind)
        words = self._values[kind]
        if word not in words:
            raise refuse(
                "HRL601",
                f"`{word[:40]}` is nothing that `{written.name}` takes here",
                written.span,
                help=did_you_mean(word, words, "values"),
            )
        return words[word]

    def _words(self, kind: Type) -> dict[str, int]:
        found = {"".join(show_value(kind, value).split()): value for value in type_values(kind)}
        deck = self._system.deck
        if deck is not None and kind == deck.sort:
            names = face_names(self._system)
            found |= {f"{names[face]}#{card}": card for card, face in enumerate(self._faces)}
        elif isinstance(kind, UnionType):
            found |= self._short(kind)
        return found

    @staticmethod
    def _short(kind: UnionType) -> dict[str, int]:
        """A value without its constructor, where only one has such a field: `red` for `colour(red)`."""
        found: dict[str, list[int]] = {}
        for which, constructor in enumerate(kind.constructors):
            if len(constructor.fields) == 1:
                for fields in product(*(type_values(field) for field in constructor.fields)):
                    word = show_value(constructor.fields[0], fields[0])
                    found.setdefault(word, []).append(kind.encode(which, fields))
        return {word: values[0] for word, values in found.items() if len(values) == 1}

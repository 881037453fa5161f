"""GAME of the command line: recorded games as JSON, one or many, as links of hanab.live, or as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hanabi_formal.diagnostics.diagnostic import Rejected, refuse
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.foreign.strict_json import read_json
from hanabi_formal.formats.deals import TextDeal, faces_of, understood
from hanabi_formal.formats.game_text import TextGame, looks_like_game, read_game_text
from hanabi_formal.formats.hanab_live.links import looks_like_link, read_link
from hanabi_formal.formats.hanab_live.records import GameRecord, read_record
from hanabi_formal.formats.inputs import (
    LineOfFile,
    given_text,
    is_there,
    line_of_file,
    lines_of,
    numbered_lines,
    opened_bytes,
    read_file,
    shown_name,
    trimmed,
)
from hanabi_formal.formats.located_json import parse_json
from hanabi_formal.kernel.system import System

AS_GIVEN = "<game>"
WAYS = "a game is a file, a link of hanab.live, its JSON, or text that `play` printed"


@dataclass(frozen=True)
class GivenGame:
    """A game as it was given, or what is wrong with it; `number` is its line in a file of many."""

    name: str
    number: int | None
    content: GameRecord | TextGame | Rejected

    @property
    def place(self) -> str:
        return self.name if self.number is None else f"{self.name}:{self.number}"


@dataclass(frozen=True)
class Games:
    """All that GAME holds; `many` if it is a file with one a line, read as they come."""

    many: bool
    each: Iterator[GivenGame]


def open_games(given: str) -> Games:
    text = given.strip()
    if text[:1] == "{" or looks_like_link(text) or (not is_there(given) and looks_like_game(given)):
        return _of_source(given_text(given, AS_GIVEN))
    if given != "-" and not is_there(given) and not text.lower().endswith((".json", ".jsonl", ".txt")):
        shown = Span(given_text(given, AS_GIVEN), 0, len(given))
        raise refuse("HRL600", f"`{text[:40]}` is neither a file nor a game", shown, help=WAYS)
    if text.lower().endswith(".jsonl"):
        return Games(True, _lines(given))
    return _of_source(read_file(given))


def only_game(given: str) -> GivenGame:
    """The game of a file that holds just one."""
    each = open_games(given).each
    found = next(each, None)
    if found is None:
        raise refuse("HRL600", f"there is no game in `{given[:40]}`", help=WAYS)
    if next(each, None) is not None:
        raise refuse(
            "HRL600",
            f"there are several games in `{given[:40]}`",
            help="put the one you ask about into a file of its own",
        )
    return found


def _of_source(source: SourceFile) -> Games:
    lines = [line for line in source.text.splitlines() if line.strip()]
    if len(lines) > 1 and _is_whole(lines[0]):
        numbered = enumerate(source.text.splitlines(), 1)
        each = (_line(LineOfFile(source.name, line, number)) for number, line in numbered if line.strip())
        return Games(True, each)
    return Games(False, iter([GivenGame(source.name, None, _content(source))]))


def _is_whole(line: str) -> bool:
    """Is a line by itself a JSON object? Then each is a game."""
    try:
        return isinstance(read_json(line), dict)
    except ValueError:
        return False


def _lines(name: str) -> Iterator[GivenGame]:
    with opened_bytes(name) as opened:
        for number, data in numbered_lines(lines_of(opened), shown_name(name), "game"):
            line = line_of_file(shown_name(name), data, number)
            if line.text.strip():
                yield _line(line)


def _line(line: LineOfFile) -> GivenGame:
    try:
        return GivenGame(line.name, line.number, _content(line))
    except Rejected as problem:
        return GivenGame(line.name, line.number, problem)


def _content(source: SourceFile) -> GameRecord | TextGame:
    whole = trimmed(source)
    text = source.text[whole.start : whole.end]
    if text[:1] == "{":
        return read_record(parse_json(source))
    if looks_like_link(text):
        return read_link(whole)
    if looks_like_game(text):
        return read_game_text(source)
    raise refuse("HRL600", "this is no game", Span(source, whole.start, min(whole.end, whole.start + 40)), help=WAYS)


def faces_in(content: GameRecord | TextGame, system: System, folder: Path | None = None) -> tuple[int, ...]:
    """The deal of a game, as face numbers."""
    if isinstance(content, GameRecord):
        return faces_of(content, system, folder)
    assert content.deal is not None
    text = content.deal.file.text[content.deal.start : content.deal.end]
    found = understood(SourceFile(content.deal.file.name, text))
    return faces_of(TextDeal(content.deal) if isinstance(found, TextDeal) else found, system, folder)

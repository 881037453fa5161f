"""Many deals in a file: one `{"id": …, "players": 3, "deck": "r1 y3 …"}` a line, read as they come.

Without an `id` a deal is called by the number of its line. A `seed` of hanab.live may stand for players and deck.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hanabi_formal.diagnostics.diagnostic import refuse
from hanabi_formal.formats.deals import faces_of
from hanabi_formal.formats.hanab_live.records import GameRecord, read_record
from hanabi_formal.formats.inputs import LineOfFile, line_of_file, lines_of, numbered_lines, opened_bytes, shown_name
from hanabi_formal.formats.located_json import parse_json
from hanabi_formal.kernel.system import System

LINE = '`{"id": "a", "players": 3, "deck": "r1 y3 …"}`'


@dataclass(frozen=True)
class UnreadDeal:
    """A line of the file, not yet read."""

    number: int
    data: bytes
    name: str

    def deal(self, players: int | None = None, of_players: bool = True) -> DealLine:
        """`Rejected` if it is none, or none for so many players. A game without players asks for no number of them."""
        found = _deal(line_of_file(self.name, self.data, self.number), of_players)
        if players not in (None, found.players):
            raise refuse("HRL600", f"line {self.number} is for {found.players} players, not for {players}")
        return found


@dataclass(frozen=True)
class DealLine:
    """A deal of the file: its name, for how many players, and the deck, not yet compared with a game."""

    number: int
    id: str | int
    players: int | None
    record: GameRecord

    def faces(self, system: System, folder: Path | None = None) -> tuple[int, ...]:
        """Face numbers in draw order for a game of as many players. `folder` is where slow tables may be kept."""
        return faces_of(self.record, system, folder)


def open_deal_lines(name: str) -> Iterator[UnreadDeal]:
    """The lines of a file, or of standard input if it is called `-`; one at a time."""
    with opened_bytes(name) as opened:
        yield from deal_lines(lines_of(opened), shown_name(name))


def deal_lines(lines: Iterable[bytes], name: str) -> Iterator[UnreadDeal]:
    """Empty lines are passed over."""
    for number, data in numbered_lines(lines, name, "deal"):
        yield UnreadDeal(number, data, name)


def _deal(source: LineOfFile, of_players: bool) -> DealLine:
    whole = parse_json(source)
    fields = whole.fields("the line", help=f"a line is {LINE}")
    needed = ("players", "deck") if of_players else ("deck",)
    for key in needed if "seed" not in fields else ():
        if key not in fields:
            raise refuse("HRL600", f"the line has no `{key}`", whole.span, help=f"a line is {LINE}")
    name = fields["id"].value if "id" in fields else source.number
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise fields["id"].not_("a text or a whole number", "`id`")
    record = read_record(whole)
    if record.players is None and of_players:
        raise refuse("HRL600", "neither `players` nor the seed says for how many players it is", whole.span)
    return DealLine(source.number, name, record.players, record)

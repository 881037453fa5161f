"""Verdicts for people: a table on a terminal, plain lines in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hanabi_formal.cli.terminal import say
from hanabi_formal.diagnostics.render import clean
from hanabi_formal.engines.second_opinion import Opinion
from hanabi_formal.foreign.text import clean_line
from hanabi_formal.prove.obligation import Obligation, Result, Verdict
from hanabi_formal.verify.second_solver import Recheck

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class ToldResult:
    """A result, which engines replayed the game that shows it, and what a second solver says of its proof."""

    result: Result
    opinion: Opinion | None
    recheck: Recheck | None = None


@dataclass(frozen=True)
class TableRow:
    """Results of one obligation that have the same verdict, for several numbers of players."""

    several: Sequence[Result]

    @property
    def first(self) -> Result:
        return self.several[0]

    @property
    def obligation(self) -> Obligation:
        return self.first.obligation

    @property
    def verdict(self) -> Verdict:
        return self.first.verdict

    @property
    def as_expected(self) -> bool:
        return self.first.as_expected

    @property
    def expectation(self) -> str:
        if not self.as_expected:
            return f"expected {self.obligation.expected}!"
        return "as expected" if self.verdict is Verdict.REFUTED else ""

    @property
    def players(self) -> str:
        counts = [result.players for result in self.several if result.players is not None]
        if len(counts) > 1 and counts == list(range(counts[0], counts[-1] + 1)):
            return f"{counts[0]}-{counts[-1]}"
        return ",".join(map(str, counts))

    @property
    def seconds(self) -> str:
        return f"{sum(result.seconds for result in self.several):.1f} s"

    @property
    def length(self) -> int | None:
        """Of the shortest game that shows it."""
        return min((len(result.trace.actions) for result in self.several if result.trace is not None), default=None)


def rows(results: Sequence[Result]) -> list[TableRow]:
    """What is not as expected comes first."""
    alike: dict[tuple[Obligation, Verdict], list[Result]] = {}
    for result in sorted(results, key=lambda result: result.players or 0):
        alike.setdefault((result.obligation, result.verdict), []).append(result)
    return sorted(map(TableRow, alike.values()), key=lambda row: (row.as_expected, row.verdict.value))


def summary(results: Sequence[Result], interrupted: bool = False) -> str:
    counts = {verdict: sum(result.verdict is verdict for result in results) for verdict in Verdict}
    told = ", ".join(f"{many} {verdict}" for verdict, many in counts.items() if many)
    if interrupted:
        return f"interrupted, with {told or 'nothing'} so far"
    wrong = [result for result in results if not result.as_expected]
    if not wrong:
        return f"{told}: every verdict is as expected"
    undecided = sum(result.verdict is Verdict.UNDECIDED for result in wrong)
    return f"{told}: {len(wrong) - undecided} not as expected, {undecided} undecided"


def not_replayed(several: Sequence[ToldResult]) -> str | None:
    """Why the reference engine has no opinion on the games that are shown, if it has none."""
    unknown = {told.opinion.unknown for told in several if told.opinion is not None} - {None}
    return f"note: not replayed by the reference engine: {'; '.join(map(str, unknown))}" if unknown else None


def show_tables(found: Mapping[str, Sequence[ToldResult]]) -> None:
    """Everything that was found, by specification, on standard output."""
    console = _console()
    for spec, several in found.items():
        verdicts, note = rows([told.result for told in several]), not_replayed(several)
        if not verdicts:
            continue
        if console is not None:
            say(table_text(console, spec, verdicts), nl=False, painted=True)
        else:
            say("\n".join([spec, *map(clean_line, _lines(verdicts))]))
        say("\n".join([note, ""] if note else [""]))


# ---- in a pipe ------------------------------------------------------------------------------------
def _lines(verdicts: Sequence[TableRow]) -> Iterator[str]:
    width = max(len(row.obligation.name) for row in verdicts)
    for row in verdicts:
        shown = f"{row.verdict:<9}  {row.players:<4}  {row.obligation.name:<{width}}  {row.first.method}, {row.seconds}"
        length = f", {row.length} actions" if row.length is not None else ""
        detail = f": {row.first.detail}" if row.first.detail else ""
        expectation = f"  {row.expectation}" if row.expectation else ""
        clauses = f"  [{' '.join(row.obligation.clauses)}]" if row.obligation.clauses else ""
        yield f"  {shown}{length}{detail}{expectation}{clauses}"


# ---- on a terminal --------------------------------------------------------------------------------
def _console() -> Console | None:
    """A terminal to draw on, if there is one and something to draw with."""
    if not sys.stdout.isatty():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(highlight=False)


def table_text(console: Console, spec: str, verdicts: Sequence[TableRow]) -> str:
    """The table as the console would have it; its texts are cleaned, so that its colours are ours."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(clean_line(spec), "bold"), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("verdict", no_wrap=True)
    table.add_column("players", no_wrap=True)
    table.add_column("obligation", ratio=4, overflow="fold", min_width=10)
    table.add_column("method", ratio=2, overflow="fold")
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("game", justify="right", no_wrap=True)
    table.add_column("clauses", ratio=2, overflow="fold")
    for row in verdicts:
        told = Text(clean_line(row.obligation.name))
        told.append(f"\n{row.expectation}" if row.expectation else "", "" if row.as_expected else _colour(row))
        told.append(f"\n{clean(row.first.detail)}" if row.first.detail else "", "dim")
        length = "" if row.length is None else str(row.length)
        table.add_row(
            Text(row.verdict, _colour(row)),
            row.players,
            told,
            Text(clean_line(row.first.method)),
            row.seconds,
            length,
            Text(clean_line(" ".join(row.obligation.clauses))),
            style="" if row.as_expected else "bold",
        )
    with console.capture() as captured:
        console.print(table)
    return captured.get()


def _colour(row: TableRow) -> str:
    if row.as_expected:
        return "green"
    return "yellow" if row.verdict is Verdict.UNDECIDED else "red"

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
from hanabi_formal.prove.obligation import Result, Verdict
from hanabi_formal.verify.second_solver import Recheck

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Told:
    """A result, which engines replayed the game that shows it, and what a second solver says of its proof."""

    result: Result
    opinion: Opinion | None
    recheck: Recheck | None = None


@dataclass(frozen=True)
class Row:
    """Player counts for which one obligation has the same verdict."""

    verdict: Verdict
    players: str
    name: str
    method: str
    seconds: float
    length: int | None
    detail: str
    expectation: str
    clauses: tuple[str, ...]
    as_expected: bool


def rows(results: Sequence[Result]) -> list[Row]:
    """What is not as expected comes first."""
    alike: dict[tuple[str, Verdict], list[Result]] = {}
    for result in sorted(results, key=lambda result: result.players or 0):
        alike.setdefault((result.name, result.verdict), []).append(result)
    found = [_row(several) for several in alike.values()]
    return sorted(found, key=lambda row: (row.as_expected, row.verdict.value))


def _row(several: list[Result]) -> Row:
    first = several[0]
    expectation = "" if first.as_expected else f"expected {first.obligation.expected}!"
    if first.as_expected and first.verdict is Verdict.REFUTED:
        expectation = "as expected"
    length = min((len(result.trace.actions) for result in several if result.trace is not None), default=None)
    return Row(
        first.verdict,
        _span([result.players for result in several if result.players is not None]),
        first.name,
        first.method,
        sum(result.seconds for result in several),
        length,
        first.detail,
        expectation,
        first.obligation.clauses,
        first.as_expected,
    )


def _span(players: list[int]) -> str:
    if len(players) > 1 and players == list(range(players[0], players[-1] + 1)):
        return f"{players[0]}-{players[-1]}"
    return ",".join(map(str, players))


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


def not_replayed(several: Sequence[Told]) -> str | None:
    """Why the reference engine has no opinion on the games that are shown, if it has none."""
    unknown = {told.opinion.unknown for told in several if told.opinion is not None} - {None}
    return f"note: not replayed by the reference engine: {'; '.join(map(str, unknown))}" if unknown else None


def show_tables(found: Mapping[str, Sequence[Told]]) -> None:
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
def _lines(verdicts: Sequence[Row]) -> Iterator[str]:
    width = max(len(row.name) for row in verdicts)
    for row in verdicts:
        shown = f"{row.verdict:<9}  {row.players:<4}  {row.name:<{width}}  {row.method}, {row.seconds:.1f} s"
        length = f", {row.length} actions" if row.length is not None else ""
        detail = f": {row.detail}" if row.detail else ""
        expectation = f"  {row.expectation}" if row.expectation else ""
        clauses = f"  [{' '.join(row.clauses)}]" if row.clauses else ""
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


def table_text(console: Console, spec: str, verdicts: Sequence[Row]) -> str:
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
        told = Text(clean_line(row.name))
        told.append(f"\n{row.expectation}" if row.expectation else "", "" if row.as_expected else _colour(row))
        told.append(f"\n{clean(row.detail)}" if row.detail else "", "dim")
        length = "" if row.length is None else str(row.length)
        table.add_row(
            Text(row.verdict, _colour(row)),
            row.players,
            told,
            Text(clean_line(row.method)),
            f"{row.seconds:.1f} s",
            length,
            Text(clean_line(" ".join(row.clauses))),
            style="" if row.as_expected else "bold",
        )
    with console.capture() as captured:
        console.print(table)
    return captured.get()


def _colour(row: Row) -> str:
    if row.as_expected:
        return "green"
    return "yellow" if row.verdict is Verdict.UNDECIDED else "red"

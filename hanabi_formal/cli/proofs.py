"""`check` without `--static`: every obligation proved, reached or refuted, for every player count, on all cores."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from hanabi_formal.api import Game
from hanabi_formal.check.merge import merge
from hanabi_formal.check.settings import Settings
from hanabi_formal.check.units import compose
from hanabi_formal.cli.common import Output
from hanabi_formal.diagnostics.diagnostic import Diagnostic, did_you_mean, refuse
from hanabi_formal.formats.itf import trace_as_itf
from hanabi_formal.formats.storage import write_atomically
from hanabi_formal.prove.archive import load, proof_path
from hanabi_formal.prove.archive import save as save_text
from hanabi_formal.prove.obligations import GAMES, Checker
from hanabi_formal.prove.verdicts import Result, Verdict
from hanabi_formal.resources import proofs_folder

AS_EXPECTED, DIFFERENT, UNDECIDED = 0, 1, 3


@dataclass(frozen=True)
class Task:
    spec: str
    settings: Settings
    players: int | None
    games: int
    folder: Path
    save: bool


def run_task(task: Task) -> list[Result]:
    """All obligations for one player count, with the games that `proofs/` remembers; they are saved if asked for."""
    game = Game(merge(compose(task.spec)), task.settings)
    system = game.system(task.players)
    path = proof_path(task.folder, system, task.players)
    results = list(Checker(game.compiled(task.players), task.players, task.games, load(path, system)).results())
    if task.save:
        write_atomically(path, save_text(system, results))
    return results


def _tasks(specs: Sequence[str], settings: Settings, games: int, folder: Path, save: bool) -> Iterator[Task]:
    for spec in specs:
        counts = Game(merge(compose(spec)), settings).player_counts or (None,)
        for players in counts:
            yield Task(spec, settings, players, games, folder, save)


def _run(tasks: Sequence[Task]) -> dict[str, list[Result]]:
    """All results, by specification. Workers die with this process: an interrupt leaves none behind."""
    found: dict[str, list[Result]] = {task.spec: [] for task in tasks}
    cores = min(len(tasks), os.cpu_count() or 1)
    if cores == 1:
        for task in tasks:
            found[task.spec] += run_task(task)
        return found
    with ProcessPoolExecutor(cores) as pool:
        futures: dict[Future[list[Result]], Task] = {pool.submit(run_task, task): task for task in tasks}
        try:
            for done, future in enumerate(as_completed(futures), 1):
                found[futures[future].spec] += future.result()
                _progress(f"{done} of {len(tasks)} done")
        except BaseException:
            for process in (pool._processes or {}).values():
                process.terminate()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            _progress("")
    return found


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{text}", nl=False, err=True)


def prove_all(
    specs: Sequence[str], settings: Settings, wanted: Sequence[str], games: int | None, trace_dir: Path | None,
    proofs: Path | None, save: bool, output: Output, warnings: Sequence[Diagnostic],
) -> int:  # fmt: skip
    """Check all of them, tell the results, and say with the exit code whether they are as expected."""
    tasks = list(_tasks(specs, settings, GAMES if games is None else games, proofs or proofs_folder(), save))
    by_spec = _run(tasks)
    if wanted:
        by_spec = {spec: _only(results, wanted) for spec, results in by_spec.items()}
    if trace_dir is not None:
        _write_traces(by_spec, settings, trace_dir)
    lines: list[str] = []
    for spec, results in by_spec.items():
        lines += [spec, *_table(results), ""]
    results = [result for several in by_spec.values() for result in several]
    wrong = [result for result in results if not result.as_expected]
    undecided = [result for result in wrong if result.verdict is Verdict.UNDECIDED]
    lines.append(_summary(results, wrong, undecided))
    data = [_data(spec, result) for spec, several in by_spec.items() for result in several]
    output.answer({"spec": specs[0], "obligations": data}, "\n".join(lines), warnings)
    if len(wrong) > len(undecided):
        return DIFFERENT
    return UNDECIDED if undecided else AS_EXPECTED


def _only(results: list[Result], wanted: Sequence[str]) -> list[Result]:
    names = {result.name for result in results}
    for name in wanted:
        if name not in names:
            raise refuse("HRL700", f"there is no obligation `{name}`", help=did_you_mean(name, names))
    return [result for result in results if result.name in wanted]


# ---- telling --------------------------------------------------------------------------------------
def _table(results: list[Result]) -> list[str]:
    """One line for each obligation and verdict; player counts with the same verdict together."""
    rows: dict[tuple[str, Verdict], list[Result]] = {}
    for result in sorted(results, key=lambda result: result.players or 0):
        rows.setdefault((result.name, result.verdict), []).append(result)
    width = max((len(name) for name, _ in rows), default=0)
    order = sorted(rows.items(), key=lambda row: (row[1][0].as_expected, row[0][1].value))
    return [_line(name, verdict, several, width) for (name, verdict), several in order]


def _line(name: str, verdict: Verdict, several: list[Result], width: int) -> str:
    first = several[0]
    players = _span([result.players for result in several if result.players is not None])
    seconds = sum(result.seconds for result in several)
    mark = "" if first.as_expected else f"  expected {first.expected}!"
    if first.as_expected and verdict is Verdict.REFUTED:
        mark = "  as expected"
    shown = f"{verdict:<9}  {players:<4}  {name:<{width}}  {first.method}, {seconds:.1f} s"
    if first.trace is not None:
        shortest = min(len(result.trace.actions) for result in several if result.trace is not None)
        shown += f", {shortest} actions"
    detail = f": {first.detail}" if first.detail else ""
    clauses = f"  [{' '.join(first.clauses)}]" if first.clauses else ""
    return f"  {shown}{detail}{mark}{clauses}"


def _span(players: list[int]) -> str:
    if not players:
        return ""
    if len(players) > 1 and players == list(range(players[0], players[-1] + 1)):
        return f"{players[0]}-{players[-1]}"
    return ",".join(map(str, players))


def _summary(results: list[Result], wrong: list[Result], undecided: list[Result]) -> str:
    counts = {verdict: sum(result.verdict is verdict for result in results) for verdict in Verdict}
    told = ", ".join(f"{many} {verdict}" for verdict, many in counts.items() if many)
    if not wrong:
        return f"{told}: every verdict is as expected"
    differ = len(wrong) - len(undecided)
    return f"{told}: {differ} not as expected, {len(undecided)} undecided"


def _data(spec: str, result: Result) -> dict[str, Any]:
    data: dict[str, Any] = {
        "spec": spec, "name": result.name, "players": result.players, "verdict": result.verdict.value,
        "expected": result.expected.value, "method": result.method, "clauses": list(result.clauses),
        "seconds": round(result.seconds, 3), "detail": result.detail,
    }  # fmt: skip
    if result.trace is not None:
        actions = [{"action": name, "arguments": list(args)} for name, args in result.trace.actions]
        data["trace"] = {"faces": list(result.trace.faces), "actions": actions}
    return data


def _write_traces(by_spec: dict[str, list[Result]], settings: Settings, folder: Path) -> None:
    """Every game that shows something, state by state, in the Informal Trace Format."""
    for spec, results in by_spec.items():
        game = Game(merge(compose(spec)), settings)
        for result in results:
            if result.trace is not None:
                compiled = game.compiled(result.players)
                name = f"{Path(spec).stem}-{result.players or ''}-{result.name}".replace(" ", "_")
                text = json.dumps(trace_as_itf(compiled, result.trace.faces, result.trace.actions), indent=1)
                write_atomically(folder / f"{name}.itf.json", text)

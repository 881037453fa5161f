"""`certify --deals`: many answers, one a line, judged on all cores and told in their order."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hanabi_formal.cli.common import SCHEMA, Output
from hanabi_formal.cli.evidence.one import (
    ACCEPTED,
    REFUSED,
    UNCONFIRMED,
    UNREADABLE,
    GamesBySettings,
    Judged,
    completed,
    judged,
    parsed,
)
from hanabi_formal.cli.terminal import Progress, as_json, say
from hanabi_formal.diagnostics.diagnostic import Diagnostic, Rejected, refuse
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.formats.deals import parse_deal
from hanabi_formal.formats.inputs import LineOfFile, line_of_file, lines_of, opened_bytes, shown_name
from hanabi_formal.parallel import Began, Done, Said, spread
from hanabi_formal.run.faults import Fault

MOST_BYTES = 500_000_000
WORDS = {ACCEPTED: "accepted", REFUSED: "refused", UNREADABLE: "unreadable", UNCONFIRMED: "not confirmed"}
LINE = 'a line is what `winnable --deals --json` writes: `{"players": 3, "deck": "r1 y3 …", "answer": …}`'


@dataclass(frozen=True)
class EvidenceLine:
    """A line of a file: where it is, how it is called, and which it is of all lines."""

    place: int
    file: str
    shown: str
    number: int
    start: int
    size: int


@dataclass(frozen=True)
class JudgedLine:
    """What became of a line; `problems` say why it could not be read."""

    name: str
    judged: Judged
    problems: tuple[Diagnostic, ...] = ()


def certify_all(library: GamesBySettings, names: Sequence[str], output: Output) -> int:
    """Tell of all lines, in their order, and give the highest code."""
    counts: Counter[int] = Counter()
    proofs: Counter[str] = Counter()

    def tell(task: EvidenceLine, told: JudgedLine) -> None:
        counts[told.judged.code] += 1
        proofs.update(written=told.judged.proofs, confirmed=told.judged.confirmed)
        _tell(task, told, output)

    with ExitStack() as stack:
        tasks = list(_tasks(names, stack))
        if not tasks:
            raise refuse("HRL600", f"there is no answer in `{names[0]}`", help=LINE)
        progress = Progress(len(tasks), "answer")
        waiting: dict[int, JudgedLine] = {}
        try:
            for task, told in _in_order(library, tasks, waiting, progress):
                progress.clear()
                tell(task, told)
                progress.show()
        except KeyboardInterrupt:
            progress.clear()
            for place, told in sorted(waiting.items()):  # known, though others before them are not
                tell(tasks[place], told)
            say(f"interrupted: {counts.total()} of {len(tasks)} answers are judged", err=True)
            raise
        finally:
            progress.clear()
            if output.form != "json" and counts:
                say("  ".join(f"{word} {counts[code]}" for code, word in WORDS.items() if counts[code]))
                if library.request.checker is not None:
                    confirmed = f"accepted by the other checker {proofs['confirmed']}"
                    say(f"solver's proofs {proofs['written']}, {confirmed}")
    return max(counts)


def _tasks(names: Sequence[str], stack: ExitStack) -> Iterator[EvidenceLine]:
    place = 0
    for name in names:
        shown = shown_name(name)
        path = name if Path(name).is_file() else _copied(name, stack)
        with opened_bytes(path) as opened:
            start = 0
            for number, line in enumerate(lines_of(opened, MOST_BYTES), 1):
                if len(line) > MOST_BYTES:
                    raise refuse("HRL600", f"line {number} of `{shown}` has more than {MOST_BYTES:,} bytes")
                if line.strip():
                    yield EvidenceLine(place, path, shown, number, start, len(line))
                    place += 1
                start += len(line)


def _copied(name: str, stack: ExitStack) -> str:
    """What can be read only once, as a file that all workers can read."""
    copy = Path(stack.enter_context(TemporaryDirectory())) / "lines"
    with opened_bytes(name) as opened, copy.open("wb") as written:
        shutil.copyfileobj(opened, written)
    return str(copy)


def _in_order(
    library: GamesBySettings, tasks: Sequence[EvidenceLine], waiting: dict[int, JudgedLine], progress: Progress
) -> Iterator[tuple[EvidenceLine, JudgedLine]]:
    """What is known too early waits in `waiting`."""
    following = 0
    with closing(spread(partial(_judge_line, library), tasks)) as events:
        for event in events:
            match event:
                case Began(task):
                    progress.began(f"line {task.number}")
                case Said(task, told):
                    waiting[task.place] = told
                    progress.counted()
                    while following in waiting:
                        yield tasks[following], waiting.pop(following)
                        following += 1
                case Done(task):
                    progress.done(f"line {task.number}")
                case _:
                    progress.show()


def _judge_line(library: GamesBySettings, task: EvidenceLine) -> Iterator[JudgedLine]:
    try:
        yield _judged(library, task)
    except Rejected as rejected:
        yield _unreadable(task, rejected)
    except Fault as fault:
        yield _unreadable(task, refuse("HRL404", f"the rules break down in this game: {fault}"))


def _unreadable(task: EvidenceLine, problem: Rejected) -> JudgedLine:
    return JudgedLine(
        f"line {task.number}", Judged(data={"accepted": False}, code=UNREADABLE), tuple(problem.diagnostics)
    )


def _judged(library: GamesBySettings, task: EvidenceLine) -> JudgedLine:
    with Path(task.file).open("rb") as opened:
        opened.seek(task.start)
        line = opened.read(task.size)
    source = line_of_file(task.shown, line, task.number)
    data = _parsed(source)
    deck, players = data.get("deck"), data.get("players")
    if not isinstance(deck, str):
        raise refuse("HRL600", "the line has no `deck`, a text", Span(source, 0, 1), help=LINE)
    game = library.game(completed(library.request.settings, data))
    wanted = library.request.settings.params.get("players", players)
    if game.player_counts and (type(players) is not int or players not in game.player_counts):
        raise refuse("HRL600", f"its `players` are none that `{game.name}` allows", Span(source, 0, 1), help=LINE)
    if not game.player_counts:
        players = None
    elif wanted != players:
        raise refuse("HRL600", f"line {task.number} is for {players} players, not for {wanted}", Span(source, 0, 1))
    faces = parse_deal(deck, game.system(players))
    name = data.get("id")
    called = name if isinstance(name, str) and name.isprintable() and name else json.dumps(name)
    files = f"answer-{task.place + 1}"
    found = judged(library.request, game, players, faces, data, files)
    return JudgedLine(called if name is not None else f"line {task.number}", found)


def _parsed(source: LineOfFile) -> dict[str, Any]:
    try:
        data = parsed(source, LINE)
    except ValueError as problem:
        raise refuse("HRL603", f"this is no evidence: {problem}", Span(source, 0, 1), help=LINE) from None
    if not isinstance(data, dict):
        raise refuse("HRL603", "this is no object", Span(source, 0, 1), help=LINE)
    return data


def _tell(task: EvidenceLine, told: JudgedLine, output: Output) -> None:
    from hanabi_formal.diagnostics.render import as_data

    found = told.judged
    if told.problems:
        output.unreadable(told.problems, task.shown, task.number)
    if output.form == "json":
        about = {"schema": SCHEMA, "id": told.name, "file": task.shown, "line": task.number}
        problems = {"diagnostics": as_data(told.problems)} if told.problems else {}
        say(as_json({**about, **found.data, **problems}))
    elif not told.problems:
        said = [line for line in found.told if not line.startswith("  ")]
        say(f"{told.name}  {'; '.join(said)}")

"""`check` without `--static`: every obligation proved, reached or refuted, for every player count, on all cores."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from hanabi_formal.api import Game
from hanabi_formal.cli.common import Output, notes
from hanabi_formal.cli.terminal import Progress, say
from hanabi_formal.cli.verdicts.files import as_data, write_traces
from hanabi_formal.cli.verdicts.table import ToldResult, show_tables, summary
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Diagnostic, did_you_mean, refuse
from hanabi_formal.engines.second_opinion import Opinion, second_opinion
from hanabi_formal.formats.storage import write_atomically
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.parallel import Began, Done, Said, spread
from hanabi_formal.prove.archive import find, games_of_others, proof_path
from hanabi_formal.prove.archive import save as save_text
from hanabi_formal.prove.checker import GAMES
from hanabi_formal.prove.obligation import Verdict
from hanabi_formal.prove.search.goals import NOTHING, Memory
from hanabi_formal.prove.search.replayed import is_confirmed, longest_games, played
from hanabi_formal.verify.composition import FullCheck
from hanabi_formal.verify.second_solver import CheckedSystem, Rechecked, SecondSolver, confirmation, unconfirmed

AS_EXPECTED, DIFFERENT, UNDECIDED = 0, 1, 3


@dataclass(frozen=True)
class CheckRequest:
    """What is asked of every specification. `wanted` names obligations; if empty, all are.

    Proofs are kept in the first of the `folders`, and looked for in all of them.
    """

    settings: Settings
    wanted: frozenset[str]
    games: int | None
    folders: tuple[Path, ...]
    save: bool
    recheck: str | None = None
    smt_dir: Path | None = None


@dataclass(frozen=True)
class Frame:
    """The form of the answer, and what is said in it besides verdicts."""

    output: Output
    warnings: Sequence[Diagnostic]
    unprinted: str | None


@dataclass(frozen=True)
class CheckTask:
    spec: str
    players: int | None
    request: CheckRequest

    @property
    def name(self) -> str:
        return self.spec if self.players is None else f"{self.spec} with {self.players} players"


def answers(games: Mapping[str, Game], task: CheckTask) -> Iterator[ToldResult]:
    """Obligations for one player count, with what `proofs/` remembers, until all that is wanted is known.

    A game that is to be shown is replayed by all engines first; one that shows several things, once. A second solver
    goes through what was proved, if that is asked for.
    """
    request, game = task.request, games[task.spec]
    compiled = game.compiled(task.players)
    memory = _remembered(request.folders, compiled.system, task.players)
    many = GAMES if request.games is None else request.games
    missing = set(request.wanted)
    opinions = _Opinions(game, task.players, memory.games.values())
    subject = CheckedSystem(task.spec, task.players, request.settings)
    second = SecondSolver(subject, request.recheck, request.smt_dir)
    check = FullCheck(
        game, task.players, many, memory, second.recorder, request.save, frozenset() if request.save else request.wanted
    )
    found = []
    for result in check.results():
        found.append(result)
        shown, trace = not request.wanted or result.name in request.wanted, result.trace
        opinion = opinions.of(trace) if shown and trace is not None else None
        yield ToldResult(result, opinion, second.of(result) if shown else None)
        missing.discard(result.name)
        if request.wanted and not missing and not request.save:
            return
    if request.save:
        write_atomically(
            proof_path(request.folders[0], compiled.system, task.players),
            save_text(compiled.system, found, check.proofs.needs),
        )


def _remembered(folders: Sequence[Path], system: System, players: int | None) -> Memory:
    """The first that is of these rules; and games of others from everywhere."""
    found = (find(folder, system, players) for folder in folders)
    memory = next((one for one in found if one.games), NOTHING)
    return replace(memory, others=lambda: chain.from_iterable(games_of_others(f, system, players) for f in folders))


class _Opinions:
    """Games replayed by all engines; not again if it is the beginning of one that was.

    Of one that begins a longer one among those `kept`, the longer one is replayed at once.
    """

    def __init__(self, game: Game, players: int | None, kept: Iterable[Trace]) -> None:
        self._game = game
        self._players = players
        self._kept = longest_games(kept)
        self._known: dict[Trace, Opinion] = {}

    def of(self, trace: Trace) -> Opinion:
        for longer, opinion in self._known.items():
            if trace.begins(longer):
                return opinion
        compiled = self._game.compiled(self._players)
        longest = next((game for game in self._kept if trace.begins(game) and is_confirmed(compiled, game)), trace)
        known = played(compiled, longest).spelt_out if is_confirmed(compiled, longest) else ()
        self._known[longest] = second_opinion(self._game, self._players, longest.faces, longest.actions, known=known)
        return self._known[longest]


def _tasks(games: Mapping[str, Game], request: CheckRequest) -> Iterator[CheckTask]:
    for spec, game in games.items():
        for players in game.player_counts or (None,):
            yield CheckTask(spec, players, request)


def _gather(games: Mapping[str, Game], tasks: Sequence[CheckTask], found: dict[str, list[ToldResult]]) -> None:
    """Put all that becomes known into `found`, by specification; after an interrupt it has what was known by then."""
    progress = Progress(len(tasks), "verdict")
    try:
        with closing(spread(partial(answers, games), tasks)) as events:
            for event in events:
                match event:
                    case Began(task):
                        progress.began(task.name)
                    case Said(task, told):
                        found[task.spec].append(told)
                        progress.counted()
                    case Done(task):
                        progress.done(task.name)
                    case _:
                        progress.show()
    finally:
        progress.clear()


def prove_all(games: Mapping[str, Game], request: CheckRequest, trace_dir: Path | None, frame: Frame) -> int:
    """Check all of them, tell the results, and say with the exit code whether they are as expected."""
    found: dict[str, list[ToldResult]] = {spec: [] for spec in games}
    first = next(iter(games))
    try:
        _gather(games, list(_tasks(games, request)), found)
    except KeyboardInterrupt:
        _tell(first, _only(found, request.wanted), frame, interrupted=True)
        sys.stdout.flush()
        raise
    _refuse_unknown(found, request.wanted)
    found = _only(found, request.wanted)
    if trace_dir is not None:
        write_traces(games, found, trace_dir)
    _tell(first, found, frame, interrupted=False)
    if request.save and frame.output.form != "json":
        say(f"kept under {request.folders[0]}")
    wrong = [told.result for several in found.values() for told in several if not told.result.as_expected]
    if any(result.verdict is not Verdict.UNDECIDED for result in wrong):
        return DIFFERENT
    return UNDECIDED if wrong or unconfirmed(_rechecked(found)) else AS_EXPECTED


def _rechecked(found: Mapping[str, list[ToldResult]]) -> list[Rechecked]:
    return [(spec, t.result, t.recheck) for spec, several in found.items() for t in several if t.recheck is not None]


def _refuse_unknown(found: Mapping[str, list[ToldResult]], wanted: frozenset[str]) -> None:
    names = {told.result.name for several in found.values() for told in several}
    for name in sorted(wanted - names):
        raise refuse(
            "HRL700", f"there is no obligation `{name}`", help=did_you_mean(name, names, "obligations", most=len(names))
        )


def _only(found: Mapping[str, list[ToldResult]], wanted: frozenset[str]) -> dict[str, list[ToldResult]]:
    if not wanted:
        return dict(found)
    return {spec: [told for told in several if told.result.name in wanted] for spec, several in found.items()}


def _tell(spec: str, found: Mapping[str, list[ToldResult]], frame: Frame, interrupted: bool) -> None:
    if frame.output.form != "json":
        show_tables(found)
    data: dict[str, Any] = {"spec": spec, "unprinted": frame.unprinted}
    if interrupted:
        data["interrupted"] = True
    data["obligations"] = [as_data(name, told) for name, several in found.items() for told in several]
    results = [told.result for several in found.values() for told in several]
    second = confirmation(_rechecked(found), sum(result.verdict is Verdict.PROVED for result in results))
    text = "\n".join([*notes(frame.unprinted), summary(results, interrupted), *second])
    frame.output.answer(data, text, frame.warnings)

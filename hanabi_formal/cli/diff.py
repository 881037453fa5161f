"""`diff SPEC --impl …`: does that implementation follow these rules?"""

from __future__ import annotations

import os
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from hanabi_formal.api import Game
from hanabi_formal.cli.common import Finite, Output, output_options, setting_options, spec_argument
from hanabi_formal.cli.terminal import overwrite
from hanabi_formal.compose.merge import merge
from hanabi_formal.compose.settings import Settings
from hanabi_formal.compose.units import compose
from hanabi_formal.conformance.menu import check_comparable
from hanabi_formal.conformance.messages import Failed, Implementation
from hanabi_formal.conformance.process.child import CANNOT_START, SECONDS, Child
from hanabi_formal.conformance.report import Reporter, file_name, inferred_data, inferred_lines
from hanabi_formal.conformance.rulings.infer import Inference
from hanabi_formal.conformance.rulings.tell_apart import Boards
from hanabi_formal.conformance.serve import ADAPTERS, adapter
from hanabi_formal.conformance.trial import ConformanceTrial, Findings
from hanabi_formal.diagnostics.diagnostic import did_you_mean, refuse
from hanabi_formal.formats.storage import write_atomically
from hanabi_formal.roles.entries import Undeclared

GAMES = 200
ADAPTER_SECONDS = 120.0
DIFFERS, UNDECIDED = 1, 3
MODULES = {"open_spiel": "pyspiel"}
GAMES_TO_INFER = 10


@click.command("diff")
@spec_argument
@click.option(
    "--impl",
    "wanted",
    metavar="NAME|COMMAND",
    help=f"{', '.join(ADAPTERS)}, or a command that speaks the protocol (docs/protocol.md).",
)
@click.option(
    "--games",
    type=click.IntRange(1, 10_000_000),
    help=f"How many games with whole decks, besides those made to order.  [default: {GAMES}, with --infer "
    f"{GAMES_TO_INFER}]",
)
@click.option("--seed", default="0", show_default=True, help="What deals and choices follow from.")
@click.option("--infer", is_flag=True, help="Say which combination of rulings it follows.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write a file for each difference there, to be replayed.",
)
@click.option(
    "--time-limit",
    "seconds",
    type=Finite(0.01),
    metavar="SECONDS",
    help=f"For one answer of a command; {SECONDS:g} if not given.",
)
@click.option("--python", metavar="PROGRAM", help="The Python that has the package installed, if it is another one.")
@setting_options
@output_options
@click.pass_context
def command(
    ctx: click.Context,
    spec: str,
    wanted: str | None,
    games: int | None,
    seed: str,
    infer: bool,
    out: Path | None,
    seconds: float | None,
    python: str | None,
    settings: Settings,
    output: Output,
) -> None:
    """Compare an implementation of Hanabi with SPEC, state by state, in games of every kind.

    Differences are grouped by cause, each shown by the shortest game found, with both tables side by side, the clause
    at stake, and the ruling under which the two would agree.
    """
    if wanted is None:
        raise refuse(
            "HRL700",
            "`--impl` is missing: which implementation?",
            help=f"{', '.join(ADAPTERS)}, or a command that speaks the protocol",
        )
    if infer and out is not None:
        raise refuse(
            "HRL700", "with `--infer` there are no differences to write with `--out`", help="leave one of the two out"
        )
    game = Game(merge(compose(spec)), settings)
    counts = game.player_counts
    if not counts:
        raise refuse("HRL700", f"`{game.name}` has no players that could be compared")
    try:
        check_comparable(game.system(counts[0]))
    except Undeclared as undeclared:
        raise refuse(
            "HRL700",
            f"`{game.name}` cannot be compared with an implementation of Hanabi: {undeclared}",
            help="`interface cards { … }` declares them, as in `base` (docs/language.md)",
        ) from None
    implementation = _implementation(wanted, seconds, python)
    try:
        code = (
            _inferred(game, implementation, games or GAMES_TO_INFER, seed, output)
            if infer
            else _compared(game, implementation, games or GAMES, seed, out, output)
        )
    finally:
        implementation.close()
    ctx.exit(code)


def _progress(what: str, done: int, of: int) -> None:
    overwrite(f"{what}: {done} of {of}")


def _compared(
    game: Game, implementation: Implementation, games: int, seed: str, out: Path | None, output: Output
) -> int:
    trial = ConformanceTrial(game, implementation, game.player_counts, games, seed, progress=_progress)
    try:
        findings = trial.run()
    except KeyboardInterrupt:
        _tell(trial, trial.so_far(), out, output)
        raise
    return _tell(trial, findings, out, output)


def _tell(trial: ConformanceTrial, findings: Findings, out: Path | None, output: Output) -> int:
    overwrite("")
    reporter = Reporter(trial.game, trial.implementation)
    files = []
    for number, group in enumerate(findings.groups if out is not None else (), 1):
        assert out is not None
        path = out / file_name(number, group)
        write_atomically(path, reporter.file(number, group))
        files.append(str(path))
    output.answer(reporter.data(findings, files), "\n".join(reporter.lines(findings, files)))
    if findings.groups:
        return DIFFERS
    return 0 if findings.states else UNDECIDED


def _inferred(game: Game, implementation: Implementation, games: int, seed: str, output: Output) -> int:
    boards = Boards(game, game.player_counts, implementation.knows)
    inferred = Inference(boards, implementation, games, seed, overwrite).run()
    overwrite("")
    output.answer(inferred_data(inferred), "\n".join(inferred_lines(inferred)))
    return DIFFERS if inferred.left else 0


# ---- implementations -----------------------------------------------------------------------------------
def _implementation(wanted: str, seconds: float | None, python: str | None) -> Implementation:
    if wanted.replace("-", "_") in ADAPTERS:
        return _adapter(wanted.replace("-", "_"), seconds, python)
    try:
        words = shlex.split(wanted)
    except ValueError:
        words = []
    if not words:
        raise refuse("HRL700", f"`--impl {wanted}` is no command", help=f"or one of {', '.join(ADAPTERS)}")
    if python is not None:
        raise refuse(
            "HRL700",
            f"`--python` is for {', '.join(ADAPTERS)}; `{words[0]}` is run as it is",
            help="write the Python that you mean into the command",
        )
    return _child(words, wanted, SECONDS if seconds is None else seconds)


def _adapter(name: str, seconds: float | None, python: str | None) -> Implementation:
    """open_spiel runs in our own process, for speed; the others could take us with them."""
    module, package = MODULES.get(name, name), ADAPTERS[name][2]
    if python is None and find_spec(module) is None:
        raise refuse(
            "HRL700",
            f"`{name}` is not installed",
            help=f"install it with `pip install {package}`, or name a `--python` that has it",
        )
    if name == "open_spiel" and python is None:
        return adapter(name)
    words = [python or sys.executable, "-m", "hanabi_formal.conformance.serve", name]
    return _child(words, name, ADAPTER_SECONDS if seconds is None else seconds)


def _child(words: list[str], name: str, seconds: float) -> Child:
    ours = str(Path(__file__).resolve().parent.parent.parent)
    path = os.pathsep.join(filter(None, (ours, os.environ.get("PYTHONPATH", ""))))
    try:
        return Child(words, name, seconds, {"PYTHONPATH": path})
    except Failed as problem:
        detail = problem.detail.replace("\n", "; ")
        if problem.kind == CANNOT_START:
            near = did_you_mean(words[0].replace("-", "_"), ADAPTERS)
            raise refuse(
                "HRL700",
                f"cannot start `{words[0]}`: {detail}",
                help=near or f"`--impl` is a command, or one of {', '.join(ADAPTERS)}",
            ) from None
        raise refuse(
            "HRL700",
            f"`{name}` does not answer as the protocol says: {problem.kind}: {detail}",
            help="docs/protocol.md describes it, with two examples",
        ) from None

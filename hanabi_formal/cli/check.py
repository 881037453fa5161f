"""`check SPEC`: is the text well-formed, and does every property hold?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from hanabi_formal.citations.coverage import check_citations, coverage
from hanabi_formal.cli.common import Output, notes, output_options, setting_options, spec_argument
from hanabi_formal.compose.merge import Merged, merge
from hanabi_formal.compose.printed import unprinted
from hanabi_formal.compose.settings import Settings
from hanabi_formal.compose.units import Composition, compose, offered
from hanabi_formal.diagnostics.diagnostic import Diagnostic, Rejected, refuse
from hanabi_formal.elaborate.elaborate import elaborate, player_counts
from hanabi_formal.kernel.system import System
from hanabi_formal.resources import own_proofs_folder, proofs_folder, spec_folder

HOPELESS = frozenset(["HRL105"])


@dataclass(frozen=True)
class Report:
    """One composition that is well-formed; `players` is empty if the game does not ask for a number of them.

    It is handed on with its `systems`, by number of players, so that nobody need compose or elaborate it again.
    """

    merged: Merged
    systems: Mapping[int | None, System]
    name: str
    players: tuple[int, ...]
    counts: tuple[tuple[str, int], ...]
    warnings: tuple[Diagnostic, ...]
    unprinted: str | None

    @property
    def lines(self) -> list[str]:
        shown = f" for {', '.join(map(str, self.players))} player{'s' * (self.players != (1,))}" if self.players else ""
        parts = ", ".join(f"{many} {word}{'s' * (many != 1)}" for word, many in self.counts)
        return [f"{self.name}: well-formed{shown}; {parts}", *notes(self.unprinted)]

    @property
    def data(self) -> dict[str, Any]:
        numbers = {f"{word}s": many for word, many in self.counts}
        return {
            "spec": self.name,
            "verdict": "well-formed",
            "players": list(self.players),
            **numbers,
            "unprinted": self.unprinted,
        }


def check_static(spec: str, settings: Settings) -> Iterator[Report]:
    """A report for the composition; one more for each variant that an edition offers."""
    first = compose(spec)
    yield _report(first, settings)
    for word in offered(first, spec):
        yield _report(compose(word), settings)


def _report(composition: Composition, settings: Settings) -> Report:
    merged = merge(composition)
    players = (settings.params["players"],) if "players" in settings.params else player_counts(merged)
    systems = _elaborate_all(merged, settings, players)
    found = check_citations(merged)
    if any(diagnostic.severity == "error" for diagnostic in found):
        raise Rejected(diagnostic for diagnostic in found if diagnostic.severity == "error")
    kinds = [kind for kind, _ in merged.items]
    counts = tuple((kind, kinds.count(kind)) for kind in ("ruling", "action", "end"))
    counts = (*counts, ("clause", coverage(merged).clauses))
    return Report(merged, systems, composition.name, players, counts, tuple(found), unprinted(composition))


def _elaborate_all(merged: Merged, settings: Settings, players: tuple[int, ...]) -> dict[int | None, System]:
    """Every number of players must do; what is wrong with only some of them says with which."""
    found: dict[int | None, System] = {}
    wrong: dict[Diagnostic, list[int]] = {}
    tried = 0
    for count in players or (None,):
        tried += 1
        try:
            found[count] = elaborate(merged, settings if count is None else settings.with_params(players=count))
        except Rejected as problem:
            for diagnostic in problem.diagnostics:
                wrong.setdefault(diagnostic, []).append(count or 0)
            if any(diagnostic.code in HOPELESS for diagnostic in problem.diagnostics):
                break
    if wrong:
        told: dict[object, Diagnostic] = {}
        for diagnostic, counts in wrong.items():
            some = len(counts) < tried
            told.setdefault(
                (diagnostic.code, diagnostic.labels), _only_with(diagnostic, counts) if some else diagnostic
            )
        raise Rejected(told.values())
    return found


def _only_with(diagnostic: Diagnostic, counts: list[int]) -> Diagnostic:
    shown = ", ".join(map(str, counts[:6])) + (", …" if len(counts) > 6 else "")
    return replace(diagnostic, message=f"{diagnostic.message} (with {shown} players)")


@click.command("check")
@spec_argument
@click.option("--static", is_flag=True, help="Only whether the text is well-formed; nothing is proved.")
@click.option("--property", "wanted", multiple=True, metavar="NAME", help="Only this obligation. Repeatable.")
@click.option("--trace-dir", type=click.Path(file_okay=False, path_type=Path), help="Write every trace there, as ITF.")
@click.option(
    "--proofs",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where earlier proofs are kept; if not given, the built-in ones and your own.",
)
@click.option("--save", is_flag=True, help="Keep what was found for the next time, under --proofs or with your own.")
@click.option("--recheck", type=click.Choice(["cvc5"]), help="Have a second solver confirm all that was proved.")
@click.option(
    "--smt-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the questions behind all that was proved there, as SMT-LIB.",
)
@click.option("--games", "tries", type=click.IntRange(0), metavar="N", help="Games to play in search of a witness.")
@setting_options
@output_options
@click.pass_context
def command(
    ctx: click.Context,
    spec: str,
    static: bool,
    wanted: tuple[str, ...],
    trace_dir: Path | None,
    proofs: Path | None,
    save: bool,
    recheck: str | None,
    smt_dir: Path | None,
    tries: int | None,
    settings: Settings,
    output: Output,
) -> None:
    """Is SPEC well-formed, and does every property hold?

    An edition is checked alone and with each variant it offers. Exit code 0: every verdict is the one the specification
    expects; 1: one differs; 3: one is undecided, or not confirmed by a second solver.
    """
    if static:
        given = {
            "--property": wanted,
            "--trace-dir": trace_dir,
            "--save": save,
            "--recheck": recheck,
            "--smt-dir": smt_dir,
        }
        idle = " and ".join(f"`{option}`" for option, value in given.items() if value)
        if idle:
            raise refuse(
                "HRL700",
                f"with `--static` nothing is proved, and there is nothing to do for {idle}",
                help="leave `--static` out",
            )
    reports = list(check_static(spec, settings))
    warnings = list(dict.fromkeys(warning for report in reports for warning in report.warnings))
    if static:
        output.diagnostics(warnings)
        data = {"reports": [report.data for report in reports]}
        output.answer(data, "\n".join(line for report in reports for line in report.lines), warnings)
        return
    from hanabi_formal.api import Game
    from hanabi_formal.cli.verdicts.gather import CheckRequest, Frame, prove_all
    from hanabi_formal.verify.second_solver import find_solver

    find_solver(recheck)
    output.diagnostics(warnings)
    games = {report.merged.composition.spec: Game(report.merged, settings, report.systems) for report in reports}
    units = reports[0].merged.composition.order
    built_in = all(unit.folder.resolve() == spec_folder().resolve() for unit in units)
    kept = proofs or own_proofs_folder(built_in)
    folders = (kept,) if proofs is not None else tuple(dict.fromkeys([kept, proofs_folder()]))
    request = CheckRequest(settings, frozenset(wanted), tries, folders, save, recheck, smt_dir)
    ctx.exit(prove_all(games, request, trace_dir, Frame(output, warnings, reports[0].unprinted)))

"""`replay SPEC GAME`: is a recorded game legal, how does it end, what is it worth?"""

from __future__ import annotations

from collections import Counter
from functools import partial

import click

from hanabi_formal.cli.common import AS_DEALT, SCHEMA, Output, output_options, setting_options, spec_argument
from hanabi_formal.cli.terminal import as_json, say
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Rejected, refuse
from hanabi_formal.diagnostics.render import as_data, render_text
from hanabi_formal.formats.games import WAYS, Games, GivenGame, open_games
from hanabi_formal.replays.game_report import GameReport
from hanabi_formal.replays.lost import Losses
from hanabi_formal.replays.recorded import Library
from hanabi_formal.resources import cache_folder

ILLEGAL = 1
BAD_INPUT = 2


@click.command("replay")
@spec_argument
@click.argument("game", metavar="GAME")
@click.option(
    "--export",
    "wanted",
    type=click.Choice(["json", "link", "text"]),
    help="Print the legal part of the game in another form; JSON and link are for hanab.live.",
)
@click.option("--lost", is_flag=True, help="Find the action after which the game could no longer be won.")
@partial(setting_options, otherwise=AS_DEALT)
@output_options
@click.pass_context
def command(
    ctx: click.Context, spec: str, game: str, wanted: str | None, lost: bool, settings: Settings, output: Output
) -> None:
    """Replay GAME under the rules of SPEC: where it is illegal and why, its end, score and band, pace and reach.

    GAME is a file, `-`, or the game itself: JSON of hanab.live (a `.jsonl` has one game a line), a `replay-json` link,
    or text that `play` printed. Options in the JSON, such as `emptyClues`, decide rulings that SPEC has and the command
    line leaves open.
    """
    library = Library(spec, settings, cache_folder())
    games = open_games(game)
    losses = Losses() if lost else None
    if games.many:
        ctx.exit(_each(library, games, wanted, losses, output))
    ctx.exit(_one(library, next(games.each), wanted, losses, output))


def _one(library: Library, given: GivenGame, form: str | None, losses: Losses | None, output: Output) -> int:
    report = _replayed(library, given, losses)
    if form is not None:
        say(_written_again(report, form, indent=2))
    elif output.form == "json":
        output.answer(report.data(), "")
    else:
        for line in report.lines():
            say(line)
    return _code(report)


def _replayed(library: Library, given: GivenGame, losses: Losses | None) -> GameReport:
    if isinstance(given.content, Rejected):
        raise given.content
    replayed = library.replay(given.content)
    return GameReport(given, replayed, losses.find(replayed) if losses is not None else None)


def _each(library: Library, games: Games, form: str | None, losses: Losses | None, output: Output) -> int:
    """A line a game; what cannot be read is told, and the others go on."""
    worst = 0
    counts: Counter[str] = Counter()
    for given in games.each:
        try:
            report = _replayed(library, given, losses)
            if form is not None:
                shown = _written_again(report, form)
            elif output.form == "json":
                shown = as_json({"schema": SCHEMA, **report.data()})
            else:
                shown = report.brief()
            worst = max(worst, _code(report))
            counts["legal" if report.replayed.legal else "illegal"] += 1
        except Rejected as problem:
            worst = BAD_INPUT
            counts["unreadable"] += 1
            told = {"schema": SCHEMA, "line": given.number, "diagnostics": as_data(problem.diagnostics)}
            shown = as_json(told) if output.form == "json" else ""
            if output.form != "json":
                say(render_text(problem.diagnostics, False), nl=False, err=True)
        if shown:
            say(shown)
    if not counts:
        raise refuse("HRL600", "there is no game in that file", help=WAYS)
    if output.form != "json" and form is None:
        listed = ", ".join(f"{many} {what}" for what, many in counts.items())
        say(f"{counts.total()} game{'s' * (counts.total() != 1)}: {listed}")
    return worst


def _code(report: GameReport) -> int:
    return 0 if report.replayed.legal and report.as_recorded is not False else ILLEGAL


def _written_again(report: GameReport, form: str, indent: int | None = None) -> str:
    found = report.written_again(form)
    return found if isinstance(found, str) else as_json(found, indent)

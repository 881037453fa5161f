"""`replay SPEC GAME`: is a recorded game legal, how does it end, what is it worth?"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import click

from hanabi_formal.cli.common import AS_DEALT, SCHEMA, Output, output_options, setting_options, spec_argument
from hanabi_formal.cli.terminal import as_json, say
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Rejected, refuse
from hanabi_formal.diagnostics.render import as_data, render_text
from hanabi_formal.formats.games import WAYS, Games, GivenGame, open_games
from hanabi_formal.formats.hanab_live.links import as_link
from hanabi_formal.formats.hanab_live.records import GameRecord
from hanabi_formal.formats.step_text import action_text, end_data, end_line, step_data, step_line
from hanabi_formal.replays.lost import Losses, Lost
from hanabi_formal.replays.outcome import Illegal, Replayed
from hanabi_formal.replays.recorded import Library, exported
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
    if isinstance(given.content, Rejected):
        raise given.content
    replayed = library.replay(given.content)
    lost = losses.find(replayed) if losses is not None else None
    if form is not None:
        say(_exported(replayed, form, indent=2))
    elif output.form == "json":
        output.answer(_data(given, replayed, lost), "")
    else:
        for line in _lines(replayed, given):
            say(line)
        if lost is not None:
            say(_lost(lost))
    return _code(replayed, given)


def _each(library: Library, games: Games, form: str | None, losses: Losses | None, output: Output) -> int:
    """A line a game; what cannot be read is told, and the others go on."""
    worst = 0
    counts: Counter[str] = Counter()
    for given in games.each:
        try:
            if isinstance(given.content, Rejected):
                raise given.content
            replayed = library.replay(given.content)
            lost = losses.find(replayed) if losses is not None else None
            shown = _exported(replayed, form) if form is not None else _line(given, replayed, lost, output)
            worst = max(worst, _code(replayed, given))
            counts["legal" if replayed.legal else "illegal"] += 1
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


def _code(replayed: Replayed, given: GivenGame) -> int:
    return 0 if replayed.legal and _as_recorded(replayed, given) is not False else ILLEGAL


def _as_recorded(replayed: Replayed, given: GivenGame) -> bool | None:
    """Is the score the recorded one? None if none is recorded, or the game has not ended."""
    recorded = given.content.score if isinstance(given.content, GameRecord) else None
    if recorded is None or replayed.last.ended is None:
        return None
    return recorded == replayed.last.score


# ---- text --------------------------------------------------------------------------------------------
def _title(replayed: Replayed) -> list[str]:
    count = f", {replayed.players} players" if replayed.players is not None else ""
    return [f"{replayed.game.name}{count}", f"deal  {replayed.first.deal}"]


def _lines(replayed: Replayed, given: GivenGame) -> list[str]:
    lines = _title(replayed)
    for turn in replayed.turns:
        figures = turn.figures
        shown = [f"score {turn.told.after.score}"]
        shown += [f"reachable {figures.reachable_max}"] if figures.reachable_max is not None else []
        shown += [f"pace {figures.pace}"] if figures.pace is not None else []
        lines.append(f"{step_line(turn.told)}  | {', '.join(shown)}")
    if replayed.illegal is not None:
        lines.append(f"illegal  {_refused(replayed.illegal)}")
    else:
        lines.append(_end(replayed, given))
    if replayed.by_reference is not None:
        lines.append(f"note: not replayed by the reference engine: {replayed.by_reference}")
    return lines


def _refused(illegal: Illegal) -> str:
    clauses = f" [{' '.join(illegal.clauses)}]" if illegal.clauses else ""
    return f"action {illegal.number}, {illegal.action}: {illegal.reason}{clauses}"


def _end(replayed: Replayed, given: GivenGame) -> str:
    """How it ended, or what the rules say where the record stops."""
    if replayed.last.ended is not None:
        same = _as_recorded(replayed, given)
        recorded = given.content.score if isinstance(given.content, GameRecord) else None
        told = {None: "", True: ", as recorded", False: f", but {recorded} is recorded"}[same]
        return end_line(replayed.last) + told + _played_on(replayed)
    if not replayed.last.legal():
        return end_line(replayed.last)
    why = "; ".join(
        f"it would end here by `{end.name}` [{' '.join(end.clauses)}] under {other}"
        for other, end in replayed.ends_under
    )
    more = f"; {why}" if why else ""
    return f"stopped  the rules would play on; score {replayed.last.score} so far{more}"


def _played_on(replayed: Replayed) -> str:
    on = replayed.played_on
    if on is None:
        return ""
    clauses = " ".join(on.end.clauses)
    return f"; the rules stop after action {on.after} by `{on.end.name}` [{clauses}], it goes on as under {on.under}"


def _lost(lost: Lost) -> str:
    """The action behind a loss, with what was still possible before it."""
    if lost.by is None:
        return f"lost  {lost}"
    told = lost.by.told
    return f"lost  by action {told.number}, seat {told.actor}  {action_text(told.before, told.action)}: " + (
        "until then it could be won"
    )


def _line(given: GivenGame, replayed: Replayed, lost: Lost | None, output: Output) -> str:
    if output.form == "json":
        return as_json({"schema": SCHEMA, **_data(given, replayed, lost)})
    turns = f"{len(replayed.turns)} turn{'' if len(replayed.turns) == 1 else 's'}"
    told = f"illegal  {_refused(replayed.illegal)}" if replayed.illegal is not None else _end(replayed, given)
    more = f"  {_lost(lost)}" if lost is not None else ""
    return f"{given.place}  {replayed.players} players, {turns}  {told}{more}"


# ---- data --------------------------------------------------------------------------------------------
def _data(given: GivenGame, replayed: Replayed, lost: Lost | None) -> dict[str, Any]:
    system = replayed.game.system(replayed.players)
    illegal = replayed.illegal
    refused = (
        None
        if illegal is None
        else {
            "number": illegal.number,
            "action": illegal.action,
            "reason": illegal.reason,
            "clauses": list(illegal.clauses),
            "place": illegal.span.place if illegal.span is not None else None,
        }
    )
    ended, on = replayed.last.ended is not None, replayed.played_on
    return {
        "spec": replayed.game.name,
        "players": replayed.players,
        "line": given.number,
        "settings": {**dict(system.rulings), **dict(system.parameters)},
        "deal": replayed.first.deal,
        "legal": replayed.legal,
        "illegal": refused,
        "end": end_data(replayed.last) if ended else None,
        "score": replayed.last.score,
        "as_recorded": _as_recorded(replayed, given),
        "ends_under": [{**dict(other.choice), "end": end.name} for other, end in replayed.ends_under],
        "played_on": None if on is None else {"after": on.after, "end": on.end.name, "under": dict(on.under.choice)},
        "start": {"pace": replayed.first_figures.pace, "reachable_max": replayed.first_figures.reachable_max},
        "turns": [
            {**step_data(turn.told), "pace": turn.figures.pace, "reachable_max": turn.figures.reachable_max}
            for turn in replayed.turns
        ],
        "reference": replayed.by_reference is None,
        **(
            {}
            if lost is None
            else {
                "lost": {
                    "by": lost.by.told.number if lost.by is not None else None,
                    "winnable_after": lost.winnable,
                    "lost_after": lost.lost,
                    "undecided_after": list(lost.undecided),
                }
            }
        ),
    }


def _exported(replayed: Replayed, form: str, indent: int | None = None) -> str:
    if form == "text":
        steps = (
            f"{turn.told.number:3}  seat {turn.told.actor}  {action_text(turn.told.before, turn.told.action)}"
            for turn in replayed.turns
        )
        return "\n".join([*_title(replayed), *steps])
    record = exported(replayed)
    return as_link(record) if form == "link" else as_json(record, indent)

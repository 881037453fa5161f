"""`winnable SPEC DEAL`: can this deal reach the maximum? The line, or why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, get_args

import click

from hanabi_formal.api import Game
from hanabi_formal.cli.common import (
    AS_DEALT,
    SCHEMA,
    Output,
    chosen_players,
    output_options,
    setting_options,
    spec_argument,
)
from hanabi_formal.cli.terminal import Progress, as_json, say
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Rejected, refuse
from hanabi_formal.diagnostics.render import as_data
from hanabi_formal.formats.deal_lines import LINE, open_deal_lines
from hanabi_formal.formats.deals import faces_of, open_deal
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.resources import cache_folder

if TYPE_CHECKING:
    from hanabi_formal.winnability.deal_report import DealReport
    from hanabi_formal.winnability.oracle import AnsweredDeal, Oracle

UNREADABLE = "unreadable"
CODES = {"winnable": 0, "unwinnable": 1, UNREADABLE: 2, "undecided": 3}


@click.command("winnable")
@spec_argument
@click.argument("deal", metavar="DEAL", required=False)
@click.option("--deals", "many", metavar="FILE", help="Many deals instead, one JSON object a line; an answer a line.")
@click.option("--game", "recorded", metavar="GAME", help="A recorded game instead; see `replay`.")
@click.option(
    "--turn", type=click.IntRange(min=1), metavar="N", help="With --game: ask from the position in which turn N begins."
)
@click.option("--best", is_flag=True, help="If the maximum is out of reach, find the best score there is.")
@click.option("--explain", is_flag=True, help="Say why it cannot be won, for a player.")
@click.option("--explain-method", is_flag=True, help="Say what was tried, and what each step rests on.")
@click.option(
    "--engine",
    type=click.Choice(["ladder", "clauses", "sat", "z3"]),
    default="ladder",
    show_default=True,
    help="With `clauses` a no is always a solver's proof, never an argument; `sat` and "
    "`z3` decide from the rules alone, without any shortcut.",
)
@click.option(
    "--effort",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="How many times the usual budget of solvers may be spent.",
)
@partial(setting_options, otherwise=AS_DEALT)
@output_options
@click.pass_context
def command(
    ctx: click.Context,
    spec: str,
    deal: str | None,
    many: str | None,
    recorded: str | None,
    turn: int | None,
    best: bool,
    explain: bool,
    explain_method: bool,
    engine: str,
    effort: int,
    settings: Settings,
    output: Output,
) -> None:
    """Can the deal be won: is there a legal game of SPEC that ends with the maximum?

    DEAL is a file, `-`, or text (`r1 y3 …`, JSON or a link of hanab.live, or a seed such as `p3v0s17`). The answer
    carries its evidence, which `certify` checks. Exit code 0: winnable, 1: not, 3: undecided within the budget.
    """
    from hanabi_formal.winnability.answer import LadderBudget
    from hanabi_formal.winnability.ladder import LadderEngine
    from hanabi_formal.winnability.oracle import Oracle

    if sum(given is not None for given in (deal, many, recorded)) != 1:
        raise refuse(
            "HRL700",
            "one of DEAL, --deals and --game is needed, and only one",
            help="for example `winnable base p3v0s17`",
        )
    if turn is not None and recorded is None:
        raise refuse("HRL700", "--turn says where in a game to ask, and there is no --game")
    usual = LadderBudget()
    budget = LadderBudget(conflicts=usual.conflicts * effort, general_conflicts=usual.general_conflicts * effort)
    assert engine in get_args(LadderEngine)
    oracle = Oracle(Game.of(spec, settings), engine, budget)  # type: ignore[arg-type]
    wanted = _Wanted(best, explain, explain_method)
    if many is not None:
        ctx.exit(_each(oracle, many, wanted, settings, output))
    with _told_if_interrupted(lambda: oracle, "the deal"):
        if deal is not None:
            asked = _of_deal(oracle, deal, best, settings)
        else:
            position = _in_game(oracle, recorded or "", turn)
            oracle = position.oracle
            asked = oracle.ask(position.players, position.faces, position.before, best)
    report = wanted.report(oracle, asked)
    if output.form == "json":
        output.answer(report.data(), "")
    else:
        for line in report.lines():
            say(line)
    ctx.exit(CODES[asked.answer.verdict])


@dataclass(frozen=True)
class _Wanted:
    """What the user wants to be told."""

    best: bool
    explain: bool
    method: bool

    def report(self, oracle: Oracle, deal: AnsweredDeal) -> DealReport:
        from hanabi_formal.winnability.deal_report import DealReport

        return DealReport(oracle, deal, self.explain, self.method)


@contextmanager
def _told_if_interrupted(oracle: Callable[[], Oracle], what: str) -> Iterator[None]:
    """What is known so far, if the user has seen enough."""
    try:
        yield
    except KeyboardInterrupt:
        known = "; ".join(oracle().so_far()) or "nothing is known yet"
        say(f"{what}: {known}", err=True)
        raise


def _of_deal(oracle: Oracle, deal: str, best: bool, settings: Settings) -> AnsweredDeal:
    given, game = open_deal(deal), oracle.game
    players = chosen_players(game, settings, given)
    if players is None and game.player_counts:
        counts = ", ".join(map(str, game.player_counts))
        raise refuse("HRL700", "the deal does not say for how many players it is", help=f"--players {counts}")
    faces = faces_of(given, game.system(players), cache_folder())
    return oracle.ask(players, faces, best=best)


@dataclass(frozen=True)
class _Position:
    """A moment of a recorded game, under the rules that its options ask for."""

    oracle: Oracle
    players: int | None
    faces: tuple[int, ...]
    before: list[Instance]


def _in_game(oracle: Oracle, recorded: str, turn: int | None) -> _Position:
    from hanabi_formal.formats.games import only_game
    from hanabi_formal.replays.recorded import Library

    given, game = only_game(recorded), oracle.game
    if isinstance(given.content, Rejected):
        raise given.content
    replayed = Library(game.merged.composition.spec, game.settings, cache_folder()).replay(given.content)
    count = len(replayed.turns) if turn is None else turn - 1
    if count > len(replayed.turns):
        raise refuse("HRL700", f"the game has {len(replayed.turns)} legal turns, so turn {turn} never begins")
    before = [told.told.action for told in replayed.turns[:count]]
    same = oracle if replayed.game is game else oracle.of(replayed.game)
    return _Position(same, replayed.players, replayed.faces, before)


def _each(oracle: Oracle, name: str, wanted: _Wanted, settings: Settings, output: Output) -> int:
    """A line a deal, in order, as soon as it is known; what cannot be read is told, and the others go on."""
    counts: Counter[str] = Counter()
    progress = Progress(None, "deal")
    players = settings.params.get("players")
    try:
        for line in open_deal_lines(name):
            try:
                deal = line.deal(players, bool(oracle.game.player_counts))
                faces = deal.faces(oracle.game.system(deal.players), cache_folder())
            except Rejected as problem:
                counts[UNREADABLE] += 1
                progress.clear()
                output.unreadable(problem.diagnostics, line.name, line.number)
                if output.form == "json":
                    told = {"line": line.number, "diagnostics": as_data(problem.diagnostics)}
                    say(as_json({"schema": SCHEMA, **told}))
                continue
            shown = _shown(deal.id)
            progress.began(shown)
            with _told_if_interrupted(lambda: oracle, shown):
                asked = oracle.ask(deal.players, faces, best=wanted.best, name=deal.id)
            counts[asked.answer.verdict] += 1
            progress.clear()
            report = wanted.report(oracle, asked)
            whole = as_json({"schema": SCHEMA, **report.data()}) if output.form == "json" else None
            say(whole or "\n".join(report.brief(shown)))
            progress.done(shown)
            progress.counted()
    finally:
        progress.clear()
        if output.form != "json" and counts:
            say("  ".join(f"{verdict} {counts[verdict]}" for verdict in CODES if counts[verdict]))
    if not counts:
        raise refuse("HRL600", f"there is no deal in `{name}`", help=f"a line is {LINE}")
    return max(CODES[verdict] for verdict in counts)


def _shown(name: str | int) -> str:
    """A name of the user's as part of a line."""
    return name if isinstance(name, str) and name.isprintable() and name else as_json(name)

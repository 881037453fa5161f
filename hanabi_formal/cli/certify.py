"""`certify SPEC DEAL EVIDENCE`: is this evidence valid? `certify SPEC --deals FILE`: are all of these?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hanabi_formal.cli.common import (
    AS_DEALT,
    Finite,
    Output,
    chosen_players,
    output_options,
    setting_options,
    spec_argument,
)
from hanabi_formal.cli.evidence.one import CertifyRequest, GamesBySettings, Judged, completed, judged, parsed, taken
from hanabi_formal.compose.merge import merge
from hanabi_formal.compose.settings import Settings
from hanabi_formal.compose.units import compose
from hanabi_formal.diagnostics.diagnostic import refuse
from hanabi_formal.formats.deals import faces_of, open_deal
from hanabi_formal.formats.inputs import read_file
from hanabi_formal.resources import cache_folder

if TYPE_CHECKING:
    from hanabi_formal.judge.refutations.other_checkers import ExternalChecker

WRITTEN = "evidence is what `winnable --json` writes"
MOST_BYTES = 200_000_000


@click.command("certify")
@spec_argument
@click.argument("deal", metavar="DEAL", required=False)
@click.argument("evidence", metavar="EVIDENCE", required=False)
@click.option(
    "--deals",
    "many",
    multiple=True,
    metavar="FILE",
    help="Many answers instead, one a line, as `winnable --deals --json` writes them. Repeatable.",
)
@click.option("--begun", is_flag=True, help="The evidence may be about a game that had begun, as of `winnable --game`.")
@click.option("--afresh", is_flag=True, help="Prove again what a no needs of the rules, instead of looking it up.")
@click.option(
    "--export",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write each solver's proof there, as DIMACS and LRAT, with a note of what it is about.",
)
@click.option(
    "--checker",
    metavar="COMMAND",
    help="Give each solver's proof to somebody else's checker, too: `cake_lpr`, or `CMD {cnf} {lrat}`.",
)
@click.option(
    "--checker-says",
    "says",
    metavar="LINE",
    help="The line by which it accepts, if not `s VERIFIED UNSAT` or `s VERIFIED`.",
)
@click.option(
    "--checker-seconds",
    "seconds",
    type=Finite(min=0.001),
    default=600.0,
    show_default=True,
    metavar="N",
    help="How long it may take for one proof.",
)
@partial(setting_options, otherwise=AS_DEALT)
@output_options
@click.pass_context
def command(
    ctx: click.Context,
    spec: str,
    deal: str | None,
    evidence: str | None,
    many: tuple[str, ...],
    begun: bool,
    afresh: bool,
    export: Path | None,
    checker: str | None,
    says: str | None,
    seconds: float,
    settings: Settings,
    output: Output,
) -> None:
    """Check EVIDENCE about DEAL, a file as `winnable --json` writes it, against the rules of SPEC.

    A line is played by every engine. An argument or a proof is checked by code that shares nothing with what found it,
    except that clauses are made again by the same encoder. Exit code 0: accepted, 1: refused, 3: the other checker
    came to no end. Of many answers, on all cores, the highest counts.
    """
    if bool(many) == (deal is not None) or (deal is not None and evidence is None):
        raise refuse(
            "HRL700",
            "DEAL and EVIDENCE are needed, or --deals, and not both",
            help="for example `certify base p3v0s17 answer.json`",
        )
    other = _examined(checker, says, seconds)
    library = GamesBySettings(merge(compose(spec)), CertifyRequest(settings, begun, afresh, export, other))
    if many:
        from hanabi_formal.cli.evidence.many import certify_all

        ctx.exit(certify_all(library, many, output))
    assert deal is not None and evidence is not None  # noqa: PT018
    found = _judged(library, deal, evidence)
    output.answer(found.data, "\n".join(found.told))
    ctx.exit(found.code)


def _judged(library: GamesBySettings, deal: str, evidence: str) -> Judged:
    data = _read(evidence)
    request = library.request
    settings = completed(request.settings, data)
    found = taken(request.settings, settings)
    game = library.game(settings)
    given = open_deal(deal)
    players = chosen_players(game, settings, given)
    if players is None and game.player_counts:
        said = data.get("players") if isinstance(data, dict) else None
        if isinstance(said, int) and said in game.player_counts:
            players = said
            found.append(f"{players} players")
        if players is None:
            raise refuse("HRL700", "neither deal nor evidence says for how many players it is", help="--players N")
    faces = faces_of(given, game.system(players), cache_folder())
    answer = judged(request, game, players, faces, data, "deal")
    if found:
        answer.told.insert(0, f"under {', '.join(found)}, as the evidence says")
    return answer


def _examined(command: str | None, says: str | None, seconds: float) -> ExternalChecker | None:
    """A checker that can be relied upon."""
    if command is None:
        if says is not None:
            raise refuse("HRL700", "--checker-says is about a --checker, and there is none")
        return None
    from hanabi_formal.judge.refutations.other_checkers import ACCEPTANCES, ExternalChecker, Unusable

    checker = ExternalChecker(command, ACCEPTANCES if says is None else (says.strip(),), seconds)
    try:
        checker.examine()
    except Unusable as problem:
        raise refuse(
            "HRL700",
            f"`--checker {ascii(command)[1:-1]}` is no checker to rely on: {problem}",
            help="a checker of LRAT proofs, called with formula and proof, such as `cake_lpr`; if it accepts "
            "by another line than `s VERIFIED UNSAT`, --checker-says LINE",
        ) from None
    return checker


def _read(evidence: str) -> object:
    source = read_file(evidence, MOST_BYTES)
    try:
        return parsed(source, WRITTEN)
    except ValueError as problem:
        raise refuse("HRL603", f"`{source.name}` is no evidence: {problem}", help=WRITTEN) from None

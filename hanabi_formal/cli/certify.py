"""`certify SPEC DEAL EVIDENCE`: is this evidence valid?"""

from __future__ import annotations

import json

import click

from hanabi_formal.api import Game
from hanabi_formal.check.merge import merge
from hanabi_formal.check.settings import Settings
from hanabi_formal.check.units import compose
from hanabi_formal.cli.common import Output, output_options, setting_options, spec_argument
from hanabi_formal.diagnostics.diagnostic import refuse
from hanabi_formal.formats.deals import faces_of, open_deal, player_count
from hanabi_formal.formats.inputs import read_file
from hanabi_formal.resources import cache_folder

REFUSED = 1
MOST_BYTES = 500_000_000


@click.command("certify")
@spec_argument
@click.argument("deal", metavar="DEAL")
@click.argument("evidence", metavar="EVIDENCE")
@click.option("--afresh", is_flag=True, help="Prove again what a no needs of the rules, instead of looking it up.")
@setting_options
@output_options
@click.pass_context
def command(
    ctx: click.Context, spec: str, deal: str, evidence: str, afresh: bool, settings: Settings, output: Output
) -> None:
    """Check EVIDENCE about DEAL, a file as `winnable --json` writes it, against the rules of SPEC.

    A line is played by every engine. An argument or a proof is checked by code that shares nothing with what found it,
    except that clauses are made again by the same encoder. Exit code 0: accepted, 1: refused.
    """
    from hanabi_formal.ask.evidence import judge
    from hanabi_formal.certify.lrat import Refused

    game = Game(merge(compose(spec)), settings)
    source = read_file(evidence, MOST_BYTES)
    try:
        data = json.loads(source.text)
    except (ValueError, RecursionError):
        raise refuse("HRL603", f"`{evidence}` is not JSON", help="evidence is what `winnable --json` writes") from None
    given = open_deal(deal)
    players = settings.params.get("players")
    if players is None and game.player_counts:
        said = data.get("players") if isinstance(data, dict) else None
        players = player_count(given, game.player_counts, game.name)
        if players is None and isinstance(said, int) and said in game.player_counts:
            players = said
        if players is None:
            raise refuse("HRL700", "neither deal nor evidence says for how many players it is", help="--players N")
    faces = faces_of(given, game.system(players), cache_folder())
    parts = [("", data)]
    if isinstance(data, dict) and isinstance(data.get("beyond"), dict):
        about = {key: data[key] for key in ("rules", "after") if key in data}
        parts.append(("beyond: ", {**about, **data["beyond"]}))
    told: list[str] = []
    answers: list[dict[str, object]] = []
    try:
        for prefix, part in parts:
            accepted = judge(game, players, faces, part, afresh)
            told.append(f"{prefix}accepted: {accepted.answer} ({accepted.goal} points)")
            told += [f"  {line}" for line in accepted.checked]
            answers.append({"answer": accepted.answer, "goal": accepted.goal, "checked": list(accepted.checked)})
    except Refused as refused:
        output.answer({"accepted": False, "reason": str(refused)}, "\n".join([*told, f"refused: {refused}"]))
        ctx.exit(REFUSED)
    output.answer({"accepted": True, "answers": answers}, "\n".join(told))

"""`certify SPEC DEAL EVIDENCE`: is this evidence valid?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import click

from hanabi_formal.api import Game
from hanabi_formal.certify.lrat import Refused
from hanabi_formal.check.merge import merge
from hanabi_formal.check.settings import Settings
from hanabi_formal.check.units import compose
from hanabi_formal.cli.common import AS_DEALT, SCHEMA, Output, output_options, setting_options, spec_argument
from hanabi_formal.diagnostics.diagnostic import counted, refuse
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.foreign.strict_json import read_json
from hanabi_formal.formats.deals import faces_of, open_deal, player_count
from hanabi_formal.formats.inputs import read_file
from hanabi_formal.resources import cache_folder

if TYPE_CHECKING:
    from hanabi_formal.ask.evidence import Accepted

REFUSED = 1
WRITTEN = "evidence is what `winnable --json` writes"
MOST_BYTES = 200_000_000


@click.command("certify")
@spec_argument
@click.argument("deal", metavar="DEAL")
@click.argument("evidence", metavar="EVIDENCE")
@click.option("--begun", is_flag=True, help="The evidence may be about a game that had begun, as of `winnable --game`.")
@click.option("--afresh", is_flag=True, help="Prove again what a no needs of the rules, instead of looking it up.")
@partial(setting_options, otherwise=AS_DEALT)
@output_options
@click.pass_context
def command(
    ctx: click.Context, spec: str, deal: str, evidence: str, begun: bool, afresh: bool, settings: Settings,
    output: Output,
) -> None:  # fmt: skip
    """Check EVIDENCE about DEAL, a file as `winnable --json` writes it, against the rules of SPEC.

    A line is played by every engine. An argument or a proof is checked by code that shares nothing with what found it,
    except that clauses are made again by the same encoder. Exit code 0: accepted, 1: refused.
    """
    from hanabi_formal.ask.evidence import judge_all

    data = _read(evidence)
    asked = settings
    settings = _completed(asked, data)
    taken = _taken(asked, settings)
    game = Game(merge(compose(spec)), settings)
    given = open_deal(deal)
    players = settings.params.get("players")
    if players is None and game.player_counts:
        said = data.get("players") if isinstance(data, dict) else None
        players = player_count(given, game.player_counts, game.name)
        if players is None and isinstance(said, int) and said in game.player_counts:
            players = said
            taken.append(f"{players} players")
        if players is None:
            raise refuse("HRL700", "neither deal nor evidence says for how many players it is", help="--players N")
    faces = faces_of(given, game.system(players), cache_folder())
    told = [f"under {', '.join(taken)}, as the evidence says"] if taken else []
    answers: list[dict[str, object]] = []
    try:
        for accepted in judge_all(game, players, faces, _subject(data, begun), afresh):
            told.append(f"accepted: {_shown(accepted)}")
            told += [f"  {line}" for line in accepted.checked]
            answers.append({"answer": accepted.answer, "goal": accepted.goal, "maximum": accepted.maximum,
                            "after": accepted.after, "checked": list(accepted.checked)})  # fmt: skip
    except Refused as refused:
        output.answer({"accepted": False, "settings": game.settings.data, "reason": str(refused)},
                      "\n".join([*told, f"refused: {refused}"]))  # fmt: skip
        ctx.exit(REFUSED)
    output.answer({"accepted": True, "settings": game.settings.data, "answers": answers}, "\n".join(told))


def _shown(accepted: Accepted) -> str:
    after = f", after {counted(accepted.after, 'action')}" if accepted.after else ""
    if accepted.goal == accepted.maximum:
        return f"{accepted.answer} ({accepted.goal} points{after})"
    many = f"{accepted.goal} of {accepted.maximum} points{after}"
    return f"a game with {many}" if accepted.answer == "winnable" else f"no game has {many}"


def _read(evidence: str) -> object:
    source = read_file(evidence, MOST_BYTES)
    try:
        return read_json(source.text)
    except json.JSONDecodeError as problem:
        place = Span(source, problem.pos, min(problem.pos + 1, len(source.text)))
        raise refuse("HRL603", f"this is not JSON: {problem.msg.lower()}", place, help=WRITTEN) from None
    except ValueError as problem:
        raise refuse("HRL603", f"`{source.name}` is no evidence: {problem}", help=WRITTEN) from None


def _completed(settings: Settings, data: object) -> Settings:
    """With what the evidence says it is about, where the command line says nothing."""
    said = data.get("settings") if isinstance(data, dict) else None
    if not isinstance(said, dict):
        return settings
    rulings = {name: value for name, value in _named(said.get("rulings")).items() if isinstance(value, str)}
    numbers = {name: value for name, value in _named(said.get("set")).items() if type(value) is int}
    cuts = {name: tuple(map(str, value)) for name, value in _named(said.get("set")).items() if isinstance(value, list)}
    return Settings({**numbers, **settings.params}, {**rulings, **settings.rulings}, {**cuts, **settings.cuts})


def _taken(asked: Settings, completed: Settings) -> list[str]:
    """What was not asked for."""
    return [
        f"{name}={','.join(value) if isinstance(value, tuple) else value}"
        for before, after in zip(_parts(asked), _parts(completed), strict=True)
        for name, value in after.items()
        if name not in before
    ]


def _parts(settings: Settings) -> tuple[Mapping[str, int | str | tuple[str, ...]], ...]:
    return settings.rulings, settings.params, settings.cuts


def _named(data: object) -> dict[str, object]:
    return data if isinstance(data, dict) else {}


def _subject(data: object, begun: bool) -> dict[str, object]:
    """What is to be judged, if it is written as it should be, and about what is asked."""
    if not isinstance(data, dict):
        raise Refused("evidence is an object, as `winnable --json` writes it")
    if data.get("schema", SCHEMA) != SCHEMA:
        raise Refused(f"it is written in version {ascii(data['schema'])[:20]}, and this is version {SCHEMA}")
    if data.get("after") and not begun:
        raise Refused("it is about a game that had begun, not about the whole deal; with --begun that is judged")
    return data

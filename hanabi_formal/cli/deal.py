"""`deal`: a deck from a seed, as text or JSON."""

from __future__ import annotations

from typing import Any

import click

from hanabi_formal.api import Game
from hanabi_formal.cli.common import Output, chosen_players, output_options, setting_options
from hanabi_formal.compose.settings import Settings
from hanabi_formal.formats.deals import SeedDeal, faces_of, parse_chosen_seed, shuffled
from hanabi_formal.formats.faces import show_deal
from hanabi_formal.formats.hanab_live.deck_numbers import as_record, has_suits_and_ranks
from hanabi_formal.resources import cache_folder


@click.command("deal")
@click.argument("spec", metavar="SPEC", default="base")
@click.option(
    "--seed",
    default="0",
    show_default=True,
    help="What the order follows from: a number, or a seed of hanab.live such as `p3v0s17`.",
)
@setting_options
@output_options
def command(spec: str, seed: str, settings: Settings, output: Output) -> None:
    """The cards of SPEC (`base` if not given) in an order that follows from the seed.

    In JSON the deal has the form in which hanab.live reads and writes games.
    """
    game = Game.of(spec, settings)
    chosen = parse_chosen_seed(seed)
    system = game.system(chosen_players(game, settings, chosen if isinstance(chosen, SeedDeal) else None))
    if isinstance(chosen, SeedDeal):
        faces, told = faces_of(chosen, system, cache_folder()), chosen.seed
        data: dict[str, Any] = {"spec": game.name}
    else:
        faces, told = shuffled(system, chosen), None
        data = {"spec": game.name, "shuffle": chosen}
    text = show_deal(faces, system)
    record = as_record(faces, system, seed=told) if has_suits_and_ranks(system) else {"deck": text}
    output.answer({**data, **record}, text)

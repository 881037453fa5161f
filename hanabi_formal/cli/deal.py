"""`deal`: a deck from a seed, as text or JSON."""

from __future__ import annotations

import click

from hanabi_formal.api import Game
from hanabi_formal.check.merge import merge
from hanabi_formal.check.settings import Settings
from hanabi_formal.check.units import compose
from hanabi_formal.cli.common import Output, output_options, setting_options
from hanabi_formal.formats.deals import show_deal, shuffled


@click.command("deal")
@click.argument("spec", metavar="SPEC", default="base")
@click.option("--seed", default="0", show_default=True, help="What the order follows from.")
@setting_options
@output_options
def command(spec: str, seed: str, settings: Settings, output: Output) -> None:
    """The cards of SPEC (`base` if not given) in an order that follows from the seed."""
    game = Game(merge(compose(spec)), settings)
    system = game.system(settings.params.get("players"))
    text = show_deal(shuffled(system, seed), system)
    output.answer({"spec": game.name, "seed": seed, "deck": text}, text)

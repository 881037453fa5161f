"""`play SPEC`: a game from a seed, with the clause behind each change."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import click

from hanabi_formal.api import Game, State
from hanabi_formal.cli.common import Finite, Output, chosen_players, output_options, setting_options, spec_argument
from hanabi_formal.cli.terminal import say
from hanabi_formal.compose.settings import Settings
from hanabi_formal.formats.deals import SeedDeal, faces_of, open_deal, parse_chosen_seed
from hanabi_formal.formats.step_text import ToldStep, end_data, end_line, step_data, step_line
from hanabi_formal.resources import cache_folder
from hanabi_formal.run.drivers import Driver, random_driver, skilled_driver

MOST_STEPS = 10_000


def play_out(state: State, driver: Driver) -> Iterator[ToldStep]:
    """The steps of a game until it ends, gets stuck or is cut off; both readings of the rules must agree on each."""
    compiled = state.compiled
    for number in range(1, MOST_STEPS + 1):
        if not compiled.legal(state.dealt, state.packed):
            return
        code = driver(state.dealt, state.packed)
        instance = compiled.decode(state.packed, code)
        action = state.action(instance.name, *instance.args)
        step = state.explain(action)
        after = State(compiled, state.dealt, compiled.step(state.dealt, state.packed, code))
        if after.spelt_out != step.after:
            raise RuntimeError("the executor and the interpreter disagree")
        yield ToldStep(number, state.actor, action, step, state, after)
        state = after


@click.command("play")
@spec_argument
@click.option(
    "--seed",
    default="0",
    show_default=True,
    help="What deal and choices follow from: a number, or hanab.live's, such as `p3v0s17`.",
)
@click.option(
    "--deal",
    "deal_given",
    metavar="DEAL",
    help="The order of the cards instead of the seed's: a file, `-`, or text (`r1 y3 …`).",
)
@click.option(
    "--driver",
    type=click.Choice(["random", "skilled"]),
    default="skilled",
    show_default=True,
    help="Choose among the legal actions at random, or by looking a step ahead.",
)
@click.option(
    "--deviation",
    type=Finite(0, 1),
    default=0.0,
    show_default=True,
    help="How often the skilled driver chooses at random.",
)
@partial(setting_options, otherwise="what the deal or the seed says, or as few as can be, if not given")
@output_options
def command(
    spec: str, seed: str, deal_given: str | None, driver: str, deviation: float, settings: Settings, output: Output
) -> None:
    """Play a game of SPEC to its end, each change with the clause behind it."""
    game = Game.of(spec, settings)
    followed = parse_chosen_seed(seed)
    seed = followed.seed.text if isinstance(followed, SeedDeal) else str(followed)
    given = open_deal(deal_given) if deal_given is not None else followed if isinstance(followed, SeedDeal) else None
    players = chosen_players(game, settings, given)
    if players is None and game.player_counts:
        players = game.player_counts[0]
    faces = faces_of(given, game.system(players), cache_folder()) if given is not None else None
    state = game.start(players, deal=faces, seed=seed)
    compiled = state.compiled
    chooser = random_driver(compiled, seed) if driver == "random" else skilled_driver(compiled, seed, deviation)
    count = f", {players} players" if players is not None else ""
    chosen = {**dict(state.system.rulings), **dict(state.system.parameters)}
    dealt = state.deal if state.system.deck is not None else ""
    if output.form != "json":
        say(f"{game.name}{count}, {'' if deal_given is None else 'choices of '}seed {seed}, {driver}")
        if dealt:
            say(f"deal  {dealt}")
    steps: list[ToldStep] = []
    for told in play_out(state, chooser):
        state = told.after
        if output.form == "json":
            steps.append(told)
        else:
            say(step_line(told))
    data = {
        "spec": game.name,
        "players": players,
        "seed": seed,
        "driver": driver,
        "settings": chosen,
        "deal": dealt,
        "steps": [step_data(told) for told in steps],
        "end": end_data(state),
    }
    output.answer(data, end_line(state))

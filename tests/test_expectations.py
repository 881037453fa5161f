"""One golden file lists what every specification is expected to come to, and what it does come to, with `proofs/`.

Every composition is checked for one number of players, some of them in every run and the others with `-m deep`; and for the
other numbers with `-m slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cross.setups import PRINTED
from hanabi_formal.api import Game
from hanabi_formal.compose.merge import merge
from hanabi_formal.compose.settings import Settings
from hanabi_formal.compose.units import compose
from hanabi_formal.prove.archive import load, proof_path
from hanabi_formal.prove.consistency.bands import BANDS
from hanabi_formal.prove.obligation import Verdict
from hanabi_formal.verify.composition import FullCheck

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = Path(__file__).parent / "golden" / "expectations.txt"
ON_THE_BASE = ("base", "expert", "timed", "avalanche", "rainbow", "difficulty", "dutch_layout", "literal_fit")
SPECS = (*ON_THE_BASE, *PRINTED)
EVERY = [(spec, players) for spec in SPECS for players in (2, 3, 4, 5)]
SOME = [(spec, 2 + at % 4) for at, spec in enumerate(SPECS)]


def told(spec: str, players: int) -> str:
    """The obligations by verdict; a refuted one with the reason that the text gives for expecting it."""
    game = Game(merge(compose(spec)), Settings())
    system = game.system(players)
    memory = load(proof_path(ROOT / "proofs", system, players), system)
    assert memory.games, f"the proofs of {spec} for {players} players are of other rules: `check {spec} --save`"
    reasons = {prop.name: prop.refuted_because for prop in system.properties}
    if system.bands is not None:
        reasons[BANDS.name] = system.bands.refuted_because
    found = list(FullCheck(game, players, 0, memory).results())
    assert [result for result in found if not result.as_expected] == []
    lines = [f"## {spec}, {players} players"]
    for result in found:
        if result.verdict is Verdict.REFUTED:
            shown = f"{len(result.trace.actions)} actions" if result.trace else result.method
            reason = reasons.get(result.name)
            lines.append(f"refuted: {result.name} ({shown})" + (f", because {reason}" if reason else ""))
    for verdict in Verdict:
        names = [result.name for result in found if result.verdict is verdict]
        if names and verdict is not Verdict.REFUTED:
            lines.append(f"{verdict}: {', '.join(names)}")
    return "\n".join(lines) + "\n"


def sections() -> dict[str, str]:
    text = GOLDEN.read_text(encoding="utf-8") if GOLDEN.exists() else ""
    parts = [f"## {part}".rstrip() + "\n" for part in text.split("## ")[1:]]
    return {part.splitlines()[0]: part for part in parts}


def test_every_composition_is_listed_for_every_number_of_players() -> None:
    assert list(sections()) == [f"## {spec}, {players} players" for spec, players in EVERY]


@pytest.mark.parametrize(
    ("spec", "players"), [pytest.param(*one, marks=() if one in SOME else pytest.mark.slow) for one in EVERY]
)
@pytest.mark.sampled(5)
def test_expectations(spec: str, players: int, accepting: bool) -> None:
    text = told(spec, players)
    known = sections()
    if accepting:
        known[text.splitlines()[0]] = text
        order = [f"## {spec}, {players} players" for spec, players in EVERY]
        GOLDEN.write_text("\n".join(known[title] for title in order if title in known), encoding="utf-8")
    assert known.get(text.splitlines()[0]) == text

"""A few obligations by name, each in the cheapest way that decides it: by a game, by the text, or without lemmas.

What is left open here is for the whole check, which begins with all proofs by induction.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from hanabi_formal.prove.consistency.bands import BANDS
from hanabi_formal.prove.consistency.dead_parts import consistency
from hanabi_formal.prove.consistency.end_pairs import pairs
from hanabi_formal.prove.consistency.worked_examples import examples
from hanabi_formal.prove.induction.invariants import Claimant
from hanabi_formal.prove.knowledge.knowledge import knowledge
from hanabi_formal.prove.knowledge.self_composition import ALIKE, KNOWN
from hanabi_formal.prove.length.length import NAME
from hanabi_formal.prove.obligations import Checker
from hanabi_formal.prove.verdicts import Result, Verdict


def few(checker: Checker, wanted: Set[str]) -> Iterator[Result]:
    """Results for those of the wanted obligations that are decided."""
    for result in checker.judged(_few(checker, wanted)):
        if result.name in wanted and result.verdict is not Verdict.UNDECIDED:
            yield result


def _few(checker: Checker, wanted: Set[str]) -> Iterator[Result]:
    system, players = checker.system, checker.players
    kinds = {prop.name: prop.kind for prop in system.properties if prop.name in wanted}
    if "example" in kinds.values():
        yield from examples(system, players)
    for claim in Claimant(checker.compiled, checker.witness, checker.memory).refuted_by_games(wanted):
        yield checker.refuted(claim)
    if wanted & {ALIKE, KNOWN} or "reveals" in kinds.values():
        yield from knowledge(checker.compiled, players, (), checker.witness)
    if BANDS in wanted:
        checker.claims()
    if wanted & {BANDS, *checker.aims(), *(pair.name for pair in pairs(system))}:
        yield from checker.searched([], wanted)
    if any(name.startswith(("case ", "guard ", "premise ")) for name in wanted):
        games = {**checker.memory.games, **checker.found}
        yield from consistency(checker.compiled, players, (), checker.games, games, checker.settled)
    if NAME in wanted:
        checker.claims()
        yield from checker.length()

"""Refutations written for other people's checkers, with a note of what they are about."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hanabi_formal import __version__
from hanabi_formal.api import Game
from hanabi_formal.formats.faces import show_deal
from hanabi_formal.formats.storage import write_atomically
from hanabi_formal.judge.arguments.needs import SPENDING, TOKENS, TURNS
from hanabi_formal.judge.evidence import Accepted, rules_hash
from hanabi_formal.judge.refutations.dimacs import standard
from hanabi_formal.judge.refutations.refutation import Refutation

SCHEMA = 1
README = "README.md"
MADE_BY = {
    "seats": "judge/refutations/seats.py",
    SPENDING: "judge/refutations/seats.py",
    TOKENS: "judge/refutations/seats.py",
    "unrolled": "sat/formula.py",
}
NEEDED = {"seats": TURNS, SPENDING: SPENDING, TOKENS: TOKENS}
"""Which of `spec/needs/` the rules must have, for won games to satisfy the clauses."""


@dataclass(frozen=True)
class About:
    """What a refutation is about: a deal of a game. `after` are the actions taken before, as evidence has them."""

    game: Game
    players: int | None
    faces: Sequence[int]
    after: Sequence[object] = ()


@dataclass(frozen=True)
class Exported:
    cnf: Path
    lrat: Path


def export(folder: Path, name: str, about: About, accepted: Accepted, refutation: Refutation) -> Exported:
    """Formula, proof and note under that name; a general note is beside them."""
    found = standard(refutation)
    cnf, lrat = folder / f"{name}.cnf", folder / f"{name}.lrat"
    write_atomically(cnf, found.cnf)
    write_atomically(lrat, found.lrat)
    note = {
        "schema": SCHEMA,
        "made by": f"hanabi-formal {__version__}",
        "spec": about.game.name,
        "players": about.players,
        "settings": about.game.settings.data,
        "rules": rules_hash(about.game, about.players),
        "deck": show_deal(about.faces, about.game.system(about.players)),
        "after": list(about.after),
        "goal": accepted.goal,
        "maximum": accepted.maximum,
        "claim": f"no game of this deal has {accepted.goal} points or more",
        "kind": refutation.kind,
        "encoder": MADE_BY[refutation.kind],
        "needs": NEEDED.get(refutation.kind),
        "digest": refutation.digest,
        "formula": {
            "file": cnf.name,
            "variables": found.variables,
            "clauses": found.clauses,
            "clauses of the encoder": len(refutation.clauses),
        },
        "proof": {"file": lrat.name, "steps": found.steps},
        "variables": {str(number): words for number, words in refutation.meaning().items()},
    }
    write_atomically(folder / f"{name}.json", json.dumps(note, ensure_ascii=False, indent=1) + "\n")
    write_atomically(folder / README, NOTE)
    return Exported(cnf, lrat)


NOTE = """# Refutations of deals, for any checker of LRAT proofs

Written by `hanabi-formal certify --export`. Three files belong together:

- `NAME.cnf`, a formula in strict DIMACS: no clause is empty or true anyway, no literal is in a clause twice;
- `NAME.lrat`, a proof that it cannot be met, LRAT in text form: the clauses of the formula are numbered from 1 in their
  order, every step follows from the clauses that it names by unit propagation (no RAT), lines with `d` delete;
- `NAME.json`, what they are about: rules, settings, deal, goal, the kind of clauses, what their variables mean.

A checker is given the first two, for example `cake_lpr NAME.cnf NAME.lrat`, which answers `s VERIFIED UNSAT`.

What its yes shows: the formula cannot be met. That the formula is about the deal is not in these files. `kind` in the
note says how it was made, and what follows if it cannot be met:

- `seats`, `tokens`, `spending`: every game of the deal with so many points satisfies it, if the rules have what `needs`
  in the note names; that is a file of `spec/needs/`, and `hanabi-formal check SPEC+spec/needs/NEED.hrl` proves it;
- `unrolled`: the rules themselves, step by step; it can be met exactly if some game has not ended after the last step,
  or has ended with so many points.

`hanabi-formal certify` makes the clauses again from the rules and the deal. `digest` is a hash of all of them, as the
encoder makes them. Those that are true anyway are not in the formula. If one of them is empty, there is nothing to
prove; in its place the formula has two clauses, a variable of its own and its negation.
"""

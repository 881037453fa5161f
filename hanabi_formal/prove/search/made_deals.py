"""Deals made to order: the faces of the cards as unknowns, with as many copies of each as the deck has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import z3

from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Deck, System
from hanabi_formal.prove.induction.initial_state import first_scene, ground_translator
from hanabi_formal.prove.induction.solver_call import new_solver
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault
from hanabi_formal.smt.terms import Term
from hanabi_formal.smt.translate import Beyond, Translator

EXCHANGES = 200


@dataclass(frozen=True)
class Ordered:
    """A deal with which a condition holds at the start; `impossible` if it is proved that there is none."""

    faces: tuple[int, ...] | None
    impossible: bool


def deal_with(system: System, condition: Expr) -> Ordered:
    """A deal after which the condition holds in the first state."""
    deck = system.deck
    translator = ground_translator(system)
    solver = new_solver()
    try:
        solver.add(translator.expr(condition, first_scene(system, translator)))
    except Beyond:
        return Ordered(None, False)
    held = _faces(deck, translator) if deck is not None else []
    solver.add(*_all_copies(deck, held) if deck is not None else ())
    answer = solver.check()
    if answer != z3.sat:
        return Ordered(None, answer == z3.unsat)
    model = solver.model()
    faces = (next(n for n, term in enumerate(row) if z3.is_true(model.eval(term, True))) for row in held)
    return Ordered(tuple(faces), False)


def _faces(deck: Deck, translator: Translator) -> list[list[Term]]:
    """For each card and face, whether the card has that face."""
    names = [name for name, _ in deck.attributes]
    return [
        [
            z3.And(*(translator.attribute(n, z3.IntVal(card)) == v for n, v in zip(names, face, strict=True)))
            for face in deck.faces
        ]
        for card in range(deck.sort.size)
    ]


def _all_copies(deck: Deck, held: list[list[Term]]) -> list[Term]:
    facts = [z3.Or(*row) for row in held]
    return facts + [z3.PbEq([(row[face], 1) for row in held], many) for face, many in enumerate(deck.copies)]


def dealer_of(compiled: Compiled, condition: Expr) -> tuple[Callable[[Random], list[int]] | None, bool]:
    """Deals that meet a condition on the deal, otherwise at random; or none, and whether none is possible."""
    ordered = deal_with(compiled.system, condition)
    if ordered.faces is None:
        return None, ordered.impossible
    faces, fits = ordered.faces, compiled.predicate(condition)
    try:
        start = compiled.start(compiled.deal(list(faces)))
    except Fault:
        return None, False

    def dealer(random: Random) -> list[int]:
        found = list(faces)
        for _ in range(EXCHANGES):
            one, other = random.randrange(len(found)), random.randrange(len(found))
            found[one], found[other] = found[other], found[one]
            if not fits(compiled.deal(found), start):
                found[one], found[other] = found[other], found[one]
        return found

    return dealer, False

"""What seats know, as obligations: proved with two copies of the game, or refuted by two games."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import PropertyKind
from hanabi_formal.prove.induction.solver_call import ProofListener, ProofOutcome, inexpressible, serving
from hanabi_formal.prove.knowledge.paired_games import ALIKE, KNOWN, TwinGames
from hanabi_formal.prove.knowledge.self_composition import Information
from hanabi_formal.prove.obligation import Obligation, Result, Verdict
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.smt.translate import Beyond

KnowledgeQuestion = Callable[[Information], ProofOutcome]


def knowledge(compiled: Compiled, lemmas: tuple[Expr, ...], listener: ProofListener | None) -> Iterator[Result]:
    """Most questions need no lemma, and are quicker without any."""
    system = compiled.system
    if system.view is None or system.deck is None:
        return
    told = {Obligation.declared(prop): prop for prop in system.properties if prop.kind == PropertyKind.REVEALS}
    questions: dict[Obligation, KnowledgeQuestion] = {
        replace(ALIKE, clauses=system.view.clauses): Information.stays_alike
    }
    if system.actor is not None:
        questions[replace(KNOWN, clauses=system.view.clauses)] = Information.legal_is_known
    questions |= {one: partial(Information.reveals, prop=prop) for one, prop in told.items()}
    open_ones: dict[Obligation, tuple[ProofOutcome, float]] = {}
    for one, question in questions.items():
        began = time.perf_counter()
        outcome = _asked(question, compiled, lemmas, serving(listener, one))
        took = time.perf_counter() - began
        if outcome.proved:
            yield Result(one, Verdict.PROVED, "two copies", seconds=took)
        else:
            open_ones[one] = outcome, took
    if not open_ones:
        return
    began = time.perf_counter()
    unlike = TwinGames(compiled, told).search(frozenset(open_ones))
    searching = (time.perf_counter() - began) / len(open_ones)
    for one, (outcome, took) in open_ones.items():
        found, seconds = unlike.get(one), took + searching
        if found is None:
            yield Result(one, Verdict.UNDECIDED, "two copies, then two games", outcome.detail, seconds=seconds)
        else:
            replay(compiled, found.trace)
            yield Result(one, Verdict.REFUTED, "two games", found.detail, found.trace, seconds=seconds)


def _asked(
    question: KnowledgeQuestion, compiled: Compiled, lemmas: tuple[Expr, ...], listener: ProofListener | None
) -> ProofOutcome:
    try:
        outcome = question(Information(compiled.system, (), listener))
        return outcome if outcome.proved or not lemmas else question(Information(compiled.system, lemmas, listener))
    except Beyond as problem:
        return inexpressible(problem)

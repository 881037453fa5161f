"""What seats know, as obligations: proved with two copies of the game, or refuted by two games."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

from hanabi_formal.kernel.expr import Expr
from hanabi_formal.prove.induction.query import Outcome, Witness, serving
from hanabi_formal.prove.knowledge.paired_games import TwinGames
from hanabi_formal.prove.knowledge.self_composition import ALIKE, KNOWN, Information
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.prove.verdicts import Result, Verdict, expected_of
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.smt.translate import Beyond

Question = Callable[[Information], Outcome]


def knowledge(
    compiled: Compiled, players: int | None, lemmas: tuple[Expr, ...], witness: Witness | None
) -> Iterator[Result]:
    """Most questions need no lemma, and are quicker without any."""
    system = compiled.system
    if system.view is None or system.deck is None:
        return
    told = {prop.name: prop for prop in system.properties if prop.kind == "reveals"}
    questions: dict[str, Question] = {ALIKE: Information.stays_alike}
    if system.actor is not None:
        questions[KNOWN] = Information.legal_is_known
    questions |= {name: partial(Information.reveals, prop=prop) for name, prop in told.items()}
    clauses = {ALIKE: system.view.clauses, KNOWN: system.view.clauses, **{n: p.clauses for n, p in told.items()}}
    expected = {name: expected_of(prop) for name, prop in told.items()}
    open_ones: dict[str, tuple[Outcome, float]] = {}
    for name, question in questions.items():
        began = time.perf_counter()
        outcome = _asked(question, compiled, lemmas, serving(witness, name))
        took = time.perf_counter() - began
        if outcome.proved:
            yield Result(
                name, players, Verdict.PROVED, expected.get(name, Verdict.PROVED), "two copies", clauses[name], took
            )
        else:
            open_ones[name] = outcome, took
    if not open_ones:
        return
    began = time.perf_counter()
    unlike = TwinGames(compiled, told).search(frozenset(open_ones))
    searching = (time.perf_counter() - began) / len(open_ones)
    for name, (outcome, took) in open_ones.items():
        found = unlike.get(name)
        verdict = Verdict.REFUTED if found else Verdict.UNDECIDED
        method = "two games" if found else "two copies, then two games"
        if found:
            replay(compiled, found.trace)
        yield Result(
            name,
            players,
            verdict,
            expected.get(name, Verdict.PROVED),
            method,
            clauses[name],
            took + searching,
            found.detail if found else outcome.detail,
            found.trace if found else None,
        )


def _asked(question: Question, compiled: Compiled, lemmas: tuple[Expr, ...], witness: Witness | None) -> Outcome:
    try:
        outcome = question(Information(compiled.system, (), witness))
        return outcome if outcome.proved or not lemmas else question(Information(compiled.system, lemmas, witness))
    except Beyond as problem:
        return Outcome(False, f"{problem} cannot be expressed", 0)

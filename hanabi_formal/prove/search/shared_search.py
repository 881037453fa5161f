"""One search for everything that a game could show: what is to be reached, and what would refute a claim."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from hanabi_formal.kernel.build import FALSE, conj, negate
from hanabi_formal.kernel.expr import Ended, Expr
from hanabi_formal.kernel.system import PropertyKind, System
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.consistency.bands import BandCheck
from hanabi_formal.prove.consistency.end_pairs import never_together, pair_goals, pair_results
from hanabi_formal.prove.induction.induction import Induction
from hanabi_formal.prove.induction.invariants import Claim
from hanabi_formal.prove.induction.needed_lemmas import Guide, QuestionKey
from hanabi_formal.prove.induction.solver_call import ProofListener
from hanabi_formal.prove.induction.step_goals import Claims
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Result, Verdict, timed
from hanabi_formal.prove.properties import asked, enabled, possible_actions
from hanabi_formal.prove.search.explorer import Exploration, Goal
from hanabi_formal.prove.search.goals import GoalSearch, Memory, Purpose, Target, shows
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.prove.search.shorten import Shortener
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault, FaultKind
from hanabi_formal.smt.translate import Beyond

BREAKDOWN = Obligation.of(ObligationKind.BREAKDOWN)


@dataclass
class Proofs:
    """What proofs may use, and what they found: it grows.

    `lemmas` are proved invariants. If it is to be kept which of them each question needs, `needs` has that.
    """

    lemmas: dict[Obligation, Expr]
    needs: dict[QuestionKey, tuple[Obligation, ...]]
    listener: ProofListener | None = None
    keep: bool = False

    @property
    def invariants(self) -> tuple[Expr, ...]:
        return tuple(self.lemmas.values())


@dataclass(frozen=True)
class SharedSearch:
    """For one system; at most so many games are played."""

    compiled: Compiled
    games: int
    memory: Memory
    proofs: Proofs

    @property
    def system(self) -> System:
        return self.compiled.system

    def results(self, open_claims: Sequence[Claim], wanted: Set[Obligation] = frozenset()) -> Iterator[Result]:
        """Claims that no proof was found for, and all that must come about. If only some is wanted, no more is done."""
        began = time.perf_counter()
        aims = {one: condition for one, condition in self._aims() if not wanted or one in wanted}
        bands = BandCheck(self.compiled, self.proofs.invariants)
        apart = never_together(self.system, listener=self.proofs.listener)
        unseen = {Target(Purpose.REFUTE, claim.obligation): claim for claim in open_claims if claim.trace is None}
        conditions = {target: claim.against for target, claim in unseen.items() if claim.against is not None}
        conditions |= {shows(one): condition for one, condition in aims.items()}
        goals: dict[Target, Goal] = {target: self.compiled.predicate(one) for target, one in conditions.items()}
        more = bands.goals() | pair_goals(self.compiled, apart)
        goals |= {target: goal for target, goal in more.items() if not wanted or target.obligation in wanted}
        steps = {target: claim.against_step for target, claim in unseen.items() if claim.against_step is not None}
        unsafe = any(claim.against is None and claim.against_step is None for claim in unseen.values())
        search = GoalSearch(self.compiled, self.games, self.memory)
        found = search.explored(goals, steps, conditions | bands.conditions(), unsafe)
        took = (time.perf_counter() - began) / max(1, len(goals) + len(steps))
        for claim in open_claims:
            yield self.refuted_or_open(claim, found, took)
        yield from _broken_down(open_claims, found)
        impossible = self._impossible({one: aims[one] for one in aims if shows(one) not in found.traces})
        for one in aims:
            yield self._reached_or_not(one, found, impossible, took)
        yield from (replace(result, seconds=took) for result in bands.results(found.traces))
        if not wanted or any(one.kind is ObligationKind.ENDS_TOGETHER for one in wanted):
            known, listener = self.proofs.invariants, self.proofs.listener
            yield from timed(pair_results(self.compiled, known, found.traces, apart, listener))

    # ---- claims ------------------------------------------------------------------------------------
    def refuted_or_open(self, claim: Claim, found: Exploration[Target] | None = None, took: float = 0.0) -> Result:
        """Of a claim that is not proved: a game refutes it that was found or known, or it is left open."""
        found = found or Exploration({}, 0)
        one = claim.obligation
        trace = claim.trace or found.traces.get(Target(Purpose.REFUTE, one))
        seconds = claim.seconds + took
        if trace is not None:
            if claim.against is not None and (self.proofs.keep or not self._is_known(trace)):
                trace = Shortener(self.compiled, claim.against).shorter(trace)
            replay(self.compiled, trace)
            return Result(one, Verdict.REFUTED, "game", "", trace, seconds=seconds)
        broken = found.broken
        if broken is not None and _is_about(broken.fault, one):
            return Result(one, Verdict.REFUTED, "game", broken.told, broken.trace, seconds=seconds)
        method = f"{claim.method}, then search, {found.games} games"
        return Result(one, Verdict.UNDECIDED, method, claim.outcome.detail, seconds=seconds)

    def _is_known(self, trace: Trace) -> bool:
        return any(trace.begins(game) for game in self.memory.games.values())

    # ---- what must come about ----------------------------------------------------------------------
    def _aims(self) -> Iterator[tuple[Obligation, Expr]]:
        """Properties to be reached; and every end and every action must come about, unless a ruling turns it off."""
        for one, prop in asked(self.system).items():
            if prop.kind == PropertyKind.REACHABLE:
                yield one, conj(*prop.exprs)
        for number, end in enumerate(self.system.ends):
            if end.condition != FALSE:
                yield Obligation.of(ObligationKind.END, end.name, clauses=end.clauses), Ended(number)
        for action in possible_actions(self.system):
            one = Obligation.of(ObligationKind.ACTION, action.name, clauses=action.clauses)
            yield one, conj(negate(Ended(-1)), enabled(action))

    def _reached_or_not(
        self,
        one: Obligation,
        found: Exploration[Target],
        impossible: Mapping[Obligation, tuple[bool, float]],
        took: float,
    ) -> Result:
        """Shown by a game; or impossible, by induction; or open."""
        trace = found.traces.get(shows(one))
        if trace is not None:
            return Result(one, Verdict.REACHED, "game", "", trace, seconds=took)
        is_impossible, more = impossible[one]
        if is_impossible:
            detail = "it never comes about, whatever the deal"
            return Result(one, Verdict.REFUTED, "induction", detail, seconds=took + more)
        method = f"search, {found.games} games, then induction"
        return Result(one, Verdict.UNDECIDED, method, seconds=took + more)

    def _impossible(self, aims: Mapping[Obligation, Expr]) -> dict[Obligation, tuple[bool, float]]:
        """Which never come about, and how long it took to say. Each that never does is a lemma for the others.

        Actions are asked about first: without them little else happens.
        """
        found = dict.fromkeys(reversed(list(aims)), (False, 0.0))
        news = bool(aims)
        while news:
            news = False
            for one in [one for one, (proved, _) in found.items() if not proved]:
                began = time.perf_counter()
                proved = self._never(one, aims[one])
                found[one] = proved, found[one][1] + time.perf_counter() - began
                news = news or proved
        return found

    def _never(self, one: Obligation, condition: Expr) -> bool:
        """By induction; with advice first, if there is any."""
        proofs, absent = self.proofs, negate(condition)
        known = {**proofs.lemmas, one: absent}
        for advice in (self.memory.needs, None) if self.memory.needs else (None,):
            guide = Guide(known, advice, proofs.needs if proofs.keep else None)
            induction = Induction(self.system, tuple(known.values()), proofs.listener, guide)
            try:
                if induction.prove(Claims({one: absent}))[one].proved:
                    proofs.lemmas[one] = absent
                    return True
            except Beyond:
                return False
        return False


def _broken_down(open_claims: Sequence[Claim], found: Exploration[Target]) -> Iterator[Result]:
    """Rules that break down in a game refute something that was left open, or else something that was proved."""
    broken = found.broken
    if broken is not None and not any(_is_about(broken.fault, claim.obligation) for claim in open_claims):
        yield Result(BREAKDOWN, Verdict.REFUTED, "game", broken.told, broken.trace)


def _is_about(fault: Fault, one: Obligation) -> bool:
    """Does the way in which the rules broke down refute this obligation?"""
    match fault.kind:
        case FaultKind.WRITTEN_TWICE:
            return one.kind is ObligationKind.DISTINCT_WRITES
        case FaultKind.OUT_OF_BOUNDS:
            return one.kind is ObligationKind.BOUNDS and one.subject == (fault.variable,)
        case FaultKind.NOT_THERE:
            return one.kind is ObligationKind.EXISTENCE

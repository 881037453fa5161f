"""Everything that must be true of a game, asked of one System: proved, shown by a game, refuted or left open."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from hanabi_formal.kernel.build import FALSE, conj, negate
from hanabi_formal.kernel.expr import Ended, Expr
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.consistency.bands import BANDS, BandCheck
from hanabi_formal.prove.consistency.dead_parts import consistency
from hanabi_formal.prove.consistency.end_pairs import never_together, pair_goals, pair_results, pairs
from hanabi_formal.prove.consistency.worked_examples import examples
from hanabi_formal.prove.induction.induction import BOUNDS, DISTINCT, EXISTENCE, Claims, Induction, enabled
from hanabi_formal.prove.induction.invariants import Claim, Claimant
from hanabi_formal.prove.induction.needed_lemmas import Guide, Key
from hanabi_formal.prove.induction.query import Witness
from hanabi_formal.prove.knowledge.knowledge import knowledge
from hanabi_formal.prove.length.length import length
from hanabi_formal.prove.properties import asked
from hanabi_formal.prove.search.explorer import Found, Goal
from hanabi_formal.prove.search.goals import NOTHING, GoalSearch, Memory
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.prove.search.shorten import Shortener
from hanabi_formal.prove.verdicts import Result, Verdict, expected_of
from hanabi_formal.run.compiler.compile import Compiled, Dealt, Packed_State
from hanabi_formal.run.faults import Fault, FaultKind
from hanabi_formal.smt.translate import Beyond

GAMES = 300
BREAK_DOWN = "the rules never break down"


@dataclass(frozen=True)
class _Aim:
    """Something that should come about: a condition, and what shows it."""

    goal: Goal
    condition: Expr
    clauses: tuple[str, ...]
    expected: Verdict


class Checker:
    """All obligations of one System. Each result is yielded as soon as it is known.

    `keep`: find out what a later proof should know, which takes a while; `needs` has it afterwards.
    """

    def __init__(
        self,
        compiled: Compiled,
        players: int | None,
        games: int = GAMES,
        memory: Memory = NOTHING,
        witness: Witness | None = None,
        settled: Mapping[str, str] | None = None,
        keep: bool = False,
    ) -> None:
        self.compiled = compiled
        self.system = compiled.system
        self.players = players
        self.games = games
        self.memory = memory
        self.witness = witness
        self.settled = settled
        self.keep = keep
        self.needs: dict[Key, tuple[str, ...]] = {}
        self.found: dict[str, Trace] = {}
        self.named_lemmas: Mapping[str, Expr] = {}
        self._claims: list[Claim] | None = None

    @property
    def lemmas(self) -> tuple[Expr, ...]:
        """Proved invariants."""
        return tuple(self.named_lemmas.values())

    def results(self) -> Iterator[Result]:
        """Every obligation; and a fault where the text calls something a defect that is no obligation."""
        known = set()
        for result in self.judged(self._results()):
            known.add(result.name)
            yield result
        for prop in self.system.properties:
            if prop.kind == "defect" and prop.name not in known:
                yield Result(
                    f"defect: {prop.name}",
                    self.players,
                    Verdict.REFUTED,
                    Verdict.PROVED,
                    "text",
                    prop.clauses,
                    detail="there is no such obligation",
                )

    def judged(self, results: Iterable[Result]) -> Iterator[Result]:
        """With what the text itself expects of an obligation that it calls a defect."""
        defects = {prop.name for prop in self.system.properties if prop.kind == "defect"}
        for result in results:
            if result.trace is not None:
                self.found.setdefault(result.name, result.trace)
            yield replace(result, expected=Verdict.REFUTED) if result.name in defects else result

    def _results(self) -> Iterator[Result]:
        yield from examples(self.system, self.players)
        claims = self.claims()
        yield from (claim.as_proved(self.players) for claim in claims if claim.outcome.proved)
        yield from knowledge(self.compiled, self.players, self.lemmas, self.witness)
        yield from self.searched([claim for claim in claims if not claim.outcome.proved])
        games = {**self.memory.games, **self.found}
        yield from consistency(self.compiled, self.players, self.lemmas, self.games, games, self.settled)
        yield from self.length()

    def claims(self) -> list[Claim]:
        """By induction, asked once; afterwards the lemmas are there."""
        if self._claims is None:
            claimant = Claimant(self.compiled, self.witness, self.memory, self.keep)
            self._claims = list(claimant.claims())
            self.named_lemmas, self.needs = claimant.lemmas, claimant.found
        return self._claims

    def length(self) -> Iterator[Result]:
        memory = self.memory
        bound = length(self.compiled, self.players, self.lemmas, memory.games, memory.weights, self.witness)
        if bound is not None:
            yield replace(bound.result, weights=bound.weights)

    # ---- by games --------------------------------------------------------------------------------
    def searched(self, open_claims: list[Claim], wanted: Container[str] | None = None) -> Iterator[Result]:
        """One search for everything that a game could show: what is to be reached, and what would refute a claim.

        If only some of it is wanted, nothing else is looked for.
        """
        began = time.perf_counter()
        aims, bands = self.aims(), BandCheck(self.compiled, self.players, self.lemmas)
        apart = never_together(self.system, witness=self.witness)
        unseen = [claim for claim in open_claims if claim.trace is None]
        goals: dict[str, Goal] = {f"against {c.name}": c.against for c in unseen if c.against is not None}
        goals |= {name: aim.goal for name, aim in aims.items()}
        goals |= bands.goals() | pair_goals(self.compiled, apart)
        steps = {f"against {c.name}": c.against_step for c in unseen if c.against_step is not None}
        if wanted is not None:
            aims = {name: aim for name, aim in aims.items() if name in wanted}
            scores = bands.goals() if BANDS in wanted else {}
            goals = {name: goal for name, goal in goals.items() if name in wanted or name in scores}
        conditions = {name: aim.condition for name, aim in aims.items()} | bands.conditions()
        conditions |= {f"against {claim.name}": claim.condition for claim in unseen if claim.condition is not None}
        unsafe = any(claim.against is None and claim.against_step is None for claim in unseen)
        found = GoalSearch(self.compiled, self.games, self.memory).explored(goals, steps, conditions, unsafe)
        took = (time.perf_counter() - began) / max(1, len(goals) + len(steps))
        for claim in open_claims:
            yield self._refuted_or_open(claim, found, took)
        yield from self._broken_down(open_claims, found)
        impossible = self._impossible({name: aim for name, aim in aims.items() if name not in found.traces})
        for name, aim in aims.items():
            yield self._reached_or_not(name, aim, found, impossible, took)
        yield from bands.results(found.traces, took)
        if wanted is None or any(pair.name in wanted for pair in pairs(self.system)):
            yield from pair_results(self.compiled, self.players, self.lemmas, found.traces, apart, self.witness)

    def refuted(self, claim: Claim) -> Result:
        """A claim that a game refutes which is known already."""
        return self._refuted_or_open(claim, Found({}, {}, 0), 0.0)

    def _refuted_or_open(self, claim: Claim, found: Found, took: float) -> Result:
        trace = claim.trace or found.traces.get(f"against {claim.name}")
        if trace is not None and claim.against is not None and (self.keep or not self._is_known(trace)):
            trace = Shortener(self.compiled, claim.against, claim.condition).shorter(trace)
        if trace is not None:
            replay(self.compiled, trace)
        detail = "" if trace else claim.outcome.detail
        refuted = trace is not None
        if trace is None and found.broken is not None and _is_about(found.broken.fault, claim.name):
            refuted = True
            detail, trace = found.broken.told, found.broken.trace
        verdict = Verdict.REFUTED if refuted else Verdict.UNDECIDED
        method = "game" if refuted else f"{claim.method}, then search, {found.games} games"
        return Result(
            claim.name,
            self.players,
            verdict,
            claim.expected,
            method,
            claim.clauses,
            claim.seconds + took,
            detail,
            trace,
        )

    def _broken_down(self, open_claims: list[Claim], found: Found) -> Iterator[Result]:
        """Rules that break down in a game refute something that was left open, or else something that was proved."""
        broken = found.broken
        if broken is not None and not any(_is_about(broken.fault, claim.name) for claim in open_claims):
            yield Result(
                BREAK_DOWN, self.players, Verdict.REFUTED, Verdict.PROVED, "game", (), 0.0, broken.told, broken.trace
            )

    def _is_known(self, trace: Trace) -> bool:
        return any(trace.begins(game) for game in self.memory.games.values())

    def _reached_or_not(
        self, name: str, aim: _Aim, found: Found, impossible: Mapping[str, tuple[bool, float]], took: float
    ) -> Result:
        """Shown by a game; or impossible, by induction; or open."""
        trace = found.traces.get(name)
        if trace is not None:
            return Result(name, self.players, Verdict.REACHED, aim.expected, "game", aim.clauses, took, "", trace)
        is_impossible, more = impossible[name]
        if is_impossible:
            return Result(
                name,
                self.players,
                Verdict.REFUTED,
                aim.expected,
                "induction",
                aim.clauses,
                took + more,
                "it never comes about, whatever the deal",
            )
        method = f"search, {found.games} games, then induction"
        return Result(name, self.players, Verdict.UNDECIDED, aim.expected, method, aim.clauses, took + more)

    def _impossible(self, aims: Mapping[str, _Aim]) -> dict[str, tuple[bool, float]]:
        """Which never come about, and how long it took to say. Each that never does is a lemma for the others.

        Actions are asked about first: without them little else happens.
        """
        found = dict.fromkeys(reversed(list(aims)), (False, 0.0))
        news = bool(aims)
        while news:
            news = False
            for name in [name for name, (proved, _) in found.items() if not proved]:
                began = time.perf_counter()
                proved = self._never(name, aims[name].condition)
                found[name] = proved, found[name][1] + time.perf_counter() - began
                news = news or proved
        return found

    def _never(self, name: str, condition: Expr) -> bool:
        """By induction; with advice first, if there is any."""
        absent = negate(condition)
        known = {**self.named_lemmas, name: absent}
        for advice in (self.memory.needs, None) if self.memory.needs else (None,):
            guide = Guide(known, advice, self.needs if self.keep else None)
            induction = Induction(self.system, tuple(known.values()), self.witness, guide)
            try:
                if induction.prove(Claims({name: absent}))[name].proved:
                    self.named_lemmas = known
                    return True
            except Beyond:
                return False
        return False

    def aims(self) -> dict[str, _Aim]:
        """Properties to be reached; and every end and every action must come about, unless a ruling turns it off."""
        aims: dict[str, _Aim] = {}
        for prop in asked(self.system):
            if prop.kind == "reachable":
                condition = conj(*prop.exprs)
                aims[prop.name] = _Aim(self.compiled.predicate(condition), condition, prop.clauses, expected_of(prop))
        for number, end in enumerate(self.system.ends):
            if end.condition != FALSE:
                goal: Goal = partial(self._ended_by, number + 1)
                aims[f"end {end.name} comes about"] = _Aim(goal, Ended(number), end.clauses, Verdict.REACHED)
        for action in self.system.actions:
            if not any(guard.condition == FALSE for guard in action.guards):
                may = conj(negate(Ended(-1)), enabled(action))
                goal = self.compiled.predicate(may)
                aims[f"action {action.name} is possible"] = _Aim(goal, may, action.clauses, Verdict.REACHED)
        return aims

    def _ended_by(self, number: int, dealt: Dealt, state: Packed_State) -> bool:
        return self.compiled.ended(state) == number


def _is_about(fault: Fault, name: str) -> bool:
    """Does the way in which the rules broke down refute this obligation?"""
    match fault.kind:
        case FaultKind.WRITTEN_TWICE:
            return name == DISTINCT
        case FaultKind.OUT_OF_BOUNDS:
            return name == f"{BOUNDS}{fault.variable}"
        case FaultKind.NOT_THERE:
            return name == EXISTENCE

"""Everything that must be true of a game, asked of one System: proved, shown by a game, refuted or left open."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import z3

from hanabi_formal.kernel.build import FALSE, conj, interval, negate
from hanabi_formal.kernel.expr import Expr, Op
from hanabi_formal.kernel.printer import Printer
from hanabi_formal.kernel.system import Property, System
from hanabi_formal.prove.induction import DISTINCT, EXISTENCE, Claims, Induction
from hanabi_formal.prove.query import Outcome, Witness
from hanabi_formal.prove.search import Explorer, Goal, replay
from hanabi_formal.prove.verdicts import Result, Trace, Verdict
from hanabi_formal.run.compile import Compiled, Dealt, Packed_State
from hanabi_formal.run.faults import IllegalAction
from hanabi_formal.smt.counts import GroundCounts
from hanabi_formal.smt.states import in_type, term_sort
from hanabi_formal.smt.translate import Beyond, Scene, Translator

GAMES = 300
BANDS = "bands cover every score once"
BOUNDS = "bounds of "
STRUCTURE = (DISTINCT, EXISTENCE)


@dataclass(frozen=True)
class _Claim:
    """Something to show: by induction if `outcome` says so, else by looking for a game that reaches `against`."""

    name: str
    clauses: tuple[str, ...]
    expected: Verdict
    outcome: Outcome
    method: str
    against: Goal | None
    seconds: float


class Checker:
    """All obligations of one System. Each result is yielded as soon as it is known."""

    def __init__(
        self, compiled: Compiled, players: int | None, games: int = GAMES, known: Mapping[str, Trace] | None = None,
        witness: Witness | None = None,
    ) -> None:  # fmt: skip
        self.compiled = compiled
        self.system = compiled.system
        self.players = players
        self.games = games
        self.known = known or {}
        self.witness = witness
        self.lemmas: tuple[Expr, ...] = ()
        self.explorer = Explorer(compiled)

    def _of(self, *kinds: str) -> list[Property]:
        return [prop for prop in self.system.properties if prop.kind in kinds]

    def results(self) -> Iterator[Result]:
        yield from self._examples()
        claims = list(self._claims())
        yield from (self._proved(claim) for claim in claims if claim.outcome.proved)
        yield from self._searched([claim for claim in claims if not claim.outcome.proved])

    def _proved(self, claim: _Claim) -> Result:
        return Result(claim.name, self.players, Verdict.PROVED, claim.expected, claim.method, claim.clauses,
                      claim.seconds)  # fmt: skip

    # ---- by induction ----------------------------------------------------------------------------
    def _claims(self) -> Iterator[_Claim]:
        """Whatever induction can say; an invariant that is not inductive is no lemma for the others."""
        invariants = [prop for prop in self._of("invariant", "unreachable") if prop.refuted_because is None]
        known = {prop.name: self._condition(prop) for prop in invariants}
        steps = {prop.name: conj(*prop.exprs) for prop in self._of("step")}
        rankings = {prop.name: prop.exprs for prop in self._of("terminates")}
        while True:
            induction = Induction(self.system, tuple(known.values()), self.witness)
            claims = Claims(known, steps, rankings, structure=True)
            began = time.perf_counter()
            outcomes = _decided(partial(induction.prove, claims), [*known, *steps, *rankings, "bounds"])
            took = (time.perf_counter() - began) / max(1, len(outcomes))
            lost = [name for name in known if not outcomes[name].proved]
            for prop in invariants:
                if prop.name in lost:
                    yield self._state_claim(prop, outcomes[prop.name], took)
            if not lost:
                break
            known = {name: expr for name, expr in known.items() if name not in lost}
        self.lemmas = tuple(known.values())
        for prop in invariants:
            if prop.name in known:
                yield self._state_claim(prop, outcomes[prop.name], took)
        for prop in self._of("invariant", "unreachable"):
            if prop.refuted_because is not None:
                began = time.perf_counter()
                alone = Claims({prop.name: self._condition(prop)})
                found = _decided(partial(induction.prove, alone), [prop.name])
                yield self._state_claim(prop, found[prop.name], time.perf_counter() - began)
        yield from self._structural(induction, outcomes, took)

    @staticmethod
    def _condition(prop: Property) -> Expr:
        whole = conj(*prop.exprs)
        return negate(whole) if prop.kind == "unreachable" else whole

    def _state_claim(self, prop: Property, outcome: Outcome, seconds: float) -> _Claim:
        broken = self.compiled.predicate(negate(self._condition(prop)))
        return _Claim(prop.name, prop.clauses, _expected(prop), outcome, "induction", broken, seconds)

    def _structural(self, induction: Induction, outcomes: dict[str, Outcome], took: float) -> Iterator[_Claim]:
        for name, outcome in outcomes.items():
            if name.startswith("bounds") or name in STRUCTURE:
                variable = next((v for v in self.system.variables if name == f"{BOUNDS}{v.name}"), None)
                clauses = variable.clauses if variable else ()
                yield _Claim(name, clauses, Verdict.PROVED, outcome, "induction", None, took)
        for prop in self._of("step", "terminates"):
            method = "ranking" if prop.kind == "terminates" else "induction"
            yield _Claim(prop.name, prop.clauses, _expected(prop), outcomes[prop.name], method, None, took)
        for prop in self._of("deadlock_free"):
            began = time.perf_counter()
            found = _decided(partial(induction.always_enabled, prop.name), [prop.name])
            took = time.perf_counter() - began
            yield _Claim(prop.name, prop.clauses, _expected(prop), found[prop.name], "invariants", self._stuck, took)

    def _stuck(self, dealt: Dealt, state: Packed_State) -> bool:
        return not self.compiled.ended(state) and not self.compiled.legal(dealt, state)

    def _ended_by(self, number: int, dealt: Dealt, state: Packed_State) -> bool:
        return self.compiled.ended(state) == number

    def _ended_with(self, score: int, dealt: Dealt, state: Packed_State) -> bool:
        return bool(self.compiled.ended(state)) and self.compiled.score(dealt, state) == score

    def _can_do(self, name: str, dealt: Dealt, state: Packed_State) -> bool:
        codes = self.compiled.legal(dealt, state)
        return any(self.compiled.decode(state, code).action == name for code in codes)

    # ---- by games --------------------------------------------------------------------------------
    def _searched(self, open_claims: list[_Claim]) -> Iterator[Result]:
        """One search for everything that a game could show: what is to be reached, and what would refute a claim."""
        goals: dict[str, Goal] = {f"against {c.name}": c.against for c in open_claims if c.against is not None}
        reach = self._reachable()
        goals |= {name: goal for name, (goal, _, _) in reach.items()}
        goals |= self._band_goals()
        began = time.perf_counter()
        remembered = self._remembered(goals)
        found = self.explorer.explore({name: goals[name] for name in goals if name not in remembered}, self.games)
        traces = {**remembered, **found.traces}
        took = (time.perf_counter() - began) / max(1, len(goals))
        how = f"search, {found.games} games"
        for claim in open_claims:
            trace = traces.get(f"against {claim.name}")
            detail = "" if trace else claim.outcome.detail
            if trace is None and found.fault is not None and _is_about(found.fault[0], claim.name):
                detail, trace = found.fault
            verdict = Verdict.REFUTED if trace else Verdict.UNDECIDED
            method = "game" if trace else f"{claim.method}, then {how}"
            yield Result(claim.name, self.players, verdict, claim.expected, method, claim.clauses, claim.seconds + took,
                         detail, self._checked(trace))  # fmt: skip
        for name, (_, clauses, expected) in reach.items():
            trace = traces.get(name)
            verdict = Verdict.REACHED if trace else Verdict.UNDECIDED
            yield Result(name, self.players, verdict, expected, "game" if trace else how, clauses, took, "",
                         self._checked(trace))  # fmt: skip
        yield from self._bands({name: trace for name, trace in traces.items() if name.startswith("score ")}, took)

    def _remembered(self, goals: Mapping[str, Goal]) -> dict[str, Trace]:
        """Games of an earlier search that reach their goal under these rules; any other is not believed."""
        found: dict[str, Trace] = {}
        for name, goal in goals.items():
            label = BANDS if name.startswith("score ") else name.removeprefix("against ")
            trace = self.known.get(label)
            if trace is not None:
                try:
                    dealt, state = replay(self.compiled, trace)
                except IllegalAction:
                    continue
                if goal(dealt, state):
                    found[name] = trace
        return found

    def _checked(self, trace: Trace | None) -> Trace | None:
        """Every game that is shown was replayed by both readings first."""
        if trace is not None:
            replay(self.compiled, trace)
        return trace

    def _reachable(self) -> dict[str, tuple[Goal, tuple[str, ...], Verdict]]:
        """Properties to be reached; and every end and every action must come about, unless a ruling turns it off."""
        found: dict[str, tuple[Goal, tuple[str, ...], Verdict]] = {}
        for prop in self._of("reachable"):
            expected = Verdict.REFUTED if prop.refuted_because is not None else Verdict.REACHED
            found[prop.name] = (self.compiled.predicate(conj(*prop.exprs)), prop.clauses, expected)
        for number, end in enumerate(self.system.ends, 1):
            if end.condition != FALSE:
                found[f"end {end.name} comes about"] = (partial(self._ended_by, number), end.clauses, Verdict.REACHED)
        for action in self.system.actions:
            if not any(guard.condition == FALSE for guard in action.guards):
                goal = partial(self._can_do, action.name)
                found[f"action {action.name} is possible"] = (goal, action.clauses, Verdict.REACHED)
        return found

    # ---- bands -----------------------------------------------------------------------------------
    def _band_faults(self) -> dict[int, int]:
        """Scores that lie in no band or in several, with the number of bands."""
        bands = self.system.bands
        if bands is None or bands.condition == FALSE:
            return {}
        low, high = self._score_range()
        many = {score: sum(band.low <= score <= band.high for band in bands.bands) for score in range(low, high + 1)}
        return {score: count for score, count in many.items() if count != 1}

    def _score_range(self) -> tuple[int, int]:
        """Scores that any end can give; sharpened by an invariant of the form `score <= n`."""
        low = min(interval(end.score)[0] for end in self.system.ends)
        high = max(interval(end.score)[1] for end in self.system.ends)
        score = Printer().expr(self.system.score)
        for prop in self._of("invariant"):
            for expr in prop.exprs:
                if isinstance(expr, Op) and expr.op == "le" and Printer().expr(expr.args[0]) == score:
                    high = min(high, interval(expr.args[1])[1])
        return low, high

    def _band_goals(self) -> dict[str, Goal]:
        return {f"score {score}": partial(self._ended_with, score) for score in self._band_faults()}

    def _bands(self, traces: dict[str, Trace], seconds: float) -> Iterator[Result]:
        bands = self.system.bands
        if bands is None or bands.condition == FALSE:
            return
        faults = self._band_faults()
        shown = [score for score in faults if f"score {score}" in traces]
        name = BANDS
        expected = Verdict.PROVED if bands.refuted_because is None else Verdict.REFUTED
        if not faults:
            yield Result(name, self.players, Verdict.PROVED, expected, "arithmetic", bands.clauses, seconds)
        elif shown:
            score = shown[-1]
            detail = f"{score} points lie in {faults[score] or 'no'} band{'s' if faults[score] > 1 else ''}"
            trace = self._checked(traces[f"score {score}"])
            yield Result(name, self.players, Verdict.REFUTED, expected, "game", bands.clauses, seconds, detail,
                         trace)  # fmt: skip
        else:
            few = faults[min(faults)] or "no"
            detail = f"{min(faults)} points lie in {few} band, and no game was found that has them"
            yield Result(name, self.players, Verdict.UNDECIDED, expected, "search", bands.clauses, seconds, detail)

    # ---- examples --------------------------------------------------------------------------------
    def _examples(self) -> Iterator[Result]:
        """Worked examples: is there a way to fill in what is lost?"""
        for prop in self._of("example"):
            began = time.perf_counter()
            counts = GroundCounts()
            translator = Translator(self.system, counts)
            counts.translator = translator
            solver = z3.Solver()
            names = {p.name: z3.Const(p.name.partition("$")[0], term_sort(p.type)) for p in prop.params}
            solver.add(*(in_type(names[p.name], p.type) for p in prop.params))
            solver.add(*(translator.expr(expr, Scene(_Nothing(), names)) for expr in prop.exprs))
            verdict = Verdict.PROVED if solver.check() == z3.sat else Verdict.REFUTED
            detail = ""
            if verdict is Verdict.PROVED and names:
                model = solver.model()
                detail = ", ".join(f"{term} = {model.eval(term, model_completion=True)}" for term in names.values())
            yield Result(prop.name, self.players, verdict, _expected(prop), "arithmetic", prop.clauses,
                         time.perf_counter() - began, detail)  # fmt: skip


class _Nothing:
    """Examples speak of no state."""

    def read(self, var: str, index: tuple[object, ...]) -> object:
        raise AssertionError(var)


def _is_about(fault: str, name: str) -> bool:
    """Does the way in which the rules broke down refute this obligation?"""
    return name in STRUCTURE or (name.startswith(BOUNDS) and f"`{name.removeprefix(BOUNDS)}`" in fault)


def _expected(prop: Property) -> Verdict:
    return Verdict.PROVED if prop.refuted_because is None else Verdict.REFUTED


def _decided(work: Callable[[], dict[str, Outcome]], names: Iterable[str]) -> dict[str, Outcome]:
    """The outcomes, or undecided for all where the terms cannot say it."""
    try:
        return work()
    except Beyond as problem:
        return {name: Outcome(False, f"{problem} cannot be expressed", 0) for name in names}


def check_system(system: System, players: int | None, games: int = GAMES) -> Iterator[Result]:
    return Checker(Compiled(system), players, games).results()

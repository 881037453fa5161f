"""Everything that must be true of a game, asked of one System: proved, shown by a game, refuted or left open."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from hanabi_formal.kernel.build import FALSE, conj, negate
from hanabi_formal.kernel.expr import Ended, Expr
from hanabi_formal.prove.bands import BANDS, BandCheck
from hanabi_formal.prove.claims import Claim, Claimant
from hanabi_formal.prove.consistency import consistency
from hanabi_formal.prove.ends import never_together, pair_goals, pair_results, pairs
from hanabi_formal.prove.examples import examples
from hanabi_formal.prove.guide import Needs
from hanabi_formal.prove.induction import BOUNDS, DISTINCT, EXISTENCE, Claims, Induction, enabled
from hanabi_formal.prove.knowledge import knowledge
from hanabi_formal.prove.length import length
from hanabi_formal.prove.measures import Weights
from hanabi_formal.prove.query import Witness
from hanabi_formal.prove.replay import Played, longest_games, played, replay
from hanabi_formal.prove.search import Explorer, Found, Goal, StepGoal
from hanabi_formal.prove.shorten import Shortener, similar
from hanabi_formal.prove.verdicts import Result, Trace, Verdict, expected_of
from hanabi_formal.run.compile import Compiled, Dealt, Instance, Packed_State
from hanabi_formal.run.faults import Fault, IllegalAction
from hanabi_formal.smt.translate import Beyond

GAMES = 300
STEPS_A_GAME = 5000


@dataclass(frozen=True)
class Memory:
    """What an earlier check of the same rules found; none of it is believed unseen.

    `needs` says which lemmas each question needs; `others` gives games of other rules, for goals that no game of ours
    reaches.
    """

    games: Mapping[str, Trace]
    weights: Weights | None = None
    needs: Needs | None = None
    others: Callable[[], Iterable[Trace]] = tuple


NOTHING = Memory({})


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
        self, compiled: Compiled, players: int | None, games: int = GAMES, memory: Memory = NOTHING,
        witness: Witness | None = None, settled: Mapping[str, str] | None = None, keep: bool = False,
    ) -> None:  # fmt: skip
        self.compiled = compiled
        self.system = compiled.system
        self.players = players
        self.games = games
        self.memory = memory
        self.witness = witness
        self.settled = settled
        self.keep = keep
        self.needs: Needs = {}
        self.explorer = Explorer(compiled, budget=games * STEPS_A_GAME)
        self.found: dict[str, Trace] = {}
        self.lemmas: tuple[Expr, ...] = ()
        self._claims: list[Claim] | None = None

    def results(self) -> Iterator[Result]:
        """Every obligation; and a fault where the text calls something a defect that is no obligation."""
        known = set()
        for result in self.judged(self._results()):
            known.add(result.name)
            yield result
        for prop in self.system.properties:
            if prop.kind == "defect" and prop.name not in known:
                yield Result(f"defect: {prop.name}", self.players, Verdict.REFUTED, Verdict.PROVED, "text",
                             prop.clauses, detail="there is no such obligation")  # fmt: skip

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
            claimant = Claimant(self.compiled, self.witness, self.memory.needs, self.keep)
            self._claims = list(claimant.claims())
            self.lemmas, self.needs = claimant.lemmas, claimant.found
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
        aims, bands = self.aims(), BandCheck(self.compiled, self.players)
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
        found = self._explored(goals, steps)
        took = (time.perf_counter() - began) / max(1, len(goals) + len(steps))
        for claim in open_claims:
            yield self._refuted_or_open(claim, found, took)
        for name, aim in aims.items():
            yield self._reached_or_not(name, aim, found, took)
        yield from bands.results(found.traces, took)
        if wanted is None or any(pair.name in wanted for pair in pairs(self.system)):
            yield from pair_results(self.compiled, self.players, self.lemmas, found.traces, apart, self.witness)

    def refuted(self, claim: Claim) -> Result:
        """A claim that a game refutes which is known already."""
        return self._refuted_or_open(claim, Found({}, {}, 0), 0.0)

    def _explored(self, goals: Mapping[str, Goal], steps: Mapping[str, StepGoal]) -> Found:
        """Games of an earlier search first, as far as they reach something under these rules; every one is replayed."""
        remembered = self._remembered(goals)
        for name in steps:
            trace_of_step = self.memory.games.get(name.removeprefix("against "))
            if trace_of_step is not None and self._last_step(trace_of_step, steps[name]):
                remembered[name] = trace_of_step
        left = {name: goal for name, goal in goals.items() if name not in remembered}
        left_steps = {name: goal for name, goal in steps.items() if name not in remembered}
        found = self.explorer.explore(left, self.games if left or left_steps else 0, left_steps)
        traces = {**found.traces, **self._borrowed({name: g for name, g in left.items() if name not in found.traces})}
        left = {name: goal for name, goal in left.items() if name not in traces}
        traces |= self._on_good_deals(left, [*remembered.values(), *traces.values()])
        for trace in traces.values():
            replay(self.compiled, trace)
        return replace(found, traces={**remembered, **traces})

    def _remembered(self, goals: Mapping[str, Goal]) -> dict[str, Trace]:
        """What games of an earlier search reach, as early as they do, and with as few actions as any of them."""
        games: list[tuple[Trace, Played]] = []
        for trace in longest_games(self.memory.games.values()):
            try:
                games.append((trace, played(self.compiled, trace)))
            except IllegalAction:
                continue
        found: dict[str, Trace] = {}
        for many in range(max((len(trace.actions) for trace, _ in games), default=-1) + 1):
            for trace, game in games:
                if many < len(game.states):
                    so_far = Trace(trace.faces, trace.actions[:many])
                    state = game.states[many]
                    found |= {n: so_far for n, goal in goals.items() if n not in found and goal(game.dealt, state)}
        return found

    def _borrowed(self, goals: Mapping[str, Goal]) -> dict[str, Trace]:
        """What games of other rules reach under these. An illegal action is replaced by the most similar legal one."""
        compiled = self.compiled
        reached: dict[str, Trace] = {}
        for trace in self.memory.others() if goals else ():
            dealt = compiled.deal(list(trace.faces))
            state = compiled.start(dealt)
            taken: list[tuple[str, tuple[int, ...]]] = []
            for name, args in trace.actions:
                instance = similar(compiled, dealt, state, Instance(name, args))
                code = compiled.encode(dealt, state, instance) if instance is not None else None
                if instance is None or code is None:
                    break
                taken.append((instance.action, instance.args))
                try:
                    state = compiled.step(dealt, state, code)
                except Fault:
                    break
                so_far = Trace(trace.faces, tuple(taken))
                reached |= {n: so_far for n, goal in goals.items() if n not in reached and goal(dealt, state)}
            if len(reached) == len(goals):
                break
        return reached

    def _on_good_deals(self, goals: Mapping[str, Goal], traces: list[Trace]) -> Mapping[str, Trace]:
        """Deals that were good for the most points are tried again, played in other ways."""
        points: dict[tuple[int, ...], int] = {}
        for trace in dict.fromkeys(traces) if goals else ():
            points[trace.faces] = max(points.get(trace.faces, 0), self.compiled.score(*replay(self.compiled, trace)))
        good = [faces for faces, many in points.items() if many == max(points.values())]
        if not good:
            return {}
        explorer = Explorer(self.compiled, budget=self.games * STEPS_A_GAME)
        return explorer.explore(goals, self.games, dealer=lambda random: random.choice(good)).traces

    def _last_step(self, trace: Trace, goal: StepGoal) -> bool:
        """Does the last step of a game show it?"""
        if not trace.actions:
            return False
        try:
            game = played(self.compiled, trace)
        except IllegalAction:
            return False
        return bool(goal(game.dealt, game.states[-2], 0, game.states[-1]))

    def _refuted_or_open(self, claim: Claim, found: Found, took: float) -> Result:
        trace = claim.trace or found.traces.get(f"against {claim.name}")
        if trace is not None and claim.against is not None and (self.keep or trace not in self.memory.games.values()):
            trace = Shortener(self.compiled, claim.against, claim.condition).shorter(trace)
        if trace is not None:
            replay(self.compiled, trace)
        detail = "" if trace else claim.outcome.detail
        if trace is None and found.fault is not None and _is_about(found.fault[0], claim.name):
            detail, trace = found.fault
        verdict = Verdict.REFUTED if trace else Verdict.UNDECIDED
        method = "game" if trace else f"{claim.method}, then search, {found.games} games"
        return Result(claim.name, self.players, verdict, claim.expected, method, claim.clauses, claim.seconds + took,
                      detail, trace)  # fmt: skip

    def _reached_or_not(self, name: str, aim: _Aim, found: Found, took: float) -> Result:
        """Shown by a game; or impossible, by induction; or open."""
        trace = found.traces.get(name)
        if trace is not None:
            return Result(name, self.players, Verdict.REACHED, aim.expected, "game", aim.clauses, took, "", trace)
        began = time.perf_counter()
        try:
            claim = Claims({name: negate(aim.condition)})
            outcome = Induction(self.system, self.lemmas, self.witness).prove(claim)[name]
            verdict = Verdict.REFUTED if outcome.proved else Verdict.UNDECIDED
        except Beyond:
            verdict = Verdict.UNDECIDED
        took += time.perf_counter() - began
        if verdict is Verdict.REFUTED:
            return Result(name, self.players, verdict, aim.expected, "induction", aim.clauses, took,
                          "it never comes about, whatever the deal")  # fmt: skip
        method = f"search, {found.games} games, then induction"
        return Result(name, self.players, verdict, aim.expected, method, aim.clauses, took)

    def aims(self) -> dict[str, _Aim]:
        """Properties to be reached; and every end and every action must come about, unless a ruling turns it off."""
        aims: dict[str, _Aim] = {}
        for prop in self.system.properties:
            if prop.kind == "reachable":
                condition = conj(*prop.exprs)
                aims[prop.name] = _Aim(self.compiled.predicate(condition), condition, prop.clauses, expected_of(prop))
        for number, end in enumerate(self.system.ends):
            if end.condition != FALSE:
                goal = partial(self._ended_by, number + 1)
                aims[f"end {end.name} comes about"] = _Aim(goal, Ended(number), end.clauses, Verdict.REACHED)
        for action in self.system.actions:
            if not any(guard.condition == FALSE for guard in action.guards):
                may = conj(negate(Ended(-1)), enabled(action))
                goal = partial(self._can_do, action.name)
                aims[f"action {action.name} is possible"] = _Aim(goal, may, action.clauses, Verdict.REACHED)
        return aims

    def _ended_by(self, number: int, dealt: Dealt, state: Packed_State) -> bool:
        return self.compiled.ended(state) == number

    def _can_do(self, name: str, dealt: Dealt, state: Packed_State) -> bool:
        codes = self.compiled.legal(dealt, state)
        return any(self.compiled.decode(state, code).action == name for code in codes)


def _is_about(fault: str, name: str) -> bool:
    """Does the way in which the rules broke down refute this obligation?"""
    return name in (DISTINCT, EXISTENCE) or (name.startswith(BOUNDS) and f"`{name.removeprefix(BOUNDS)}`" in fault)


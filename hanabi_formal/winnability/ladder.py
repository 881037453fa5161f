"""The ladder: cheap arguments and narrow searches first, then wider ones, then solvers; each with its evidence."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from hanabi_formal.api import Game, State
from hanabi_formal.diagnostics.diagnostic import refuse
from hanabi_formal.judge.arguments.displays import MOST_DISPLAYS, displays
from hanabi_formal.judge.arguments.needs import FEW, SPENDING, TOKENS, TURNS, RuleNeeds, scores_cards
from hanabi_formal.judge.arguments.position import Position, reader
from hanabi_formal.judge.certificate import Certificate, Unsolvable
from hanabi_formal.judge.refutations.seats import Seats, can_be_seated
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.roles.entries import maximum_of
from hanabi_formal.winnability.abstract_game import AbstractAction, AbstractGame
from hanabi_formal.winnability.answer import DealAnswer, LadderBudget
from hanabi_formal.winnability.beam import BeamSearch
from hanabi_formal.winnability.beginnings import Beginnings
from hanabi_formal.winnability.confirmation import Confirmation
from hanabi_formal.winnability.greedy import TEMPERS, greedy
from hanabi_formal.winnability.line_writer import LineWriter, PlayedLine
from hanabi_formal.winnability.reasons import Reasons

if TYPE_CHECKING:
    from hanabi_formal.sat.solvers import Cadical
    from hanabi_formal.winnability.plan import Plan

LadderEngine = Literal["ladder", "clauses", "sat", "z3"]
SeatClauses = Literal["seats", "spending", "tokens"]
SearchedLine = tuple[AbstractGame, list[AbstractAction] | None]
FREELY = {
    "seats": "possible if hints cost nothing",
    "spending": "possible if tokens may be left",
    "tokens": "possible if a game can be ended at will",
}


class Ladder:
    """Questions about one game and player count. What is costly to prepare is prepared once.

    `engine` is `ladder`; or `clauses`, the same without arguments, so that a no is always a solver's proof; or a solver
    that is to decide by itself, from the rules unrolled.
    """

    def __init__(
        self, game: Game, players: int | None, engine: LadderEngine = "ladder", budget: LadderBudget | None = None
    ) -> None:
        self.game = game
        self.players = players
        self.engine = engine
        self.budget = budget or LadderBudget()
        self.system = game.system(players)
        self.compiled = game.compiled(players)
        maximum = maximum_of(self.system)
        if self.system.deck is None or maximum is None:
            raise refuse(
                "HRL602",
                f"`{game.name}` has no deal to win: its interface names no maximum",
                help="`interface cards { … maximum = … }` says what winning is",
            )
        self.maximum = maximum
        self.reader = reader(game, players) if engine in ("ladder", "clauses") else None
        self.beginnings = Beginnings(self.reader) if self.reader is not None else None
        self.confirmation = Confirmation(game, players)
        self.writer = LineWriter(self.compiled)
        self.has_last_round = self.reader is not None and self.reader.has_last_round
        self.scores_cards = scores_cards(self.system)
        self.needs: RuleNeeds | None = None
        self.tried: list[str] = []

    def ask(self, state: State, goal: int | None = None, before: Sequence[Instance] = ()) -> DealAnswer:
        """Can a game from this state end with so many points, by default the maximum? `before` led to the state."""
        began = time.perf_counter()
        question = _Climb(self, state, self.maximum if goal is None else goal, before)
        self.tried = question.tried
        found = question.answer()
        return replace(found, seconds=time.perf_counter() - began)

    def needs_of(self, position: Position) -> RuleNeeds:
        if self.needs is None or self.needs.dealt != position.hand_size:
            self.needs = RuleNeeds(self.game, self.players, position.hand_size)
        return self.needs


@dataclass
class _Climb:
    """One question: rung after rung, until one of them decides it. `before` led to the state."""

    ladder: Ladder
    state: State
    goal: int
    before: Sequence[Instance]
    tried: list[str] = field(default_factory=list)

    def answer(self) -> DealAnswer:
        compiled = self.ladder.compiled
        if compiled.ended(self.state.packed):
            if compiled.score(self.state.dealt, self.state.packed) >= self.goal:
                return self._won(PlayedLine((), compiled.score(self.state.dealt, self.state.packed)), "over")
            return self._general()
        reader = self.ladder.reader
        if reader is None:
            return self._general()
        beginnings = self.ladder.beginnings
        position = beginnings.read(self.state) if beginnings and not self.before else reader.read(self.state)
        needs = self.ladder.needs_of(position)
        reasons = Reasons(
            position,
            self.goal,
            self.goal == self.ladder.maximum,
            self.ladder.scores_cards,
            self.ladder.has_last_round,
            needs,
            self.tried,
        )
        for rung in self._rungs(position, reasons):
            if rung is not None:
                return rung
        if self._argues and reasons.may_be_too_few and self.ladder.has_last_round and not needs.standing(TURNS).met:
            return self._reasoned(reasons.too_few(needs.standing(FEW))) or self._general()
        return self._general()

    @property
    def _argues(self) -> bool:
        """May a no be an argument in the game's own terms?"""
        return self.ladder.engine == "ladder"

    def _reasoned(self, found: Certificate | None) -> DealAnswer | None:
        if found is None:
            return None
        return DealAnswer("unwinnable", self.goal, "argument", certificate=found, tried=tuple(self.tried))

    def _rungs(self, position: Position, reasons: Reasons) -> Iterator[DealAnswer | None]:
        budget = self.ladder.budget
        if self._argues and reasons.may_be_too_few:
            yield self._reasoned(reasons.too_few(reasons.needs.known(FEW)))
        faces = position.suits * position.ranks
        perfect = self.goal == self.ladder.maximum == faces
        aims = [position.heights]
        if perfect:
            yield self._reasoned(reasons.argued()) if self._argues else None
        elif sum(position.heights) < self.goal:
            aims = [*islice(displays(position, self.goal), MOST_DISPLAYS)]
            yield self._reasoned(reasons.outnumbered(aims)) if self._argues else None
        if perfect or self.goal > faces:
            aims = [(position.ranks,) * position.suits]
        games = [AbstractGame(position, self.ladder.has_last_round, aim) for aim in aims]
        for temper in TEMPERS:
            yield self._found("greedy search", "greedy", position, ((game, greedy(game, temper)) for game in games))
        beams = [BeamSearch(game) for game in games]
        for width in budget.widths:
            yield self._searched(beams, position, width)
        if can_be_seated(position):
            yield self._seated(position)
        for width in budget.wider:
            yield self._searched(beams, position, width)
        if can_be_seated(position):
            yield self._planned(position, perfect)

    # ---- searches --------------------------------------------------------------------------------
    def _searched(self, beams: Sequence[BeamSearch], position: Position, width: int) -> DealAnswer | None:
        budget = self.ladder.budget
        together = max((*budget.widths, *budget.wider)) // width
        lines = ((beam.game, beam.search(width)) for beam in beams[:together])
        return self._found(f"search, {width} abreast", f"search {width}", position, lines)

    def _found(self, search: str, method: str, position: Position, lines: Iterable[SearchedLine]) -> DealAnswer | None:
        result = ""
        for game, moves in lines:
            result = result or "no line"
            if moves is None:
                continue
            line = self.ladder.writer.write(self.state, position, moves, self.goal, display=game.display)
            if line is not None:
                self.tried.append(f"{search}: a line")
                return self._won(line, method)
            result = "a line that these rules do not allow"
        if result:
            self.tried.append(f"{search}: {result}")
        return None

    def _won(self, line: PlayedLine, method: str) -> DealAnswer:
        ladder = self.ladder
        ladder.confirmation.confirm(self.state.dealt[0], (*self.before, *line.actions), line.score)
        return DealAnswer(
            "winnable", self.goal, method, line.actions, None, tuple(self.tried), ("run", ladder.confirmation.by)
        )

    # ---- solvers ---------------------------------------------------------------------------------
    def _seated(self, position: Position) -> DealAnswer | None:
        """Who plays what, hints being free: if not even that works, nothing does."""
        if not self._counts_cards:
            return None
        return self._impossible("seats", TURNS, position, Seats(position, self.goal))

    @property
    def _counts_cards(self) -> bool:
        """Can clauses about cards on fireworks deny the goal?"""
        ladder = self.ladder
        return ladder.has_last_round and (self.goal == ladder.maximum or ladder.scores_cards)

    def _planned(self, position: Position, perfect: bool) -> DealAnswer | None:
        """The same with tokens counted: a solution is a plan."""
        from hanabi_formal.winnability.plan import plan_of, plannable

        seats = plannable(position, self.goal, to_the_end=not perfect)
        decides = perfect and self._counts_cards
        with _solving(seats, traced=decides) as solver:
            found = solver.solve(self.ladder.budget.conflicts)
            if found is False and decides:
                return self._denied("tokens", TOKENS, position, seats, solver) or self._spent(position)
            if not found:
                self.tried.append(f"plan: {'none' if found is False else 'undecided'}")
                return self._counted(position) if found is False and self._counts_cards else None
            plan = plan_of(seats, solver.model())
        return self._carried_out(plan, position)

    def _carried_out(self, plan: Plan, position: Position) -> DealAnswer | None:
        line = self.ladder.writer.write(self.state, position, plan.actions, self.goal, plan.used)
        self.tried.append("plan: a line" if line is not None else "plan: one that these rules do not allow")
        return self._won(line, "plan") if line is not None else None

    def _counted(self, position: Position) -> DealAnswer | None:
        """A game with fewer points may be over at any time; if that does not help either, nothing does."""
        counted = self._impossible("tokens", TOKENS, position, Seats(position, self.goal, tokens=True))
        return counted or self._spent(position)

    def _spent(self, position: Position) -> DealAnswer | None:
        """Where tokens may be left, or cards discarded though all are there, at least what is spent is counted."""
        if self.ladder.needs_of(position).standing(TOKENS).met:
            return None
        return self._impossible("spending", SPENDING, position, Seats(position, self.goal, tokens=True, at_full=True))

    def _impossible(self, kind: SeatClauses, need: str, position: Position, seats: Seats) -> DealAnswer | None:
        with _solving(seats, traced=True) as solver:
            found = solver.solve(self.ladder.budget.conflicts)
            if found is False:
                return self._denied(kind, need, position, seats, solver)
        self.tried.append(f"{kind}: {FREELY[kind] if found else 'undecided'}")
        return None

    def _denied(
        self, kind: SeatClauses, need: str, position: Position, seats: Seats, solver: Cadical
    ) -> DealAnswer | None:
        """A solver's no, if these rules have what its clauses need."""
        from hanabi_formal.sat.trimming import packed, trimmed

        standing = self.ladder.needs_of(position).standing(need)
        if not standing.met:
            self.tried.append(f"{kind}: impossible, but these rules do not allow to say so ({standing.detail})")
            return None
        self.tried.append(f"{kind}: impossible; that needs `{need}`: {standing.detail}")
        steps = packed(trimmed(solver.trace(), len(seats.cnf.clauses)))
        proof = Unsolvable(kind, seats.steps, seats.cnf.digest, steps)
        return DealAnswer("unwinnable", self.goal, kind, certificate=proof, tried=tuple(self.tried))

    def _general(self) -> DealAnswer:
        """The rules themselves, unrolled: decides whatever they say."""
        from hanabi_formal.sat.question import ask

        snapshot = self.state.spelt_out
        second: tuple[Literal["cadical", "z3"], ...] = ("z3",) if self.ladder.engine == "z3" else ()
        for engine in (*second, "cadical"):
            found = ask(
                self.ladder.system,
                self.state.dealt[0],
                snapshot,
                self.goal,
                budget=self.ladder.budget.general_conflicts,
                engine=engine,
                proof=engine == "cadical",
            )
            self.tried.append(f"rules unrolled, {engine}: {found.verdict} after {found.conflicts} conflicts")
            if found.verdict != "impossible":
                break  # a no of the first is proved by the second
        match found.verdict:
            case "reached":
                line = self.ladder.writer.follow(self.state, found.actions)
                assert line is not None, "the executor refuses what the interpreter played"
                return self._won(line, f"unrolled ({self.ladder.engine})")
            case "impossible":
                assert found.proof is not None
                kept = Unsolvable("unrolled", found.proof.horizon, found.proof.digest, found.proof.steps)
                return DealAnswer("unwinnable", self.goal, "unrolled", certificate=kept, tried=tuple(self.tried))
        return DealAnswer("undecided", self.goal, "budget spent", tried=tuple(self.tried))


@contextmanager
def _solving(seats: Seats, traced: bool) -> Iterator[Cadical]:
    from hanabi_formal.sat.solvers import Cadical

    solver = Cadical(seats.cnf.clauses, traced)
    try:
        yield solver
    finally:
        solver.close()

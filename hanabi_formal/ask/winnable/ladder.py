"""The ladder: cheap arguments and narrow searches first, then wider ones, then solvers; each with its evidence."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from hanabi_formal.api import Game, State
from hanabi_formal.ask.winnable.answer import Answer, Budget
from hanabi_formal.ask.winnable.argue import find_argument
from hanabi_formal.ask.winnable.beam import Beam
from hanabi_formal.ask.winnable.confirm import Confirmation
from hanabi_formal.ask.winnable.greedy import TEMPERS, greedy
from hanabi_formal.ask.winnable.lines import Action, Line, Move, Writer
from hanabi_formal.ask.winnable.simplified import Simplified
from hanabi_formal.certify.argument import Argument, Judge, needs_turns
from hanabi_formal.certify.certificate import Outnumbered, Reasoned, Unsolvable
from hanabi_formal.certify.displays import MOST_DISPLAYS, Display, accept, displays
from hanabi_formal.certify.needs import CARDS, TOKENS, TURNS, Needs, Standing, maximum_of, scores_cards
from hanabi_formal.certify.position import Position, reader
from hanabi_formal.certify.seats import Seats, can_be_seated
from hanabi_formal.diagnostics.diagnostic import refuse

if TYPE_CHECKING:
    from hanabi_formal.sat.solvers import Cadical

Engine = Literal["ladder", "sat", "z3"]
Clauses = Literal["seats", "tokens"]
Found = tuple[Simplified, list[Move] | None]
FREELY = {"seats": "possible if hints cost nothing", "tokens": "possible if a game can be ended at will"}


class Ladder:
    """Questions about one game and player count. What is costly to prepare is prepared once.

    `engine` is `ladder`, or a solver that is to decide by itself, from the rules unrolled.
    """

    def __init__(
        self, game: Game, players: int | None, engine: Engine = "ladder", budget: Budget | None = None
    ) -> None:
        self.game = game
        self.players = players
        self.engine = engine
        self.budget = budget or Budget()
        self.system = game.system(players)
        self.compiled = game.compiled(players)
        maximum = maximum_of(self.system)
        if self.system.deck is None or maximum is None:
            raise refuse("HRL602", f"`{game.name}` has no deal to win: its interface names no maximum",
                         help="`interface cards { … maximum = … }` says what winning is")  # fmt: skip
        self.maximum = maximum
        self.reader = reader(game, players) if engine == "ladder" else None
        self.confirmation = Confirmation(game, players)
        self.writer = Writer(self.compiled)
        self.has_last_round = self.reader is not None and self.reader.has_last_round
        self.scores_cards = scores_cards(self.system)
        self.needs: Needs | None = None
        self.tried: list[str] = []

    def ask(self, state: State, goal: int | None = None, before: Sequence[Action] = ()) -> Answer:
        """Can a game from this state end with so many points, by default the maximum? `before` led to the state."""
        began = time.perf_counter()
        question = _Question(self, state, self.maximum if goal is None else goal, before)
        self.tried = question.tried
        found = question.answer()
        return replace(found, seconds=time.perf_counter() - began)

    def standing(self, need: str, position: Position) -> Standing:
        if self.needs is None or self.needs.dealt != position.hand_size:
            self.needs = Needs(self.game, self.players, position.hand_size)
        return self.needs.standing(need)


class _Question:
    def __init__(self, ladder: Ladder, state: State, goal: int, before: Sequence[Action]) -> None:
        self.ladder = ladder
        self.state = state
        self.goal = goal
        self.before = tuple(before)
        self.tried: list[str] = []

    def answer(self) -> Answer:
        compiled = self.ladder.compiled
        if compiled.ended(self.state.packed):
            if compiled.score(self.state.dealt, self.state.packed) >= self.goal:
                return self._won(Line((), compiled.score(self.state.dealt, self.state.packed)), "over")
            return self._general()
        reader = self.ladder.reader
        if reader is None:
            return self._general()
        position = reader.read(self.state) if self.before else reader.begun(self.state)
        for rung in self._rungs(position):
            if rung is not None:
                return rung
        return self._general()

    def _rungs(self, position: Position) -> Iterator[Answer | None]:
        budget = self.ladder.budget
        perfect = self.goal == self.ladder.maximum == position.suits * position.ranks
        aims: list[Display | None] = [None]
        if perfect:
            yield self._argued(position)
        elif sum(position.heights) >= self.goal:
            aims = [position.heights]
        else:
            aims = [*islice(displays(position, self.goal), MOST_DISPLAYS)]
            yield self._outnumbered(position, aims)
        games = [Simplified(position, self.ladder.has_last_round, aim) for aim in aims]
        for temper in TEMPERS:
            yield self._found("greedy search", "greedy", position, ((game, greedy(game, temper)) for game in games))
        beams = [Beam(game) for game in games]
        for width in budget.widths:
            yield self._searched(beams, position, width)
        if can_be_seated(position):
            yield self._seated(position)
        for width in budget.wider:
            yield self._searched(beams, position, width)
        if can_be_seated(position):
            yield self._planned(position, perfect)

    # ---- arguments and searches ------------------------------------------------------------------
    def _argued(self, position: Position) -> Answer | None:
        """An argument, if there is one whose needs these rules meet."""
        for turns in (True, False) if self.ladder.has_last_round else (False,):
            argument = find_argument(position, turns)
            if argument is None:
                self.tried.append(f"argument: none found{'' if turns else ' about room alone'}")
                return None
            standing = self.ladder.standing(TURNS if needs_turns(argument) else CARDS, position)
            if standing.met:
                return self._reasoned(position, argument, standing)
            self.tried.append(f"argument: found, but these rules do not allow it ({standing.detail})")
        return None

    def _reasoned(self, position: Position, argument: Argument, standing: Standing) -> Answer:
        Judge(position).accept(argument)
        self.tried.append(f"argument: found; it needs `{standing.need}`: {standing.detail}")
        return Answer("unwinnable", self.goal, "argument", certificate=Reasoned(argument), tried=tuple(self.tried))

    def _outnumbered(self, position: Position, aims: list[Display | None]) -> Answer | None:
        """An argument against each display that would do. Those against which there is none are aimed at first."""
        if not self.ladder.scores_cards:
            return None
        for turns in (True, False) if self.ladder.has_last_round else (False,):
            found = {aim: find_argument(position, turns, aim) for aim in aims if aim is not None}
            against = {aim: argument for aim, argument in found.items() if argument is not None}
            said = f"arguments: against {len(against)} of {len(aims)} displays of {self.goal} cards"
            if len(against) < len(aims) or len(aims) == MOST_DISPLAYS:
                self.tried.append(f"{said}{'' if turns else ', about room alone'}")
                aims.sort(key=against.__contains__)
                return None
            needs = TURNS if any(map(needs_turns, against.values())) else CARDS
            standing = self.ladder.standing(needs, position)
            if standing.met:
                self.tried.append(f"{said}; they need `{standing.need}`: {standing.detail}")
                accept(position, self.goal, against)
                proof = Outnumbered(tuple(against.items()))
                return Answer("unwinnable", self.goal, "argument", certificate=proof, tried=tuple(self.tried))
            self.tried.append(f"{said}, but these rules do not allow them ({standing.detail})")
        return None

    def _searched(self, beams: Sequence[Beam], position: Position, width: int) -> Answer | None:
        budget = self.ladder.budget
        together = max((*budget.widths, *budget.wider)) // width
        lines = ((beam.game, beam.search(width)) for beam in beams[:together])
        return self._found(f"search, {width} abreast", f"search {width}", position, lines)

    def _found(self, search: str, method: str, position: Position, lines: Iterable[Found]) -> Answer | None:
        result = "no line"
        for game, moves in lines:
            if moves is None:
                continue
            line = self.ladder.writer.write(self.state, position, moves, self.goal, display=game.display)
            if line is not None:
                self.tried.append(f"{search}: a line")
                return self._won(line, method)
            result = "a line that these rules do not allow"
        self.tried.append(f"{search}: {result}")
        return None

    def _won(self, line: Line, method: str) -> Answer:
        ladder = self.ladder
        ladder.confirmation.confirm(self.state.dealt[0], (*self.before, *line.actions), line.score)
        return Answer("winnable", self.goal, method, line.actions, None, tuple(self.tried),
                      ("run", ladder.confirmation.by))  # fmt: skip

    # ---- solvers ---------------------------------------------------------------------------------
    def _seated(self, position: Position) -> Answer | None:
        """Who plays what, hints being free: if not even that works, nothing does."""
        if not self._counts_cards:
            return None
        return self._impossible("seats", TURNS, position, Seats(position, self.goal))

    @property
    def _counts_cards(self) -> bool:
        """Can clauses about cards on fireworks deny the goal?"""
        ladder = self.ladder
        return ladder.has_last_round and (self.goal == ladder.maximum or ladder.scores_cards)

    def _planned(self, position: Position, perfect: bool) -> Answer | None:
        """The same with tokens counted: a solution is a plan."""
        from hanabi_formal.ask.winnable.exact import plan_of

        seats = Seats(position, self.goal, tokens=True, to_the_end=not perfect)
        decides = perfect and self._counts_cards
        with _solving(seats, traced=decides) as solver:
            found = solver.solve(self.ladder.budget.conflicts)
            if found is False and decides:
                return self._denied("tokens", TOKENS, position, seats, solver)
            if not found:
                self.tried.append(f"plan: {'none' if found is False else 'undecided'}")
                return self._counted(position) if found is False and self._counts_cards else None
            plan = plan_of(seats, solver.model())
        line = self.ladder.writer.write(self.state, position, plan.moves, self.goal, plan.used)
        self.tried.append("plan: a line" if line is not None else "plan: one that these rules do not allow")
        return self._won(line, "plan") if line is not None else None

    def _counted(self, position: Position) -> Answer | None:
        """A game with fewer points may be over at any time; if that does not help either, nothing does."""
        return self._impossible("tokens", TOKENS, position, Seats(position, self.goal, tokens=True))

    def _impossible(self, kind: Clauses, need: str, position: Position, seats: Seats) -> Answer | None:
        with _solving(seats, traced=True) as solver:
            found = solver.solve(self.ladder.budget.conflicts)
            if found is False:
                return self._denied(kind, need, position, seats, solver)
        self.tried.append(f"{kind}: {FREELY[kind] if found else 'undecided'}")
        return None

    def _denied(
        self, kind: Clauses, need: str, position: Position, seats: Seats, solver: Cadical
    ) -> Answer | None:
        """A solver's no, if these rules have what its clauses need."""
        from hanabi_formal.sat.proofs import packed, trimmed

        standing = self.ladder.standing(need, position)
        if not standing.met:
            self.tried.append(f"{kind}: impossible, but these rules do not allow to say so ({standing.detail})")
            return None
        self.tried.append(f"{kind}: impossible; that needs `{need}`: {standing.detail}")
        steps = packed(trimmed(solver.trace(), len(seats.cnf.clauses)))
        proof = Unsolvable(kind, seats.steps, seats.cnf.digest, steps)
        return Answer("unwinnable", self.goal, kind, certificate=proof, tried=tuple(self.tried))

    def _general(self) -> Answer:
        """The rules themselves, unrolled: decides whatever they say."""
        from hanabi_formal.sat.question import ask

        snapshot = self.state.spelt_out
        second: tuple[Literal["cadical", "z3"], ...] = ("z3",) if self.ladder.engine == "z3" else ()
        for engine in (*second, "cadical"):
            found = ask(self.ladder.system, self.state.dealt[0], snapshot, self.goal,
                        budget=self.ladder.budget.general_conflicts, engine=engine,
                        proof=engine == "cadical")  # fmt: skip
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
                return Answer("unwinnable", self.goal, "unrolled", certificate=kept, tried=tuple(self.tried))
        return Answer("undecided", self.goal, "budget spent", tried=tuple(self.tried))


@contextmanager
def _solving(seats: Seats, traced: bool) -> Iterator[Cadical]:
    from hanabi_formal.sat.solvers import Cadical

    solver = Cadical(seats.cnf.clauses, traced)
    try:
        yield solver
    finally:
        solver.close()

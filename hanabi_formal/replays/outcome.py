"""A recorded game under given rules: where it is illegal and why, how it ends, what it is worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from hanabi_formal.api import Game, State
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.engines.second_opinion import second_opinion
from hanabi_formal.formats.step_text import ToldStep, action_text
from hanabi_formal.kernel.system import End
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.replays.figures import Figures, Reckoner
from hanabi_formal.replays.other_rulings import Choice, OtherRulings, Otherwise
from hanabi_formal.run.faults import IllegalAction
from hanabi_formal.run.interpret import Interpreter

MERE_STOP = "over"


@dataclass(frozen=True)
class Claimed:
    """What the record says was done: an action of the game, or words for what is none."""

    taken: Instance | None
    text: str = ""
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Turn:
    """One legal step, and the figures after it."""

    told: ToldStep
    figures: Figures


@dataclass(frozen=True)
class Illegal:
    """The first action that the rules do not allow, and the clauses that forbid it."""

    number: int
    action: str
    reason: str
    clauses: tuple[str, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True)
class PlayedOn:
    """The rules would have stopped after so many actions; the record goes on, for no more points, as others allow."""

    after: int
    end: End
    under: Otherwise


@dataclass(frozen=True)
class Replayed:
    """`ends_under` are the rulings under which a game that stopped too early would have ended where it did.

    `by_reference` says why the hand-written engine did not play along, if it did not.
    """

    game: Game
    players: int | None
    faces: tuple[int, ...]
    first: State
    first_figures: Figures
    turns: tuple[Turn, ...]
    illegal: Illegal | None
    last: State
    ends_under: tuple[tuple[Otherwise, End], ...] = ()
    played_on: PlayedOn | None = None
    by_reference: str | None = None

    @property
    def legal(self) -> bool:
        return self.illegal is None

    @property
    def actions(self) -> tuple[Instance, ...]:
        return tuple(turn.told.action for turn in self.turns)


class Replayer:
    """Replays games under one set of rules, for one number of players. Every engine that knows them plays along."""

    def __init__(self, game: Game, players: int | None) -> None:
        self.game = game
        self.players = players
        self._reckoner = Reckoner(game, players)
        self._others = OtherRulings(game)
        self._played_on: dict[Choice, Replayer] = {}

    def replay(self, faces: Sequence[int], claims: Iterable[Claimed]) -> Replayed:
        """A game that goes on after a mere stop, and makes no more points, is replayed to where it ends."""
        listed = list(claims)
        replayed = self._replay(faces, listed)
        end = replayed.last.ended
        if replayed.legal or end is None or end.outcome != MERE_STOP:
            return replayed
        for other in self._others.singles(self.players):
            if not any(name in self.game.settings.rulings for name, _ in other.choice):
                if other.choice not in self._played_on:
                    self._played_on[other.choice] = Replayer(other.game, self.players)
                longer = self._played_on[other.choice]._replay(faces, listed)
                if longer.legal and longer.last.ended and longer.last.score == replayed.last.score:
                    return replace(longer, game=self.game, played_on=PlayedOn(len(replayed.turns), end, other))
        return replayed

    def _replay(self, faces: Sequence[int], claims: Iterable[Claimed]) -> Replayed:
        first = state = self.game.start(self.players, tuple(faces))
        turns: list[Turn] = []
        illegal: Illegal | None = None
        for number, claim in enumerate(claims, 1):
            found = self._step(number, state, claim)
            if isinstance(found, Illegal):
                illegal = found
                break
            turns.append(found)
            state = found.told.after
        taken = [turn.told.action for turn in turns]
        opinion = second_opinion(self.game, self.players, faces, taken, [turn.told.step for turn in turns])
        stopped = illegal is None and state.ended is None
        under = self._would_end(tuple(faces), taken, state) if stopped else ()
        return Replayed(
            self.game,
            self.players,
            tuple(faces),
            first,
            self._figures(first),
            tuple(turns),
            illegal,
            state,
            under,
            None,
            opinion.unknown,
        )

    def _step(self, number: int, state: State, claim: Claimed) -> Turn | Illegal:
        if claim.taken is None:
            return Illegal(number, claim.text, "the rules have no such action", (), claim.span)
        name, args = claim.taken
        try:
            action = state.action(name, *args)
        except IllegalAction as problem:
            return Illegal(number, claim.text or f"{name}{args}", str(problem), (), claim.span)
        refused = refusal(state, action)
        if refused is not None:
            return Illegal(number, action_text(state, action), *refused, claim.span)
        step = state.explain(action)
        after = state.step(action)
        return Turn(ToldStep(number, state.actor, action, step, state, after), self._figures(after))

    def _figures(self, state: State) -> Figures:
        system = state.system
        scene = state.compiled.interpreter.scene(state.spelt_out, tuple(state.dealt[0]))
        points = state.score if state.ended is None else state.compiled.interpreter.evaluate(system.score, scene)
        return self._reckoner.of(state, points)

    def _would_end(
        self, faces: tuple[int, ...], taken: Sequence[Instance], state: State
    ) -> tuple[tuple[Otherwise, End], ...]:
        snapshot = state.spelt_out
        found = []
        for other in self._others.singles(self.players):
            system = other.game.system(self.players)
            interpreter = Interpreter(system)
            if system.variables != state.system.variables:
                continue
            scene = interpreter.scene(snapshot, faces)
            # Looked at first: to play the whole game once more is slow.
            if any(interpreter.evaluate(end.condition, scene) for end in system.ends):
                end = _ends_there(interpreter, faces, taken)
                if end is not None:
                    found.append((other, end))
        return tuple(found)


def _ends_there(interpreter: Interpreter, faces: tuple[int, ...], taken: Sequence[Instance]) -> End | None:
    """The end that the last action brings about, if the game is legal and goes on until then."""
    snapshot = interpreter.start(faces)
    try:
        for action in taken:
            snapshot = interpreter.step(snapshot, faces, action).after
    except IllegalAction:
        return None
    return interpreter.system.ends[snapshot.end - 1] if snapshot.end else None


def refusal(state: State, action: Instance) -> tuple[str, tuple[str, ...]] | None:
    """Why the rules do not allow an action, with the clauses; None if they do."""
    end = state.ended
    if end is not None:
        return f"the game has ended by `{end.name}`", end.clauses
    compiled = state.compiled
    guard = compiled.interpreter.failing_guard(
        state.spelt_out, tuple(state.dealt[0]), state.system.action(action.name), action.args
    )
    if guard is None:
        return None
    return f"`{action.name}` is refused by its guard `{guard.label or '?'}`", guard.clauses

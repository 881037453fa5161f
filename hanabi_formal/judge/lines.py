"""Lines of evidence: actions read, followed from the deal, and played by every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hanabi_formal.api import Game, State
from hanabi_formal.engines.second_opinion import second_opinion
from hanabi_formal.formats.hanab_live.recorder import ActionRecorder
from hanabi_formal.formats.hanab_live.records import ActionKind, RecordedAction
from hanabi_formal.judge.refutations.lrat import Refused
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.faults import Fault, IllegalAction

MOST_ACTIONS = 2000


@dataclass(frozen=True)
class Lines:
    """Of one deal."""

    game: Game
    players: int | None
    faces: tuple[int, ...]

    def read(self, evidence: Mapping[str, Any], key: str) -> list[Instance]:
        listed, recorder = evidence.get(key, []), ActionRecorder(self.game.system(self.players))
        if not isinstance(listed, list) or len(listed) > MOST_ACTIONS:
            raise Refused(f"`{key}` is no list of actions")
        return [self._action(data, recorder, f"`{key}`, action {number}") for number, data in enumerate(listed, 1)]

    def _action(self, data: object, recorder: ActionRecorder, where: str) -> Instance:
        match data:
            case {"type": int(kind), "target": int(target), "value": int(value)} if kind in list(ActionKind):
                found = recorder.played(RecordedAction(ActionKind(kind), target, value))
                if found is not None:
                    return found
            case {"action": str(name), "args": list(args)} if all(type(arg) is int for arg in args):
                if any(action.name == name for action in self.game.system(self.players).actions):
                    return Instance(name, tuple(args))
        raise Refused(f"{where}: there is no such action in these rules")

    def follow(self, actions: Sequence[Instance]) -> State:
        state = self.game.start(self.players, self.faces)
        for number, (name, args) in enumerate(actions, 1):
            try:
                state = state.step(state.action(name, *args))
            except (IllegalAction, Fault) as problem:
                raise Refused(f"action {number} is not legal: {problem}") from None
        return state

    def accept(self, actions: Sequence[Instance], goal: int) -> tuple[str, ...]:
        """Who played the game to its end with so many points; `Refused` if it has no such end."""
        state = self.follow(actions)
        if state.ended is None:
            raise Refused("the line does not end the game")
        if state.score < goal:
            raise Refused(f"the line ends with {state.score} points, not with {goal}")
        opinion = second_opinion(self.game, self.players, self.faces, actions)
        by = f"{', '.join(opinion.replayed)} play all {len(actions)} actions, to {state.score} points"
        return (by,) if opinion.unknown is None else (by, f"reference: {opinion.unknown}")

"""A game played by every engine we have, the hand-written one too, before anybody is shown it.

What a search or a solver found is a claim until then. The engines must agree on every step and on the game's worth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from hanabi_formal import reference as ref
from hanabi_formal.api import Game
from hanabi_formal.engines.disagreement import Disagreement
from hanabi_formal.engines.reference_words import UnknownRules, Words, known_rules
from hanabi_formal.formats.faces import show_deal
from hanabi_formal.formats.step_text import action_text
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.interpret import Snapshot, Step

T = TypeVar("T")
OURS, THEIRS = "rule files", "reference engine"


@dataclass(frozen=True)
class Opinion:
    """The engines that played the game and agree; `unknown` says why the reference engine is not among them."""

    replayed: tuple[str, ...]
    unknown: str | None = None


def second_opinion(
    game: Game,
    players: int | None,
    faces: Sequence[int],
    actions: Sequence[Instance],
    explained: Sequence[Step] | None = None,
    known: Sequence[Snapshot] = (),
) -> Opinion:
    """Play a game from its deal in all engines that know its rules. `Disagreement` where they differ.

    `explained` is what the interpreter said of each action, if it was asked already; `known` what it said of every
    state, if the executor was seen to agree.
    """
    replay = _Replay(game, players, tuple(faces), actions, explained, known)
    try:
        rules = known_rules(game, players)
    except UnknownRules as unknown:
        replay.run(None)
        return Opinion(("run", "interpreter"), str(unknown))
    replay.run(rules)
    return Opinion(("run", "interpreter", "reference"))


@dataclass
class _Replay:
    game: Game
    players: int | None
    faces: tuple[int, ...]
    actions: Sequence[Instance]
    explained: Sequence[Step] | None
    known: Sequence[Snapshot]
    done: int = 0

    def __post_init__(self) -> None:
        self.state = self.game.start(self.players, self.faces or None)
        self.system = self.state.system
        self.interpreter = self.state.compiled.interpreter
        self.words = Words(self.system)
        self.spelt_out = self.state.spelt_out

    def run(self, rules: ref.Rules | None) -> None:
        if not self.known:
            self._agree_on_state(self.interpreter.start(self.faces))
        table: ref.Table | None = None
        if rules is not None:
            table = self._stopped(THEIRS, partial(ref.start, rules, self.words.deck(self.faces)))
            self._compare(table)
        for name, args in self.actions:
            table = self._step(self.state.action(name, *args), table)
        if table is not None:
            ours, theirs = {self.words.action(action) for action in self.state.legal()}, set(ref.legal(table))
            only = {OURS: sorted(ours - theirs), THEIRS: sorted(theirs - ours)}
            self._agree("what is legal in one of them only", only)

    def _step(self, action: Instance, table: ref.Table | None) -> ref.Table | None:
        expected: Snapshot | None = None
        if self.explained is not None:
            expected = self.explained[self.done].after
        elif not self.known:
            interpret = partial(self.interpreter.step, self.spelt_out, self.faces, action)
            expected = self._stopped("interpreter", interpret).after
        self.state = self._stopped("executor", partial(self.state.step, action))
        self.spelt_out = self.known[self.done + 1] if self.known else self.state.spelt_out
        if table is not None:
            table = self._stopped(THEIRS, partial(ref.apply, table, self.words.action(action)))
        self.done += 1
        if expected is not None:
            self._agree_on_state(expected)
        if table is not None:
            self._compare(table)
        return table

    def _agree_on_state(self, expected: Snapshot) -> None:
        for name, value in self.spelt_out.values.items():
            self._agree(name, {"executor": value, "interpreter": expected.values[name]})
        self._agree("the number of the end", {"executor": self.spelt_out.end, "interpreter": expected.end})

    def _compare(self, table: ref.Table) -> None:
        for what, ours, theirs in self.words.compared(self.state, self.spelt_out.values, table):
            self._agree(what, {OURS: ours, THEIRS: theirs})

    def _stopped(self, who: str, work: Callable[[], T]) -> T:
        """Whatever stops an engine is a difference: the game goes on."""
        try:
            return work()
        except Exception as problem:
            shown = f"{type(problem).__name__}: {problem}"
            raise self._difference("whether it goes on", {"the game": "goes on", who: shown}) from problem

    def _agree(self, what: str, answers: Mapping[str, object]) -> None:
        first, second = answers.values()
        if first != second:
            raise self._difference(what, {who: str(says) for who, says in answers.items()})

    def _difference(self, what: str, answers: dict[str, str]) -> Disagreement:
        played = {
            "spec": self.game.name,
            "players": self.players,
            "parameters": dict(self.system.parameters),
            "rulings": dict(self.system.rulings),
            "cuts": dict(self.game.settings.cuts),
            "deal": show_deal(self.faces, self.system) if self.system.deck is not None else "",
            "actions": [action_text(self.state, self.state.action(name, *args)) for name, args in self.actions],
        }
        return Disagreement(what, answers, self.done, played)

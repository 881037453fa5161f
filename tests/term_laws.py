"""The law that holds the solver's terms to the executor, step by step of deep games.

Compared at every step: the end and the score, whether each action with each choice of arguments is legal, every
variable after the step, records included, the end that decides, at once or late, and the score then. At one step in
`SAMPLE` all of this, and every count, is also evaluated by the solver itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from hanabi_formal.formats.deals import shuffled
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.drivers import skilled_driver
from hanabi_formal.run.interpret import Snapshot
from term_reading.evaluate import Evaluated, Evaluator, Here
from term_reading.general import GeneralTerms
from term_reading.ground import GroundTerms

SAMPLE = 200
ELSEWHERE = 1000  # Said of places that do not exist, instead of what is usually said of them.
DEVIATIONS = (0.0, 0.05, 0.15, 0.5)


class Differs(Exception):
    """The terms say one thing, the executor another."""


@dataclass
class Tally:
    steps: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    at_once: int = 0
    refused: int = 0
    sampled: int = 0
    counts: int = 0


@dataclass(frozen=True)
class Step:
    """One step of a game, as the executor has it."""

    dealt: Dealt
    faces: tuple[int, ...]
    before: Snapshot
    state: PackedState
    code: int
    next: PackedState
    after: Snapshot


def games(compiled: Compiled, steps: int) -> Iterator[Step]:
    """Whole games, one after the other, as many as it takes; the last is left when there are enough steps."""
    left = steps
    for game in range(steps):
        faces = shuffled(compiled.system, f"terms {game}")
        dealt = compiled.deal(list(faces))
        driver = skilled_driver(compiled, game, DEVIATIONS[game % len(DEVIATIONS)])
        state = compiled.start(dealt)
        snapshot = compiled.snapshot(state)
        while compiled.legal(dealt, state):
            if not left:
                return
            left -= 1
            code = driver(dealt, state)
            after = compiled.step(dealt, state, code)
            step = Step(dealt, tuple(faces), snapshot, state, code, after, compiled.snapshot(after))
            yield step
            state, snapshot = after, step.after


class Comparison:
    """The executor and the terms of one system, side by side."""

    def __init__(self, compiled: Compiled, terms: GeneralTerms, sample: int = SAMPLE) -> None:
        self.compiled = compiled
        self.evaluator = Evaluator(terms)
        self.ground = GroundTerms(terms)
        self.sample = sample
        self.tally = Tally()
        self._numbers = {action.name: number for number, action in enumerate(compiled.system.actions)}
        self.instances = [
            (number, args)
            for number, action in enumerate(compiled.system.actions)
            for args in compiled.interpreter.arguments(action)
        ]

    def run(self, steps: int) -> Tally:
        for step in games(self.compiled, steps):
            self._step(step)
        return self.tally

    def _instance(self, state: PackedState, code: int) -> tuple[int, tuple[int, ...]]:
        instance = self.compiled.decode(state, code)
        return self._numbers[instance.name], instance.args

    def _step(self, step: Step) -> None:
        compiled, tally = self.compiled, self.tally
        here = self.evaluator.at(step.before, step.faces)
        self._same("end and score before", (here.end, here.score), (0, compiled.score(step.dealt, step.state)))
        legal = {self._instance(step.state, code) for code in compiled.legal(step.dealt, step.state)}
        said = {instance for instance in self.instances if here.is_legal(*instance)}
        self._same("legal actions", said, legal)
        chosen = self._instance(step.state, step.code)
        found = here.step(*chosen)
        for name, value in step.after.values.items():
            self._same(name, found.after.values[name], value)
        self._same("end", found.after.end, compiled.ended(step.next))
        self._same("score", found.score, compiled.score(step.dealt, step.next))
        self._same("every individual exists", found.defined, True)
        tally.refused += len(self.instances) - len(legal)
        if found.after.end:
            tally.ends[compiled.system.ends[found.after.end - 1].name] += 1
            tally.at_once += found.at_once
        if tally.steps % self.sample == 0:
            self._by_the_solver(step, here, chosen, found)
            self._wherever(step, here, chosen, found)
        tally.steps += 1

    def _by_the_solver(self, step: Step, here: Here, chosen: tuple[int, tuple[int, ...]], found: Evaluated) -> None:
        ground = self.ground.at(step.before, step.faces, here.counts)
        self._same("the solver's end and score before", (ground.end, ground.score), (here.end, here.score))
        for instance in self.instances:
            self._same(f"the solver's {instance}", ground.is_legal(*instance), here.is_legal(*instance))
        self._same("the solver's step", ground.step(*chosen, found.counts), found)
        for counts in (here.counts, found.counts):
            for number, table in counts.items():
                for params, many in table.items():
                    self._same(f"the solver's count {number}{params}", ground.count(number, params), many)
                    self.tally.counts += 1
        self.tally.sampled += 1

    def _wherever(self, step: Step, here: Here, chosen: tuple[int, tuple[int, ...]], found: Evaluated) -> None:
        """What is said of places that do not exist makes no difference."""
        other = self.evaluator.at(step.before, step.faces, outside=ELSEWHERE)
        for instance in self.instances:
            self._same(f"elsewhere: {instance}", other.is_legal(*instance), here.is_legal(*instance))
        again = other.step(*chosen)
        self._same(
            "elsewhere: step", (again.after, again.score, again.at_once), (found.after, found.score, found.at_once)
        )

    def _same(self, what: str, found: object, wanted: object) -> None:
        if found != wanted:
            raise Differs(f"step {self.tally.steps}, {what}: the terms say {found}, not {wanted}")

"""The actions of a game with their arguments. Those that do the same are one move, legal if one of them is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import assert_never

from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Assign, Block, Case, ForEach, Reveal, System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import type_values
from hanabi_formal.sat.encode.grounding import Environment, Grounder
from hanabi_formal.sat.encode.nodes import GroundNode


@dataclass(frozen=True)
class GroundWrite:
    """If all conditions hold, the variable gets that value at that index."""

    conditions: tuple[GroundNode, ...]
    var: str
    index: tuple[GroundNode, ...]
    value: GroundNode

    @property
    def key(self) -> tuple[object, ...]:
        parts = (self.conditions, self.index, (self.value,))
        return (self.var, *(tuple(node.number for node in nodes) for nodes in parts))


GroundWrites = tuple[GroundWrite, ...]


@dataclass
class ActionGroup:
    """Actions with the same effect, each with its condition."""

    first: GroundWrites
    second: GroundWrites
    second_number: int
    members: list[tuple[Instance, GroundNode]] = field(default_factory=list)


@dataclass(frozen=True)
class GroundEnd:
    late: bool
    condition: GroundNode
    score: GroundNode


class GroundGame:
    """A system with its deal: moves, ends, and nothing that neither legality nor score depends on."""

    def __init__(self, system: System, faces: tuple[int, ...]) -> None:
        self.system = restrict(system)
        self.grounder = Grounder(self.system, faces)
        self.ends = [
            GroundEnd(end.late, self.grounder.ground(end.condition, {}), self.grounder.ground(end.score, {}))
            for end in self.system.ends
        ]
        self.ends = [end for end in self.ends if end.condition is not self.grounder.false]
        self.moves = list(self._moves())

    def _moves(self) -> Iterator[ActionGroup]:
        found: dict[object, ActionGroup] = {}
        seconds: dict[object, int] = {}
        for action in self.system.actions:
            for args in product(*(type_values(param.type) for param in action.params)):
                env = {param.name: value for param, value in zip(action.params, args, strict=True)}
                guard = self._guard([g.condition for g in action.guards], env)
                if guard is self.grounder.false:
                    continue
                first = tuple(self._writes(action.first, env, ()))
                second = tuple(self._writes(action.second, env, ()))
                key = (tuple(write.key for write in first), tuple(write.key for write in second))
                number = seconds.setdefault(key[1], len(seconds))
                found.setdefault(key, ActionGroup(first, second, number)).members.append(
                    (Instance(action.name, args), guard)
                )
        yield from found.values()

    def _guard(self, conditions: list[Expr], env: Environment) -> GroundNode:
        parts = []
        for condition in conditions:
            parts.append(self.grounder.ground(condition, env))
            if parts[-1] is self.grounder.false:
                return self.grounder.false
        return self.grounder.both(parts)

    def _writes(self, block: Block, env: Environment, conditions: tuple[GroundNode, ...]) -> Iterator[GroundWrite]:
        ground = self.grounder.ground
        for statement in block:
            match statement:
                case Assign(var, index, value):
                    yield GroundWrite(conditions, var, tuple(ground(part, env) for part in index), ground(value, env))
                case Case(branches):
                    before = conditions
                    for branch in branches:
                        test = ground(branch.condition, env)
                        yield from self._under(branch.block, env, before, test)
                        if test is self.grounder.true:
                            break
                        if test is not self.grounder.false:
                            before = (*before, self.grounder.negated(test))
                case ForEach(binders, where, inner):
                    for values in product(*(type_values(binder.type) for binder in binders)):
                        bound = {**env, **{b.name: v for b, v in zip(binders, values, strict=True)}}
                        yield from self._under(inner, bound, conditions, ground(where, bound))
                case Reveal():
                    pass
                case _:
                    assert_never(statement)

    def _under(
        self, block: Block, env: Environment, before: tuple[GroundNode, ...], test: GroundNode
    ) -> Iterator[GroundWrite]:
        if test is self.grounder.true:
            yield from self._writes(block, env, before)
        elif test is not self.grounder.false:
            yield from self._writes(block, env, (*before, *(test.args if test.kind == "and" else (test,))))

"""Which cases of the rules a game goes through: the same rules with a counter in every labelled branch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from hanabi_formal.kernel.build import number
from hanabi_formal.kernel.expr import Get, Lit, Op
from hanabi_formal.kernel.system import Assign, Block, Case, ForEach, Init, Statement, System, Variable
from hanabi_formal.kernel.types import IntType
from hanabi_formal.run.compiler.compile import Compiled, Dealt
from hanabi_formal.run.compiler.layout import Scalar

COUNT = IntType(0, 255)


class Counted:
    """A system and its twin that counts. A case is known by its action and the labels that lead to it.

    The twin has the same actions under the same codes, so that a game is told to it by its codes alone.
    """

    def __init__(self, system: System) -> None:
        self.names: list[str] = []
        actions = []
        for action in system.actions:
            self.names.append(action.name)
            at_all = self._count(len(self.names) - 1)
            first = (at_all, *self._block(action.first, action.name))
            actions.append(replace(action, first=first, second=self._block(action.second, action.name)))
        counters = [f"counter{n}" for n in range(len(self.names))]
        self.system = replace(
            system,
            actions=tuple(actions),
            variables=(*system.variables, *(Variable(name, (), COUNT, False) for name in counters)),
            inits=(*system.inits, *(Init(name, (), number(0)) for name in counters)),
        )
        self.compiled = Compiled(self.system)
        self._cells = []
        for name in counters:
            kept = self.compiled.layout.kept[name]
            assert isinstance(kept, Scalar)
            self._cells.append(self.compiled.layout.where(kept.slot)[0])

    def _count(self, which: int) -> Assign:
        counter = Get(f"counter{which}", (), COUNT)
        more = Op("add", (counter, number(1)), IntType(1, 256))
        return Assign(f"counter{which}", (), Op("min", (more, Lit(255, COUNT)), COUNT))

    def _block(self, block: Block, path: str) -> Block:
        return tuple(self._statement(statement, path) for statement in block)

    def _statement(self, statement: Statement, path: str) -> Statement:
        if isinstance(statement, ForEach):
            assert not any(isinstance(inner, Case) for inner in statement.block), "a case for each of many"
        if not isinstance(statement, Case):
            return statement
        branches = []
        for branch in statement.branches:
            longer = f"{path} > {branch.label or 'otherwise'}"
            self.names.append(longer)
            counted = self._count(len(self.names) - 1)
            branches.append(replace(branch, block=(counted, *self._block(branch.block, longer))))
        return Case(tuple(branches))

    def tell(self, dealt: Dealt, codes: Iterable[int]) -> Counter[str]:
        """How often a game went through each action and case."""
        state = self.compiled.start(dealt)
        step = self.compiled.step
        for code in codes:
            state = step(dealt, state, code)
        return Counter({name: state[cell] for name, cell in zip(self.names, self._cells, strict=True)})

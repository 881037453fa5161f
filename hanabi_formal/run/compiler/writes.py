"""What is known of the writes of a block: whether they meet, always happen, or may happen many times."""

from __future__ import annotations

from hanabi_formal.kernel.build import TRUE
from hanabi_formal.kernel.expr import Expr, Lit, Local, locals_in, vars_in
from hanabi_formal.kernel.system import Assign, Block, Case, ForEach, Reveal, System, assignments, statements_in
from hanabi_formal.kernel.types import type_first


def writes_to(var: str, *blocks: Block) -> list[Assign]:
    return [assign for block in blocks for assign in assignments(block) if assign.var == var]


def meeting(block: Block) -> frozenset[str]:
    """Variables of which two writes could meet at one place, so that a step has to watch them."""
    found: set[str] = set()
    _writes(block, found)
    return frozenset(found)


def _writes(block: Block, found: set[str]) -> list[Assign]:
    """All writes of a block. Of one case only one branch is taken, so what its branches write does not meet."""
    before: list[Assign] = []
    for statement in block:
        match statement:
            case Assign():
                new = [statement]
            case Case(branches):
                new = [write for branch in branches for write in _writes(branch.block, found)]
            case ForEach(binders, block=inner):
                new = _writes(inner, found)
                found |= {write.var for write in new if not _apart(write.var, new, binders)}
            case Reveal():
                new = []
        for write in new:
            if any(old.var == write.var and not _differ(old.index, write.index) for old in before):
                found.add(write.var)
        before += new
    return before


def _apart(var: str, writes: list[Assign], binders: tuple[Local, ...]) -> bool:
    """Does every turn of a loop write another place of a map?"""
    indices = {write.index for write in writes if write.var == var}
    return len(indices) == 1 and set(binders) <= set(next(iter(indices)))


def _differ(left: tuple[Expr, ...], right: tuple[Expr, ...]) -> bool:
    return any(
        isinstance(a, Lit) and isinstance(b, Lit) and a.value != b.value for a, b in zip(left, right, strict=True)
    )


def is_written_once(system: System, var: str) -> bool:
    """Does every write of a map give an index the same value, whatever the state, and was the first value another?

    Then a second write changes nothing, and no old value need be cleared.
    """
    found = writes_to(var, *(block for action in system.actions for block in (action.first, action.second)))
    init = next(init for init in system.inits if init.var == var)
    starts_first = isinstance(init.value, Lit) and init.value.value == type_first(system.variable(var).type)
    if len(found) != 1 or not starts_first:
        return False
    index, value = found[0].index, found[0].value
    names = {arg.name for arg in index if isinstance(arg, Local)}
    return len(names) == len(index) and locals_in(value) <= names and not vars_in(value)


def always_assigns(block: Block, var: str, index: Expr) -> bool:
    """Is the map written at that index whatever branch is taken?"""
    for statement in block:
        match statement:
            case Assign(var=name, index=at) if name == var and at == (index,):
                return True
            case Case(branches) if branches[-1].condition == TRUE:
                if all(always_assigns(branch.block, var, index) for branch in branches):
                    return True
    return False


def in_loop(block: Block, var: str) -> bool:
    """Is the map written in a loop, so that one statement may write many times?"""
    loops = (statement for statement in statements_in(block) if isinstance(statement, ForEach))
    return any(writes_to(var, loop.block) for loop in loops)

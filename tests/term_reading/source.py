"""Terms as the source of Python functions, with names of our own.

A term is a graph: what occurs in several places is computed once, and as far outside loops and functions as what it
depends on allows. Each unknown belongs to a level (the state; an action's arguments; a count's parameters; a loop), and
a term to the innermost level of its unknowns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import z3

from hanabi_formal.kernel.types import type_values
from hanabi_formal.smt.terms import Term
from term_reading.general import ActionTerms, GeneralTerms, MapTerms

DEEPEST = 12  # Brackets within brackets; Python reads a hundred.
BETWEEN = {
    z3.Z3_OP_AND: " and ",
    z3.Z3_OP_OR: " or ",
    z3.Z3_OP_ADD: " + ",
    z3.Z3_OP_SUB: " - ",
    z3.Z3_OP_MUL: " * ",
    z3.Z3_OP_EQ: " == ",
    z3.Z3_OP_IFF: " == ",
    z3.Z3_OP_LE: " <= ",
    z3.Z3_OP_LT: " < ",
    z3.Z3_OP_GE: " >= ",
    z3.Z3_OP_GT: " > ",
    z3.Z3_OP_IDIV: " // ",
    z3.Z3_OP_MOD: " % ",
    z3.Z3_OP_XOR: " != ",
    z3.Z3_OP_DISTINCT: " != ",
}
OF_NOTHING = {z3.Z3_OP_AND: "True", z3.Z3_OP_OR: "False", z3.Z3_OP_TRUE: "True", z3.Z3_OP_FALSE: "False"}
OF_TWO = {z3.Z3_OP_EQ, z3.Z3_OP_IFF, z3.Z3_OP_IDIV, z3.Z3_OP_MOD, z3.Z3_OP_XOR, z3.Z3_OP_DISTINCT}
DIVISIONS = {z3.Z3_OP_IDIV: "quotient", z3.Z3_OP_MOD: "remainder"}


class Unreadable(Exception):
    """A term with an operator that no expression of a System leads to."""


@dataclass(frozen=True)
class Node:
    """A term, read once: asking Z3 takes long. Its children go by Z3's numbers, which stay while a term is kept."""

    term: Term
    kind: int
    function: int
    children: tuple[int, ...]

    @property
    def number(self) -> int | None:
        """The value of a constant."""
        return int(self.term.as_long()) if self.kind == z3.Z3_OP_ANUM else None


@dataclass(eq=False)
class Level:
    """A function or a loop under construction."""

    outer: Level | None
    lines: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)

    @property
    def depth(self) -> int:
        return 0 if self.outer is None else self.outer.depth + 1

    def close(self, head: str) -> None:
        """The lines become a block of the level outside."""
        assert self.outer is not None
        self.outer.lines += [head, *(f"    {line}" for line in self.lines or ["pass"])]

    def counts_known(self) -> str:
        return f"{{{', '.join(f'{number}: m{number}' for number in self.counts)}}}"


class Source:
    """`text` has one function, `at`: from the values of a state and a deal to functions for the actions there."""

    def __init__(self, terms: GeneralTerms) -> None:
        self._terms = terms
        self._root = Level(None)
        self._unknowns: dict[int, tuple[str, Level]] = {}
        self._inputs = {
            function.get_id(): f"f{number}"
            for number, function in enumerate([*terms.variables.values(), *terms.attributes.values()])
        }
        self._counts = {count.function.get_id(): number for number, count in enumerate(terms.counts)}
        self._count_levels: dict[int, Level] = {}
        self._levels: dict[int, Level] = {}
        self._written: dict[int, str] = {}
        self._defined: set[int] = set()
        self._names = 0
        roots = list(_roots(terms))
        self._nodes = _graph(roots)
        self._uses = Counter(root.get_id() for root in roots)
        for node in self._nodes.values():
            self._uses.update(node.children)
        self.text = self._write()

    # ---- functions -----------------------------------------------------------------------------
    def _write(self) -> str:
        root = self._root
        inputs = ", ".join((*self._inputs.values(), "OUTSIDE"))
        root.lines.append(f"{inputs}, = inputs")
        end, score = self._text(self._terms.end, root), self._text(self._terms.score, root)
        for number, action in enumerate(self._terms.actions):
            self._action(number, action)
        actions = "".join(f"act{number}, " for number in range(len(self._terms.actions)))
        root.lines.append(f"return {end}, {score}, ({actions}), {root.counts_known()}")
        return "\n".join(["def at(inputs):", *(f"    {line}" for line in root.lines)]) + "\n"

    def _action(self, number: int, action: ActionTerms) -> None:
        level = Level(self._root)
        args = "".join(f", {self._unknown(arg, level)}" for arg in action.args)
        level.lines.append(f"if asked: return {self._text(action.legal, level)}")
        parts = (action.defined, action.at_once, action.end, action.score)
        found = [self._text(part, level) for part in parts]
        after = "".join(f"{self._map(part, level)}, " for part in action.after.values())
        level.lines.append(f"return {', '.join(found)}, ({after}), {level.counts_known()}")
        level.close(f"def act{number}(asked{args}):")

    def _map(self, part: MapTerms, level: Level) -> str:
        """The values at all indices, in the order in which a state spelt out has them."""
        if not part.index:
            return self._text(part.value, level)
        found = self._name("r")
        level.lines.append(f"{found} = []")
        loops = [level]
        heads = []
        for term, kind in zip(part.index, part.kinds, strict=True):
            loops.append(Level(loops[-1]))
            values = type_values(kind)
            heads.append(f"for {self._unknown(term, loops[-1])} in range({values.start}, {values.stop}):")
        loops[-1].lines.append(f"{found}.append({self._text(part.value, loops[-1])})")
        for loop, head in reversed(list(zip(loops[1:], heads, strict=True))):
            loop.close(head)
        return f"tuple({found})"

    def _count(self, number: int) -> None:
        """A count as a function that remembers; written before anything that calls it."""
        count = self._terms.counts[number]
        home = self._count_level(number)
        home.counts.append(number)
        level = Level(home)
        params = ", ".join(self._unknown(param, level) for param in count.params)
        key = f"({params},)" if params else "()"
        loop = Level(level)
        which = self._unknown(count.which, loop)
        loop.lines.append(f"if {self._text(count.body, loop)}: many += 1")
        level.lines.append("many = 0")
        loop.close(f"for {which} in range({count.individuals.start}, {count.individuals.stop}):")
        level.lines = [
            f"many = m{number}.get({key})",
            "if many is not None: return many",
            *level.lines,
            f"m{number}[{key}] = many",
            "return many",
        ]
        home.lines.append(f"m{number} = {{}}")
        level.close(f"def c{number}({params}):")

    # ---- levels --------------------------------------------------------------------------------
    def _name(self, letter: str) -> str:
        self._names += 1
        return f"{letter}{self._names}"

    def _unknown(self, term: Term, level: Level) -> str:
        name = self._name("x")
        self._unknowns[term.get_id()] = name, level
        return name

    def _level(self, number: int) -> Level:
        if number in self._unknowns:
            return self._unknowns[number][1]
        if number not in self._levels:
            node = self._nodes[number]
            found = [self._root, *map(self._level, node.children)]
            if node.function in self._counts:
                found.append(self._count_level(self._counts[node.function]))
            self._levels[number] = max(found, key=lambda level: level.depth)
        return self._levels[number]

    def _count_level(self, count: int) -> Level:
        """The level of what a count depends on besides its parameters: the state's, or an action's."""
        if count not in self._count_levels:
            terms = self._terms.counts[count]
            own = {term.get_id() for term in (*terms.params, terms.which)}
            found = [self._root]
            for number in self._within(terms.body.get_id()):
                inner = self._counts.get(self._nodes[number].function)
                if inner is not None:
                    found.append(self._count_level(inner))
                elif number in self._unknowns and number not in own:
                    found.append(self._unknowns[number][1])
            self._count_levels[count] = max(found, key=lambda level: level.depth)
        return self._count_levels[count]

    def _within(self, number: int) -> set[int]:
        found: set[int] = set()
        stack = [number]
        while stack:
            number = stack.pop()
            if number not in found:
                found.add(number)
                stack += self._nodes[number].children
        return found

    # ---- expressions ---------------------------------------------------------------------------
    def _text(self, term: Term, here: Level) -> str:
        return self._expression(term.get_id(), here, 0)

    def _expression(self, number: int, here: Level, depth: int) -> str:
        node = self._nodes[number]
        if number in self._unknowns:
            return self._unknowns[number][0]
        if node.number is not None:
            return f"({node.number})" if node.number < 0 else str(node.number)
        if not node.children and node.function in self._inputs:
            return self._inputs[node.function]
        if number in self._written:
            return self._written[number]
        home = self._level(number)
        if home is here and self._uses[number] == 1 and depth < DEEPEST:
            return self._operation(node, here, depth + 1)
        made = self._operation(node, home, 1)
        name = self._name("t")
        home.lines.append(f"{name} = {made}")
        self._written[number] = name
        return name

    def _operation(self, node: Node, here: Level, depth: int) -> str:
        kind, count = node.kind, self._counts.get(node.function)
        if count is not None and count not in self._defined:
            self._defined.add(count)
            self._count(count)
        args = [self._expression(child, here, depth) for child in node.children]
        if count is not None:
            return f"c{count}({', '.join(args)})"
        if node.function in self._inputs:
            at = args[0] if len(args) == 1 else f"({', '.join(args)})"
            return f"{self._inputs[node.function]}({at}, OUTSIDE{' > 0' if z3.is_bool(node.term) else ''})"
        if kind in OF_NOTHING and not args:
            return OF_NOTHING[kind]
        if kind in OF_TWO and len(args) != 2:
            raise Unreadable(f"{node.term.decl()} of {len(args)}")
        if kind in DIVISIONS and (self._nodes[node.children[1]].number or 0) <= 0:
            return f"{DIVISIONS[kind]}({', '.join(args)})"
        if kind in BETWEEN:
            return f"({BETWEEN[kind].join(args)})" if len(args) > 1 else args[0]
        match kind:
            case z3.Z3_OP_NOT:
                return f"(not {args[0]})"
            case z3.Z3_OP_UMINUS:
                return f"(-{args[0]})"
            case z3.Z3_OP_IMPLIES:
                return f"(not {args[0]} or {args[1]})"
            case z3.Z3_OP_ITE:
                return f"({args[1]} if {args[0]} else {args[2]})"
        raise Unreadable(str(node.term.decl()))


def _roots(terms: GeneralTerms) -> Iterator[Term]:
    yield from (terms.end, terms.score)
    for action in terms.actions:
        yield from (action.legal, action.defined, action.at_once, action.end, action.score)
        yield from (part.value for part in action.after.values())
    for count in terms.counts:
        yield count.body


def _graph(roots: Iterable[Term]) -> dict[int, Node]:
    """Every term in the given ones."""
    found: dict[int, Node] = {}
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term.get_id() not in found:
            children = term.children()
            decl = term.decl()
            numbers = tuple(child.get_id() for child in children)
            found[term.get_id()] = Node(term, decl.kind(), decl.get_id(), numbers)
            stack += children
    return found

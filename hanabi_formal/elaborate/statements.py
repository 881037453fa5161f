"""Statements: effects put in their place, every write with its clause, nothing written twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hanabi_formal.diagnostics.diagnostic import Label
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import RULE, Context, is_unknown
from hanabi_formal.elaborate.expressions.binders import bind_over
from hanabi_formal.elaborate.expressions.calls import arguments
from hanabi_formal.elaborate.expressions.expressions import Expressions
from hanabi_formal.elaborate.expressions.variables import fits_indices
from hanabi_formal.elaborate.type_phrases import describe
from hanabi_formal.kernel.build import FALSE, TRUE
from hanabi_formal.kernel.expr import Expr, Local, locals_in
from hanabi_formal.kernel.system import Assign, Block, Branch, Case, Clauses, ForEach, Reveal, Statement, assignments
from hanabi_formal.kernel.types import type_size
from hanabi_formal.syntax import ast


def clauses_of(cites: ast.Cites) -> Clauses:
    return tuple(cite.clause for cite in cites)


@dataclass(frozen=True)
class _Write:
    """What is written, and where: at the place of an effect's use if it is an effect that writes."""

    var: str
    index: tuple[Expr, ...]
    span: Span
    through: str

    @property
    def by(self) -> str:
        return f", by `{self.through}`" if self.through else ""


class Statements:
    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.resolver = expressions.resolver
        self.sink = expressions.sink
        self._owners: list[str] = []
        self._uses: dict[int, tuple[str, Span]] = {}

    def part(self, blocks: list[tuple[str, ast.Block, Clauses]], names: Mapping[str, Expr]) -> Block:
        """The blocks of one part of an action, which all happen at once; each with the name of what it belongs to."""
        found: list[Statement] = []
        self._uses.clear()
        for owner, block, clauses in blocks:
            self._owners.append(owner)
            found += self._block(block, RULE.called("an update").bind(names), clauses)
            self._owners.pop()
        self._check_writes(tuple(found))
        return tuple(found)

    def _block(self, block: ast.Block, context: Context, clauses: Clauses) -> list[Statement]:
        found: list[Statement] = []
        for statement in block.statements:
            found += self._statement(statement, context, clauses)
        return found

    def _statement(self, node: ast.Stmt, context: Context, clauses: Clauses) -> list[Statement]:
        self.expressions.enter(node.span)
        try:
            return self._found(node, context, clauses)
        finally:
            self.expressions.leave()

    def _found(self, node: ast.Stmt, context: Context, clauses: Clauses) -> list[Statement]:
        match node:
            case ast.Update():
                return self._update(node, context, clauses_of(node.cites) or clauses)
            case ast.Case(branches=branches):
                return self._case(branches, context, clauses)
            case ast.Loop(over=over, block=block):
                binders, where, inner = bind_over(self.expressions, over, context)
                own = clauses_of(node.cites) or clauses
                body = tuple(self._block(block, inner, own))
                self._check_loop(binders, where, body)
                return [ForEach(binders, where, body, own)] if body and where != FALSE else []
            case ast.Reveal():
                return self._reveal(node, context, clauses_of(node.cites) or clauses)
            case ast.Perform():
                return self._perform(node, context, clauses)

    def _update(self, node: ast.Update, context: Context, clauses: Clauses) -> list[Statement]:
        name = node.target.text
        item = self.expressions.symbols.find(ast.Var, name)
        if item is None:
            self._not_a_variable(node.target, context)
            return []
        kinds = [self.resolver.type(kind) for kind in item.indices]
        if not fits_indices(self.expressions, name, len(kinds), len(node.index), node.target.span):
            return []
        what = f"the index of `{name}`"
        index = tuple(self.expressions.bounded(a, context, k, what) for a, k in zip(node.index, kinds, strict=True))
        kind = self.resolver.type(item.type)
        value = self.expressions.bounded(node.value, context, kind, f"`{name}`")
        if any(is_unknown(part.type) for part in (*index, value)):
            return []
        made = Assign(name, index, value, clauses, node.span)
        if self.expressions.calls:
            self._uses[id(made)] = self.expressions.calls[0]
        return [made]

    def _not_a_variable(self, target: ast.Ident, context: Context) -> None:
        name = target.text
        symbols = self.expressions.symbols
        fixed = any(symbols.find(kind, name) for kind in (ast.Const, ast.Param, ast.Ruling, ast.Def))
        if fixed or name in symbols.attributes or name in context.names:
            self.sink.report(
                "HRL402",
                f"`{name}` is no variable, it cannot be updated",
                target.span,
                help="what changes during a game is declared with `var`",
            )
            return
        self.resolver.wanted(ast.Var, name, target.span)

    def _case(self, branches: tuple[ast.Branch, ...], context: Context, clauses: Clauses) -> list[Statement]:
        found: list[Branch] = []
        for branch in branches:
            test = context.called("a case")
            condition = self.expressions.condition(branch.condition, test) if branch.condition is not None else TRUE
            own = clauses_of(branch.cites) or clauses
            block = tuple(self._block(branch.block, context, own))
            if is_unknown(condition.type) or condition == FALSE:
                continue
            label = f"{self._owners[-1]}.{branch.label}" if branch.label else None
            found.append(Branch(condition, block, label, own, branch.span))
            if condition == TRUE:
                break
        if not any(branch.block for branch in found):
            return []
        return [Case(tuple(found))]

    def _reveal(self, node: ast.Reveal, context: Context, clauses: Clauses) -> list[Statement]:
        binders, where, inner = bind_over(self.expressions, node.over, context.called("what is revealed"))
        facts = tuple(self.expressions.expr(fact, inner, None) for fact in node.facts)
        seat: Local | None = None
        allowed: Expr = TRUE
        if node.audience is not None:
            seats, allowed, _ = bind_over(self.expressions, node.audience, inner)
            seat = seats[0]
            self._check_seat(node.audience.binders[0], seat)
        if any(is_unknown(fact.type) for fact in facts):
            return []
        return [Reveal(facts, binders, where, seat, allowed, clauses)]

    def _check_seat(self, node: ast.Binder, seat: Local) -> None:
        """Whoever is told something is one of those who see something."""
        view = self.expressions.symbols.find(ast.View)
        if view is None:
            return
        wanted = self.resolver.type(view.seat.type)
        if seat.type != wanted and not (is_unknown(wanted) or is_unknown(seat.type)):
            seen = Label(view.seat.span, "who sees what is said here")
            message = f"{describe(wanted)} is told something, not {describe(seat.type)}"
            self.sink.report("HRL300", message, Label(node.span, "told here"), seen)

    def _perform(self, node: ast.Perform, context: Context, clauses: Clauses) -> list[Statement]:
        name = node.name.text
        if self.expressions.symbols.find(ast.Def, name) is not None:
            self.sink.report(
                "HRL207",
                f"`{name}` is a definition: it has a value and changes nothing",
                node.name.span,
                help="what changes the state is declared with `effect`",
            )
            return []
        effect = self.resolver.wanted(ast.Effect, name, node.name.span)
        if effect is None:
            return []
        performed = [known for known, _ in self.expressions.calls]
        if name in performed:
            self.resolver.ring(performed[performed.index(name) :], node.span)
            return []
        args = arguments(self.expressions, node.name, node.args, effect.params, context, node.span)
        if args is None:
            return []
        self._owners.append(name)
        self.expressions.calls.append((name, node.span))
        try:
            own = clauses_of(node.cites) or clauses_of(effect.cites) or clauses
            return self._block(effect.block, context.only(args), own)
        finally:
            self.expressions.calls.pop()
            self._owners.pop()

    # ---- nothing twice -----------------------------------------------------------------------
    def _check_loop(self, binders: tuple[Local, ...], where: Expr, body: Block) -> None:
        """Each value of the binders writes something else, or `where` may see to it that only one writes."""
        for write in assignments(body):
            said = frozenset().union(*map(locals_in, (*write.index, where)))
            free = [binder for binder in binders if binder.name not in said and type_size(binder.type) > 1]
            if free and write.span is not None:
                name = free[0].name.partition("$")[0]
                self.sink.report(
                    "HRL400",
                    f"`{write.var}` is updated once for each `{name}`, all at the same time",
                    write.span,
                    help=f"use `{name}` in the index, or leave the `for`",
                )

    def _check_writes(self, block: Block) -> list[_Write]:
        """What a block may write; two writes of one place that can both happen are an error."""
        found: dict[tuple[str, tuple[Expr, ...]], _Write] = {}
        for statement in block:
            match statement:
                case Assign(var=var, index=index, span=span):
                    assert span is not None
                    through, place = self._uses.get(id(statement), ("", span))
                    new = [_Write(var, index, place, through)]
                case Case(branches):
                    new = [write for branch in branches for write in self._check_writes(branch.block)]
                case ForEach(block=inner):
                    new = self._check_writes(inner)
                case Reveal():
                    new = []
            for write in new:
                old = found.get((write.var, write.index))
                if old is not None:
                    self._twice(write, old)
            found |= {(write.var, write.index): write for write in new}
        return list(found.values())

    def _twice(self, write: _Write, old: _Write) -> None:
        what = f"`{write.var}`" if not write.index else f"`{write.var}` at the same index"
        self.sink.report(
            "HRL400",
            f"{what} is updated twice at the same time",
            Label(write.span, f"here{write.by}"),
            Label(old.span, f"and here{old.by}"),
            help="put one of them in the second part, or in another branch of one `case`",
        )

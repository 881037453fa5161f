"""Statements: effects put in their place, every write with its clause, nothing written twice."""

from __future__ import annotations

from dataclasses import dataclass

from hanabi_formal.check.context import RULE, Context, is_unknown
from hanabi_formal.check.expressions import Expressions
from hanabi_formal.diagnostics.diagnostic import Label, did_you_mean
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.kernel.build import FALSE, TRUE
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Assign, Block, Branch, Case, Clauses, ForEach, Reveal, Statement
from hanabi_formal.syntax import ast


def clauses_of(cites: ast.Cites) -> Clauses:
    return tuple(cite.clause for cite in cites)


@dataclass(frozen=True)
class _Write:
    var: str
    index: tuple[Expr, ...]
    span: Span


class Statements:
    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.scope = expressions.scope
        self.sink = expressions.sink
        self._owners: list[str] = []

    def part(self, blocks: list[tuple[str, ast.Block, Clauses]], names: dict[str, Expr]) -> Block:
        """The blocks of one part of an action, which all happen at once; each with the name of what it belongs to."""
        found: list[Statement] = []
        for owner, block, clauses in blocks:
            self._owners.append(owner)
            found += self._block(block, RULE.bind(names), clauses)
            self._owners.pop()
        self._check_writes(tuple(found))
        return tuple(found)

    def _block(self, block: ast.Block, context: Context, clauses: Clauses) -> list[Statement]:
        found: list[Statement] = []
        for statement in block.statements:
            found += self._statement(statement, context, clauses)
        return found

    def _statement(self, node: ast.Stmt, context: Context, clauses: Clauses) -> list[Statement]:
        match node:
            case ast.Update():
                return self._update(node, context, clauses_of(node.cites) or clauses)
            case ast.Case(branches=branches):
                return self._case(branches, context, clauses)
            case ast.Loop(over=over, block=block):
                binders, where, inner = self.expressions.over(over, context)
                own = clauses_of(node.cites) or clauses
                body = tuple(self._block(block, inner, own))
                return [ForEach(binders, where, body, own)] if body and where != FALSE else []
            case ast.Reveal():
                return self._reveal(node, context, clauses_of(node.cites) or clauses)
            case ast.Perform():
                return self._perform(node, context, clauses)

    def _update(self, node: ast.Update, context: Context, clauses: Clauses) -> list[Statement]:
        name = node.target.text
        item = self.scope.item("var", name)
        if not isinstance(item, ast.Var):
            self._not_a_variable(node.target, context)
            return []
        kinds = [self.scope.type(kind) for kind in item.indices]
        if len(kinds) != len(node.index):
            self.sink.report("HRL303", f"`{name}` takes {len(kinds)} indices, not {len(node.index)}", node.target.span)
            return []
        index = tuple(self.expressions.expr(a, context, k) for a, k in zip(node.index, kinds, strict=True))
        kind = self.scope.type(item.type)
        value = self.expressions.bounded(node.value, context, kind, f"`{name}`")
        if any(is_unknown(part.type) for part in (*index, value)):
            return []
        return [Assign(name, index, value, clauses, node.span)]

    def _not_a_variable(self, target: ast.Ident, context: Context) -> None:
        name = target.text
        deck = self.scope.deck()
        rigid = {attribute for attribute, _ in deck.attributes} if deck else set()
        if name in rigid or name in context.names or any(self.scope.item(k, name) for k in ("const", "param", "ruling")):
            self.sink.report("HRL402", f"`{name}` never changes during a game", target.span)
            return
        names = {n for k, n in self.scope.merged.items if k == "var"}
        self.sink.report("HRL206", f"there is no variable `{name}`", target.span, help=did_you_mean(name, names))

    def _case(self, branches: tuple[ast.Branch, ...], context: Context, clauses: Clauses) -> list[Statement]:
        found: list[Branch] = []
        for branch in branches:
            condition = self.expressions.condition(branch.condition, context) if branch.condition is not None else TRUE
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
        binders, where, inner = self.expressions.over(node.over, context)
        facts = tuple(self.expressions.expr(fact, inner, None) for fact in node.facts)
        seat, allowed = None, TRUE
        if node.audience is not None:
            seats, allowed, _ = self.expressions.over(node.audience, inner)
            seat = seats[0]
        if any(is_unknown(fact.type) for fact in facts):
            return []
        return [Reveal(facts, binders, where, seat, allowed, clauses)]

    def _perform(self, node: ast.Perform, context: Context, clauses: Clauses) -> list[Statement]:
        name = node.name.text
        effect = self.scope.item("effect", name)
        if not isinstance(effect, ast.Effect):
            names = {n for k, n in self.scope.merged.items if k == "effect"}
            known = self.scope.item("def", name)
            message = f"`{name}` is a definition: it has a value and changes nothing" if known else f"there is no effect `{name}`"
            self.sink.report("HRL207" if known else "HRL206", message, node.name.span, help=did_you_mean(name, names))
            return []
        if name in self._owners:
            ring = " → ".join([*self._owners[self._owners.index(name) :], name])
            self.sink.report("HRL210", f"`{name}` is defined by itself: {ring}", node.span)
            return []
        args = self.expressions.arguments(node.name, node.args, effect.params, context, node.span)
        if args is None:
            return []
        self._owners.append(name)
        try:
            return self._block(effect.block, context.only(args), clauses_of(node.cites) or clauses_of(effect.cites) or clauses)
        finally:
            self._owners.pop()

    # ---- nothing twice -----------------------------------------------------------------------
    def _check_writes(self, block: Block) -> list[_Write]:
        """What a block may write; two writes of one place that can both happen are an error."""
        found: list[_Write] = []
        for statement in block:
            match statement:
                case Assign(var=var, index=index, span=span):
                    assert span is not None
                    new = [_Write(var, index, span)]
                case Case(branches):
                    new = [write for branch in branches for write in self._check_writes(branch.block)]
                case ForEach(block=inner):
                    new = self._check_writes(inner)
                case Reveal():
                    new = []
            for write in new:
                for old in found:
                    if old.var == write.var and old.index == write.index:
                        what = f"`{write.var}`" if not write.index else f"`{write.var}` at the same index"
                        self.sink.report("HRL400", f"{what} is updated twice in one step", Label(write.span, "here"),
                                         Label(old.span, "and here, at the same time"),
                                         help="put one of them in the second part, or in another branch of a case")  # fmt: skip
            found += new
        return found



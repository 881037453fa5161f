"""Operators, and alternatives that must agree on a type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hanabi_formal.diagnostics.diagnostic import Label
from hanabi_formal.elaborate.context import NUMBER, POISON, UNKNOWN, Context, is_unknown
from hanabi_formal.elaborate.expressions.variables import is_known
from hanabi_formal.elaborate.type_phrases import conversion, describe
from hanabi_formal.kernel import build
from hanabi_formal.kernel.expr import Expr, Lit
from hanabi_formal.kernel.operators import Arithmetic
from hanabi_formal.kernel.types import BOOL, IntType, Type, comparable
from hanabi_formal.syntax import ast

if TYPE_CHECKING:
    from hanabi_formal.elaborate.expressions.expressions import Expressions

_ARITHMETIC: Mapping[str, Arithmetic] = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod"}


def binary(exprs: Expressions, node: ast.Binary, context: Context) -> Expr:
    match node.op:
        case "and" | "or" | "implies":
            left = exprs.operand(node.left, context, BOOL)
            right = exprs.operand(node.right, context, BOOL)
            if node.op == "and":
                return build.conj(left, right)
            return build.disj(build.negate(left) if node.op == "implies" else left, right)
        case "==" | "!=":
            left, right = _both(exprs, node, context)
            if UNKNOWN in (left.type, right.type):
                return POISON
            if not comparable(left.type, right.type):
                _mismatch(exprs, node, left.type, right.type)
                return POISON
            same = build.equal(left, right)
            return same if node.op == "==" else build.negate(same)
        case "<" | "<=" | ">" | ">=":
            return _order(exprs, node, context)
        case _:
            left, right = exprs.expr(node.left, context, NUMBER), exprs.expr(node.right, context, NUMBER)
            if UNKNOWN in (left.type, right.type):
                return POISON
            if node.op in "/%" and not (isinstance(right, Lit) and right.value > 0):
                exprs.sink.report("HRL308", "the divisor must be a positive constant", node.right.span)
                return POISON
            return exprs.sized(build.arith(_ARITHMETIC[node.op], left, right), node.span)


def _both(exprs: Expressions, node: ast.Binary, context: Context) -> tuple[Expr, Expr]:
    """Two sides of a comparison; a bare value takes its type from the other side."""
    first, second = node.left, node.right
    swapped = _is_bare(exprs, first, context) and not _is_bare(exprs, second, context)
    if swapped:
        first, second = second, first
    left = exprs.infer(first, context, None)
    if is_unknown(left.type) and _is_bare(exprs, second, context):
        right: Expr = POISON
    else:
        right = exprs.infer(second, context, None if is_unknown(left.type) else left.type)
    return (right, left) if swapped else (left, right)


def _is_bare(exprs: Expressions, node: ast.Expr, context: Context) -> bool:
    """Does its type depend on what is expected? That of alternatives does, if each of them does."""
    match node:
        case ast.If(then=then, otherwise=otherwise):
            return _is_bare(exprs, then, context) and _is_bare(exprs, otherwise, context)
        case ast.Match(arms=arms):
            return all(_is_bare(exprs, arm.body, context) for arm in arms)
    return isinstance(node, ast.Name) and not is_known(exprs, node.name, context)


def _is_unclear(exprs: Expressions, node: ast.Expr, context: Context) -> bool:
    """A bare name that more than one type has, or one without a name of its own."""
    if not isinstance(node, ast.Name) or not _is_bare(exprs, node, context):
        return False
    return len(exprs.symbols.values.get(node.name, ())) != 1


def alternatives(
    exprs: Expressions, nodes: Sequence[ast.Expr], contexts: Sequence[Context], expected: Type | None
) -> list[Expr]:
    """All of one type; if none is expected, that of the first that has one by itexprs."""
    found: dict[int, Expr] = {}
    unclear = [_is_unclear(exprs, node, context) for node, context in zip(nodes, contexts, strict=True)]
    for at in sorted(range(len(nodes)), key=lambda at: expected is None and unclear[at]):
        found[at] = exprs.expr(nodes[at], contexts[at], expected)
        expected = expected or (None if is_unknown(found[at].type) else found[at].type)
    return [found[at] for at in range(len(nodes))]


def _mismatch(exprs: Expressions, node: ast.Binary, left: Type, right: Type) -> None:
    exprs.sink.report(
        "HRL301",
        f"{describe(left)} and {describe(right)} cannot be compared",
        Label(node.left.span, f"this is {describe(left)}"),
        Label(node.right.span, f"this is {describe(right)}"),
        help=conversion(left, right),
    )


def _order(exprs: Expressions, node: ast.Binary, context: Context) -> Expr:
    left, right = exprs.infer(node.left, context, None), exprs.infer(node.right, context, None)
    if UNKNOWN in (left.type, right.type):
        return POISON
    for side, kind in ((node.left, left.type), (node.right, right.type)):
        if not isinstance(kind, IntType):
            exprs.sink.report(
                "HRL309", f"{describe(kind)} has no order", side.span, help="`index(x)` is the number of an individual"
            )
            return POISON
    if node.op in (">", ">="):
        left, right = right, left
    return build.less(left, right, or_equal="=" in node.op)

"""Names that are bound: after `for`, and in quantifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hanabi_formal.elaborate.context import NUMBER, POISON, UNKNOWN, Context, is_unknown
from hanabi_formal.kernel import build
from hanabi_formal.kernel.build import FALSE, TRUE, number
from hanabi_formal.kernel.expr import Expr, Local, cases_in
from hanabi_formal.kernel.types import BOOL
from hanabi_formal.syntax import ast

if TYPE_CHECKING:
    from hanabi_formal.elaborate.expressions.expressions import Expressions

MAX_VALUES = 1_000_000


def bind_all(exprs: Expressions, nodes: Sequence[ast.Binder], context: Context) -> tuple[tuple[Local, ...], Context]:
    made: list[Local] = []
    names: dict[str, Expr] = {}
    for node in nodes:
        kind = exprs.resolver.type(node.type)
        if node.name.text in names:
            exprs.sink.report("HRL205", f"`{node.name}` is bound twice", node.name.span)
        local = exprs.local(node.name.text, kind)
        made.append(local)
        names[node.name.text] = POISON if is_unknown(kind) else local
    span = nodes[0].span.to(nodes[-1].span)
    if not exprs.resolver.not_too_many([local.type for local in made], MAX_VALUES, span, "the number of cases here is"):
        made = [replace(local, type=UNKNOWN) for local in made]
    return tuple(made), context.bind(names)


def bind_params(exprs: Expressions, params: Sequence[ast.ParamDecl]) -> dict[str, Local]:
    """Parameters of a definition, an effect or an action, each by its name."""
    found: dict[str, Local] = {}
    for param in params:
        if param.name.text in found:
            exprs.sink.report("HRL205", f"`{param.name}` is a parameter twice", param.name.span)
        found[param.name.text] = exprs.local(param.name.text, exprs.resolver.param_type(param))
    return found


def bind_over(
    exprs: Expressions, clause: ast.ForClause | None, context: Context
) -> tuple[tuple[Local, ...], Expr, Context]:
    """Binders, condition and the context inside a `for` clause."""
    if clause is None:
        return (), TRUE, context
    binders, inner = bind_all(exprs, clause.binders, context)
    where = exprs.operand(clause.where, inner, BOOL) if clause.where is not None else TRUE
    return binders, where, inner


def quantified(exprs: Expressions, node: ast.Quantified, context: Context) -> Expr:
    binders, where, inner = bind_over(exprs, node.over, context)
    logical = node.kind in ("exists", "forall", "count")
    body = exprs.expr(node.body, inner, BOOL if logical else NUMBER)
    if is_unknown(body.type) or any(is_unknown(binder.type) for binder in binders):
        return FALSE if node.kind in ("exists", "forall") else POISON
    match node.kind:
        case "exists" | "count":
            body = build.conj(where, body)
        case "forall":
            body = build.disj(build.negate(where), body)
        case "sum":
            body = build.ite(where, body, number(0))
        case _:
            if where != TRUE:
                exprs.sink.report(
                    "HRL312",
                    f"`{node.kind}` over a part of a type may be over nothing",
                    node.over.span,
                    help="leave `where` out, or choose with `if`",
                )
    found = build.quant(node.kind, binders, body)
    if cases_in(found) > MAX_VALUES >= cases_in(body):
        exprs.sink.report(
            "HRL305",
            f"quantifiers within one another go through {cases_in(found):,} cases here; the most is {MAX_VALUES:,}",
            node.span,
        )
    return exprs.sized(found, node.span)

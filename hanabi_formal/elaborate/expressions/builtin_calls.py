"""Calls of what is built in: sizes and neighbours of types, and what is enabled."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hanabi_formal.elaborate.context import POISON, RULE, Context, is_unknown
from hanabi_formal.elaborate.expressions.binders import bind_params
from hanabi_formal.elaborate.expressions.variables import variable
from hanabi_formal.elaborate.type_phrases import describe
from hanabi_formal.kernel import build
from hanabi_formal.kernel.build import number
from hanabi_formal.kernel.expr import Expr, Lit
from hanabi_formal.kernel.rewrite import fix_variable
from hanabi_formal.kernel.types import BOOL, IntType, SortType, type_first, type_size, type_values
from hanabi_formal.syntax import ast

if TYPE_CHECKING:
    from hanabi_formal.elaborate.expressions.expressions import Expressions


def builtin_call(exprs: Expressions, node: ast.Call, context: Context) -> Expr:
    name = node.name.text
    match name:
        case "enabled":
            return _enabled_actions(exprs, node, context)
        case "ended":
            return exprs.outcomes.ended(node, context)
    if len(node.args) != 1:
        exprs.sink.report("HRL302", f"`{name}` takes one argument", node.span)
        return POISON
    if name in ("size", "first", "last"):
        arg = node.args[0]
        if not isinstance(arg, ast.Name):
            exprs.sink.report("HRL300", f"`{name}` takes the name of a type", arg.span)
            return POISON
        kind = exprs.resolver.named_type(arg.name, arg.span)
        if is_unknown(kind):
            return POISON
        if name == "size":
            return number(type_size(kind))
        value = type_first(kind) if name == "first" else type_values(kind)[-1]
        return number(value) if isinstance(kind, IntType) else Lit(value, kind)
    found = exprs.infer(node.args[0], context, None)
    if is_unknown(found.type):
        return POISON
    if isinstance(found.type, IntType):
        exprs.sink.report(
            "HRL300", f"`{name}` takes an individual or a named value, and this is a number", node.args[0].span
        )
        return POISON
    as_number = build.cast(found, IntType(0, type_size(found.type) - 1))
    if name == "index":
        return as_number
    if not isinstance(found.type, SortType):
        exprs.sink.report("HRL300", f"`next` goes round a sort, and this is {describe(found.type)}", node.args[0].span)
        return POISON
    following = build.arith("mod", build.arith("add", as_number, number(1)), number(found.type.size))
    return build.cast(following, found.type)


def _enabled_actions(exprs: Expressions, node: ast.Call, context: Context) -> Expr:
    """`enabled(a, b, x = e)`: would one of these actions be allowed, with x at e?"""
    if not context.state:
        exprs.sink.report("HRL306", f"{context.where} cannot depend on what is enabled", node.span)
        return POISON
    found: list[Expr] = []
    for arg in node.args:
        action = exprs.resolver.wanted(ast.Action, arg.name if isinstance(arg, ast.Name) else "…", arg.span)
        if action is None:
            return POISON
        name = f"enabled({action.name})"
        found.append(exprs.expand(name, arg.span, partial(_action_enabled, exprs, action)))
    if POISON in found:
        return POISON
    result = build.disj(*found)
    for ident, value in node.named:
        if exprs.resolver.wanted(ast.Var, ident.text, ident.span) is None:
            return POISON
        got = variable(exprs, ident.text, (), ident.span, context, False)
        result = fix_variable(result, ident.text, exprs.expr(value, context, got.type))
    return result


def _action_enabled(exprs: Expressions, action: ast.Action) -> Expr:
    params = bind_params(exprs, action.params)
    context = RULE.called("a guard").only(params)
    guards = [exprs.operand(guard.condition, context, BOOL) for guard in action.guards]
    binders = tuple(params.values())
    condition = build.conj(*guards)
    return build.quant("exists", binders, condition) if binders else condition

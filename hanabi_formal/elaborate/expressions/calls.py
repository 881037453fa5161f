"""Calls: definitions put in their place, values constructed, numbers turned into individuals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hanabi_formal.diagnostics.diagnostic import Label, counted
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import POISON, Context, is_unknown
from hanabi_formal.elaborate.expressions.builtin_calls import builtin_call
from hanabi_formal.elaborate.expressions.variables import no_step
from hanabi_formal.elaborate.symbols import BUILTINS
from hanabi_formal.kernel import build
from hanabi_formal.kernel.expr import Expr, Lit
from hanabi_formal.kernel.rewrite import prime
from hanabi_formal.kernel.types import IntType, Type, UnionType, type_size, type_values
from hanabi_formal.syntax import ast

if TYPE_CHECKING:
    from hanabi_formal.elaborate.expressions.expressions import Expressions


def call(exprs: Expressions, node: ast.Call, context: Context, expected: Type | None) -> Expr:
    name = node.name.text
    if node.named and name != "enabled":
        exprs.sink.report("HRL302", f"`{name}` takes no named arguments", node.named[0][0].span)
        return POISON
    if node.primed:
        return _called_after(exprs, node, context, expected)
    if name in BUILTINS:
        return builtin_call(exprs, node, context)
    definition = exprs.symbols.find(ast.Def, name)
    if definition is not None:
        return _definition(exprs, node, definition, context)
    for symbol in exprs.symbols.values.get(name, ()):
        if isinstance(symbol.of, ast.Union):
            return _construct(exprs, node, symbol.of.name.text, symbol.position, context)
    if exprs.symbols.find(ast.Sort, name) or exprs.symbols.find(ast.Cards, name):
        return _member(exprs, node, exprs.resolver.named_type(name, node.name.span), context)
    if exprs.symbols.find(ast.Effect, name):
        exprs.sink.report("HRL207", f"`{name}` is an effect: it changes the state and has no value", node.name.span)
        return POISON
    if exprs.symbols.find(ast.Var, name) or name in exprs.symbols.attributes:
        exprs.sink.report(
            "HRL207",
            f"`{name}` is a variable, not a definition",
            node.name.span,
            help=f"the index of a map stands in square brackets: `{name}[…]`",
        )
        return POISON
    exprs.resolver.unknown(f"there is no `{name}(…)`", name, node.name.span, exprs.symbols.visible)
    return POISON


def _called_after(exprs: Expressions, node: ast.Call, context: Context, expected: Type | None) -> Expr:
    """`f(a)'`: all that the definition reads, and all that its arguments read, after the step."""
    if not context.primes:
        no_step(exprs, f"{node.name}(…)'", node.span, context)
        return POISON
    if exprs.symbols.find(ast.Def, node.name.text) is None:
        exprs.sink.report(
            "HRL310", f"`{node.name}` is no definition: only those have a value after the step", node.span
        )
        return POISON
    return prime(call(exprs, replace(node, primed=False), replace(context, primes=False), expected))


def arguments(
    exprs: Expressions,
    name: ast.Ident,
    args: Sequence[ast.Expr],
    params: Sequence[ast.ParamDecl],
    context: Context,
    span: Span,
) -> dict[str, Expr] | None:
    """Arguments by parameter name, each of its parameter's type."""
    if len(args) != len(params):
        item = exprs.symbols.find(ast.Def, name.text) or exprs.symbols.find(ast.Effect, name.text)
        declared = [Label(item.name.span, "declared here")] if item is not None else []
        exprs.sink.report(
            "HRL302", f"`{name}` takes {counted(len(params), 'argument')}, not {len(args)}", span, *declared
        )
        return None
    found: dict[str, Expr] = {}
    for arg, param in zip(args, params, strict=True):
        kind = exprs.resolver.param_type(param)
        found[param.name.text] = exprs.bounded(arg, context, kind, f"`{param.name}`")
    return found


def _definition(exprs: Expressions, node: ast.Call, item: ast.Def, context: Context) -> Expr:
    args = arguments(exprs, node.name, node.args, item.params, context, node.span)
    if args is None:
        return POISON
    return exprs.expand(item.name.text, node.span, lambda: exprs.infer(item.body, context.only(args), None))


def _construct(exprs: Expressions, node: ast.Call, union: str, position: int, context: Context) -> Expr:
    kind = exprs.resolver.named_type(union, node.span)
    if not isinstance(kind, UnionType):
        return POISON
    fields = kind.constructors[position].fields
    if len(fields) != len(node.args):
        many = f"{counted(len(fields), 'field')}, not {len(node.args)}"
        exprs.sink.report("HRL302", f"`{node.name}` has {many}", node.span)
        return POISON
    args = tuple(
        exprs.bounded(arg, context, field, f"a field of `{node.name}`")
        for arg, field in zip(node.args, fields, strict=True)
    )
    if any(is_unknown(arg.type) for arg in args):
        return POISON
    outside = [a for a, f in zip(args, fields, strict=True) if isinstance(a, Lit) and a.value not in type_values(f)]
    return POISON if outside else build.inject(kind, position, args)


def _member(exprs: Expressions, node: ast.Call, kind: Type, context: Context) -> Expr:
    """`Card(n)`: the individual with that number."""
    if len(node.args) != 1:
        exprs.sink.report("HRL302", f"`{node.name}` takes one number", node.span)
        return POISON
    if is_unknown(kind):
        return POISON
    arg = exprs.bounded(node.args[0], context, IntType(0, type_size(kind) - 1), f"the number of a `{node.name}`")
    if is_unknown(arg.type) or (isinstance(arg, Lit) and arg.value not in type_values(kind)):
        return POISON
    return build.cast(arg, kind)

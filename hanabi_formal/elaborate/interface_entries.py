"""What a game's `interface` says: the words by which the outside knows its parts."""

from __future__ import annotations

from hanabi_formal.diagnostics.diagnostic import Label, counted
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import CONSTANT, PROPERTY
from hanabi_formal.elaborate.expressions.expressions import Expressions
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import ActionPattern, Interface
from hanabi_formal.syntax import ast


def elaborate_interface(expressions: Expressions) -> Interface | None:
    """The interface of the game, if it declares one."""
    sink = expressions.sink
    item = expressions.symbols.find(ast.Interface)
    if item is None:
        return None
    texts, actions, values, names = [], [], [], []
    keys: dict[str, Span] = {}
    for entry in item.entries:
        key = entry.key.text
        if key in keys:
            sink.report(
                "HRL205",
                f"the interface has `{key}` twice",
                Label(entry.key.span, "here"),
                Label(keys[key], "and here"),
            )
        keys[key] = entry.key.span
        match entry.value:
            case ast.EntryText(text=text):
                texts.append((key, text))
            case ast.EntryAction():
                pattern = _pattern(expressions, entry.value)
                if pattern is not None:
                    actions.append((key, pattern))
            case ast.EntryValues(values=exprs):
                themselves = tuple(
                    e.name for e in exprs if isinstance(e, ast.Name) and _is_no_value(expressions, e.name)
                )
                if len(themselves) == len(exprs):
                    names.append((key, themselves))
                else:
                    context = PROPERTY.called("an interface")
                    values.append((key, tuple(expressions.expr(e, context, None) for e in exprs)))
    return Interface(item.name.text, tuple(texts), tuple(actions), tuple(values), tuple(names))


def _is_no_value(expressions: Expressions, name: str) -> bool:
    """Does it name what has a value only with an index or fields: an attribute, a map, a constructor?"""
    symbols = expressions.symbols
    variable = symbols.find(ast.Var, name)
    found = symbols.values.get(name, ())
    makers = [value.of.constructors[value.position] for value in found if isinstance(value.of, ast.Union)]
    is_map = variable is not None and bool(variable.indices)
    return is_map or name in symbols.attributes or any(maker.fields for maker in makers)


def _pattern(expressions: Expressions, node: ast.EntryAction) -> ActionPattern | None:
    action = expressions.resolver.wanted(ast.Action, node.action.text, node.action.span)
    if action is None:
        return None
    if len(action.params) != len(node.args):
        many = f"{counted(len(action.params), 'argument')}, not {len(node.args)}"
        expressions.sink.report("HRL302", f"`{node.action}` takes {many}", node.span)
        return None
    args: list[Expr | str] = []
    for arg, param in zip(node.args, action.params, strict=True):
        if isinstance(arg, ast.Name) and arg.name not in expressions.symbols.visible:
            args.append(arg.name)
        else:
            args.append(expressions.expr(arg, CONSTANT, expressions.resolver.param_type(param)))
    return ActionPattern(node.action.text, tuple(args))

"""What a game's `interface` says: the words by which the outside knows its parts."""

from __future__ import annotations

from hanabi_formal.diagnostics.diagnostic import Label, counted
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import CONSTANT
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
    deck = expressions.resolver.deck()
    rigid = {name for name, _ in deck.attributes} if deck else set()
    texts, actions, values, attributes = [], [], [], []
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
                names = tuple(e.name for e in exprs if isinstance(e, ast.Name) and e.name in rigid)
                if len(names) == len(exprs):
                    attributes.append((key, names))
                else:
                    values.append((key, tuple(expressions.expr(e, CONSTANT, None) for e in exprs)))
    return Interface(item.name.text, tuple(texts), tuple(actions), tuple(values), tuple(attributes))


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

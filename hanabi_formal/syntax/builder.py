"""Lark's tree to that of `ast`: a rule makes the class that is called like it, and its children are the fields.

The few rules whose children are not the fields have a method here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from lark import Token, Tree, v_args
from lark.exceptions import VisitError
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.syntax import ast

MAX_DEPTH = 120
SEVERAL = frozenset(["list", "one", "commas", "bars", "lines", "params", "sights", "index", "operands", "arms"])
"""Rules that make one field of several things."""
_CAPITAL = re.compile(r"(?<=.)(?=[A-Z])")
NODES: dict[str, type[ast.Node]] = {
    _CAPITAL.sub("_", name).lower(): made
    for name, made in vars(ast).items()
    if isinstance(made, type) and issubclass(made, ast.Node)
}
"""The class that each rule makes; `for_clause` makes a `ForClause`."""


def _left_out(kind: str) -> object:
    """What a field of this type holds if the text leaves it out."""
    return () if kind == "Cites" or kind.startswith("tuple[") else False if kind == "bool" else None


_LEFT_OUT = {made: [_left_out(str(field.type)) for field in fields(made)[1:]] for made in NODES.values()}


class TooDeep(Exception):
    """An expression or statement nests deeper than any reader, or any recursive pass, could follow."""

    def __init__(self, span: Span) -> None:
        super().__init__("nested too deeply")
        self.span = span


def build(file: SourceFile, tree: Tree[Token]) -> ast.Unit:
    """The unit that a file holds."""
    try:
        unit = _Builder(file).transform(tree)
    except VisitError as error:
        raise error.orig_exc from None
    assert isinstance(unit, ast.Game | ast.Variant | ast.Edition)
    return unit


@v_args(meta=True)
class _Builder(Transformer_NonRecursive[Token, Any]):
    """Not recursive: absurd nesting must reach `_nested`, not the stack's limit."""

    def __init__(self, file: SourceFile) -> None:
        super().__init__(visit_tokens=False)
        self._file = file
        self._depth: dict[int, tuple[int, object]] = {}

    # ---- what most rules do ------------------------------------------------------------------
    def __default__(self, data: str, children: list[Any], meta: Meta) -> Any:
        parts = [self._word(child) if type(child) is Token else child for child in children]
        if data in SEVERAL:
            return self._nested(tuple(parts), parts)
        return self._made(data, meta, parts)

    def _made(self, rule: str, meta: Meta, parts: list[Any]) -> Any:
        made = NODES[rule]
        if None in parts:
            parts = [no if part is None else part for part, no in zip(parts, _LEFT_OUT[made])]
        return self._nested(made(self._span(meta), *parts), parts)

    def _span(self, meta: Meta) -> Span:
        return Span(self._file, 0, 0) if meta.empty else Span(self._file, meta.start_pos, meta.end_pos)

    def _word(self, token: Token) -> Any:
        """A name with its place; of anything else what it says. That a sign is there at all is said by True."""
        match token.type:
            case "NAME":
                start = token.start_pos or 0
                return ast.Ident(Span(self._file, start, start + len(token)), str(token))
            case "STRING":
                return str(token)[1:-1]
            case "CITE":
                return str(token)[1:]
            case "PRIME" | "LATE":
                return True
        return str(token)

    def _nested(self, node: Any, parts: Iterable[Any], more: int = 0) -> Any:
        """Remember how deep something nests, and refuse what is absurd. It is kept alive so that its id stays so."""
        depth = 0
        for part in parts:
            known = self._depth.get(id(part))
            if known is not None and known[0] > depth:
                depth = known[0]
        depth += more or isinstance(node, ast.Nested)
        if depth > MAX_DEPTH:
            raise TooDeep(Span(self._file, node.span.start, min(node.span.end, node.span.start + 1)))
        if depth:
            self._depth[id(node)] = depth, node
        return node

    # ---- what some do ------------------------------------------------------------------------
    def nothing(self, meta: Meta, children: list[Any]) -> None:
        return None

    def cites(self, meta: Meta, children: list[Any]) -> ast.Cites:
        found = []
        for token in children:
            start = token.start_pos or 0
            found.append(ast.Cite(Span(self._file, start, start + len(token)), str(token)[1:]))
        return tuple(found)

    def remove(self, meta: Meta, children: list[Any]) -> ast.Remove:
        kind, path, cites = children
        span = self._span(meta)
        # `remove bands` needs no name: there is one scale.
        return ast.Remove(span, str(kind), path or ast.Path(span, ast.Ident(span, str(kind)), None), cites)

    def band(self, meta: Meta, children: list[Any]) -> Any:
        low, high, text = children
        return self._made("band", meta, [low, high or low, self._word(text)])

    def example(self, meta: Meta, children: list[Any]) -> Any:
        kind, name, params, *rest = children
        return self.__default__("property", [kind, name, *rest, params], meta)

    def reveals(self, meta: Meta, children: list[Any]) -> Any:
        kind, name, told, facts, over, *rest = children
        return self.__default__("property", [kind, name, facts, *rest, None, replace(told, over=over)], meta)

    def defect(self, meta: Meta, children: list[Any]) -> Any:
        kind, obligation, because, cites = children
        name = ast.Ident(self._span(meta), self._word(obligation))
        return self.__default__("property", [kind, name, (), because, cites], meta)

    def case(self, meta: Meta, children: list[Any]) -> Any:
        condition, label, cites, block, more_cites, others = children
        span, named = self._span(meta), label and self._word(label)
        branch = ast.Branch(span, condition, named, (*cites, *more_cites), block)
        branches = (branch, *(others.branches if others else ()))
        return self._nested(ast.Case(span, branches), [condition, block, others])

    def else_part(self, meta: Meta, children: list[Any]) -> Any:
        if len(children) == 1:
            return self._nested(ast.Case(self._span(meta), children[0].branches), children)
        label, cites, block, more_cites = children
        span, named = self._span(meta), label and self._word(label)
        branch = ast.Branch(span, None, named, (*cites, *more_cites), block)
        return self._nested(ast.Case(span, (branch,)), [block])

    def named_type(self, meta: Meta, children: list[Any]) -> ast.NamedType:
        return ast.NamedType(self._span(meta), str(children[0]))

    def name(self, meta: Meta, children: list[Any]) -> ast.Name:
        return ast.Name(self._span(meta), str(children[0]), len(children) > 1)

    def int(self, meta: Meta, children: list[Any]) -> ast.Int:
        digits = str(children[0])
        return ast.Int(self._span(meta), int(digits) if len(digits) <= 18 else 10**18)

    def bool(self, meta: Meta, children: list[Any]) -> ast.Bool:
        return ast.Bool(self._span(meta), children[0] == "true")

    def paren(self, meta: Meta, children: list[Any]) -> Any:
        return self._nested(children[0], children, 1)

    def named_argument(self, meta: Meta, children: list[Any]) -> tuple[ast.Ident, ast.Expr]:
        name, value = children
        named: tuple[ast.Ident, ast.Expr] = self._nested((self._word(name), value), [value])
        return named

    def call(self, meta: Meta, children: list[Any]) -> Any:
        name, given, primed = children
        plain = tuple(part for part in given or () if not isinstance(part, tuple))
        named = tuple(part for part in given or () if isinstance(part, tuple))
        made = ast.Call(self._span(meta), self._word(name), plain, named, primed is not None)
        return self._nested(made, [*plain, *named])

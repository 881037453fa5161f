"""Lark's reductions to the tree of `ast`. One method a rule; keywords and signs are dropped on the way in."""

from __future__ import annotations

from typing import Any

from lark import Token, v_args
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.syntax import ast

MAX_DEPTH = 120
_KEPT = frozenset(["NAME", "INT", "STRING", "CITE"])


class TooDeep(Exception):
    """An expression or statement nests deeper than any reader, or any recursive pass, could follow."""

    def __init__(self, span: Span) -> None:
        super().__init__("nested too deeply")
        self.span = span


def _tokens(children: list[Any], kinds: frozenset[str]) -> list[Any]:
    return [child for child in children if not isinstance(child, Token) or child.type in kinds]


@v_args(meta=True)
class Builder(Transformer_NonRecursive[Token, Any]):
    """Builds the tree of one file. Not recursive: absurd nesting must reach `_deep`, not the stack's limit."""

    def __init__(self, file: SourceFile) -> None:
        super().__init__(visit_tokens=False)
        self._file = file
        self._depth: dict[int, int] = {}
        self._alive: list[ast.Node] = []

    # ---- helpers -----------------------------------------------------------------------------
    def _span(self, meta: Meta) -> Span:
        if meta.empty:
            return Span(self._file, 0, 0)
        return Span(self._file, meta.start_pos, meta.end_pos)

    def _ident(self, token: Token) -> ast.Ident:
        start = token.start_pos or 0
        return ast.Ident(Span(self._file, start, start + len(token)), str(token))

    def _deep(self, node: Any, *children: Any) -> Any:
        """Remember how deep a node nests, and refuse what is absurd. Nodes are kept alive so that ids stay theirs."""
        depth = 1 + max((self._depth.get(id(child), 0) for child in children), default=0)
        if depth > MAX_DEPTH:
            raise TooDeep(Span(self._file, node.span.start, min(node.span.end, node.span.start + 1)))
        self._depth[id(node)] = depth
        self._alive.append(node)
        return node

    @staticmethod
    def _text(token: Token) -> str:
        return str(token)[1:-1]

    @staticmethod
    def _one(children: list[Any], kind: Any) -> Any:
        return next((child for child in children if isinstance(child, kind)), None)

    # ---- units -------------------------------------------------------------------------------
    def start(self, meta: Meta, children: list[Any]) -> ast.Unit:
        unit: ast.Unit = children[0]
        return unit

    def names(self, meta: Meta, children: list[Any]) -> tuple[ast.Ident, ...]:
        return tuple(self._ident(token) for token in _tokens(children, _KEPT))

    def game(self, meta: Meta, children: list[Any]) -> ast.Game:
        name, *items = _tokens(children, _KEPT)
        return ast.Game(self._span(meta), self._ident(name), tuple(items))

    def variant(self, meta: Meta, children: list[Any]) -> ast.Variant:
        name, extends, *rest = _tokens(children, _KEPT)
        changes = tuple(item for item in rest if not isinstance(item, ast.With))
        withs = tuple(item for item in rest if isinstance(item, ast.With))
        return ast.Variant(self._span(meta), self._ident(name), extends, changes, withs)

    def offers(self, meta: Meta, children: list[Any]) -> list[ast.Ident]:
        return list(_tokens(children, _KEPT)[0])

    def edition(self, meta: Meta, children: list[Any]) -> ast.Edition:
        name, extends, *rest = _tokens(children, _KEPT)
        offers = tuple(rest.pop(0)) if rest and isinstance(rest[0], list) else ()
        changes = tuple(item for item in rest if not isinstance(item, ast.With))
        withs = tuple(item for item in rest if isinstance(item, ast.With))
        return ast.Edition(self._span(meta), self._ident(name), extends, offers, changes, withs)

    def with_block(self, meta: Meta, children: list[Any]) -> ast.With:
        variants, *changes = _tokens(children, _KEPT)
        return ast.With(self._span(meta), variants, tuple(changes))

    # ---- changes -----------------------------------------------------------------------------
    def add_value(self, meta: Meta, children: list[Any]) -> ast.AddValue:
        values, enum, cites = _tokens(children, _KEPT)
        return ast.AddValue(self._span(meta), values, self._ident(enum), cites)

    def add_item(self, meta: Meta, children: list[Any]) -> ast.AddItem:
        return ast.AddItem(self._span(meta), _tokens(children, _KEPT)[0])

    def add_end(self, meta: Meta, children: list[Any]) -> ast.AddItem:
        item, before = _tokens(children, _KEPT)
        return ast.AddItem(self._span(meta), item, self._ident(before))

    def override_item(self, meta: Meta, children: list[Any]) -> ast.OverrideItem:
        return ast.OverrideItem(self._span(meta), _tokens(children, _KEPT)[0])

    def override_guard(self, meta: Meta, children: list[Any]) -> ast.OverrideGuard:
        path, condition, cites = _tokens(children, _KEPT)
        return ast.OverrideGuard(self._span(meta), path, condition, cites)

    def override_case(self, meta: Meta, children: list[Any]) -> ast.OverrideCase:
        path, block, cites = _tokens(children, _KEPT)
        return ast.OverrideCase(self._span(meta), path, block, cites)

    def strengthen(self, meta: Meta, children: list[Any]) -> ast.Strengthen:
        name, guard = _tokens(children, _KEPT)
        return ast.Strengthen(self._span(meta), self._ident(name), guard)

    def remove(self, meta: Meta, children: list[Any]) -> ast.Remove:
        kind, *path, cites = _tokens(children, _KEPT)
        # `remove bands` needs no name: there is one scale.
        named = path[0] if path else ast.Path(self._span(meta), ast.Ident(self._span(meta), kind), None)
        return ast.Remove(self._span(meta), kind, named, cites)

    def part_kind(self, meta: Meta, children: list[Any]) -> str:
        return str(children[0])

    def path(self, meta: Meta, children: list[Any]) -> ast.Path:
        names = [self._ident(token) for token in _tokens(children, _KEPT)]
        return ast.Path(self._span(meta), names[0], names[1] if len(names) > 1 else None)

    def because(self, meta: Meta, children: list[Any]) -> str:
        return self._text(_tokens(children, _KEPT)[0])

    def set_value(self, meta: Meta, children: list[Any]) -> ast.SetValue:
        name, value, *rest = _tokens(children, _KEPT)
        because = rest[0] if len(rest) > 1 else None
        return ast.SetValue(self._span(meta), self._ident(name), value, because, rest[-1])

    def set_players(self, meta: Meta, children: list[Any]) -> ast.SetType:
        name, kind, cites = _tokens(children, _KEPT)
        return ast.SetType(self._span(meta), self._ident(name), kind, cites)

    def excludes(self, meta: Meta, children: list[Any]) -> ast.Excludes:
        name, because = _tokens(children, _KEPT)
        return ast.Excludes(self._span(meta), self._ident(name), self._text(because))

    # ---- items -------------------------------------------------------------------------------
    def source(self, meta: Meta, children: list[Any]) -> ast.SourceItem:
        return ast.SourceItem(self._span(meta), self._text(_tokens(children, _KEPT)[0]))

    def clause(self, meta: Meta, children: list[Any]) -> ast.ClauseItem:
        cite, text = _tokens(children, _KEPT)
        return ast.ClauseItem(self._span(meta), str(cite)[1:], self._text(text))

    def default(self, meta: Meta, children: list[Any]) -> list[ast.Expr]:
        return [_tokens(children, _KEPT)[0]]

    def param(self, meta: Meta, children: list[Any]) -> ast.Param:
        name, kind, *rest = _tokens(children, _KEPT)
        default = rest[0][0] if len(rest) > 1 else None
        return ast.Param(self._span(meta), self._ident(name), kind, default, rest[-1])

    def sort(self, meta: Meta, children: list[Any]) -> ast.Sort:
        name, size, cites = _tokens(children, _KEPT)
        return ast.Sort(self._span(meta), self._ident(name), size, cites)

    def enum(self, meta: Meta, children: list[Any]) -> ast.Enum:
        name, *values, cites = _tokens(children, _KEPT)
        return ast.Enum(self._span(meta), self._ident(name), tuple(map(self._ident, values)), cites)

    def ctor(self, meta: Meta, children: list[Any]) -> ast.Constructor:
        name, *fields = _tokens(children, _KEPT)
        return ast.Constructor(self._span(meta), self._ident(name), tuple(fields))

    def union(self, meta: Meta, children: list[Any]) -> ast.Union:
        name, *constructors, cites = _tokens(children, _KEPT)
        return ast.Union(self._span(meta), self._ident(name), tuple(constructors), cites)

    def range(self, meta: Meta, children: list[Any]) -> ast.Range:
        name, low, high, cites = _tokens(children, _KEPT)
        return ast.Range(self._span(meta), self._ident(name), low, high, cites)

    def cards(self, meta: Meta, children: list[Any]) -> ast.Cards:
        name, *binders, copies, cites = _tokens(children, _KEPT)
        return ast.Cards(self._span(meta), self._ident(name), tuple(binders), copies, cites)

    def const(self, meta: Meta, children: list[Any]) -> ast.Const:
        name, value, cites = _tokens(children, _KEPT)
        return ast.Const(self._span(meta), self._ident(name), value, cites)

    def ruling(self, meta: Meta, children: list[Any]) -> ast.Ruling:
        name, values, default, question, cites = _tokens(children, _KEPT)
        return ast.Ruling(
            self._span(meta), self._ident(name), values, self._ident(default), self._text(question), cites
        )

    def param_decl(self, meta: Meta, children: list[Any]) -> ast.ParamDecl:
        name, *kind = _tokens(children, _KEPT)
        return ast.ParamDecl(self._span(meta), self._ident(name), kind[0] if kind else None)

    def params(self, meta: Meta, children: list[Any]) -> tuple[ast.ParamDecl, ...]:
        return tuple(_tokens(children, _KEPT))

    def indices(self, meta: Meta, children: list[Any]) -> list[ast.Type]:
        return list(_tokens(children, _KEPT))

    def def_(self, meta: Meta, children: list[Any]) -> ast.Def:
        name, params, body, cites = _tokens(children, _KEPT)
        return ast.Def(self._span(meta), self._ident(name), params, body, cites)

    def effect(self, meta: Meta, children: list[Any]) -> ast.Effect:
        name, params, block, cites = _tokens(children, _KEPT)
        return ast.Effect(self._span(meta), self._ident(name), params, block, cites)

    def _variable(self, meta: Meta, children: list[Any], is_record: bool) -> ast.Var:
        name, *middle, kind, cites = _tokens(children, _KEPT)
        indices = tuple(middle[0]) if middle else ()
        return ast.Var(self._span(meta), self._ident(name), indices, kind, is_record, cites)

    def var(self, meta: Meta, children: list[Any]) -> ast.Var:
        return self._variable(meta, [c for c in children if getattr(c, "type", "") != "VAR"], is_record=False)

    def record(self, meta: Meta, children: list[Any]) -> ast.Var:
        return self._variable(meta, [c for c in children if getattr(c, "type", "") != "RECORD"], is_record=True)

    def init_index(self, meta: Meta, children: list[Any]) -> list[ast.Ident]:
        return [self._ident(token) for token in _tokens(children, _KEPT)]

    def init(self, meta: Meta, children: list[Any]) -> ast.Init:
        name, *middle, value, cites = _tokens(children, _KEPT)
        index = tuple(middle[0]) if middle else ()
        return ast.Init(self._span(meta), self._ident(name), index, value, cites)

    def start_part(self, meta: Meta, children: list[Any]) -> ast.Start:
        return ast.Start(self._span(meta), tuple(_tokens(children, _KEPT)))

    def actor(self, meta: Meta, children: list[Any]) -> ast.Actor:
        return ast.Actor(self._span(meta), self._ident(_tokens(children, _KEPT)[0]))

    def tag(self, meta: Meta, children: list[Any]) -> ast.Ident:
        return self._ident(_tokens(children, _KEPT)[0])

    def label(self, meta: Meta, children: list[Any]) -> ast.Ident:
        return self._ident(_tokens(children, _KEPT)[0])

    def guard(self, meta: Meta, children: list[Any]) -> ast.Guard:
        condition, *label, cites = _tokens(children, _KEPT)
        return ast.Guard(self._span(meta), condition, label[0] if label else None, cites)

    def then_part(self, meta: Meta, children: list[Any]) -> list[Any]:
        return list(_tokens(children, _KEPT))

    def action(self, meta: Meta, children: list[Any]) -> ast.Action:
        name, params, *rest = _tokens(children, _KEPT)
        tag = rest.pop(0) if isinstance(rest[0], ast.Ident) else None
        cites = rest.pop(0)
        guards = tuple(item for item in rest if isinstance(item, ast.Guard))
        first, first_cites, *then = rest[len(guards) :]
        second, second_cites = then[0] if then else (None, ())
        return ast.Action(
            self._span(meta), self._ident(name), params, tag, cites, guards, first, first_cites, second, second_cites
        )

    def hook_part(self, meta: Meta, children: list[Any]) -> list[Any]:
        return list(children)

    def after(self, meta: Meta, children: list[Any]) -> ast.After:
        tag, name, parts, cites = _tokens(children, _KEPT)
        first = self._one(parts, ast.Block)
        then = self._one(parts, list)
        all_cites = (*cites, *then[1]) if then else cites
        return ast.After(
            self._span(meta), self._ident(tag), self._ident(name), first, then[0] if then else None, all_cites
        )

    def late(self, meta: Meta, children: list[Any]) -> list[bool]:
        return [True]

    def outcome(self, meta: Meta, children: list[Any]) -> str:
        return str(children[0])

    def end_score(self, meta: Meta, children: list[Any]) -> list[ast.Expr]:
        return [_tokens(children, _KEPT)[0]]

    def end(self, meta: Meta, children: list[Any]) -> ast.End:
        name, *rest = _tokens(children, _KEPT)
        late = isinstance(rest[0], list)
        outcome, condition, *score, cites = rest[1:] if late else rest
        return ast.End(
            self._span(meta), self._ident(name), late, outcome, condition, score[0][0] if score else None, cites
        )

    def score(self, meta: Meta, children: list[Any]) -> ast.Score:
        value, cites = _tokens(children, _KEPT)
        return ast.Score(self._span(meta), value, cites)

    def band(self, meta: Meta, children: list[Any]) -> ast.Band:
        low, *high, text = _tokens(children, _KEPT)
        return ast.Band(self._span(meta), low, high[0] if high else low, self._text(text))

    def bands(self, meta: Meta, children: list[Any]) -> ast.Bands:
        *parts, cites = _tokens(children, _KEPT)
        bands = tuple(part for part in parts if isinstance(part, ast.Band))
        because = parts.pop() if parts and isinstance(parts[-1], str) else None
        condition = parts[0] if len(parts) > len(bands) else None
        return ast.Bands(self._span(meta), condition, bands, because, cites)

    def sight(self, meta: Meta, children: list[Any]) -> ast.Sight:
        *facts, cites = _tokens(children, _KEPT)
        over = facts.pop() if isinstance(facts[-1], ast.ForClause) else None
        return ast.Sight(self._span(meta), tuple(facts), over, cites)

    def view(self, meta: Meta, children: list[Any]) -> ast.View:
        seat, *sights, cites = _tokens(children, _KEPT)
        return ast.View(self._span(meta), seat, tuple(sights), cites)

    def expectation(self, meta: Meta, children: list[Any]) -> str:
        return self._text(_tokens(children, _KEPT)[0])

    def property(self, meta: Meta, children: list[Any]) -> ast.Property:
        found: ast.Property = children[0]
        return found

    def _property(self, kind: str, meta: Meta, children: list[Any]) -> ast.Property:
        name, *rest, cites = _tokens(children, _KEPT)
        params = rest.pop(0) if rest and isinstance(rest[0], tuple) else ()
        because = rest.pop() if rest and isinstance(rest[-1], str) else None
        return ast.Property(self._span(meta), kind, self._ident(name), params, tuple(rest), because, cites)

    def invariant(self, meta: Meta, children: list[Any]) -> ast.Property:
        return self._property("invariant", meta, children)

    def step_property(self, meta: Meta, children: list[Any]) -> ast.Property:
        return self._property("step", meta, children)

    def reachable(self, meta: Meta, children: list[Any]) -> ast.Property:
        return self._property("reachable", meta, children)

    def unreachable(self, meta: Meta, children: list[Any]) -> ast.Property:
        return self._property("unreachable", meta, children)

    def terminates(self, meta: Meta, children: list[Any]) -> ast.Property:
        return self._property("terminates", meta, children)

    def deadlock_free(self, meta: Meta, children: list[Any]) -> ast.Property:
        return self._property("deadlock_free", meta, children)

    def example(self, meta: Meta, children: list[Any]) -> ast.Property:
        return self._property("example", meta, children)

    def reveals(self, meta: Meta, children: list[Any]) -> ast.Property:
        name, action, *rest, cites = _tokens(children, _KEPT)
        args = rest.pop(0) if rest and isinstance(rest[0], tuple) else ()
        because = rest.pop() if isinstance(rest[-1], str) else None
        over = rest.pop() if isinstance(rest[-1], ast.ForClause) else None
        told = ast.Telling(self._ident(action).span, self._ident(action), args, over)
        return ast.Property(self._span(meta), "reveals", self._ident(name), (), tuple(rest), because, cites, told)

    def defect(self, meta: Meta, children: list[Any]) -> ast.Property:
        obligation, because, cites = _tokens(children, _KEPT)
        name = ast.Ident(self._span(meta), self._text(obligation))
        return ast.Property(self._span(meta), "defect", name, (), (), self._text(because), cites)

    def entry_text(self, meta: Meta, children: list[Any]) -> ast.EntryText:
        return ast.EntryText(self._span(meta), self._text(children[0]))

    def entry_action(self, meta: Meta, children: list[Any]) -> ast.EntryAction:
        name, *args = _tokens(children, _KEPT)
        return ast.EntryAction(self._span(meta), self._ident(name), tuple(args))

    def entry_values(self, meta: Meta, children: list[Any]) -> ast.EntryValues:
        return ast.EntryValues(self._span(meta), tuple(_tokens(children, _KEPT)))

    def entry(self, meta: Meta, children: list[Any]) -> ast.Entry:
        key, value = _tokens(children, _KEPT)
        return ast.Entry(self._span(meta), self._ident(key), value)

    def interface(self, meta: Meta, children: list[Any]) -> ast.Interface:
        name, *entries = _tokens(children, _KEPT)
        return ast.Interface(self._span(meta), self._ident(name), tuple(entries))

    # ---- statements --------------------------------------------------------------------------
    def block(self, meta: Meta, children: list[Any]) -> ast.Block:
        statements = tuple(_tokens(children, _KEPT))
        node: ast.Block = self._deep(ast.Block(self._span(meta), statements), *statements)
        return node

    def update(self, meta: Meta, children: list[Any]) -> ast.Update:
        name, *middle, value, cites = _tokens(children, _KEPT)
        index = tuple(middle[0]) if middle else ()
        return ast.Update(self._span(meta), self._ident(name), index, value, cites)

    def case(self, meta: Meta, children: list[Any]) -> ast.Case:
        condition, *rest = _tokens(children, _KEPT)
        label = rest.pop(0) if isinstance(rest[0], ast.Ident) else None
        cites, block, more_cites, *others = rest
        branch = ast.Branch(self._span(meta), condition, label, (*cites, *more_cites), block)
        more = others[0].branches if others else ()
        node: ast.Case = self._deep(ast.Case(self._span(meta), (branch, *more)), block, *others)
        return node

    def else_part(self, meta: Meta, children: list[Any]) -> ast.Case:
        parts = _tokens(children, _KEPT)
        if isinstance(parts[0], ast.Case):
            chained: ast.Case = self._deep(ast.Case(self._span(meta), parts[0].branches), parts[0])
            return chained
        label = parts.pop(0) if isinstance(parts[0], ast.Ident) else None
        cites, block, more_cites = parts
        branch = ast.Branch(self._span(meta), None, label, (*cites, *more_cites), block)
        node: ast.Case = self._deep(ast.Case(self._span(meta), (branch,)), block)
        return node

    def loop(self, meta: Meta, children: list[Any]) -> ast.Loop:
        binders, *where, block, cites = _tokens(children, _KEPT)
        over = ast.ForClause(self._span(meta), binders, where[0] if where else None)
        node: ast.Loop = self._deep(ast.Loop(self._span(meta), over, block, cites), block)
        return node

    def audience(self, meta: Meta, children: list[Any]) -> list[ast.ForClause]:
        binder, *where = _tokens(children, _KEPT)
        return [ast.ForClause(self._span(meta), (binder,), where[0] if where else None)]

    def reveal(self, meta: Meta, children: list[Any]) -> ast.Reveal:
        *facts, cites = _tokens(children, _KEPT)
        audience = facts.pop()[0] if isinstance(facts[-1], list) else None
        over = facts.pop() if isinstance(facts[-1], ast.ForClause) else None
        return ast.Reveal(self._span(meta), tuple(facts), over, audience, cites)

    def perform(self, meta: Meta, children: list[Any]) -> ast.Perform:
        name, *args, cites = _tokens(children, _KEPT)
        return ast.Perform(self._span(meta), self._ident(name), tuple(args), cites)

    def for_clause(self, meta: Meta, children: list[Any]) -> ast.ForClause:
        binders, *where = _tokens(children, _KEPT)
        return ast.ForClause(self._span(meta), binders, where[0] if where else None)

    def binders(self, meta: Meta, children: list[Any]) -> tuple[ast.Binder, ...]:
        return tuple(_tokens(children, _KEPT))

    def binder(self, meta: Meta, children: list[Any]) -> ast.Binder:
        name, kind = _tokens(children, _KEPT)
        return ast.Binder(self._span(meta), self._ident(name), kind)

    def where(self, meta: Meta, children: list[Any]) -> ast.Expr:
        found: ast.Expr = _tokens(children, _KEPT)[0]
        return found

    def cites(self, meta: Meta, children: list[Any]) -> ast.Cites:
        found = []
        for token in children:
            start = token.start_pos or 0
            found.append(ast.Cite(Span(self._file, start, start + len(token)), str(token)[1:]))
        return tuple(found)

    # ---- types -------------------------------------------------------------------------------
    def named_type(self, meta: Meta, children: list[Any]) -> ast.NamedType:
        return ast.NamedType(self._span(meta), str(children[0]))

    def range_type(self, meta: Meta, children: list[Any]) -> ast.RangeType:
        low, high = _tokens(children, _KEPT)
        return ast.RangeType(self._span(meta), low, high)

    def enum_type(self, meta: Meta, children: list[Any]) -> ast.EnumType:
        return ast.EnumType(self._span(meta), _tokens(children, _KEPT)[0])

    # ---- expressions -------------------------------------------------------------------------
    def if_expr(self, meta: Meta, children: list[Any]) -> Any:
        condition, then, otherwise = _tokens(children, _KEPT)
        return self._deep(ast.If(self._span(meta), condition, then, otherwise), condition, then, otherwise)

    def binary(self, meta: Meta, children: list[Any]) -> Any:
        left, sign, right = children
        return self._deep(ast.Binary(self._span(meta), str(sign), left, right), left, right)

    def unary(self, meta: Meta, children: list[Any]) -> Any:
        sign, arg = children
        return self._deep(ast.Unary(self._span(meta), str(sign), arg), arg)

    def index(self, meta: Meta, children: list[Any]) -> list[ast.Expr]:
        return list(_tokens(children, _KEPT))

    def read(self, meta: Meta, children: list[Any]) -> Any:
        name, index, *prime = _tokens(children, _KEPT | {"PRIME"})
        return self._deep(ast.Read(self._span(meta), self._ident(name), tuple(index), bool(prime)), *index)

    def primed(self, meta: Meta, children: list[Any]) -> ast.Name:
        return ast.Name(self._span(meta), str(children[0]), primed=True)

    def int(self, meta: Meta, children: list[Any]) -> ast.Int:
        digits = str(children[0])
        return ast.Int(self._span(meta), int(digits) if len(digits) <= 18 else 10**18)

    def true(self, meta: Meta, children: list[Any]) -> ast.Bool:
        return ast.Bool(self._span(meta), True)

    def false(self, meta: Meta, children: list[Any]) -> ast.Bool:
        return ast.Bool(self._span(meta), False)

    def name(self, meta: Meta, children: list[Any]) -> ast.Name:
        return ast.Name(self._span(meta), str(children[0]))

    def paren(self, meta: Meta, children: list[Any]) -> Any:
        inner = _tokens(children, _KEPT)[0]
        return self._deep(inner, inner)

    def score_value(self, meta: Meta, children: list[Any]) -> ast.ScoreValue:
        return ast.ScoreValue(self._span(meta), len(children) > 1)

    def named_argument(self, meta: Meta, children: list[Any]) -> tuple[ast.Ident, ast.Expr]:
        name, value = _tokens(children, _KEPT)
        return self._ident(name), value

    def call(self, meta: Meta, children: list[Any]) -> Any:
        name, *args = _tokens(children, _KEPT | {"PRIME"})
        primed = bool(args) and isinstance(args[-1], Token)
        args = args[:-1] if primed else args
        plain = tuple(arg for arg in args if not isinstance(arg, tuple))
        named = tuple(arg for arg in args if isinstance(arg, tuple))
        values = [value for _, value in named]
        return self._deep(ast.Call(self._span(meta), self._ident(name), plain, named, primed), *plain, *values)

    def quantifier(self, meta: Meta, children: list[Any]) -> str:
        return str(children[0])

    def quantified(self, meta: Meta, children: list[Any]) -> Any:
        kind, body, over = _tokens(children, _KEPT)
        ranges = [binder.type for binder in over.binders if isinstance(binder.type, ast.RangeType)]
        bounds = [bound for kind in ranges for bound in (kind.low, kind.high)]
        return self._deep(ast.Quantified(self._span(meta), kind, body, over), body, over.where, *bounds)

    def extremum_over(self, meta: Meta, children: list[Any]) -> Any:
        return self.quantified(meta, [str(children[0]), *children[1:]])

    def extremum(self, meta: Meta, children: list[Any]) -> Any:
        args = tuple(_tokens(children[1:], _KEPT))
        return self._deep(ast.Extremum(self._span(meta), children[0].value, args), *args)

    def pattern(self, meta: Meta, children: list[Any]) -> ast.Pattern:
        names = [self._ident(token) for token in _tokens(children, _KEPT)]
        return ast.Pattern(self._span(meta), names[0] if names else None, tuple(names[1:]))

    def arm(self, meta: Meta, children: list[Any]) -> ast.Arm:
        pattern, body = _tokens(children, _KEPT)
        return ast.Arm(self._span(meta), pattern, body)

    def match(self, meta: Meta, children: list[Any]) -> Any:
        subject, *arms = _tokens(children, _KEPT)
        bodies = [arm.body for arm in arms]
        return self._deep(ast.Match(self._span(meta), subject, tuple(arms)), subject, *bodies)


# `def` is a word of Python too, so the rule's method cannot be written under its own name.
setattr(Builder, "def", Builder.def_)

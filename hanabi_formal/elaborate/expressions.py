"""Expressions: names are resolved, types agreed, definitions put in their place, constants folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from hanabi_formal.diagnostics.diagnostic import Label, counted, did_you_mean
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import POISON, RULE, UNKNOWN, Context, is_unknown
from hanabi_formal.elaborate.names import BUILTINS
from hanabi_formal.elaborate.scope import MAX_VALUES, Scope
from hanabi_formal.kernel import build
from hanabi_formal.kernel.build import FALSE, TRUE, boolean, number
from hanabi_formal.kernel.expr import Attr, Ended, Expr, Get, Lit, Local, cases_in
from hanabi_formal.kernel.operators import Arithmetic
from hanabi_formal.kernel.rewrite import fix_variable, prime
from hanabi_formal.kernel.types import (
    BOOL,
    BoolType,
    EnumType,
    IntType,
    SortType,
    Type,
    UnionType,
    comparable,
    show_value,
    type_first,
    type_size,
    type_values,
)
from hanabi_formal.syntax import ast

MAX_DEPTH = 130
MAX_CALLS = 40
MAX_WORK = 50_000
MAX_NUMBER = 10**18
_ARITHMETIC: Mapping[str, Arithmetic] = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod"}
_INT = IntType(0, 0)


def describe(kind: Type) -> str:
    """A value of the type as messages call it."""
    match kind:
        case IntType():
            return "a number"
        case BoolType():
            return "a condition"
        case EnumType(name=name) if name.startswith("ruling "):
            return f"the ruling `{name.removeprefix('ruling ')}`"
        case EnumType(name=name, labels=labels) if name.startswith("{"):
            return f"one of {', '.join(f'`{label}`' for label in labels)}"
        case _:
            return f"{'an' if kind.name[0] in 'AEIOUaeiou' else 'a'} `{kind.name}`"


def _conversion(left: Type, right: Type) -> str | None:
    """How to get from a number to an individual and back."""
    sorts = [kind.name for kind in (left, right) if isinstance(kind, SortType)]
    if not sorts or not any(isinstance(kind, IntType) for kind in (left, right)):
        return None
    return f"`{sorts[0]}(n)` is the one with the number n, `index(x)` the number of x"


class Expressions:
    """Works on the merged game of one scope. `fresh` numbers bound names, so that no two are the same."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.sink = scope.sink
        scope.expressions = self
        self._fresh = 0
        self.calls: list[tuple[str, Span]] = []
        self._read_once: dict[str, Expr] = {}
        self._reading: list[str] = []
        self._depth = 0
        self._work = 0

    # ---- entrances ---------------------------------------------------------------------------
    def local(self, name: str, kind: Type) -> Local:
        self._fresh += 1
        return Local(f"{name}${self._fresh}", kind)

    def condition(self, node: ast.Expr, context: Context) -> Expr:
        return self.expr(node, context, BOOL)

    def expr(self, node: ast.Expr, context: Context, expected: Type | None) -> Expr:
        """The kernel's expression, of the expected type if one is given."""
        found = self._expr(node, context, expected)
        unknown = expected is None or is_unknown(found.type) or is_unknown(expected)
        if expected is None or unknown or comparable(found.type, expected):
            return found
        self.sink.report(
            "HRL300",
            f"{describe(expected)} is needed here, and this is {describe(found.type)}",
            node.span,
            help=_conversion(found.type, expected),
        )
        return POISON

    def bounded(self, node: ast.Expr, context: Context, kind: Type, what: str) -> Expr:
        """As `expr`, and not wholly outside the bounds of `kind`."""
        found = self.expr(node, context, kind)
        if isinstance(kind, IntType) and isinstance(found.type, IntType):
            low, high = build.interval(found)
            if high < kind.low or low > kind.high:
                shown = str(low) if low == high else f"{low}..{high}"
                self.sink.report("HRL307", f"{what} is {kind.low} to {kind.high}, and this is {shown}", node.span)
        return found

    # ---- limits ------------------------------------------------------------------------------
    def enter(self, span: Span) -> None:
        """One level deeper in the text as it is with all definitions in their places; there are limits to that."""
        self._depth += 1
        self._work += 1
        if self._depth > MAX_DEPTH or len(self.calls) > MAX_CALLS:
            self._refuse(span, "with the definitions it uses, this is nested too deeply")
        if self._work > MAX_WORK:
            self._refuse(span, f"with all definitions in their places, the game has more than {MAX_WORK:,} parts")

    def leave(self) -> None:
        self._depth -= 1

    def _refuse(self, span: Span, message: str) -> None:
        place = self.calls[0][1] if self.calls else span
        self.sink.report("HRL105", message, place, help="use `exists`, `forall`, `sum` or `count` over a type instead")
        self.sink.stop_if_errors()

    def _sized(self, found: Expr, span: Span) -> Expr:
        """Numbers that no counter of a game needs are mistakes, and slow ones."""
        low, high = build.interval(found)
        if low > -MAX_NUMBER and high < MAX_NUMBER:
            return found
        may = "is" if isinstance(found, Lit) else "can be"
        self.sink.report("HRL307", f"this number {may} too large", span, help="numbers have at most 18 digits")
        return POISON

    def _trail(self) -> tuple[Label, ...]:
        """The use of a definition through which the present place was reached."""
        return tuple(Label(span, f"through `{name}`, used here") for name, span in self.calls[:1])

    # ---- one node ----------------------------------------------------------------------------
    def _expr(self, node: ast.Expr, context: Context, expected: Type | None) -> Expr:
        self.enter(node.span)
        try:
            return self._node(node, context, expected)
        finally:
            self._depth -= 1

    def _node(self, node: ast.Expr, context: Context, expected: Type | None) -> Expr:
        match node:
            case ast.Int(value=value):
                return self._sized(number(value), node.span)
            case ast.Bool(value=value):
                return boolean(value)
            case ast.Name():
                return self._name(node, context, expected)
            case ast.Read():
                return self._read(node, context)
            case ast.ScoreValue(primed=primed):
                return self._score(node.span, context, primed)
            case ast.Unary(op="not", arg=arg):
                return build.negate(self._checked(arg, context, BOOL))
            case ast.Unary(arg=arg):
                inner = self.expr(arg, context, _INT)
                return POISON if is_unknown(inner.type) else build.arith("sub", number(0), inner)
            case ast.Binary():
                return self._binary(node, context)
            case ast.If(condition=condition, then=then, otherwise=otherwise):
                test = self._checked(condition, context, BOOL)
                first, second = self._alternatives((then, otherwise), (context, context), expected)
                return POISON if UNKNOWN in (first.type, second.type) else build.ite(test, first, second)
            case ast.Extremum(kind=kind, args=args):
                found = [self.expr(arg, context, _INT) for arg in args]
                if any(is_unknown(item.type) for item in found):
                    return POISON
                result = found[0]
                for item in found[1:]:
                    result = build.arith(kind, result, item)
                return result
            case ast.Quantified():
                return self._quantified(node, context)
            case ast.Match():
                return self._match(node, context, expected)
            case ast.Call():
                return self._call(node, context, expected)

    def _checked(self, node: ast.Expr, context: Context, kind: Type) -> Expr:
        """An operand that must be of a type; a wrong one counts as false from here on."""
        found = self.expr(node, context, kind)
        return FALSE if is_unknown(found.type) and kind == BOOL else found

    # ---- names -------------------------------------------------------------------------------
    def _known(self, name: str, context: Context) -> bool:
        """Is this the name of something other than a value of an enumeration?"""
        kinds = ("const", "param", "var", "ruling")
        return name in context.names or any(self.scope.item(kind, name) for kind in kinds)

    def _name(self, node: ast.Name, context: Context, expected: Type | None) -> Expr:
        name = node.name
        if isinstance(expected, EnumType) and name in expected.labels and name not in context.names:
            return Lit(expected.labels.index(name), expected)
        if name in context.names:
            return context.names[name]
        if self.scope.item("const", name):
            return self.scope.const(name)
        if self.scope.item("param", name):
            return self.scope.param(name)
        if self.scope.item("ruling", name):
            return self.scope.ruling(name)
        if self.scope.item("var", name):
            return self.variable(name, (), node.span, context, node.primed)
        return self._value(node, context, expected)

    def _value(self, node: ast.Name, context: Context, expected: Type | None) -> Expr:
        """A value of an enumeration, or a constructor without fields."""
        name = node.name
        found: list[Expr] = []
        for item, position in self.scope.values.get(name, ()):
            kind = self.scope.named_type(item.name.text, node.span)
            if isinstance(item, ast.Union) and item.constructors[position].fields:
                self.sink.report("HRL302", f"`{name}` is used without its fields", node.span, help=f"write `{name}(…)`")
                return POISON
            match kind:
                case EnumType(labels=labels) if name in labels:
                    found.append(Lit(labels.index(name), kind))
                case UnionType():
                    found.append(build.inject(kind, position, ()))
                case _ if is_unknown(kind):
                    return POISON
                case _:
                    self.sink.report("HRL220", f"`{name}` was cut out of `{kind.name}` by the settings", node.span)
                    return POISON
        fitting = [value for value in found if value.type == expected]
        if len(found) == 1 or len(fitting) == 1:
            return (fitting or found)[0]
        if found:
            kinds = " or ".join(describe(value.type) for value in found)
            self.sink.report(
                "HRL311", f"`{name}` could be {kinds}", node.span, help="compare it with something whose type is known"
            )
            return POISON
        self._unknown(name, node.span, context, expected)
        return POISON

    def _unknown(self, name: str, span: Span, context: Context, expected: Type | None) -> None:
        if self.scope.item("def", name) or self.scope.item("effect", name):
            self.sink.report("HRL207", f"`{name}` is used without its parentheses", span, help=f"write `{name}(…)`")
            return
        if name in self.scope.attributes:
            self.sink.report("HRL303", f"`{name}` needs an index", span, help=f"write `{name}[…]`")
            return
        if isinstance(expected, EnumType) and not is_unknown(expected):
            whose = f"of {describe(expected)}" if expected.name.startswith("ruling ") else f"of `{expected.name}`"
            near = did_you_mean(name, {*expected.labels, *context.names})
            listed = f"the values are {', '.join(f'`{label}`' for label in expected.labels[:12])}"
            self.sink.report("HRL206", f"`{name}` is no value {whose}", span, help=near or listed)
            return
        names = self.scope.visible_names() | set(context.names)
        self.scope.unknown(f"there is no `{name}` here", name, span, names)

    def variable(self, name: str, index: tuple[Expr, ...], span: Span, context: Context, primed: bool) -> Expr:
        """A state variable, if the place may read it."""
        item = self.scope.item("var", name)
        assert isinstance(item, ast.Var)
        if not context.state:
            self.sink.report(
                "HRL306", f"`{name}` changes during a game; {context.where} cannot depend on it", span, *self._trail()
            )
            return POISON
        if item.is_record and not context.records:
            self.sink.report(
                "HRL401",
                f"`{name}` is a record, and {context.where} reads it",
                Label(span, "read here"),
                *self._trail(),
                Label(item.name.span, "declared as a record here"),
                help="a record is what players know: only views and properties may read it",
            )
            return POISON
        if primed and not context.primes:
            self._no_step(f"{name}'", span, context)
            return POISON
        if not self.indices(name, len(item.indices), len(index), span):
            return POISON
        kind = self.scope.type(item.type)
        return POISON if is_unknown(kind) else Get(name, index, kind, primed)

    def _no_step(self, shown: str, span: Span, context: Context) -> None:
        self.sink.report(
            "HRL310", f"{context.where} cannot see `{shown}`, the value after the step", span, *self._trail()
        )

    def indices(self, name: str, wanted: int, given: int, span: Span) -> bool:
        """Is it given as many indices as it was declared with?"""
        if wanted == given:
            return True
        if not wanted:
            self.sink.report("HRL303", f"`{name}` is no map, it takes no index", span)
        elif given:
            self.sink.report("HRL303", f"`{name}` takes {counted(wanted, 'index')}, not {given}", span)
        else:
            self.sink.report(
                "HRL303",
                f"`{name}` needs {'an index' if wanted == 1 else counted(wanted, 'index')}",
                span,
                help=f"write `{name}[{', '.join('…' * wanted)}]`",
            )
        return False

    def _read(self, node: ast.Read, context: Context) -> Expr:
        name = node.name.text
        deck = self.scope.deck()
        if name in self.scope.attributes:
            if not self.indices(name, 1, len(node.index), node.span) or deck is None:
                return POISON
            card = self.expr(node.index[0], context, deck.sort)
            if node.primed:
                self.sink.report("HRL310", f"`{name}` never changes, so `{name}'` says nothing new", node.span)
            kind = deck.attributes[deck.attribute(name)][1]
            return POISON if is_unknown(card.type) else Attr(name, card, kind)
        item = self.scope.item("var", name)
        if not isinstance(item, ast.Var):
            maps = {n for (k, n), v in self.scope.merged.items.items() if isinstance(v, ast.Var) and v.indices}
            self.scope.unknown(f"there is no map `{name}`", name, node.name.span, maps | self.scope.attributes, "maps")
            return POISON
        kinds = [self.scope.type(kind) for kind in item.indices]
        if not self.indices(name, len(kinds), len(node.index), node.span):
            return POISON
        what = f"the index of `{name}`"
        index = tuple(self.bounded(arg, context, kind, what) for arg, kind in zip(node.index, kinds, strict=True))
        if any(is_unknown(arg.type) for arg in index):
            return POISON
        return self.variable(name, index, node.span, context, node.primed)

    def _score(self, span: Span, context: Context, primed: bool) -> Expr:
        item = self.scope.item("score", "")
        if not isinstance(item, ast.Score) or not context.state:
            self.sink.report("HRL209", "there is no score here", span)
            return POISON
        if primed and not context.primes:
            self._no_step("score'", span, context)
            return POISON
        has_ends = context.outcomes or context.after_end
        value = self._score_had(span) if has_ends else self.running_score(span)
        return prime(value) if primed else value

    def running_score(self, span: Span) -> Expr:
        """The score of a game that goes on, and of an end that has none of its own."""
        item = self.scope.item("score", "")
        assert isinstance(item, ast.Score)
        return self._once("score", span, item.value, "the score")

    def score_of_end(self, name: str) -> Expr:
        """What the game counts if it has ended so."""
        item = self.scope.item("end", name)
        assert isinstance(item, ast.End)
        if item.score is None:
            return self.running_score(item.span)
        return self._once(f"the score of `{name}`", item.span, item.score, "the score of an end")

    def end_holds(self, name: str) -> Expr:
        item = self.scope.item("end", name)
        assert isinstance(item, ast.End)
        return self._once(f"the end `{name}`", item.span, item.condition, "an end", BOOL)

    def _once(self, key: str, span: Span, node: ast.Expr, where: str, kind: Type = _INT) -> Expr:
        """Read once, so that it is the same expression wherever it stands."""
        if key in self._reading:
            self.scope.ring([key, *(name for name, _ in self.calls)], span)
            return POISON
        if key not in self._read_once:
            outside = self.calls, self._depth
            self.calls, self._depth = [], 0
            self._reading.append(key)
            try:
                self._read_once[key] = self.expr(node, RULE.called(where), kind)
            finally:
                self._reading.pop()
                self.calls, self._depth = outside
        return self._read_once[key]

    def _score_had(self, span: Span) -> Expr:
        """In a property: the score of the end that the game has come to, and the running score before."""
        found = self.running_score(span)
        for which, name in reversed(list(enumerate(self.scope.merged.ends))):
            own = self.score_of_end(name)
            if is_unknown(own.type) or is_unknown(found.type):
                return POISON
            if self.end_holds(name) != FALSE and own != self.running_score(span):
                found = build.ite(Ended(which), own, found)
        return found

    def _inside(self, name: str, span: Span, work: Callable[[], Expr]) -> Expr:
        """Expand a definition; one that leads back to itself is an error."""
        names = [known for known, _ in self.calls]
        if name in names:
            self.scope.ring(names[names.index(name) :], span)
            return POISON
        self.calls.append((name, span))
        try:
            return work()
        finally:
            self.calls.pop()

    # ---- operators ---------------------------------------------------------------------------
    def _binary(self, node: ast.Binary, context: Context) -> Expr:
        match node.op:
            case "and" | "or" | "implies":
                left = self._checked(node.left, context, BOOL)
                right = self._checked(node.right, context, BOOL)
                if node.op == "and":
                    return build.conj(left, right)
                return build.disj(build.negate(left) if node.op == "implies" else left, right)
            case "==" | "!=":
                left, right = self._both(node, context)
                if UNKNOWN in (left.type, right.type):
                    return POISON
                if not comparable(left.type, right.type):
                    self._mismatch(node, left.type, right.type)
                    return POISON
                same = build.equal(left, right)
                return same if node.op == "==" else build.negate(same)
            case "<" | "<=" | ">" | ">=":
                return self._order(node, context)
            case _:
                left, right = self.expr(node.left, context, _INT), self.expr(node.right, context, _INT)
                if UNKNOWN in (left.type, right.type):
                    return POISON
                if node.op in "/%" and not (isinstance(right, Lit) and right.value > 0):
                    self.sink.report("HRL308", "the divisor must be a positive constant", node.right.span)
                    return POISON
                return self._sized(build.arith(_ARITHMETIC[node.op], left, right), node.span)

    def _both(self, node: ast.Binary, context: Context) -> tuple[Expr, Expr]:
        """Two sides of a comparison; a bare value takes its type from the other side."""
        first, second = node.left, node.right
        swapped = self._is_bare(first, context) and not self._is_bare(second, context)
        if swapped:
            first, second = second, first
        left = self._expr(first, context, None)
        if is_unknown(left.type) and self._is_bare(second, context):
            right: Expr = POISON
        else:
            right = self._expr(second, context, None if is_unknown(left.type) else left.type)
        return (right, left) if swapped else (left, right)

    def _is_bare(self, node: ast.Expr, context: Context) -> bool:
        """Does its type depend on what is expected? That of alternatives does, if each of them does."""
        match node:
            case ast.If(then=then, otherwise=otherwise):
                return self._is_bare(then, context) and self._is_bare(otherwise, context)
            case ast.Match(arms=arms):
                return all(self._is_bare(arm.body, context) for arm in arms)
        return isinstance(node, ast.Name) and not self._known(node.name, context)

    def _is_unclear(self, node: ast.Expr, context: Context) -> bool:
        """A bare name that more than one type has, or one without a name of its own."""
        if not isinstance(node, ast.Name) or not self._is_bare(node, context):
            return False
        return len(self.scope.values.get(node.name, ())) != 1

    def _alternatives(
        self, nodes: Sequence[ast.Expr], contexts: Sequence[Context], expected: Type | None
    ) -> list[Expr]:
        """All of one type; if none is expected, that of the first that has one by itself."""
        found: dict[int, Expr] = {}
        unclear = [self._is_unclear(node, context) for node, context in zip(nodes, contexts, strict=True)]
        for at in sorted(range(len(nodes)), key=lambda at: expected is None and unclear[at]):
            found[at] = self.expr(nodes[at], contexts[at], expected)
            expected = expected or (None if is_unknown(found[at].type) else found[at].type)
        return [found[at] for at in range(len(nodes))]

    def _mismatch(self, node: ast.Binary, left: Type, right: Type) -> None:
        self.sink.report(
            "HRL301",
            f"{describe(left)} and {describe(right)} cannot be compared",
            Label(node.left.span, f"this is {describe(left)}"),
            Label(node.right.span, f"this is {describe(right)}"),
            help=_conversion(left, right),
        )

    def _order(self, node: ast.Binary, context: Context) -> Expr:
        left, right = self._expr(node.left, context, None), self._expr(node.right, context, None)
        if UNKNOWN in (left.type, right.type):
            return POISON
        for side, kind in ((node.left, left.type), (node.right, right.type)):
            if not isinstance(kind, IntType):
                self.sink.report(
                    "HRL309",
                    f"{describe(kind)} has no order",
                    side.span,
                    help="`index(x)` is the number of an individual",
                )
                return POISON
        if node.op in (">", ">="):
            left, right = right, left
        return build.less(left, right, or_equal="=" in node.op)

    # ---- binders -----------------------------------------------------------------------------
    def binders(self, nodes: Sequence[ast.Binder], context: Context) -> tuple[tuple[Local, ...], Context]:
        made: list[Local] = []
        names: dict[str, Expr] = {}
        for node in nodes:
            kind = self.scope.type(node.type)
            if node.name.text in names:
                self.sink.report("HRL205", f"`{node.name}` is bound twice", node.name.span)
            local = self.local(node.name.text, kind)
            made.append(local)
            names[node.name.text] = POISON if is_unknown(kind) else local
        span = nodes[0].span.to(nodes[-1].span)
        if not self.scope.not_too_many([local.type for local in made], MAX_VALUES, span, "the number of cases here is"):
            made = [replace(local, type=UNKNOWN) for local in made]
        return tuple(made), context.bind(names)

    def over(self, clause: ast.ForClause | None, context: Context) -> tuple[tuple[Local, ...], Expr, Context]:
        """Binders, condition and the context inside a `for` clause."""
        if clause is None:
            return (), TRUE, context
        binders, inner = self.binders(clause.binders, context)
        where = self._checked(clause.where, inner, BOOL) if clause.where is not None else TRUE
        return binders, where, inner

    def _quantified(self, node: ast.Quantified, context: Context) -> Expr:
        binders, where, inner = self.over(node.over, context)
        logical = node.kind in ("exists", "forall", "count")
        body = self.expr(node.body, inner, BOOL if logical else _INT)
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
                    self.sink.report(
                        "HRL312",
                        f"`{node.kind}` over a part of a type may be over nothing",
                        node.over.span,
                        help="leave `where` out, or choose with `if`",
                    )
        found = build.quant(node.kind, binders, body)
        if cases_in(found) > MAX_VALUES >= cases_in(body):
            self.sink.report(
                "HRL305",
                f"quantifiers within one another go through {cases_in(found):,} cases here; the most is {MAX_VALUES:,}",
                node.span,
            )
        return self._sized(found, node.span)

    def _match(self, node: ast.Match, context: Context, expected: Type | None) -> Expr:
        subject = self._expr(node.subject, context, None)
        kind = subject.type
        if is_unknown(kind):
            return POISON
        if not isinstance(kind, UnionType | EnumType):
            self.sink.report(
                "HRL304", f"`match` needs a value of a union or an enumeration, not {describe(kind)}", node.subject.span
            )
            return POISON
        names = [c.name for c in kind.constructors] if isinstance(kind, UnionType) else list(kind.labels)
        seen: dict[str, Span] = {}
        patterns = [self._pattern(arm.pattern, subject, kind, names, seen, context) for arm in node.arms]
        bodies = self._alternatives([arm.body for arm in node.arms], [inner for _, inner in patterns], expected)
        found = [(test, body) for (test, _), body in zip(patterns, bodies, strict=True)]
        missing = [name for name in names if name not in seen]
        if missing and "else" not in seen:
            shown = ", ".join(f"`{name}`" for name in missing[:6]) + (" and more" if len(missing) > 6 else "")
            self.sink.report(
                "HRL304", f"`match` says nothing about {shown}", node.span, help="add the missing arms, or `else : …`"
            )
        if not found or any(is_unknown(body.type) for _, body in found):
            return POISON
        result = found[-1][1]
        if len(found) == 1:
            # Nothing is told apart, but what is taken apart must have a meaning.
            result = build.ite(self._is_first(subject, kind), result, result)
        for test, body in reversed(found[:-1]):
            result = build.ite(test, body, result)
        return result

    @staticmethod
    def _is_first(subject: Expr, kind: UnionType | EnumType) -> Expr:
        """Is it the first value, or made by the first constructor?"""
        if isinstance(kind, UnionType):
            return build.is_made_by(0, subject)
        return build.equal(subject, Lit(0, kind))

    def _pattern(
        self,
        node: ast.Pattern,
        subject: Expr,
        kind: UnionType | EnumType,
        names: list[str],
        seen: dict[str, Span],
        context: Context,
    ) -> tuple[Expr, Context]:
        word = node.constructor.text if node.constructor else "else"
        if word in seen or "else" in seen:
            again = seen.get(word, seen.get("else", node.span))
            self.sink.report(
                "HRL304",
                f"`{word}` is covered already",
                Label(node.span, "this is never reached"),
                Label(again, "covered here"),
            )
        seen[word] = node.span
        if node.constructor is None:
            return TRUE, context
        if word not in names:
            self.sink.report("HRL206", f"{describe(kind)} has no `{word}`", node.span, help=did_you_mean(word, names))
            return FALSE, context.bind({field.text: POISON for field in node.fields})
        which = names.index(word)
        if isinstance(kind, EnumType):
            if node.fields:
                self.sink.report("HRL302", f"`{word}` has no fields", node.span)
            return build.equal(subject, Lit(which, kind)), context
        fields = kind.constructors[which].fields
        if len(fields) != len(node.fields):
            many = f"{counted(len(fields), 'field')}, not {len(node.fields)}"
            self.sink.report("HRL302", f"`{word}` has {many}", node.span)
            return FALSE, context.bind({field.text: POISON for field in node.fields})
        bound = {field.text: build.field(which, i, subject) for i, field in enumerate(node.fields)}
        return build.is_made_by(which, subject), context.bind(bound)

    # ---- calls -------------------------------------------------------------------------------
    def _call(self, node: ast.Call, context: Context, expected: Type | None) -> Expr:
        name = node.name.text
        if node.named and name != "enabled":
            self.sink.report("HRL302", f"`{name}` takes no named arguments", node.named[0][0].span)
            return POISON
        if node.primed:
            return self._called_after(node, context, expected)
        if name in BUILTINS:
            return self._builtin(node, context)
        definition = self.scope.item("def", name)
        if isinstance(definition, ast.Def):
            return self._definition(node, definition, context)
        for item, position in self.scope.values.get(name, ()):
            if isinstance(item, ast.Union):
                return self._construct(node, item.name.text, position, context)
        if self.scope.item("sort", name) or self.scope.item("cards", name):
            return self._member(node, self.scope.named_type(name, node.name.span), context)
        if self.scope.item("effect", name):
            self.sink.report("HRL207", f"`{name}` is an effect: it changes the state and has no value", node.name.span)
            return POISON
        if self.scope.item("var", name) or name in self.scope.attributes:
            self.sink.report(
                "HRL207",
                f"`{name}` is a variable, not a definition",
                node.name.span,
                help=f"the index of a map stands in square brackets: `{name}[…]`",
            )
            return POISON
        self.scope.unknown(f"there is no `{name}(…)`", name, node.name.span, self.scope.visible_names())
        return POISON

    def _called_after(self, node: ast.Call, context: Context, expected: Type | None) -> Expr:
        """`f(a)'`: all that the definition reads, and all that its arguments read, after the step."""
        if not context.primes:
            self._no_step(f"{node.name}(…)'", node.span, context)
            return POISON
        if not isinstance(self.scope.item("def", node.name.text), ast.Def):
            self.sink.report(
                "HRL310", f"`{node.name}` is no definition: only those have a value after the step", node.span
            )
            return POISON
        return prime(self._call(replace(node, primed=False), replace(context, primes=False), expected))

    def arguments(
        self, name: ast.Ident, args: Sequence[ast.Expr], params: Sequence[ast.ParamDecl], context: Context, span: Span
    ) -> dict[str, Expr] | None:
        """Arguments by parameter name, each of its parameter's type."""
        if len(args) != len(params):
            item = self.scope.item("def", name.text) or self.scope.item("effect", name.text)
            declared = [Label(item.name.span, "declared here")] if isinstance(item, ast.Def | ast.Effect) else []
            self.sink.report(
                "HRL302", f"`{name}` takes {counted(len(params), 'argument')}, not {len(args)}", span, *declared
            )
            return None
        found: dict[str, Expr] = {}
        for arg, param in zip(args, params, strict=True):
            kind = self.param_type(param)
            found[param.name.text] = self.bounded(arg, context, kind, f"`{param.name}`")
        return found

    def param_type(self, param: ast.ParamDecl) -> Type:
        if param.type is None:
            self.sink.report(
                "HRL311", f"`{param.name}` needs a type", param.name.span, help=f"write `{param.name} : T`"
            )
            return UNKNOWN
        return self.scope.type(param.type)

    def _definition(self, node: ast.Call, item: ast.Def, context: Context) -> Expr:
        args = self.arguments(node.name, node.args, item.params, context, node.span)
        if args is None:
            return POISON
        return self._inside(item.name.text, node.span, lambda: self._expr(item.body, context.only(args), None))

    def _construct(self, node: ast.Call, union: str, position: int, context: Context) -> Expr:
        kind = self.scope.named_type(union, node.span)
        if not isinstance(kind, UnionType):
            return POISON
        fields = kind.constructors[position].fields
        if len(fields) != len(node.args):
            many = f"{counted(len(fields), 'field')}, not {len(node.args)}"
            self.sink.report("HRL302", f"`{node.name}` has {many}", node.span)
            return POISON
        args = tuple(
            self.bounded(arg, context, field, f"a field of `{node.name}`")
            for arg, field in zip(node.args, fields, strict=True)
        )
        if any(is_unknown(arg.type) for arg in args):
            return POISON
        outside = [a for a, f in zip(args, fields, strict=True) if isinstance(a, Lit) and a.value not in type_values(f)]
        return POISON if outside else build.inject(kind, position, args)

    def _member(self, node: ast.Call, kind: Type, context: Context) -> Expr:
        """`Card(n)`: the individual with that number."""
        if len(node.args) != 1:
            self.sink.report("HRL302", f"`{node.name}` takes one number", node.span)
            return POISON
        if is_unknown(kind):
            return POISON
        arg = self.bounded(node.args[0], context, IntType(0, type_size(kind) - 1), f"the number of a `{node.name}`")
        if is_unknown(arg.type) or (isinstance(arg, Lit) and arg.value not in type_values(kind)):
            return POISON
        return build.cast(arg, kind)

    def _builtin(self, node: ast.Call, context: Context) -> Expr:
        name = node.name.text
        match name:
            case "enabled":
                return self._enabled_actions(node, context)
            case "ended":
                return self._ended(node, context)
        if len(node.args) != 1:
            self.sink.report("HRL302", f"`{name}` takes one argument", node.span)
            return POISON
        if name in ("size", "first", "last"):
            arg = node.args[0]
            if not isinstance(arg, ast.Name):
                self.sink.report("HRL300", f"`{name}` takes the name of a type", arg.span)
                return POISON
            kind = self.scope.named_type(arg.name, arg.span)
            if is_unknown(kind):
                return POISON
            if name == "size":
                return number(type_size(kind))
            value = type_first(kind) if name == "first" else type_values(kind)[-1]
            return number(value) if isinstance(kind, IntType) else Lit(value, kind)
        found = self._expr(node.args[0], context, None)
        if is_unknown(found.type):
            return POISON
        if isinstance(found.type, IntType):
            self.sink.report(
                "HRL300", f"`{name}` takes an individual or a named value, and this is a number", node.args[0].span
            )
            return POISON
        as_number = build.cast(found, IntType(0, type_size(found.type) - 1))
        if name == "index":
            return as_number
        if not isinstance(found.type, SortType):
            self.sink.report(
                "HRL300", f"`next` goes round a sort, and this is {describe(found.type)}", node.args[0].span
            )
            return POISON
        following = build.arith("mod", build.arith("add", as_number, number(1)), number(found.type.size))
        return build.cast(following, found.type)

    def _ended(self, node: ast.Call, context: Context) -> Expr:
        if not context.outcomes:
            self.sink.report(
                "HRL313", f"{context.where} cannot ask whether the game has ended", node.span, *self._trail()
            )
            return POISON
        if not node.args:
            return Ended(-1)
        ends = self.scope.merged.ends
        arg = node.args[0]
        if len(node.args) == 1 and isinstance(arg, ast.Name) and arg.name in ends:
            if arg.primed and not context.primes:
                self._no_step(f"{arg.name}'", arg.span, context)
                return POISON
            return Ended(ends.index(arg.name), arg.primed)
        shown = arg.name if isinstance(arg, ast.Name) else "…"
        self.scope.unknown(f"there is no end `{shown}`", shown, arg.span, ends, "ends")
        return POISON

    def _enabled_actions(self, node: ast.Call, context: Context) -> Expr:
        """`enabled(a, b, x = e)`: would one of these actions be allowed, with x at e?"""
        if not context.state:
            self.sink.report("HRL306", f"{context.where} cannot depend on what is enabled", node.span)
            return POISON
        found: list[Expr] = []
        for arg in node.args:
            action = self.scope.item("action", arg.name) if isinstance(arg, ast.Name) else None
            if not isinstance(action, ast.Action):
                shown = arg.name if isinstance(arg, ast.Name) else "…"
                names = [name for kind, name in self.scope.merged.items if kind == "action"]
                self.scope.unknown(f"there is no action `{shown}`", shown, arg.span, names, "actions")
                return POISON
            name = f"enabled({action.name})"
            found.append(self._inside(name, arg.span, partial(self._action_enabled, action)))
        if POISON in found:
            return POISON
        result = build.disj(*found)
        for ident, value in node.named:
            if not self.scope.item("var", ident.text):
                known = {name for kind, name in self.scope.merged.items if kind == "var"}
                self.scope.unknown(f"there is no variable `{ident}`", ident.text, ident.span, known, "variables")
                return POISON
            got = self.variable(ident.text, (), ident.span, context, False)
            result = fix_variable(result, ident.text, self.expr(value, context, got.type))
        return result

    def _action_enabled(self, action: ast.Action) -> Expr:
        params = {param.name.text: self.local(param.name.text, self.param_type(param)) for param in action.params}
        context = RULE.called("a guard").only(params)
        guards = [self._checked(guard.condition, context, BOOL) for guard in action.guards]
        binders = tuple(params.values())
        condition = build.conj(*guards)
        return build.quant("exists", binders, condition) if binders else condition

    def show(self, value: Lit) -> str:
        return show_value(value.type, value.value)

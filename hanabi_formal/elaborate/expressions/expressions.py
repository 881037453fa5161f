"""Expressions: names are resolved, types agreed, definitions put in their place, constants folded.

Kind by kind this is done by the modules that are called here; they come back for the parts of an expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hanabi_formal.diagnostics.diagnostic import Label
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import NUMBER, POISON, UNKNOWN, Context, is_unknown
from hanabi_formal.elaborate.expressions.binders import quantified
from hanabi_formal.elaborate.expressions.calls import call
from hanabi_formal.elaborate.expressions.matches import match_value
from hanabi_formal.elaborate.expressions.operations import alternatives, binary
from hanabi_formal.elaborate.expressions.outcomes import Outcomes
from hanabi_formal.elaborate.expressions.variables import name_value, read
from hanabi_formal.elaborate.resolver import Resolver
from hanabi_formal.elaborate.type_phrases import conversion, describe
from hanabi_formal.kernel import build
from hanabi_formal.kernel.build import FALSE, boolean, number
from hanabi_formal.kernel.expr import Expr, Lit, Local
from hanabi_formal.kernel.types import BOOL, IntType, Type, comparable
from hanabi_formal.syntax import ast

MAX_DEPTH = 130
MAX_CALLS = 40
MAX_WORK = 50_000
MAX_NUMBER = 10**18


class Expressions:
    """Works on the game of one resolver. Bound names are numbered, so that no two are the same.

    `calls` are the definitions that are being expanded, each with the place of its use.
    """

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.symbols = resolver.symbols
        self.sink = resolver.sink
        self.outcomes = Outcomes(self)
        resolver.expressions = self
        self.calls: list[tuple[str, Span]] = []
        self._fresh = 0
        self._depth = 0
        self._work = 0

    def local(self, name: str, kind: Type) -> Local:
        self._fresh += 1
        return Local(f"{name}${self._fresh}", kind)

    def condition(self, node: ast.Expr, context: Context) -> Expr:
        return self.expr(node, context, BOOL)

    def expr(self, node: ast.Expr, context: Context, expected: Type | None) -> Expr:
        """The kernel's expression, of the expected type if one is given."""
        found = self.infer(node, context, expected)
        unknown = expected is None or is_unknown(found.type) or is_unknown(expected)
        if expected is None or unknown or comparable(found.type, expected):
            return found
        self.sink.report(
            "HRL300",
            f"{describe(expected)} is needed here, and this is {describe(found.type)}",
            node.span,
            help=conversion(found.type, expected),
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

    def sized(self, found: Expr, span: Span) -> Expr:
        """Numbers that no counter of a game needs are mistakes, and slow ones."""
        low, high = build.interval(found)
        if low > -MAX_NUMBER and high < MAX_NUMBER:
            return found
        may = "is" if isinstance(found, Lit) else "can be"
        self.sink.report("HRL307", f"this number {may} too large", span, help="numbers have at most 18 digits")
        return POISON

    def trail(self) -> tuple[Label, ...]:
        """The use of a definition through which the present place was reached."""
        return tuple(Label(span, f"through `{name}`, used here") for name, span in self.calls[:1])

    @contextmanager
    def afresh(self) -> Iterator[None]:
        """What is read once is read as if nothing were around it."""
        outside = self.calls, self._depth
        self.calls, self._depth = [], 0
        try:
            yield
        finally:
            self.calls, self._depth = outside

    # ---- one node ----------------------------------------------------------------------------
    def infer(self, node: ast.Expr, context: Context, expected: Type | None) -> Expr:
        """Of whatever type it is; the expected one only tells values of the same name apart."""
        self.enter(node.span)
        try:
            return self._node(node, context, expected)
        finally:
            self.leave()

    def _node(self, node: ast.Expr, context: Context, expected: Type | None) -> Expr:
        match node:
            case ast.Int(value=value):
                return self.sized(number(value), node.span)
            case ast.Bool(value=value):
                return boolean(value)
            case ast.Name():
                return name_value(self, node, context, expected)
            case ast.Read():
                return read(self, node, context)
            case ast.ScoreValue(primed=primed):
                return self.outcomes.score_now(node.span, context, primed)
            case ast.Unary(op="not", arg=arg):
                return build.negate(self.operand(arg, context, BOOL))
            case ast.Unary(arg=arg):
                inner = self.expr(arg, context, NUMBER)
                return POISON if is_unknown(inner.type) else build.arith("sub", number(0), inner)
            case ast.Binary():
                return binary(self, node, context)
            case ast.If(condition=condition, then=then, otherwise=otherwise):
                test = self.operand(condition, context, BOOL)
                first, second = alternatives(self, (then, otherwise), (context, context), expected)
                return POISON if UNKNOWN in (first.type, second.type) else build.ite(test, first, second)
            case ast.Extremum(kind=kind, args=args):
                found = [self.expr(arg, context, NUMBER) for arg in args]
                if any(is_unknown(item.type) for item in found):
                    return POISON
                result = found[0]
                for item in found[1:]:
                    result = build.arith(kind, result, item)
                return result
            case ast.Quantified():
                return quantified(self, node, context)
            case ast.Match():
                return match_value(self, node, context, expected)
            case ast.Call():
                return call(self, node, context, expected)

    def operand(self, node: ast.Expr, context: Context, kind: Type) -> Expr:
        """An operand that must be of a type; a wrong one counts as false from here on."""
        found = self.expr(node, context, kind)
        return FALSE if is_unknown(found.type) and kind == BOOL else found

    def expand(self, name: str, span: Span, work: Callable[[], Expr]) -> Expr:
        """Expand a definition; one that leads back to itself is an error."""
        names = [known for known, _ in self.calls]
        if name in names:
            self.resolver.ring(names[names.index(name) :], span)
            return POISON
        self.calls.append((name, span))
        try:
            return work()
        finally:
            self.calls.pop()

"""The score and the ends of a game, as expressions can ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import NUMBER, POISON, RULE, Context, is_unknown
from hanabi_formal.elaborate.expressions.variables import no_step
from hanabi_formal.kernel import build
from hanabi_formal.kernel.build import FALSE
from hanabi_formal.kernel.expr import Ended, Expr
from hanabi_formal.kernel.rewrite import prime
from hanabi_formal.kernel.types import BOOL, Type
from hanabi_formal.syntax import ast

if TYPE_CHECKING:
    from hanabi_formal.elaborate.expressions.expressions import Expressions


class Outcomes:
    """Each condition and score is read once, so that it is the same expression wherever it stands."""

    def __init__(self, exprs: Expressions) -> None:
        self.exprs = exprs
        self._read_once: dict[str, Expr] = {}
        self._reading: list[str] = []

    def score_now(self, span: Span, context: Context, primed: bool) -> Expr:
        if self.exprs.symbols.find(ast.Score) is None or not context.state:
            self.exprs.sink.report("HRL209", "there is no score here", span)
            return POISON
        if primed and not context.primes:
            no_step(self.exprs, "score'", span, context)
            return POISON
        has_ends = context.outcomes or context.after_end
        value = self._score_had(span) if has_ends else self.running_score(span)
        return prime(value) if primed else value

    def running_score(self, span: Span) -> Expr:
        """The score of a game that goes on, and of an end that has none of its own."""
        item = self.exprs.resolver.item(ast.Score)
        return self._once("score", span, item.value, "the score")

    def score_of_end(self, name: str) -> Expr:
        """What the game counts if it has ended so."""
        item = self.exprs.resolver.item(ast.End, name)
        if item.score is None:
            return self.running_score(item.span)
        return self._once(f"the score of `{name}`", item.span, item.score, "the score of an end")

    def end_holds(self, name: str) -> Expr:
        item = self.exprs.resolver.item(ast.End, name)
        return self._once(f"the end `{name}`", item.span, item.condition, "an end", BOOL)

    def _once(self, key: str, span: Span, node: ast.Expr, where: str, kind: Type = NUMBER) -> Expr:
        """Read once, so that it is the same expression wherever it stands."""
        if key in self._reading:
            self.exprs.resolver.ring([key, *(name for name, _ in self.exprs.calls)], span)
            return POISON
        if key not in self._read_once:
            self._reading.append(key)
            try:
                with self.exprs.afresh():
                    self._read_once[key] = self.exprs.expr(node, RULE.called(where), kind)
            finally:
                self._reading.pop()
        return self._read_once[key]

    def _score_had(self, span: Span) -> Expr:
        """In a property: the score of the end that the game has come to, and the running score before."""
        found = self.running_score(span)
        for which, name in reversed(list(enumerate(self.exprs.resolver.merged.ends))):
            own = self.score_of_end(name)
            if is_unknown(own.type) or is_unknown(found.type):
                return POISON
            if self.end_holds(name) != FALSE and own != self.running_score(span):
                found = build.ite(Ended(which), own, found)
        return found

    def ended(self, node: ast.Call, context: Context) -> Expr:
        if not context.outcomes:
            self.exprs.sink.report(
                "HRL313", f"{context.where} cannot ask whether the game has ended", node.span, *self.exprs.trail()
            )
            return POISON
        if not node.args:
            return Ended(-1)
        ends = self.exprs.resolver.merged.ends
        arg = node.args[0]
        if len(node.args) == 1 and isinstance(arg, ast.Name) and arg.name in ends:
            if arg.primed and not context.primes:
                no_step(self.exprs, f"{arg.name}'", arg.span, context)
                return POISON
            return Ended(ends.index(arg.name), arg.primed)
        shown = arg.name if isinstance(arg, ast.Name) else "…"
        self.exprs.resolver.unknown(f"there is no end `{shown}`", shown, arg.span, ends, "ends")
        return POISON

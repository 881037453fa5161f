"""`match`: every value of a union or an enumeration is covered, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hanabi_formal.diagnostics.diagnostic import Label, counted, did_you_mean
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import POISON, Context, is_unknown
from hanabi_formal.elaborate.expressions.operations import alternatives
from hanabi_formal.elaborate.type_phrases import describe
from hanabi_formal.kernel import build
from hanabi_formal.kernel.build import FALSE, TRUE
from hanabi_formal.kernel.expr import Expr, Lit
from hanabi_formal.kernel.types import EnumType, Type, UnionType
from hanabi_formal.syntax import ast

if TYPE_CHECKING:
    from hanabi_formal.elaborate.expressions.expressions import Expressions


def match_value(exprs: Expressions, node: ast.Match, context: Context, expected: Type | None) -> Expr:
    subject = exprs.infer(node.subject, context, None)
    kind = subject.type
    if is_unknown(kind):
        return POISON
    if not isinstance(kind, UnionType | EnumType):
        exprs.sink.report(
            "HRL304", f"`match` needs a value of a union or an enumeration, not {describe(kind)}", node.subject.span
        )
        return POISON
    names = [c.name for c in kind.constructors] if isinstance(kind, UnionType) else list(kind.labels)
    seen: dict[str, Span] = {}
    patterns = [_pattern(exprs, arm.pattern, subject, kind, names, seen, context) for arm in node.arms]
    bodies = alternatives(exprs, [arm.body for arm in node.arms], [inner for _, inner in patterns], expected)
    found = [(test, body) for (test, _), body in zip(patterns, bodies, strict=True)]
    missing = [name for name in names if name not in seen]
    if missing and "else" not in seen:
        shown = ", ".join(f"`{name}`" for name in missing[:6]) + (" and more" if len(missing) > 6 else "")
        exprs.sink.report(
            "HRL304", f"`match` says nothing about {shown}", node.span, help="add the missing arms, or `else : …`"
        )
    if not found or any(is_unknown(body.type) for _, body in found):
        return POISON
    result = found[-1][1]
    if len(found) == 1:
        # Nothing is told apart, but what is taken apart must have a meaning.
        result = build.ite(_is_first(subject, kind), result, result)
    for test, body in reversed(found[:-1]):
        result = build.ite(test, body, result)
    return result


def _is_first(subject: Expr, kind: UnionType | EnumType) -> Expr:
    """Is it the first value, or made by the first constructor?"""
    if isinstance(kind, UnionType):
        return build.is_made_by(0, subject)
    return build.equal(subject, Lit(0, kind))


def _pattern(
    exprs: Expressions,
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
        exprs.sink.report(
            "HRL304",
            f"`{word}` is covered already",
            Label(node.span, "this is never reached"),
            Label(again, "covered here"),
        )
    seen[word] = node.span
    if node.constructor is None:
        return TRUE, context
    if word not in names:
        exprs.sink.report("HRL206", f"{describe(kind)} has no `{word}`", node.span, help=did_you_mean(word, names))
        return FALSE, context.bind({field.text: POISON for field in node.fields})
    which = names.index(word)
    if isinstance(kind, EnumType):
        if node.fields:
            exprs.sink.report("HRL302", f"`{word}` has no fields", node.span)
        return build.equal(subject, Lit(which, kind)), context
    fields = kind.constructors[which].fields
    if len(fields) != len(node.fields):
        many = f"{counted(len(fields), 'field')}, not {len(node.fields)}"
        exprs.sink.report("HRL302", f"`{word}` has {many}", node.span)
        return FALSE, context.bind({field.text: POISON for field in node.fields})
    bound = {field.text: build.field(which, i, subject) for i, field in enumerate(node.fields)}
    return build.is_made_by(which, subject), context.bind(bound)

"""Start, actor, actions and ends of a game: its transitions."""

from __future__ import annotations

from hanabi_formal.compose.parts import labelled
from hanabi_formal.diagnostics.diagnostic import both_places
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import RULE, Context, is_unknown
from hanabi_formal.elaborate.expressions.binders import bind_params
from hanabi_formal.elaborate.expressions.expressions import Expressions
from hanabi_formal.elaborate.expressions.variables import fits_indices
from hanabi_formal.elaborate.resolver import MAX_PLACES
from hanabi_formal.elaborate.statements import Statements, clauses_of
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Action, Clauses, End, Guard, Init
from hanabi_formal.kernel.types import SortType
from hanabi_formal.syntax import ast


def start_values(exprs: Expressions) -> tuple[Init, ...]:
    found = []
    for start in exprs.symbols.all(ast.Start):
        made = _init(exprs, start.inits[0])
        if made is not None:
            found.append(made)
    for item in exprs.symbols.all(ast.Var):
        if exprs.symbols.find(ast.Start, item.name.text) is None:
            index = f"[{', '.join('abcdefgh'[: len(item.indices)])}]" if item.indices else ""
            exprs.sink.report(
                "HRL403",
                f"`{item.name}` has no value at the start",
                item.name.span,
                help=f"add `{item.name}{index} = …` to `start`",
            )
    return tuple(found)


def _init(exprs: Expressions, node: ast.Init) -> Init | None:
    item = exprs.resolver.wanted(ast.Var, node.name.text, node.name.span)
    if item is None:
        return None
    if not fits_indices(exprs, node.name.text, len(item.indices), len(node.index), node.name.span):
        return None
    binders = tuple(
        exprs.local(ident.text, exprs.resolver.type(kind)) for ident, kind in zip(node.index, item.indices, strict=True)
    )
    bound: dict[str, Expr] = {ident.text: local for ident, local in zip(node.index, binders, strict=True)}
    place = Context("the start", bound, state=False)
    value = exprs.bounded(node.value, place, exprs.resolver.type(item.type), f"`{node.name}`")
    return Init(node.name.text, binders, value, clauses_of(node.cites))


def actor_of(exprs: Expressions) -> str | None:
    item = exprs.symbols.find(ast.Actor)
    if item is None:
        return None
    var = exprs.resolver.wanted(ast.Var, item.name.text, item.name.span)
    if var is None:
        return None
    kind = exprs.resolver.type(var.type)
    if var.indices or not (isinstance(kind, SortType) or is_unknown(kind)):
        exprs.sink.report(
            "HRL207", f"`{item.name}` cannot be the actor: it does not hold a member of a sort", item.name.span
        )
    return item.name.text


def actions_of(exprs: Expressions, statements: Statements) -> tuple[Action, ...]:
    hooks = list(exprs.symbols.all(ast.After))
    actions = list(exprs.symbols.all(ast.Action))
    tags = {action.tag.text for action in actions if action.tag}
    for hook in hooks:
        if hook.tag.text not in tags:
            exprs.resolver.unknown(
                f"no action is a `{hook.tag}`", hook.tag.text, hook.tag.span, tags, "kinds of action"
            )
    if not actions:
        span = exprs.resolver.merged.composition.game.name.span
        exprs.sink.report("HRL209", "the game has no action", span, help="write `action NAME() { … }`")
    for item in exprs.resolver.merged.items.values():
        if isinstance(item, ast.Action | ast.Effect | ast.After):
            _check_labels(exprs, item)
    return tuple(_action(exprs, statements, action, hooks) for action in actions)


def _check_labels(exprs: Expressions, item: ast.Action | ast.Effect | ast.After) -> None:
    for label, places in labelled(item).items():
        if len(places) > 1:
            exprs.sink.report(
                "HRL205",
                f"two cases of `{item.name}` have the label `{label}`",
                *both_places(places[1].span, places[0].span),
            )


def _action(exprs: Expressions, statements: Statements, node: ast.Action, hooks: list[ast.After]) -> Action:
    names = bind_params(exprs, node.params)
    params = tuple(names.values())
    exprs.resolver.not_too_many(
        [local.type for local in params], MAX_PLACES, node.name.span, f"the number of ways to do `{node.name}` is"
    )
    labels: dict[str, Span] = {}
    guards = []
    for guard in node.guards:
        if guard.label and guard.label.text in labels:
            exprs.sink.report(
                "HRL205",
                f"two guards of `{node.name}` have the label `{guard.label}`",
                *both_places(guard.label.span, labels[guard.label.text]),
            )
        if guard.label:
            labels[guard.label.text] = guard.label.span
        condition = exprs.condition(guard.condition, RULE.called("a guard").bind(names))
        label = guard.label.text if guard.label else None
        guards.append(Guard(condition, label, clauses_of(guard.cites) or clauses_of(node.cites), guard.span))
    own = clauses_of(node.cites)
    name = node.name.text
    first: list[tuple[str, ast.Block, Clauses]] = [(name, node.first, clauses_of(node.first_cites) or own)]
    second: list[tuple[str, ast.Block, Clauses]] = []
    if node.second is not None:
        second.append((name, node.second, clauses_of(node.second_cites) or own))
    for hook in hooks:
        if node.tag and hook.tag.text == node.tag.text:
            if hook.first is not None:
                first.append((hook.name.text, hook.first, clauses_of(hook.cites)))
            if hook.second is not None:
                second.append((hook.name.text, hook.second, clauses_of(hook.cites)))
    return Action(
        name,
        params,
        tuple(guards),
        statements.part(first, names),
        statements.part(second, names),
        node.tag.text if node.tag else None,
        own,
        node.span,
    )


def ends_of(exprs: Expressions) -> tuple[End, ...]:
    found = []
    for name in exprs.resolver.merged.ends:
        item = exprs.resolver.item(ast.End, name)
        condition = exprs.outcomes.end_holds(name)
        if exprs.symbols.find(ast.Score) is None:
            continue
        value = exprs.outcomes.score_of_end(name)
        found.append(End(name, item.outcome, item.late, condition, value, clauses_of(item.cites), item.span))
    if not exprs.resolver.merged.ends:
        exprs.sink.report(
            "HRL209",
            "the game has no end",
            exprs.resolver.merged.composition.game.name.span,
            help="write `end NAME over when …`",
        )
    return tuple(found)

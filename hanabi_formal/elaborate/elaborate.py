"""A merged game and the user's settings to the kernel's System, or to everything that is wrong with it."""

from __future__ import annotations

from hanabi_formal.compose.merge import Merged
from hanabi_formal.compose.parts import labelled
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Label, Sink, counted, did_you_mean, refuse
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.context import CONSTANT, KNOWLEDGE, PROPERTY, RATING, RULE, STEP, Context, is_unknown
from hanabi_formal.elaborate.expressions import Expressions
from hanabi_formal.elaborate.scope import MAX_PLACES, MAX_TYPE, Scope
from hanabi_formal.elaborate.statements import Statements, clauses_of
from hanabi_formal.kernel.build import TRUE, number
from hanabi_formal.kernel.expr import Expr, Lit, Local
from hanabi_formal.kernel.system import (
    Action,
    ActionPattern,
    Band,
    Bands,
    Clauses,
    End,
    Guard,
    Init,
    Interface,
    Property,
    Sight,
    System,
    Telling,
    Variable,
    View,
)
from hanabi_formal.kernel.types import IntType, SortType, Type
from hanabi_formal.syntax import ast

MAX_COUNTS = 64


def player_counts(merged: Merged) -> tuple[int, ...]:
    """The values of the parameter `players`; none if the game has no such parameter."""
    if ("param", "players") not in merged.items:
        return ()
    sink = Sink()
    scope = Scope(merged, Settings(), sink)
    Expressions(scope)
    counts = scope.param_range("players")
    if len(counts) > MAX_COUNTS:
        changed = merged.types.get("players") or merged.items["param", "players"]
        sink.report("HRL305", f"there are {len(counts):,} numbers of players; the most is {MAX_COUNTS}", changed.span)
    sink.stop_if_errors()
    return tuple(counts)


def elaborate(merged: Merged, settings: Settings) -> System:
    """One system; all errors of the stage are reported together."""
    sink = Sink()
    settings = settled(merged, settings)
    _check_settings(merged, settings)
    scope = Scope(merged, settings, sink)
    sink.stop_if_errors()
    try:
        system = _Elaborator(scope, sink).system()
    except RecursionError:
        span = merged.composition.game.name.span
        message = "with the definitions it uses, something in this game is nested too deeply"
        raise refuse("HRL105", message, span) from None
    sink.stop_if_errors()
    assert system is not None
    return system


def settled(merged: Merged, settings: Settings) -> Settings:
    """A number alone sets a parameter, or leaves one value of a range."""
    ranges = {name for kind, name in merged.items if kind == "range"}
    single = {name for name in settings.params if name in ranges and ("param", name) not in merged.items}
    params = {name: value for name, value in settings.params.items() if name not in single}
    cuts = {name: (str(settings.params[name]),) for name in single}
    return Settings(params, settings.rulings, {**settings.cuts, **cuts})


def _check_settings(merged: Merged, settings: Settings) -> None:
    """Names on the command line that the game does not have."""
    for kind, given in (("param", settings.params), ("ruling", settings.rulings)):
        for name in given:
            if (kind, name) not in merged.items:
                word = "ruling" if kind == "ruling" else "parameter"
                names = [n for k, n in merged.items if k == kind]
                near = did_you_mean(name, names) or (f"it has {', '.join(sorted(names))}" if names else "it has none")
                other = "param" if kind == "ruling" else "ruling"
                if (other, name) in merged.items:
                    near = f"it is a {'parameter: `--set' if other == 'param' else 'ruling: `--ruling'} {name}=…`"
                if ("sort", name) in merged.items or ("cards", name) in merged.items:
                    near = f"how many there are of `{name}` follows from the parameters"
                raise refuse("HRL219", f"`{merged.composition.name}` has no {word} `{name}`", help=near)
    for name in settings.cuts:
        param = merged.items.get(("param", name))
        if isinstance(param, ast.Param):
            shown = ",".join(settings.cuts[name][:6])
            raise refuse(
                "HRL220",
                f"the parameter `{name}` is a number, and a small one, not `{shown}`",
                Label(param.name.span, "declared here"),
            )
        if ("enum", name) not in merged.items and ("range", name) not in merged.items:
            names = [n for k, n in merged.items if k in ("enum", "range")]
            raise refuse(
                "HRL219",
                f"`{merged.composition.name}` has no enumeration or range `{name}` to cut",
                help=did_you_mean(name, names, "types that can be cut"),
            )


class _Elaborator:
    def __init__(self, scope: Scope, sink: Sink) -> None:
        self.scope = scope
        self.sink = sink
        self.merged = scope.merged
        self.expressions = Expressions(scope)
        self.statements = Statements(self.expressions)

    def system(self) -> System | None:
        types = self._types()
        deck = self.scope.deck()
        for item in self.merged.of_kind("const"):
            assert isinstance(item, ast.Const)
            self.scope.const(item.name.text)
        parameters = self._parameters()
        rulings = self._rulings()
        variables = self._variables()
        self._definitions()
        score = self._score()
        actions = self._actions()
        ends = self._ends()
        inits, actor, bands, view = self._inits(), self._actor(), self._bands(), self._view()
        properties, interface = self._properties(), self._interface()
        if self.sink.has_errors:
            return None
        return System(
            name=self.merged.composition.name,
            parameters=parameters,
            rulings=rulings,
            types=types,
            deck=deck,
            variables=variables,
            inits=inits,
            actor=actor,
            actions=actions,
            ends=ends,
            score=score,
            bands=bands,
            view=view,
            properties=properties,
            interface=interface,
        )

    # ---- declarations ------------------------------------------------------------------------
    def _types(self) -> tuple[Type, ...]:
        kinds = ("enum", "range", "sort", "cards", "union")
        names = [(n, item) for (k, n), item in self.merged.items.items() if k in kinds]
        return tuple(self.scope.named_type(name, item.span) for name, item in names)

    def _parameters(self) -> tuple[tuple[str, int], ...]:
        found = []
        for item in self.merged.of_kind("param"):
            assert isinstance(item, ast.Param)
            value = self.scope.param(item.name.text)
            if isinstance(value, Lit):
                found.append((item.name.text, value.value))
        return tuple(found)

    def _rulings(self) -> tuple[tuple[str, str], ...]:
        found = []
        for item in self.merged.of_kind("ruling"):
            assert isinstance(item, ast.Ruling)
            if item.default.text not in (value.text for value in item.values):
                values = [value.text for value in item.values]
                self.sink.report(
                    "HRL220",
                    f"the default `{item.default}` is not one of the values of `{item.name}`",
                    item.default.span,
                    help=did_you_mean(item.default.text, values, "values"),
                )
                continue
            value = self.scope.ruling(item.name.text)
            if not is_unknown(value.type):
                found.append((item.name.text, self.expressions.show(value)))
        return tuple(found)

    def _variables(self) -> tuple[Variable, ...]:
        found = []
        for item in self.merged.of_kind("var"):
            assert isinstance(item, ast.Var)
            index = tuple(map(self.scope.type, item.indices))
            kind = self.scope.type(item.type)
            if item.indices:
                span = item.indices[0].span.to(item.indices[-1].span)
                self.scope.not_too_many(index, MAX_PLACES, span, f"the number of places of `{item.name}` is")
                self.scope.not_too_many([kind], MAX_TYPE, item.type.span, f"the number of values in `{item.name}` is")
            found.append(Variable(item.name.text, index, kind, item.is_record, clauses_of(item.cites), item.span))
        return tuple(found)

    def _definitions(self) -> None:
        """Every definition and effect is checked once by itself, used or not."""
        for item in list(self.merged.items.values()):
            if isinstance(item, ast.Def | ast.Effect):
                names: dict[str, Expr] = {}
                for param in item.params:
                    if param.name.text in names:
                        self.sink.report("HRL205", f"`{param.name}` is a parameter twice", param.name.span)
                    names[param.name.text] = self.expressions.local(param.name.text, self.expressions.param_type(param))
                if isinstance(item, ast.Effect):
                    self.statements.part([(item.name.text, item.block, ())], names)
                elif not any(is_unknown(local.type) for local in names.values()):
                    place = Context(f"`{item.name}`", names, records=True, primes=True, outcomes=True)
                    self.expressions.expr(item.body, place, None)

    def _score(self) -> Expr:
        item = self.scope.item("score", "")
        if not isinstance(item, ast.Score):
            span = self.merged.composition.game.name.span
            self.sink.report("HRL209", "the game has no score", span, help="write `score = …`, if only `score = 0`")
            return number(0)
        return self.expressions.running_score(item.span)

    # ---- start -------------------------------------------------------------------------------
    def _inits(self) -> tuple[Init, ...]:
        found = []
        for item in self.merged.of_kind("start"):
            assert isinstance(item, ast.Start)
            made = self._init(item.inits[0])
            if made is not None:
                found.append(made)
        for item in self.merged.of_kind("var"):
            assert isinstance(item, ast.Var)
            if ("start", item.name.text) not in self.merged.items:
                index = f"[{', '.join('abcdefgh'[: len(item.indices)])}]" if item.indices else ""
                self.sink.report(
                    "HRL403",
                    f"`{item.name}` has no value at the start",
                    item.name.span,
                    help=f"add `{item.name}{index} = …` to `start`",
                )
        return tuple(found)

    def _init(self, node: ast.Init) -> Init | None:
        item = self.scope.item("var", node.name.text)
        if not isinstance(item, ast.Var):
            names = [name for kind, name in self.merged.items if kind == "var"]
            self.scope.unknown(
                f"there is no variable `{node.name}`", node.name.text, node.name.span, names, "variables"
            )
            return None
        if not self.expressions.indices(node.name.text, len(item.indices), len(node.index), node.name.span):
            return None
        binders = tuple(
            self.expressions.local(ident.text, self.scope.type(kind))
            for ident, kind in zip(node.index, item.indices, strict=True)
        )
        bound: dict[str, Expr] = {ident.text: local for ident, local in zip(node.index, binders, strict=True)}
        place = Context("the start", bound, state=False)
        value = self.expressions.bounded(node.value, place, self.scope.type(item.type), f"`{node.name}`")
        return Init(node.name.text, binders, value, clauses_of(node.cites))

    def _actor(self) -> str | None:
        item = self.scope.item("actor", "")
        if not isinstance(item, ast.Actor):
            return None
        var = self.scope.item("var", item.name.text)
        if not isinstance(var, ast.Var):
            names = [name for kind, name in self.merged.items if kind == "var"]
            self.scope.unknown(
                f"there is no variable `{item.name}`", item.name.text, item.name.span, names, "variables"
            )
            return None
        kind = self.scope.type(var.type)
        if var.indices or not (isinstance(kind, SortType) or is_unknown(kind)):
            self.sink.report(
                "HRL207", f"`{item.name}` cannot be the actor: it does not hold a member of a sort", item.name.span
            )
        return item.name.text

    # ---- actions and ends --------------------------------------------------------------------
    def _actions(self) -> tuple[Action, ...]:
        hooks = [item for item in self.merged.of_kind("after") if isinstance(item, ast.After)]
        actions = [item for item in self.merged.of_kind("action") if isinstance(item, ast.Action)]
        tags = {action.tag.text for action in actions if action.tag}
        for hook in hooks:
            if hook.tag.text not in tags:
                self.scope.unknown(
                    f"no action is a `{hook.tag}`", hook.tag.text, hook.tag.span, tags, "kinds of action"
                )
        if not actions:
            span = self.merged.composition.game.name.span
            self.sink.report("HRL209", "the game has no action", span, help="write `action NAME() { … }`")
        for item in self.merged.items.values():
            if isinstance(item, ast.Action | ast.Effect | ast.After):
                self._check_labels(item)
        return tuple(self._action(action, hooks) for action in actions)

    def _check_labels(self, item: ast.Action | ast.Effect | ast.After) -> None:
        for label, places in labelled(item).items():
            if len(places) > 1:
                self.sink.report(
                    "HRL205",
                    f"two cases of `{item.name}` have the label `{label}`",
                    Label(places[1].span, "here"),
                    Label(places[0].span, "and here"),
                )

    def _action(self, node: ast.Action, hooks: list[ast.After]) -> Action:
        params: list[Local] = []
        names: dict[str, Expr] = {}
        for param in node.params:
            if param.name.text in names:
                self.sink.report("HRL205", f"`{param.name}` is a parameter twice", param.name.span)
            local = self.expressions.local(param.name.text, self.expressions.param_type(param))
            params.append(local)
            names[param.name.text] = local
        self.scope.not_too_many(
            [local.type for local in params], MAX_PLACES, node.name.span, f"the number of ways to do `{node.name}` is"
        )
        labels: dict[str, Span] = {}
        guards = []
        for guard in node.guards:
            if guard.label and guard.label.text in labels:
                self.sink.report(
                    "HRL205",
                    f"two guards of `{node.name}` have the label `{guard.label}`",
                    Label(guard.label.span, "here"),
                    Label(labels[guard.label.text], "and here"),
                )
            if guard.label:
                labels[guard.label.text] = guard.label.span
            condition = self.expressions.condition(guard.condition, RULE.called("a guard").bind(names))
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
            tuple(params),
            tuple(guards),
            self.statements.part(first, names),
            self.statements.part(second, names),
            node.tag.text if node.tag else None,
            own,
            node.span,
        )

    def _ends(self) -> tuple[End, ...]:
        found = []
        for name in self.merged.ends:
            item = self.merged.items["end", name]
            assert isinstance(item, ast.End)
            condition = self.expressions.end_holds(name)
            if ("score", "") not in self.merged.items:
                continue
            value = self.expressions.score_of_end(name)
            found.append(End(name, item.outcome, item.late, condition, value, clauses_of(item.cites), item.span))
        if not self.merged.ends:
            self.sink.report(
                "HRL209",
                "the game has no end",
                self.merged.composition.game.name.span,
                help="write `end NAME over when …`",
            )
        return tuple(found)

    # ---- what is asked about a game ------------------------------------------------------------
    def _bands(self) -> Bands | None:
        item = self.scope.item("bands", "")
        if not isinstance(item, ast.Bands):
            return None
        condition = self.expressions.condition(item.condition, RATING) if item.condition is not None else TRUE
        bands = []
        for band in item.bands:
            low, high = self.scope.constant(band.low, "a bound"), self.scope.constant(band.high, "a bound")
            if low is None or high is None:
                continue
            if high < low:
                self.sink.report("HRL305", f"the band {low}..{high} is empty", band.span)
            bands.append(Band(low, high, band.text))
        return Bands(condition, tuple(bands), item.refuted_because, clauses_of(item.cites))

    def _view(self) -> View | None:
        item = self.scope.item("view", "")
        if not isinstance(item, ast.View):
            return None
        seats, context = self.expressions.binders([item.seat], KNOWLEDGE)
        sights = []
        for sight in item.sights:
            binders, where, inner = self.expressions.over(sight.over, context)
            facts = tuple(self.expressions.expr(fact, inner, None) for fact in sight.facts)
            sights.append(Sight(facts, binders, where, clauses_of(sight.cites) or clauses_of(item.cites)))
        return View(seats[0], tuple(sights), clauses_of(item.cites))

    def _properties(self) -> tuple[Property, ...]:
        found = []
        for item in self.merged.of_kind("property"):
            assert isinstance(item, ast.Property)
            names: dict[str, Expr] = {}
            params: list[Local] = []
            for param in item.params:
                local = self.expressions.local(param.name.text, self.expressions.param_type(param))
                names[param.name.text] = local
                params.append(local)
            article = "an" if item.kind in ("invariant", "example", "unreachable") else "a"
            place = {"step": STEP, "example": CONSTANT}.get(item.kind, PROPERTY).bind(names)
            place = place.called(f"{article} `{item.kind}` property")
            told: Telling | None = None
            if item.told is not None:
                told, exprs = self._telling(item.told, item.exprs, params, place)
            elif item.kind == "terminates":
                exprs = tuple(self.expressions.expr(expr, place, IntType(0, 0)) for expr in item.exprs)
            else:
                exprs = tuple(self.expressions.condition(expr, place) for expr in item.exprs)
            found.append(
                Property(
                    item.kind,
                    item.name.text,
                    tuple(params),
                    exprs,
                    item.refuted_because,
                    told,
                    clauses_of(item.cites),
                    item.span,
                )
            )
        return tuple(found)

    def _telling(
        self, node: ast.Telling, facts: tuple[ast.Expr, ...], params: list[Local], place: Context
    ) -> tuple[Telling | None, tuple[Expr, ...]]:
        """What an action is said to reveal; the names in its brackets are typed like its parameters."""
        action = self.scope.item("action", node.action.text)
        if not isinstance(action, ast.Action):
            known = [name for kind, name in self.merged.items if kind == "action"]
            text = node.action.text
            self.scope.unknown(f"there is no action `{text}`", text, node.action.span, known, "actions")
            return None, ()
        if len(node.args) != len(action.params):
            many = counted(len(action.params), "parameter")
            self.sink.report("HRL302", f"`{node.action}` has {many}, not {len(node.args)}", node.action.span)
            return None, ()
        names: dict[str, Expr] = {}
        for arg, param in zip(node.args, action.params, strict=True):
            local = self.expressions.local(arg.text, self.expressions.param_type(param))
            names[arg.text] = local
            params.append(local)
        binders, where, inner = self.expressions.over(node.over, place.bind(names))
        exprs = tuple(self.expressions.expr(fact, inner, None) for fact in facts)
        return Telling(node.action.text, binders, where), exprs

    def _interface(self) -> Interface | None:
        item = self.scope.item("interface", "")
        if not isinstance(item, ast.Interface):
            return None
        texts, actions, values, names = [], [], [], []
        keys: dict[str, Span] = {}
        for entry in item.entries:
            key = entry.key.text
            if key in keys:
                self.sink.report(
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
                    pattern = self._pattern(entry.value)
                    if pattern is not None:
                        actions.append((key, pattern))
                case ast.EntryValues(values=exprs):
                    themselves = tuple(e.name for e in exprs if isinstance(e, ast.Name) and self._is_no_value(e.name))
                    if len(themselves) == len(exprs):
                        names.append((key, themselves))
                    else:
                        context = PROPERTY.called("an interface")
                        values.append((key, tuple(self.expressions.expr(e, context, None) for e in exprs)))
        return Interface(item.name.text, tuple(texts), tuple(actions), tuple(values), tuple(names))

    def _is_no_value(self, name: str) -> bool:
        """Does it name what has a value only with an index or fields: an attribute, a map, a constructor?"""
        variable = self.scope.item("var", name)
        makers = [item.constructors[at] for item, at in self.scope.values.get(name, ()) if isinstance(item, ast.Union)]
        is_map = isinstance(variable, ast.Var) and bool(variable.indices)
        return is_map or name in self.scope.attributes or any(maker.fields for maker in makers)

    def _pattern(self, node: ast.EntryAction) -> ActionPattern | None:
        action = self.scope.item("action", node.action.text)
        if not isinstance(action, ast.Action):
            names = [name for kind, name in self.merged.items if kind == "action"]
            self.scope.unknown(
                f"there is no action `{node.action}`", node.action.text, node.action.span, names, "actions"
            )
            return None
        if len(action.params) != len(node.args):
            many = f"{counted(len(action.params), 'argument')}, not {len(node.args)}"
            self.sink.report("HRL302", f"`{node.action}` takes {many}", node.span)
            return None
        args: list[Expr | str] = []
        for arg, param in zip(node.args, action.params, strict=True):
            if isinstance(arg, ast.Name) and arg.name not in self.scope.visible_names():
                args.append(arg.name)
            else:
                args.append(self.expressions.expr(arg, CONSTANT, self.expressions.param_type(param)))
        return ActionPattern(node.action.text, tuple(args))

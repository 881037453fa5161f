"""A composition to one flat game: additions first, then overrides, strengthenings, removals and settings.

The verbs have a fixed order of their own, so the order in which variants are named cannot matter; where two
unrelated units change the same part there is no order to choose from, and that is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from hanabi_formal.compose.parts import Key, branch_paths, item_key, replace_branch
from hanabi_formal.compose.units import Composition
from hanabi_formal.diagnostics.diagnostic import Label, Sink, counted, did_you_mean
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.syntax import ast


@dataclass(frozen=True)
class Source:
    """A clause table or the path of a part, who named it and where."""

    path: str
    unit: str
    span: Span


@dataclass
class Merged:
    """The items of the game as they stand after all changes, by kind and name."""

    composition: Composition
    items: dict[Key, ast.Item] = field(default_factory=dict)
    ends: list[str] = field(default_factory=list)
    values: dict[str, ast.SetValue] = field(default_factory=dict)
    types: dict[str, ast.SetType] = field(default_factory=dict)
    clauses: list[ast.ClauseItem] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    origin: dict[Key, str] = field(default_factory=dict)
    cites: list[ast.Cite] = field(default_factory=list)
    removed: dict[Key, Source] = field(default_factory=dict)

    def of_kind(self, kind: str) -> Iterator[ast.Item]:
        return (item for (k, _), item in self.items.items() if k == kind)


@dataclass(frozen=True)
class Layer:
    """Changes with a name for messages and the names of the units they may build upon."""

    name: str
    changes: tuple[ast.Change, ...]
    knows: frozenset[str]


def merge(composition: Composition, without: ast.Change | None = None) -> Merged:
    """The flat game; `without` is a change that is left out, to see what it is good for."""
    sink = Sink()
    merged = Merged(composition)
    _Merger(merged, sink, without).run()
    sink.stop_if_errors()
    return merged


def layers_of(composition: Composition) -> Iterator[Layer]:
    """The changes of every unit, then those that units make to their combinations."""
    for unit in composition.order:
        if isinstance(unit.tree, ast.Game):
            continue
        known = composition.ancestors(unit.name)
        yield Layer(unit.name, unit.tree.changes, known)
    present = {unit.name for unit in composition.order}
    for unit in composition.order:
        if isinstance(unit.tree, ast.Game):
            continue
        for block in unit.tree.withs:
            names = sorted({ident.text for ident in block.variants})
            if present.issuperset(names):
                known = frozenset().union(*(composition.ancestors(n) for n in (unit.name, *names)))
                yield Layer(f"{unit.name} with {', '.join(names)}", block.changes, known)


class _Merger:
    def __init__(self, merged: Merged, sink: Sink, without: ast.Change | None) -> None:
        self.merged = merged
        self.sink = sink
        self.without = without
        self.composition = merged.composition
        self.touched: dict[tuple[Key, str], tuple[Layer, Span]] = {}
        self.before: dict[str, tuple[Layer, Span]] = {}

    def run(self) -> None:
        game = self.composition.game
        for item in game.items:
            self._add(item, game.name.text)
        layers = [
            replace(layer, changes=tuple(change for change in layer.changes if change is not self.without))
            for layer in layers_of(self.composition)
        ]
        for layer in layers:
            self._additions(layer)
        for layer in layers:
            for change in layer.changes:
                self._override(change, layer)
        for layer in layers:
            for change in layer.changes:
                self._strengthen(change)
        for layer in layers:
            for change in layer.changes:
                self._remove(change, layer)
        for layer in layers:
            for change in layer.changes:
                self._set(change, layer)

    # ---- add ---------------------------------------------------------------------------------
    def _add(self, item: ast.Item, unit: str, before: ast.Ident | None = None) -> None:
        match item:
            case ast.SourceItem():
                self.merged.sources.append(Source(item.path, unit, item.span))
                return
            case ast.ClauseItem():
                self.merged.clauses.append(item)
                return
            case ast.Start():
                for init in item.inits:
                    self._add_keyed(("start", init.name.text), ast.Start(init.span, (init,)), init.name.span, unit)
                return
        key = item_key(item)
        self._add_keyed(key, item, getattr(item, "name", item).span, unit)
        if isinstance(item, ast.End):
            if before is None:
                self.merged.ends.append(item.name.text)
            elif before.text in self.merged.ends:
                self.merged.ends.insert(self.merged.ends.index(before.text), item.name.text)
            else:
                self.sink.report(
                    "HRL212",
                    f"there is no end `{before}` to stand before",
                    before.span,
                    help=did_you_mean(before.text, self.merged.ends, "ends"),
                )

    def _add_keyed(self, key: Key, item: ast.Item, span: Span, unit: str) -> None:
        if key in self.merged.items:
            first = self.merged.items[key]
            name = f"`{key[1]}`" if key[1] else f"the {key[0]}"
            self.sink.report(
                "HRL205",
                f"{name} is declared twice",
                Label(span, "here"),
                Label(getattr(first, "name", first).span, "and here"),
            )
            return
        self.merged.items[key] = item
        self.merged.origin[key] = unit

    def _additions(self, layer: Layer) -> None:
        for change in layer.changes:
            match change:
                case ast.AddItem(item=item, before=before):
                    if isinstance(item, ast.End):
                        self._claim_place(before, layer, item.name.span)
                    self._add(item, layer.name, before)
                case ast.AddValue():
                    self._add_values(change)
                case ast.SourceItem() | ast.ClauseItem():
                    self._add(change, layer.name)

    def _claim_place(self, before: ast.Ident | None, layer: Layer, span: Span) -> None:
        """Ends are tried in order, so two unrelated units cannot both put one at the same place of it."""
        key = before.text if before else ""
        if key in self.before:
            other, place = self.before[key]
            if other.name not in layer.knows and layer.name != other.name:
                where = f"before `{before}`" if before else "at the end of the list"
                self.sink.report(
                    "HRL217",
                    f"two ends stand {where}, and which of them is tried first is not said",
                    Label(span, f"this, from `{layer.name}`"),
                    Label(place, f"and this, from `{other.name}`"),
                    help="let one of them extend the other, or put one `before` another end",
                )
        self.before[key] = (layer, span)

    def _add_values(self, change: ast.AddValue) -> None:
        enum = self.merged.items.get(("enum", change.enum.text))
        if not isinstance(enum, ast.Enum):
            names = [name for kind, name in self.merged.items if kind == "enum"]
            self.sink.report(
                "HRL212",
                f"there is no enumeration `{change.enum}` to add to",
                change.enum.span,
                help=did_you_mean(change.enum.text, names, "enumerations"),
            )
            return
        known = {value.text: value for value in enum.values}
        for value in change.values:
            if value.text in known:
                self.sink.report(
                    "HRL205",
                    f"`{value}` is a value of `{enum.name}` already",
                    Label(value.span, "here"),
                    Label(known[value.text].span, "and here"),
                )
        self.merged.cites += change.cites
        self.merged.items["enum", enum.name.text] = replace(enum, values=(*enum.values, *change.values))

    # ---- override ----------------------------------------------------------------------------
    def _claim(self, key: Key, part: str, layer: Layer, span: Span) -> bool:
        """May this layer change that part? Not if an unrelated one does."""
        clash = [(key, part), (key, "")] if part else [k for k in self.touched if k[0] == key]
        for other in clash:
            if other in self.touched:
                by, place = self.touched[other]
                name = f"{key[1]}.{part.split()[-1]}" if part else key[1] or key[0]
                if by.name == layer.name and other == (key, part):
                    self.sink.report(
                        "HRL214",
                        f"`{name}` is changed twice by `{layer.name}`",
                        Label(span, "here"),
                        Label(place, "and here"),
                        help="leave one of them out",
                    )
                    return False
                if by.name not in layer.knows and not by.knows <= layer.knows:
                    self.sink.report(
                        "HRL214",
                        f"`{name}` is changed twice",
                        Label(span, f"here, from `{layer.name}`"),
                        Label(place, f"and here, from `{by.name}`"),
                        help=f"extend `{by.name}` instead, or compose without it",
                    )
                    return False
        self.touched[key, part] = (layer, span)
        return True

    def _missing(self, what: str, path: str, span: Span, names: list[str]) -> None:
        kinds = {"def": "definitions", "property": "properties"}.get(what, f"{what}s")
        self.sink.report(
            "HRL212",
            f"there is no {what} `{path}` to change",
            span,
            help=did_you_mean(path, names, "" if " " in what else kinds),
        )

    def _override(self, change: ast.Change, layer: Layer) -> None:
        match change:
            case ast.OverrideItem(item=ast.Start() as start):
                for init in start.inits:
                    key = ("start", init.name.text)
                    if key not in self.merged.items:
                        self._missing("start of", init.name.text, init.name.span, self._names("start"))
                    elif self._claim(key, "", layer, init.span):
                        self.merged.items[key] = ast.Start(init.span, (init,))
            case ast.OverrideItem(item=item):
                if isinstance(item, ast.SourceItem | ast.ClauseItem):
                    self.sink.report("HRL212", "clauses are added, not overridden", change.span)
                    return
                key = item_key(item)
                span = getattr(item, "name", item).span
                if key not in self.merged.items:
                    self._missing(key[0], key[1], span, self._names(key[0]))
                elif self._claim(key, "", layer, span):
                    self.merged.items[key] = self._inherit(item, self.merged.items[key])
            case ast.OverrideGuard(path=path):
                self._override_guard(change, path, layer)
            case ast.OverrideCase(path=path):
                self._override_case(change, path, layer)

    def _inherit(self, item: ast.Item, old: ast.Item) -> ast.Item:
        """Parameters of an override may leave their types out; they are those of what is overridden."""
        if not isinstance(item, ast.Def | ast.Effect | ast.Action):
            return item
        assert isinstance(old, ast.Def | ast.Effect | ast.Action)
        if len(item.params) != len(old.params):
            many = f"{counted(len(old.params), 'parameter')}, not {len(item.params)}"
            self.sink.report(
                "HRL213",
                f"`{item.name}` has {many}",
                Label(item.name.span, "overridden here"),
                Label(old.name.span, "declared here"),
            )
            return old
        params = tuple(
            new if new.type is not None else replace(new, type=was.type)
            for new, was in zip(item.params, old.params, strict=True)
        )
        return replace(item, params=params)

    def _action(self, path: ast.Path) -> ast.Action | None:
        found = self.merged.items.get(("action", path.owner.text))
        if isinstance(found, ast.Action):
            return found
        self._missing("action", path.owner.text, path.owner.span, self._names("action"))
        return None

    def _override_guard(self, change: ast.OverrideGuard, path: ast.Path, layer: Layer) -> None:
        action = self._action(path)
        if action is None:
            return
        labels = [guard.label.text for guard in action.guards if guard.label]
        if path.part is None or path.part.text not in labels:
            self._missing("guard", str(path), path.span, [f"{action.name}.{label}" for label in labels])
            return
        key = ("action", action.name.text)
        if not self._claim(key, f"guard {path.part}", layer, path.span):
            return
        guards = tuple(
            ast.Guard(change.span, change.condition, g.label, change.cites)
            if g.label and g.label.text == path.part.text
            else g
            for g in action.guards
        )
        self.merged.items[key] = replace(action, guards=guards)

    def _case_owner(self, path: ast.Path) -> Key | None:
        for kind in ("action", "effect", "after"):
            if (kind, path.owner.text) in self.merged.items:
                return kind, path.owner.text
        names = [name for kind, name in self.merged.items if kind in ("action", "effect", "after")]
        self._missing("action or effect", path.owner.text, path.owner.span, names)
        return None

    def _override_case(self, change: ast.OverrideCase | ast.Remove, path: ast.Path, layer: Layer) -> None:
        key = self._case_owner(path)
        if key is None:
            return
        item = self.merged.items[key]
        assert isinstance(item, ast.Action | ast.Effect | ast.After)
        labels = branch_paths(item)
        if path.part is None or path.part.text not in labels:
            self._missing("case", str(path), path.span, [f"{key[1]}.{label}" for label in labels])
            return
        if self._claim(key, f"case {path.part}", layer, path.span):
            new = change.block if isinstance(change, ast.OverrideCase) else None
            self.merged.cites += change.cites
            self.merged.items[key] = replace_branch(item, path.part.text, new, change.cites)

    def _names(self, kind: str) -> list[str]:
        return [name for k, name in self.merged.items if k == kind]

    # ---- strengthen, remove, set ---------------------------------------------------------------
    def _strengthen(self, change: ast.Change) -> None:
        if isinstance(change, ast.Strengthen):
            action = self._action(ast.Path(change.action.span, change.action, None))
            if action is not None:
                key = ("action", action.name.text)
                self.merged.items[key] = replace(action, guards=(*action.guards, change.guard))

    def _remove(self, change: ast.Change, layer: Layer) -> None:
        if not isinstance(change, ast.Remove):
            return
        path = change.path
        if change.kind == "case":
            self._override_case(change, path, layer)
            return
        if change.kind == "when":
            action = self._action(path)
            if action is None:
                return
            kept = tuple(g for g in action.guards if not (g.label and path.part and g.label.text == path.part.text))
            if len(kept) == len(action.guards):
                names = [f"{action.name}.{g.label}" for g in action.guards if g.label]
                self._missing("guard", str(path), path.span, names)
            elif self._claim(("action", action.name.text), f"guard {path.part}", layer, path.span):
                self.merged.cites += change.cites
                self.merged.items["action", action.name.text] = replace(action, guards=kept)
            return
        kind = {"record": "var"}.get(change.kind, change.kind)
        name = "" if kind == "bands" else path.owner.text
        if (kind, name) not in self.merged.items:
            self._missing(change.kind, str(path), path.span, self._names(kind))
        elif self._claim((kind, name), "", layer, path.span):
            self.merged.cites += change.cites
            self.merged.removed[kind, name] = Source(str(path), layer.name, change.path.span)
            del self.merged.items[kind, name]
            if kind == "end":
                self.merged.ends.remove(name)
            if kind == "var":
                self.merged.items.pop(("start", name), None)

    def _set(self, change: ast.Change, layer: Layer) -> None:
        match change:
            case ast.SetValue(name=name):
                if ("ruling", name.text) not in self.merged.items and ("param", name.text) not in self.merged.items:
                    self._missing(
                        "ruling or parameter", name.text, name.span, self._names("ruling") + self._names("param")
                    )
                elif self._claim(("set", name.text), "", layer, change.span):
                    self.merged.values[name.text] = change
            case ast.SetType(name=name):
                if ("param", name.text) not in self.merged.items:
                    self._missing("parameter", name.text, name.span, self._names("param"))
                elif self._claim(("set type", name.text), "", layer, change.span):
                    self.merged.types[name.text] = change

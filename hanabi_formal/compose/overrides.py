"""Changes to what there is already: overrides, strengthenings, removals and settings, each part by one unit only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hanabi_formal.compose.layers import Layer
from hanabi_formal.compose.parts import ItemKey, branch_paths, item_key, replace_branch
from hanabi_formal.diagnostics.diagnostic import Label, Sink, both_places, counted, did_you_mean
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.syntax import ast

if TYPE_CHECKING:
    from hanabi_formal.compose.merge import Merged


class Overrides:
    """`touched` remembers who changed which part, and where."""

    def __init__(self, merged: Merged, sink: Sink) -> None:
        self.merged = merged
        self.sink = sink
        self.touched: dict[tuple[ItemKey, str], tuple[Layer, Span]] = {}

    def _claim(self, key: ItemKey, part: str, layer: Layer, span: Span) -> bool:
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
                        *both_places(span, place),
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

    def override(self, change: ast.Change, layer: Layer) -> None:
        match change:
            case ast.OverrideItem(item=ast.Start() as start):
                for init in start.inits:
                    key = ("start", init.name.text)
                    if key not in self.merged.items:
                        self._missing("start of", init.name.text, init.name.span, self.merged.names("start"))
                    elif self._claim(key, "", layer, init.span):
                        self.merged.items[key] = ast.Start(init.span, (init,))
            case ast.OverrideItem(item=item):
                if isinstance(item, ast.SourceItem | ast.ClauseItem):
                    self.sink.report("HRL212", "clauses are added, not overridden", change.span)
                    return
                key = item_key(item)
                span = getattr(item, "name", item).span
                if key not in self.merged.items:
                    self._missing(key[0], key[1], span, self.merged.names(key[0]))
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
        self._missing("action", path.owner.text, path.owner.span, self.merged.names("action"))
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

    def _case_owner(self, path: ast.Path) -> ItemKey | None:
        for kind in ("action", "effect", "after"):
            if (kind, path.owner.text) in self.merged.items:
                return kind, path.owner.text
        names = self.merged.names("action", "effect", "after")
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

    # ---- strengthen, remove, set ---------------------------------------------------------------
    def strengthen(self, change: ast.Change, layer: Layer) -> None:
        if isinstance(change, ast.Strengthen):
            action = self._action(ast.Path(change.action.span, change.action, None))
            if action is not None:
                key = ("action", action.name.text)
                self.merged.items[key] = replace(action, guards=(*action.guards, change.guard))

    def remove(self, change: ast.Change, layer: Layer) -> None:
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
            self._missing(change.kind, str(path), path.span, self.merged.names(kind))
        elif self._claim((kind, name), "", layer, path.span):
            self.merged.cites += change.cites
            self.merged.remove((kind, name), path, layer.name)

    def set(self, change: ast.Change, layer: Layer) -> None:
        match change:
            case ast.SetValue(name=name):
                if ("ruling", name.text) not in self.merged.items and ("param", name.text) not in self.merged.items:
                    self._missing("ruling or parameter", name.text, name.span, self.merged.names("ruling", "param"))
                elif self._claim(("set", name.text), "", layer, change.span):
                    self.merged.values[name.text] = change
            case ast.SetType(name=name):
                if ("param", name.text) not in self.merged.items:
                    self._missing("parameter", name.text, name.span, self.merged.names("param"))
                elif self._claim(("set type", name.text), "", layer, change.span):
                    self.merged.types[name.text] = change

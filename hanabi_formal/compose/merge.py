"""A composition to one flat game: additions first, then overrides, strengthenings, removals and settings.

The verbs have a fixed order of their own, so the order in which variants are named cannot matter; where two
unrelated units change the same part there is no order to choose from, and that is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from hanabi_formal.compose.layers import Layer, layers_of
from hanabi_formal.compose.overrides import Overrides
from hanabi_formal.compose.parts import ItemKey, item_key
from hanabi_formal.compose.units import Composition
from hanabi_formal.diagnostics.diagnostic import Label, Sink, both_places, did_you_mean
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
    items: dict[ItemKey, ast.Item] = field(default_factory=dict)
    ends: list[str] = field(default_factory=list)
    values: dict[str, ast.SetValue] = field(default_factory=dict)
    types: dict[str, ast.SetType] = field(default_factory=dict)
    clauses: list[ast.ClauseItem] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    origin: dict[ItemKey, str] = field(default_factory=dict)
    cites: list[ast.Cite] = field(default_factory=list)
    removed: dict[ItemKey, Source] = field(default_factory=dict)

    def of_kind(self, kind: str) -> Iterator[ast.Item]:
        return (item for (k, _), item in self.items.items() if k == kind)

    def names(self, *kinds: str) -> list[str]:
        return [name for kind, name in self.items if kind in kinds]

    def remove(self, key: ItemKey, path: ast.Path, unit: str) -> None:
        """Take an item away, with all that speaks of it alone; what took it is remembered for messages."""
        kind, name = key
        self.removed[key] = Source(str(path), unit, path.span)
        del self.items[key]
        if kind == "end":
            self.ends.remove(name)
        if kind == "var":
            self.items.pop(("start", name), None)


def merge(composition: Composition, without: ast.Change | None = None) -> Merged:
    """The flat game; `without` is a change that is left out, to see what it is good for."""
    sink = Sink()
    merged = Merged(composition)
    _Merger(merged, sink, without).run()
    sink.stop_if_errors()
    return merged


class _Merger:
    def __init__(self, merged: Merged, sink: Sink, without: ast.Change | None) -> None:
        self.merged = merged
        self.sink = sink
        self.without = without
        self.composition = merged.composition
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
        changes = Overrides(self.merged, self.sink)
        for verb in (changes.override, changes.strengthen, changes.remove, changes.set):
            for layer in layers:
                for change in layer.changes:
                    verb(change, layer)

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

    def _add_keyed(self, key: ItemKey, item: ast.Item, span: Span, unit: str) -> None:
        if key in self.merged.items:
            first = self.merged.items[key]
            name = f"`{key[1]}`" if key[1] else f"the {key[0]}"
            self.sink.report(
                "HRL205", f"{name} is declared twice", *both_places(span, getattr(first, "name", first).span)
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
            names = self.merged.names("enum")
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
                    *both_places(value.span, known[value.text].span),
                )
        self.merged.cites += change.cites
        self.merged.items["enum", enum.name.text] = replace(enum, values=(*enum.values, *change.values))

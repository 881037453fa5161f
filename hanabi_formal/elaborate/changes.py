"""The changes that variants make, one by one, and which choices a part of the text depends on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from hanabi_formal.compose.layers import layers_of
from hanabi_formal.compose.merge import Merged
from hanabi_formal.compose.parts import Owner, blocks_of, item_key
from hanabi_formal.compose.settings import Settings
from hanabi_formal.compose.units import Composition
from hanabi_formal.diagnostics.diagnostic import Sink
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.elaborate.expressions.expressions import Expressions
from hanabi_formal.elaborate.resolver import Resolver
from hanabi_formal.elaborate.statements import clauses_of
from hanabi_formal.kernel.expr import Lit
from hanabi_formal.kernel.system import Block, Case, Clauses, ForEach, System
from hanabi_formal.syntax import ast

OWNERS = (ast.Action, ast.Effect, ast.After)


@dataclass(frozen=True)
class Changed:
    """A change to what there was already: an override, a strengthening, a removal or a setting.

    `home` are the units it was written for: its own, and those that one extends.
    """

    title: str
    by: str
    change: ast.Change
    clauses: Clauses
    home: frozenset[str]

    @property
    def name(self) -> str:
        return f"{self.title} by {self.by}"

    @property
    def parameter(self) -> str | None:
        """The parameter whose range is changed, if that is what it does."""
        return self.change.name.text if isinstance(self.change, ast.SetType) else None

    @property
    def added_guard(self) -> Span | None:
        """Where the guard stands that a strengthening adds."""
        return self.change.guard.span if isinstance(self.change, ast.Strengthen) else None

    @property
    def is_removal(self) -> bool:
        return isinstance(self.change, ast.Remove)

    @property
    def removed_property(self) -> str | None:
        change = self.change
        return str(change.path) if isinstance(change, ast.Remove) and change.kind == "property" else None

    @property
    def restated_property(self) -> str | None:
        match self.change:
            case ast.OverrideItem(item=ast.Property(name=name)):
                return name.text
        return None


def changes_of(composition: Composition) -> Iterator[Changed]:
    """Those of variants, and those made to combinations with them. Settings of an edition may repeat a default."""
    for layer in layers_of(composition):
        if composition.edition is not None and layer.name == composition.edition.name.text:
            continue
        for change in layer.changes:
            title, cites = _title(change)
            if title:
                yield Changed(title, layer.name, change, clauses_of(cites), layer.knows)


def _title(change: ast.Change) -> tuple[str, ast.Cites]:
    match change:
        case ast.OverrideItem(item=ast.Start(inits=inits)):
            names = ", ".join(init.name.text for init in inits)
            return f"override start {names}", tuple(cite for init in inits for cite in init.cites)
        case ast.OverrideItem(item=item):
            return f"override {' '.join(item_key(item))}".rstrip(), getattr(item, "cites", ())
        case ast.OverrideGuard(path=path, cites=cites):
            return f"override when {path}", cites
        case ast.OverrideCase(path=path, cites=cites):
            return f"override case {path}", cites
        case ast.Strengthen(action=action, guard=guard):
            return f"strengthen {action}{f'.{guard.label}' if guard.label else ''}", guard.cites
        case ast.Remove(kind=kind, path=path, cites=cites):
            return f"remove {kind} {path}", cites
        case ast.SetValue(name=name, cites=cites):
            return f"set {name}", cites
        case ast.SetType(name=name, cites=cites):
            return f"set range of {name}", cites
    return "", ()


def without_variants(composition: Composition) -> Composition:
    """The game, and the edition if there is one."""
    return only(composition, (u.name for u in composition.order if not isinstance(u.tree, ast.Variant)))


def only(composition: Composition, names: Iterable[str]) -> Composition:
    """The composition of some of its units, with everything that those extend."""
    kept = frozenset(names)
    order = tuple(unit for unit in composition.order if unit.name in kept)
    edition = composition.edition if composition.edition and composition.edition.name.text in kept else None
    last = [unit.name for unit in order if not any(unit.name in {i.text for i in other.extends} for other in order)]
    return replace(composition, name="+".join(last), edition=edition, order=order)


def range_of(merged: Merged, parameter: str) -> range:
    resolver = Resolver(merged, Settings(), Sink())
    Expressions(resolver)
    return resolver.param_range(parameter)


# ---- what depends on a choice ----------------------------------------------------------------------
def choices_in(merged: Merged, *nodes: ast.Node) -> tuple[tuple[str, str], ...]:
    """Rulings and parameters that parts of the text speak of, themselves or through definitions: kind and name."""
    found: set[tuple[str, str]] = set()
    todo: list[ast.Node] = list(nodes)
    seen: set[str] = set()
    for part in todo:
        for node in part.walk():
            name = node.name if isinstance(node, ast.Name) else node.name.text if isinstance(node, ast.Call) else ""
            if name and name not in seen:
                seen.add(name)
                found |= {(kind, name) for kind in ("ruling", "param") if (kind, name) in merged.items}
                todo += [merged.items[kind, name] for kind in ("def", "const") if (kind, name) in merged.items]
    return tuple(sorted(found))


def other_values(merged: Merged, ruling: str, chosen: str) -> tuple[str, ...]:
    item = merged.items["ruling", ruling]
    assert isinstance(item, ast.Ruling)
    return tuple(value.text for value in item.values if value.text != chosen)


def _shown(system: System, choices: Iterable[tuple[str, str]]) -> str:
    values = {**{name: str(value) for name, value in system.parameters}, **dict(system.rulings)}
    return " and ".join(f"{name} = {values[name]}" for _, name in choices if name in values)


def settled(merged: Merged, system: System) -> dict[tuple[str, str], str]:
    """Guards and properties that are constant in a system, with the choices they depend on, where they do."""
    found: dict[tuple[str, str], str] = {}
    for action in system.actions:
        item = merged.items["action", action.name]
        assert isinstance(item, ast.Action)
        for number, (guard, text) in enumerate(zip(action.guards, item.guards, strict=True), 1):
            if isinstance(guard.condition, Lit):
                found["guard", f"{action.name}.{guard.label or number}"] = _shown(system, choices_in(merged, text))
    for prop in system.properties:
        if prop.exprs and all(isinstance(expr, Lit) for expr in prop.exprs):
            found["property", prop.name] = _shown(system, choices_in(merged, merged.items["property", prop.name]))
    return {part: choices for part, choices in found.items() if choices}


@dataclass(frozen=True)
class SilentCase:
    """A labelled case that is in the text and not in the system; `under` says which choices that may be due to."""

    name: str
    under: str
    clauses: Clauses


def silent_cases(merged: Merged, system: System) -> Iterator[SilentCase]:
    """Cases whose condition is constantly false. One that a variant emptied is none any more."""
    live = {label for action in system.actions for block in (action.first, action.second) for label in _labels(block)}
    owners = [item for item in merged.items.values() if isinstance(item, OWNERS)]
    places = [place for owner in owners for place in _places(owner)]
    for owner, branch, conditions in places:
        if not isinstance(branch, ast.Branch) or branch.label is None or not branch.block.statements:
            continue
        name = f"{owner.name}.{branch.label}"
        uses = [
            place for place in places if isinstance(place[1], ast.Perform) and place[1].name.text == owner.name.text
        ]
        if name in live or (isinstance(owner, ast.Effect) and not uses):
            continue
        around = [test for use in uses for test in use[2]] if isinstance(owner, ast.Effect) else []
        under = _shown(system, choices_in(merged, *conditions, *around))
        yield SilentCase(name, under, clauses_of(branch.cites) or clauses_of(owner.cites))


ReachedPart = tuple[Owner, ast.Branch | ast.Perform, tuple[ast.Expr, ...]]


def _places(owner: Owner) -> Iterator[ReachedPart]:
    """Branches and uses of effects, each with the conditions that decide whether it is reached."""

    def inside(block: ast.Block, given: tuple[ast.Expr, ...]) -> Iterator[ReachedPart]:
        for statement in block.statements:
            match statement:
                case ast.Perform():
                    yield owner, statement, given
                case ast.Loop(block=inner):
                    yield from inside(inner, given)
                case ast.Case(branches=branches):
                    so_far = given
                    for branch in branches:
                        so_far = (*so_far, *((branch.condition,) if branch.condition is not None else ()))
                        yield owner, branch, so_far
                        yield from inside(branch.block, so_far)

    for block in blocks_of(owner):
        yield from inside(block, ())


def _labels(block: Block) -> Iterator[str]:
    for statement in block:
        if isinstance(statement, Case):
            for branch in statement.branches:
                if branch.label:
                    yield branch.label
                yield from _labels(branch.block)
        elif isinstance(statement, ForEach):
            yield from _labels(statement.block)

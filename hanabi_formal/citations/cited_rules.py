"""The rules of a merged game one by one, each with the citations it has or stands under."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hanabi_formal.compose.merge import Merged
from hanabi_formal.compose.units import Composition
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.syntax import ast
from hanabi_formal.syntax.keywords import keywords

Support = Literal["own", "inherited", "none"]


@dataclass(frozen=True)
class Rule:
    """`cites` stand at the rule itself; `inherited` are those of what it is part of, used only if it has none."""

    kind: str
    name: str
    within: str
    span: Span
    cites: ast.Cites
    inherited: ast.Cites = ()

    @property
    def support(self) -> Support:
        if self.cites:
            return "own"
        return "inherited" if self.inherited else "none"

    @property
    def title(self) -> str:
        name = f" `{self.name}`" if self.name else ""
        return f"{self.kind}{name} in {self.within}" if self.within else f"{self.kind}{name}"

    @property
    def is_property(self) -> bool:
        """Says what should be true of the rules, and makes nothing so."""
        return self.kind in keywords().spelt(keywords().first("property"))

    @property
    def is_ruling(self) -> bool:
        """Settles an open question: a ruling, or the choice that a `set` makes for one."""
        return self.kind in ("ruling", "choice")


def rules_of(merged: Merged) -> tuple[Rule, ...]:
    """Every rule of the game, in the order of its items. The actor and the interface are no rules."""
    found: list[Rule] = []
    for item in merged.items.values():
        found += _item(item)
    settings: list[tuple[str, ast.SetValue | ast.SetType]] = [*merged.values.items(), *merged.types.items()]
    for name, change in settings:
        declared = merged.items.get(("ruling", name)) or merged.items.get(("param", name))
        above = declared.cites if isinstance(declared, ast.Ruling | ast.Param) else ()
        kind = "choice" if isinstance(declared, ast.Ruling) else "setting"
        found.append(Rule(kind, name, "", change.span, change.cites, above))
    return tuple(found)


def all_cites(composition: Composition) -> tuple[ast.Cite, ...]:
    """Every citation in the texts of a composition, also where a later unit changes what cites it."""
    found: list[ast.Cite] = []
    present = set(composition.variants)
    for unit in composition.order:
        todo: list[ast.Node] = [unit.tree]
        while todo:
            node = todo.pop()
            if isinstance(node, ast.Cite):
                found.append(node)
            elif not isinstance(node, ast.With) or {ident.text for ident in node.variants} <= present:
                todo += node.children
    return tuple(sorted(found, key=lambda cite: (cite.span.file.name, cite.span.start)))


def _item(item: ast.Item) -> Iterator[Rule]:
    match item:
        case ast.Action():
            yield from _action(item)
        case ast.Effect(name=name, cites=cites, block=block):
            yield Rule("effect", name.text, "", item.span, cites)
            yield from _statements(block, f"effect `{name}`", cites)
        case ast.After(name=name, cites=cites):
            yield Rule("after", name.text, "", item.span, cites)
            for part in (item.first, item.second):
                if part is not None:
                    yield from _statements(part, f"after `{name}`", cites)
        case ast.View(cites=cites, sights=sights):
            yield Rule("view", "", "", item.span, cites)
            for sight in sights:
                yield Rule("sight", "", "view", sight.span, sight.cites, cites)
        case ast.Start(inits=inits):
            for init in inits:
                yield Rule("start", init.name.text, "", init.span, init.cites)
        case ast.Score(cites=cites) | ast.Bands(cites=cites):
            yield Rule(type(item).__name__.lower(), "", "", item.span, cites)
        case ast.Property(kind=kind, name=name, cites=cites):
            yield Rule(kind, name.text, "", item.span, cites)
        case ast.Var(name=name, is_record=is_record, cites=cites):
            yield Rule("record" if is_record else "var", name.text, "", item.span, cites)
        case ast.Actor() | ast.Interface() | ast.SourceItem() | ast.ClauseItem():
            return
        case _:
            yield Rule(type(item).__name__.lower(), item.name.text, "", item.span, item.cites)


def _action(action: ast.Action) -> Iterator[Rule]:
    within = f"action `{action.name}`"
    own = (*action.cites, *action.first_cites, *action.second_cites)
    yield Rule("action", action.name.text, "", action.span, own)
    for guard in action.guards:
        label = guard.label.text if guard.label else ""
        yield Rule("guard", label, within, guard.span, guard.cites, action.cites)
    yield from _statements(action.first, within, (*action.first_cites, *action.cites))
    if action.second is not None:
        yield from _statements(action.second, within, (*action.second_cites, *action.cites))


def _statements(block: ast.Block, within: str, above: ast.Cites) -> Iterator[Rule]:
    """The rules of a block. What stands in something that cites inherits those citations, else what that inherits."""
    for statement in block.statements:
        match statement:
            case ast.Update(target=target, cites=cites):
                yield Rule("update", f"{target}'", within, statement.span, cites, above)
            case ast.Reveal(cites=cites):
                yield Rule("reveal", "", within, statement.span, cites, above)
            case ast.Perform(name=name, cites=cites):
                yield Rule("use", f"{name}()", within, statement.span, cites, above)
            case ast.Loop(cites=cites, block=inner):
                yield Rule("loop", "", within, statement.span, cites, above)
                yield from _statements(inner, within, cites or above)
            case ast.Case(branches=branches):
                for branch in branches:
                    label = branch.label.text if branch.label else ""
                    yield Rule("case", label, within, branch.span, branch.cites, above)
                    yield from _statements(branch.block, within, branch.cites or above)

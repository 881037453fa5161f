"""A game as it is played, told step by step: what changed, and the clause behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hanabi_formal.api import State
from hanabi_formal.formats.faces import face_names
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import Type, show_value
from hanabi_formal.run.interpret import Change, Step


@dataclass(frozen=True)
class ToldStep:
    """One step of a game: its number, who acted, what and with what effect."""

    number: int
    actor: int | None
    action: Instance
    step: Step
    before: State
    after: State


def value_text(state: State, kind: Type, value: int) -> str:
    """A value for a reader: cards by their face and number."""
    deck = state.system.deck
    if deck is not None and kind == deck.sort:
        return f"{face_names(state.system)[state.dealt[0][value]]}#{value}"
    return show_value(kind, value)


def action_text(state: State, action: Instance) -> str:
    params = state.system.action(action.name).params
    shown = ", ".join(value_text(state, p.type, v) for p, v in zip(params, action.args, strict=True))
    return f"{action.name}({shown})"


def change_lines(told: ToldStep) -> Iterator[str]:
    """Each change with its clause; many changes of one record are counted instead."""
    state = told.before
    counted: dict[tuple[str, tuple[str, ...]], int] = {}
    for change in told.step.changes:
        variable = state.system.variable(change.var)
        if variable.is_record:
            key = (change.var, change.clauses)
            counted[key] = counted.get(key, 0) + 1
            continue
        yield _change_text(state, change)
    for (name, clauses), many in counted.items():
        yield f"{name} ×{many} {_clauses(clauses)}"


def _change_text(state: State, change: Change) -> str:
    variable = state.system.variable(change.var)
    name = change.var
    deck = state.system.deck
    if len(change.index) == 1 and deck is not None and variable.index[0] == deck.sort:
        name = value_text(state, deck.sort, change.index[0])
    elif change.index:
        shown = (value_text(state, k, v) for k, v in zip(variable.index, change.index, strict=True))
        name = f"{change.var}[{', '.join(shown)}]"
    old, new = show_value(variable.type, change.old), show_value(variable.type, change.new)
    return f"{name} {old}→{new} {_clauses(change.clauses)}"


def _clauses(clauses: tuple[str, ...]) -> str:
    return f"[{' '.join(clauses)}]" if clauses else "[no clause]"


def step_line(told: ToldStep) -> str:
    who = f"seat {told.actor}  " if told.actor is not None else ""
    return f"{told.number:3}  {who}{action_text(told.before, told.action)}  " + ", ".join(change_lines(told))


def end_line(state: State) -> str:
    end = state.ended
    if end is None:
        return f"stopped: no action is legal and no end holds; score {state.score}"
    bands = "; ".join(state.bands)
    told = f"end  {end.name} ({end.outcome}) {_clauses(end.clauses)}  score {state.score}"
    return f"{told}, {bands}" if bands else told


def step_data(told: ToldStep) -> dict[str, Any]:
    system = told.before.system

    def change(item: Change) -> dict[str, Any]:
        variable = system.variable(item.var)
        index = [show_value(k, v) for k, v in zip(variable.index, item.index, strict=True)]
        old, new = show_value(variable.type, item.old), show_value(variable.type, item.new)
        return {"variable": item.var, "index": index, "old": old, "new": new, "clauses": list(item.clauses)}

    params = system.action(told.action.name).params
    args = [show_value(p.type, v) for p, v in zip(params, told.action.args, strict=True)]
    return {
        "number": told.number,
        "actor": told.actor,
        "action": told.action.name,
        "arguments": args,
        "cases": list(told.step.labels),
        "changes": [change(item) for item in told.step.changes],
        "score": told.after.score,
    }


def end_data(state: State) -> dict[str, Any]:
    end = state.ended
    if end is None:
        return {"name": None, "outcome": None, "clauses": [], "score": state.score, "bands": []}
    return {
        "name": end.name,
        "outcome": end.outcome,
        "clauses": list(end.clauses),
        "score": state.score,
        "bands": list(state.bands),
    }

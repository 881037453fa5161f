"""Traces in the Informal Trace Format: one state after the other, each variable with its value."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from hanabi_formal.formats.faces import show_action
from hanabi_formal.kernel.system import System, Variable
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import BoolType, IntType, SortType, Type, show_value, type_values
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.interpret import Snapshot
from hanabi_formal.run.readings import position


def trace_as_itf(compiled: Compiled, faces: Sequence[int], actions: Sequence[Instance]) -> dict[str, Any]:
    """The whole game as ITF, replayed by the interpreter."""
    system, interpreter = compiled.system, compiled.interpreter
    deal = tuple(faces)
    snapshot = interpreter.start(deal)
    states = [_state(system, snapshot, "start", 0)]
    for number, action in enumerate(actions, 1):
        snapshot = interpreter.step(snapshot, deal, action).after
        states.append(_state(system, snapshot, show_action(action, system), number))
    meta = {
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "description": system.name,
    }
    constants: dict[str, Any] = dict(system.parameters)
    deck = system.deck
    if deck is not None:
        for place, (name, kind) in enumerate(deck.attributes):
            pairs = [[card, _value(kind, deck.faces[face][place])] for card, face in enumerate(deal)]
            constants[name] = {"#map": pairs}
    names = ["action", "end", *(variable.name for variable in system.variables)]
    return {"#meta": meta, "params": constants, "vars": names, "states": states}


def _state(system: System, snapshot: Snapshot, action: str, number: int) -> dict[str, Any]:
    found: dict[str, Any] = {"#meta": {"index": number}, "action": action}
    found["end"] = system.ends[snapshot.end - 1].name if snapshot.end else ""
    for variable in system.variables:
        found[variable.name] = _variable(variable, snapshot.values[variable.name])
    return found


def _variable(variable: Variable, value: int | tuple[int, ...]) -> Any:
    if isinstance(value, int):
        return _value(variable.type, value)
    pairs = []
    for index in product(*(type_values(kind) for kind in variable.index)):
        key = [_value(kind, part) for kind, part in zip(variable.index, index, strict=True)]
        shown = _value(variable.type, value[position(variable.index, index)])
        pairs.append([key[0] if len(key) == 1 else {"#tup": key}, shown])
    return {"#map": pairs}


def _value(kind: Type, value: int) -> Any:
    if isinstance(kind, BoolType):
        return bool(value)
    return value if isinstance(kind, IntType | SortType) else show_value(kind, value)

"""What chosen actions write where, and under which conditions. A step that would leave a type is none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hanabi_formal.kernel.types import type_values
from hanabi_formal.sat.encode.advance import GuardedWrite
from hanabi_formal.sat.encode.gates import FALSE, TRUE, Cnf, Value
from hanabi_formal.sat.encode.grounding import Grounder
from hanabi_formal.sat.encode.grouped_actions import GroundWrite, GroundWrites
from hanabi_formal.sat.encode.node_values import Evaluator, options
from hanabi_formal.sat.encode.nodes import GroundNode, MapPlaces


class WriteCollector:
    """Takes writes apart by the places that their indices may name."""

    def __init__(self, cnf: Cnf, grounder: Grounder) -> None:
        self._cnf = cnf
        self._tables = grounder.tables

    def collect(self, literal: int, writes: GroundWrites, at: Evaluator, found: dict[int, list[GuardedWrite]]) -> None:
        """The writes of the move with that literal, put to the places they may reach."""
        for write in writes:
            conditions: list[int] = []
            for node in write.conditions:
                conditions += [part for part in at.conjuncts(node) if part != TRUE]
            if FALSE in conditions:
                continue
            value = self._inside(literal, conditions, at, write)
            for place, more in self._places(self._tables[write.var], write.index, at):
                if place is None:
                    self._cnf.add([-literal, *(-part for part in (*conditions, *more))])
                else:
                    found.setdefault(place, []).append(GuardedWrite(literal, (*conditions, *more), value))

    def _inside(self, literal: int, conditions: list[int], at: Evaluator, write: GroundWrite) -> Value:
        value = at.value(write.value)
        if write.value.is_truth:
            return value
        inside = type_values(self._tables[write.var].type)
        if isinstance(value, int):
            if value not in inside:
                self._cnf.add([-literal, *(-part for part in conditions)])
            return value
        if all(key is not None and key in inside for key in value):
            return value
        for key, part in value.items():
            if key is None or key not in inside:
                self._cnf.add([-literal, *(-part for part in conditions), -part])
        return at.kept(value, {key: part for key, part in value.items() if key is not None and key in inside})

    def _places(
        self, table: MapPlaces, index: tuple[GroundNode, ...], at: Evaluator
    ) -> Iterator[tuple[int | None, tuple[int, ...]]]:
        for choice in product(*(options(at.value(node), node.is_truth) for node in index)):
            literals = tuple(literal for _, literal in choice if literal != TRUE)
            if FALSE not in literals:
                yield table.place(key for key, _ in choice), literals

"""Tables the generated code looks things up in: some fixed when a game is compiled, some when it is dealt."""

from __future__ import annotations

from itertools import product
from typing import Any

from hanabi_formal.kernel.build import substitute
from hanabi_formal.kernel.expr import Attr, Ended, Expr, Get, Lit, Local, Quant, children
from hanabi_formal.kernel.system import Deck, System
from hanabi_formal.kernel.types import type_size, type_values
from hanabi_formal.run.interpret import Interpreter, Snapshot

LARGEST_KEY = 256


class Tables:
    """`constants` are globals of the generated module; `dealt` are computed for each deal, as rows of masks.

    A dealt table is a tuple of rows; a row is the set of faces whose cards it holds.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.deck = system.deck
        self.constants: dict[str, Any] = {}
        self.dealt: dict[str, tuple[frozenset[int], ...]] = {}
        self._names: dict[Any, str] = {}
        self._interpreter = Interpreter(system)

    def _constant(self, prefix: str, value: Any) -> str:
        key = (prefix, value)
        if key not in self._names:
            self._names[key] = f"{prefix}{len(self.constants)}"
            self.constants[self._names[key]] = value
        return self._names[key]

    def _dealt(self, rows: tuple[frozenset[int], ...]) -> str:
        if rows not in self._names:
            self._names[rows] = f"D{len(self.dealt) + 1}"
            self.dealt[self._names[rows]] = rows
        return self._names[rows]

    def forget(self, many: int) -> None:
        """Keep only the first so many dealt tables."""
        for name in list(self.dealt)[many:]:
            del self._names[self.dealt.pop(name)]

    def attribute_of_face(self, name: str) -> str:
        """A tuple from face to the attribute's value."""
        assert self.deck is not None
        at = self.deck.attribute(name)
        return self._constant("T", tuple(face[at] for face in self.deck.faces))

    def attribute_masks(self, name: str) -> str:
        """A dealt table from value, counted from the first, to the cards that have it."""
        assert self.deck is not None
        at = self.deck.attribute(name)
        kind = self.deck.attributes[at][1]
        faces = self.deck.faces
        rows = (frozenset(f for f, face in enumerate(faces) if face[at] == value) for value in type_values(kind))
        return self._dealt(tuple(rows))

    def relation(self, body: Expr, binder: Local, inputs: tuple[Local, ...]) -> tuple[frozenset[int], ...]:
        """For each value of the inputs, the faces of which a rigid condition is true."""
        assert self.deck is not None
        rows = []
        for values in product(*(type_values(local.type) for local in inputs)):
            fixed = {local.name: Lit(v, local.type) for local, v in zip(inputs, values, strict=True)}
            condition = substitute(body, fixed)
            rows.append(frozenset(f for f in range(len(self.deck.faces)) if self._true_of(condition, binder, f)))
        return tuple(rows)

    def relation_masks(self, body: Expr, binder: Local, inputs: tuple[Local, ...]) -> str:
        return self._dealt(self.relation(body, binder, inputs))

    def profile_of_face(self, body: Expr, binder: Local, given: Local) -> str:
        """A tuple from face to the mask of those values of `given` for which the condition is true of it."""
        assert self.deck is not None
        rows = self.relation(body, binder, (given,))
        return self._constant(
            "P", tuple(sum(1 << i for i, row in enumerate(rows) if f in row) for f in range(len(self.deck.faces)))
        )

    def _true_of(self, condition: Expr, binder: Local, face: int) -> bool:
        scene = self._interpreter.scene(Snapshot({}), (face,))
        scene.locals[binder.name] = 0
        return bool(self._interpreter.evaluate(condition, scene))


def rigid_inputs(body: Expr, binder: Local, deck: Deck | None) -> tuple[Local, ...] | None:
    """The other names a condition depends on, if it depends on `binder` only through attributes and on no state."""
    if deck is None or binder.type != deck.sort:
        return None
    found: dict[str, Local] = {}

    def visit(expr: Expr, bound: frozenset[str]) -> bool:
        match expr:
            case Get() | Ended():
                return False
            case Attr(card=card) if card == binder:
                return True
            case Attr():
                return False
            case Local(name):
                if name == binder.name:
                    return False
                if name not in bound:
                    found[name] = expr
                return True
            case Quant(binders=binders):
                bound = bound | {local.name for local in binders}
        return all(visit(child, bound) for child in children(expr))

    if not visit(body, frozenset()):
        return None
    many = 1
    for local in found.values():
        many *= type_size(local.type)
    return tuple(found.values()) if many <= LARGEST_KEY else None

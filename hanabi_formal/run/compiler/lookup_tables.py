"""Tables the generated code looks things up in: some fixed when a game is compiled, some when it is dealt."""

from __future__ import annotations

from math import prod
from typing import Any

from hanabi_formal.kernel.build import instances
from hanabi_formal.kernel.expr import Attr, Ended, Expr, Get, Local, Quant, children
from hanabi_formal.kernel.system import Deck, System
from hanabi_formal.kernel.types import type_size, type_values
from hanabi_formal.run.compiler.code import PyName, TableWord
from hanabi_formal.run.interpret import Interpreter, Snapshot

LARGEST_KEY = 256
Rows = tuple[frozenset[int], ...]


class Tables:
    """`constants` are globals of the generated module; `dealt` are computed for each deal, as rows of masks.

    A dealt table is a tuple of rows; a row is the set of faces whose cards it holds. They are numbered from 1: the
    faces of the cards themselves are number 0.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.deck = system.deck
        self.constants: dict[str, Any] = {}
        self.dealt: dict[Rows, int] = {}
        self._names: dict[Any, PyName] = {}
        self._relations: dict[tuple[Expr, Local, tuple[Local, ...]], Rows] = {}
        self._interpreter = Interpreter(system)

    def constant(self, word: TableWord, value: Any, key: Any = None) -> PyName:
        """A global of the generated module, the same for the same key."""
        key = (word, value if key is None else key)
        if key not in self._names:
            self._names[key] = PyName(word, len(self.constants))
            # Python looks up globals quickly only if all their names are plain strings.
            self.constants[str(self._names[key])] = value
        return self._names[key]

    def _dealt(self, rows: Rows) -> int:
        return self.dealt.setdefault(rows, len(self.dealt) + 1)

    def forget(self, many: int) -> None:
        """Keep only the first so many dealt tables."""
        self.dealt = {rows: number for rows, number in self.dealt.items() if number <= many}

    def attribute_of_face(self, name: str) -> PyName:
        """A tuple from face to the attribute's value."""
        assert self.deck is not None
        at = self.deck.attribute(name)
        return self.constant("T", tuple(face[at] for face in self.deck.faces))

    def attribute_masks(self, name: str) -> int:
        """A dealt table from value, counted from the first, to the cards that have it."""
        assert self.deck is not None
        at = self.deck.attribute(name)
        kind = self.deck.attributes[at][1]
        faces = self.deck.faces
        rows = (frozenset(f for f, face in enumerate(faces) if face[at] == value) for value in type_values(kind))
        return self._dealt(tuple(rows))

    def relation(self, body: Expr, binder: Local, inputs: tuple[Local, ...]) -> Rows:
        """For each value of the inputs, the faces of which a rigid condition is true."""
        assert self.deck is not None
        key = (body, binder, inputs)
        if key not in self._relations:
            faces = range(len(self.deck.faces))
            self._relations[key] = tuple(
                frozenset(face for face in faces if self._true_of(condition, binder, face))
                for condition in instances(body, inputs)
            )
        return self._relations[key]

    def relation_masks(self, body: Expr, binder: Local, inputs: tuple[Local, ...]) -> int:
        return self._dealt(self.relation(body, binder, inputs))

    def profile_of_face(self, body: Expr, binder: Local, given: Local) -> PyName:
        """A tuple from face to the mask of those values of `given` for which the condition is true of it."""
        assert self.deck is not None
        rows = self.relation(body, binder, (given,))
        return self.constant(
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
    many = prod(type_size(local.type) for local in found.values())
    return tuple(found.values()) if many <= LARGEST_KEY else None

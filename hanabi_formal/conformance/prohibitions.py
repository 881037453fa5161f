"""Why the rules forbid a move: the end that was reached, or the guards that do not hold."""

from __future__ import annotations

from hanabi_formal.conformance.difference import Cause
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.run.compiler.compile import PackedState
from hanabi_formal.run.interpret import Snapshot


class Prohibitions:
    """For the moves of one menu."""

    def __init__(self, menu: Menu) -> None:
        self.menu = menu
        self._spelt_out: tuple[PackedState | None, Snapshot] = (None, Snapshot({}))

    def cause(self, state: PackedState, faces: tuple[int, ...], number: int) -> tuple[Cause, tuple[str, ...]]:
        """Which guard forbids a move that is not legal, as a cause; and its clauses."""
        compiled, kind = self.menu.compiled, self.menu.moves[number].kind
        end = compiled.ended(state)
        if end:
            found = compiled.system.ends[end - 1]
            return ("allows", kind, "after the end", found.name), found.clauses
        instance = self.menu.instance(state, number)
        if instance is None:
            return ("allows", kind, "no card"), ()
        action = compiled.system.action(instance.name)
        guard = compiled.interpreter.failing_guard(self._snapshot(state), faces, action, instance.args)
        label, clauses = (guard.label, guard.clauses) if guard is not None else (None, ())
        return ("allows", kind, label or "?"), clauses

    def many(self, state: PackedState, faces: tuple[int, ...], number: int) -> int:
        """How many guards forbid a move: what one alone forbids shows best whether that one is known."""
        instance = self.menu.instance(state, number)
        if instance is None:
            return 0
        interpreter = self.menu.compiled.interpreter
        action = self.menu.system.action(instance.name)
        scene = interpreter.scene(self._snapshot(state), faces)
        names = (param.name for param in action.params)
        scene.locals.update(zip(names, instance.args, strict=True))
        return sum(not interpreter.evaluate(guard.condition, scene) for guard in action.guards)

    def _snapshot(self, state: PackedState) -> Snapshot:
        if self._spelt_out[0] is not state:
            self._spelt_out = state, self.menu.compiled.snapshot(state)
        return self._spelt_out[1]

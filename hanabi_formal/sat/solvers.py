"""Solvers for clauses, under one interface: clauses in, a limit on conflicts, yes with a model, no, or not yet.

The solver runs in short stretches, so that an interrupt is heard between them and leaves nothing half done.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any, Literal, Protocol

SolverName = Literal["cadical", "z3"]
STRETCH = 2000


class Solver(Protocol):
    conflicts: int

    def solve(self, limit: int) -> bool | None: ...

    def model(self) -> Sequence[int]: ...

    def close(self) -> None: ...


class Cadical:
    """CaDiCaL. With `traced` it writes down why, as clauses each of which follows from named earlier ones (LRAT).

    With `hopeful` it looks for a model rather than for a contradiction.
    """

    def __init__(self, clauses: Sequence[Sequence[int]], traced: bool = False, hopeful: bool = False) -> None:
        import pysolvers
        from pysat.solvers import Cadical195

        self._native: Any = pysolvers
        self._solver: Any = Cadical195()
        self._trace: Any = None
        self.conflicts = 0
        if hopeful:
            self._solver.configure({"stabilizeonly": 1})
        if traced:
            self._trace = tempfile.TemporaryFile()  # noqa: SIM115
            self._solver.configure({"lrat": 1})
            self._open = pysolvers.cadical195_tracepr(self._solver.cadical, self._trace)
        add = pysolvers.cadical195_add_cl
        for clause in clauses:
            add(self._solver.cadical, clause)

    def solve(self, limit: int) -> bool | None:
        """Decide, or give up after that many conflicts."""
        stop = self.conflicts + limit
        while self.conflicts < stop:
            self._native.cadical195_cbudget(self._solver.cadical, min(STRETCH, stop - self.conflicts))
            # The last argument: whether the solver may take over the handling of interrupts. It must not.
            found = self._native.cadical195_solve_lim(self._solver.cadical, [], 0)
            self.conflicts = self._solver.accum_stats()["conflicts"]
            if found:
                self._solver.status = found > 0
                return bool(found > 0)
        return None

    def model(self) -> Sequence[int]:
        found: Sequence[int] = self._solver.get_model()
        return found

    def trace(self) -> bytes:
        self._native.flushpr(self._open)
        self._trace.seek(0)
        found: bytes = self._trace.read()
        return found

    def close(self) -> None:
        self._solver.delete()
        if self._trace is not None:
            self._trace.close()


class Z3:
    """The same clauses, asked of Z3: a second opinion."""

    def __init__(self, clauses: Sequence[Sequence[int]]) -> None:
        import z3

        variables = max((abs(literal) for clause in clauses for literal in clause), default=1)
        lines = [f"p cnf {variables} {len(clauses)}"]
        lines += [f"{' '.join(map(str, clause))} 0" for clause in clauses]
        self._z3: Any = z3
        self._context: Any = z3.Context()
        self._solver: Any = z3.SolverFor("QF_FD", ctx=self._context)
        self._solver.from_string("\n".join(lines))
        self._variables = variables
        self.conflicts = 0

    def solve(self, limit: int) -> bool | None:
        self._solver.set("max_conflicts", limit)
        found = self._solver.check()
        statistics = self._solver.statistics()
        keys = [key for key in statistics.keys() if key.endswith("conflicts")]  # noqa: SIM118
        self.conflicts += max((int(statistics.get_key_value(key)) for key in keys), default=0)
        if found == self._z3.sat:
            return True
        return False if found == self._z3.unsat else None

    def model(self) -> Sequence[int]:
        model = self._solver.model()
        values = {int(str(name).split("!")[1]): model[name] for name in model.decls()}
        return [v if self._z3.is_true(values.get(v, False)) else -v for v in range(1, self._variables + 1)]

    def close(self) -> None:
        self._solver = self._context = None

"""The first state for every deal at once: what does not depend on the deal has a value, what does has none."""

from __future__ import annotations

from itertools import product

from hanabi_formal.kernel.expr import Attr, Cast, Ended, Expr, Field, Get, Inject, Is, Ite, Lit, Local, Op, Quant
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import UnionType, type_first, type_values
from hanabi_formal.run.interpret import Interpreter

Known = int | None


class AtStart:
    """Evaluates expressions in the first state; None means that it depends on the deal."""

    def __init__(self, system: System) -> None:
        self._inits = {init.var: init for init in system.inits}
        self._plain = Interpreter(system)

    def holds(self, expr: Expr) -> bool | None:
        value = self._value(expr, {})
        return None if value is None else bool(value)

    def _value(self, expr: Expr, names: dict[str, int]) -> Known:
        match expr:
            case Lit(value):
                return value
            case Local(name):
                return names[name]
            case Get(var, index):
                init = self._inits[var]
                at = [self._value(part, names) for part in index]
                known = [value for value in at if value is not None]
                if len(known) < len(at):
                    return None
                return self._value(init.value, {b.name: v for b, v in zip(init.binders, known, strict=True)})
            case Attr():
                return None
            case Op("and" | "or", args):
                return self._junction(expr.op, args, names)
            case Ite(condition, then, otherwise):
                test = self._value(condition, names)
                return None if test is None else self._value(then if test else otherwise, names)
            case Quant(kind, binders, body):
                return self._quantified(kind, binders, body, names)
            case Ended():
                return 0
            case Op(args=args) | Inject(args=args):
                return self._strict(expr, args, names)
            case Is(arg=arg) | Field(arg=arg) | Cast(arg=arg):
                return self._strict(expr, (arg,), names)

    def _junction(self, op: str, args: tuple[Expr, ...], names: dict[str, int]) -> Known:
        deciding = 0 if op == "and" else 1
        found: Known = 1 - deciding
        for arg in args:
            value = self._value(arg, names)
            if value == deciding:
                return deciding
            if value is None:
                found = None
        return found

    def _quantified(self, kind: str, binders: tuple[Local, ...], body: Expr, names: dict[str, int]) -> Known:
        values: list[Known] = []
        for choice in product(*(type_values(binder.type) for binder in binders)):
            inner = {**names, **{b.name: v for b, v in zip(binders, choice, strict=True)}}
            value = self._value(body, inner)
            if (kind, value) in (("exists", 1), ("forall", 0)):
                return value
            values.append(value)
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None
        match kind:
            case "exists" | "forall":
                return int(kind == "forall")
            case "count" | "sum":
                return sum(known)
            case "min":
                return min(known)
            case _:
                return max(known)

    def _strict(self, expr: Expr, args: tuple[Expr, ...], names: dict[str, int]) -> Known:
        """Operators that need all their arguments; their values are put in place of them."""
        known = []
        for arg in args:
            value = self._value(arg, names)
            if value is None:
                return None
            known.append(value)
        match expr:
            case Op("not"):
                return 1 - known[0]
            case Op(op):
                return self._plain.operate(op, *known)
            case Inject(constructor, _, kind):
                return kind.encode(constructor, tuple(known))
            case Is(constructor, arg) if isinstance(arg.type, UnionType):
                return int(arg.type.decode(known[0])[0] == constructor)
            case Field(constructor, place, arg, kind) if isinstance(arg.type, UnionType):
                which, fields = arg.type.decode(known[0])
                return fields[place] if which == constructor else type_first(kind)
            case _:
                return known[0]

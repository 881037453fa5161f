"""Expressions as text for people. Bound names are numbered by where they stand."""

from __future__ import annotations

from typing import assert_never

from hanabi_formal.kernel.expr import Attr, Cast, Ended, Expr, Field, Get, Inject, Is, Ite, Lit, Local, Op, Quant
from hanabi_formal.kernel.operators import SIGNS
from hanabi_formal.kernel.types import UnionType, show_value


class Printer:
    """Prints expressions; locals get the name `v1`, `v2`… in the order in which they come into scope."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def bind(self, *binders: Local) -> str:
        shown = []
        for binder in binders:
            self._names[binder.name] = f"v{len(self._names) + 1}"
            shown.append(f"{self._names[binder.name]} : {binder.type.name}")
        return ", ".join(shown)

    def expr(self, node: Expr) -> str:
        match node:
            case Lit(value, kind):
                return show_value(kind, value)
            case Local(name):
                return self._names.get(name, "?")
            case Get(var, index, _, primed):
                at = f"[{', '.join(map(self.expr, index))}]" if index else ""
                return f"{var}{at}{chr(39) if primed else ''}"
            case Attr(name, card):
                return f"{name}[{self.expr(card)}]"
            case Op("not", (arg,)):
                return f"not {self.expr(arg)}"
            case Op(op, args) if op in SIGNS:
                return "(" + f" {SIGNS[op]} ".join(map(self.expr, args)) + ")"
            case Op(op, args):
                return f"{op}({', '.join(map(self.expr, args))})"
            case Ite(a, b, c):
                return f"(if {self.expr(a)} then {self.expr(b)} else {self.expr(c)})"
            case Quant(kind, binders, body):
                before = dict(self._names)
                bound = self.bind(*binders)
                text = f"{kind}({self.expr(body)} for {bound})"
                self._names = before
                return text
            case Inject(constructor, args, kind):
                return f"{kind.constructors[constructor].name}({', '.join(map(self.expr, args))})"
            case Is(constructor, arg):
                assert isinstance(arg.type, UnionType)
                return f"({self.expr(arg)} is {arg.type.constructors[constructor].name})"
            case Field(_, place, arg):
                return f"{self.expr(arg)}.{place}"
            case Cast(arg, kind):
                return f"{kind.name}({self.expr(arg)})"
            case Ended(end, primed):
                return f"ended{chr(39) if primed else ''}({end if end >= 0 else ''})"
            case _:
                assert_never(node)

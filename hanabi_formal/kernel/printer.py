"""A System as text: stable, readable, the same for the same meaning. Bound names are numbered by where they stand."""

from __future__ import annotations

from collections.abc import Iterator

from hanabi_formal.kernel.expr import Attr, Cast, Ended, Expr, Field, Get, Inject, Is, Ite, Lit, Local, Op, Quant
from hanabi_formal.kernel.system import Assign, Block, Case, ForEach, Reveal, System
from hanabi_formal.kernel.types import BoolType, Constructor, EnumType, IntType, SortType, Type, UnionType, show_value

_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "mod": "%",
    "eq": "==",
    "lt": "<",
    "le": "<=",
    "and": "and",
    "or": "or",
}


def show_type(kind: Type) -> str:
    match kind:
        case BoolType():
            return "Bool"
        case IntType(low, high):
            return f"{low}..{high}"
        case EnumType(name, labels):
            return f"{name}{{{', '.join(labels)}}}"
        case SortType(name, size):
            return f"{name}[{size}]"
        case UnionType(name, constructors):
            return f"{name}{{{' | '.join(map(_show_constructor, constructors))}}}"


def _show_constructor(made: Constructor) -> str:
    return f"{made.name}({', '.join(kind.name for kind in made.fields)})" if made.fields else made.name


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
            case Op(op, args) if op in _SIGNS:
                return "(" + f" {_SIGNS[op]} ".join(map(self.expr, args)) + ")"
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

    def block(self, block: Block, indent: str) -> Iterator[str]:
        for statement in block:
            match statement:
                case Assign(var, index, value):
                    at = f"[{', '.join(map(self.expr, index))}]" if index else ""
                    yield f"{indent}{var}{at}' = {self.expr(value)}"
                case Case(branches):
                    for number, branch in enumerate(branches):
                        yield f"{indent}{'else ' if number else ''}case {self.expr(branch.condition)} {{"
                        yield from self.block(branch.block, indent + "  ")
                        yield f"{indent}}}"
                case ForEach(binders, where, inner):
                    before = dict(self._names)
                    yield f"{indent}for {self.bind(*binders)} where {self.expr(where)} {{"
                    yield from self.block(inner, indent + "  ")
                    yield f"{indent}}}"
                    self._names = before
                case Reveal(facts, binders, where, seat, allowed):
                    before = dict(self._names)
                    bound = self.bind(*binders)
                    text = f"{indent}reveal {', '.join(map(self.expr, facts))} for {bound} where {self.expr(where)}"
                    if seat is not None:
                        audience = self.bind(seat)
                        text += f" to {audience} where {self.expr(allowed)}"
                    yield text
                    self._names = before


def print_system(system: System, properties: bool = True) -> str:
    """The whole system, one part after the other."""
    return "\n".join(_lines(system, properties)) + "\n"


def _lines(system: System, properties: bool) -> Iterator[str]:
    for name, value in system.parameters:
        yield f"param {name} = {value}"
    for kind in system.types:
        yield f"type {kind.name} = {show_type(kind)}"
    if system.deck is not None:
        deck = system.deck
        for face, many in zip(deck.faces, deck.copies, strict=True):
            shown = (f"{name} {show_value(k, v)}" for (name, k), v in zip(deck.attributes, face, strict=True))
            yield f"cards {many} of {', '.join(shown)}"
    for var in system.variables:
        at = f"[{', '.join(kind.name for kind in var.index)}]" if var.index else ""
        yield f"{'record' if var.is_record else 'var'} {var.name}{at} : {show_type(var.type)}"
    for init in system.inits:
        printer = Printer()
        at = f"[{printer.bind(*init.binders)}]" if init.binders else ""
        yield f"start {init.var}{at} = {printer.expr(init.value)}"
    yield f"actor {system.actor}"
    for action in system.actions:
        printer = Printer()
        yield f"action {action.name}({printer.bind(*action.params)})"
        for guard in action.guards:
            yield f"  when {printer.expr(guard.condition)}"
        yield from printer.block(action.first, "  ")
        yield "  then"
        yield from printer.block(action.second, "  ")
    for end in system.ends:
        head = f"end {end.name}{' late' if end.late else ''} {end.outcome}"
        yield f"{head} when {Printer().expr(end.condition)} score {Printer().expr(end.score)}"
    yield f"score = {Printer().expr(system.score)}"
    if system.bands is not None:
        yield f"bands when {Printer().expr(system.bands.condition)}"
        for band in system.bands.bands:
            yield f"  {band.low}..{band.high}"
    if system.view is not None:
        printer = Printer()
        yield f"view {printer.bind(system.view.seat)}"
        for sight in system.view.sights:
            inner = Printer()
            inner.bind(system.view.seat)
            bound = inner.bind(*sight.binders)
            yield f"  {', '.join(map(inner.expr, sight.facts))} for {bound} where {inner.expr(sight.where)}"
    if properties:
        for prop in system.properties:
            printer = Printer()
            bound = printer.bind(*prop.params)
            expected = " expect refuted" if prop.refuted_because is not None else ""
            of = ""
            if prop.told is not None:
                over = printer.bind(*prop.told.binders)
                of = f"{prop.told.action} for {over} where {printer.expr(prop.told.where)} : "
            yield f"{prop.kind} {prop.name}({bound}) : {of}{', '.join(map(printer.expr, prop.exprs))}{expected}"

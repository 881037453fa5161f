"""Generated Python as a small tree, with what is asked of trees and the one printer that writes them down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, assert_never, get_args

from hanabi_formal.kernel.types import Type, type_first, type_size, type_values

GivenWord = Literal["D", "F", "s", "k", "u", "p", "code", "most", "note"]
StateWord = Literal["v", "m", "o", "g", "end"]
TableWord = Literal["T", "P", "R", "L", "H", "Q", "B", "BITS", "STEP", "ARG"]
LocalWord = Literal["x", "a", "c", "e", "f", "i", "j", "n", "q", "r", "t", "w", "y", "z", "Z", "found"]
OurFunction = Literal["within", "without", "including", "fault", "slowly", "insort", "repeat", "floor"]
MadeFunction = Literal["deal", "start", "legal", "pick", "step", "score", "view", "rated", "predicate", "playout"]
Builtin = Literal["any", "all", "sum", "min", "max", "len", "range", "enumerate", "divmod"]
BuiltinClass = Literal["int", "bytes", "tuple", "list", "None"]
Word = Literal[GivenWord, StateWord, TableWord, LocalWord, OurFunction, MadeFunction, Builtin, BuiltinClass]
WORDS = frozenset(get_args(Word))
MethodWord = Literal["bit_count", "translate", "append", "remove"]


class PyName(str):
    """One of our words, with numbers behind it. There is no other way to make a name: none comes from a rule file."""

    __slots__ = ()

    def __new__(cls, word: Word, *numbers: int) -> PyName:
        if word not in WORDS:
            raise ValueError("names in generated code are made of the words listed here")
        return str.__new__(cls, word + "_".join(f"{number:d}" for number in numbers))

    @property
    def aside(self) -> PyName:
        """The name under which a new value is kept until the old one is read no more."""
        return str.__new__(PyName, f"{self}_")


# ---- expressions -----------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Infix:
    """Parts with a sign between them, worked out from the left; `a <= b <= c` compares both pairs."""

    sign: str
    parts: tuple[PyExpr, ...]


@dataclass(frozen=True, slots=True)
class Prefix:
    sign: Literal["not", "~", "*"]
    part: PyExpr


@dataclass(frozen=True, slots=True)
class Ternary:
    """The value beside the first test that is true, or the last value. A chain is one node: it may be very long."""

    cases: tuple[tuple[PyExpr, PyExpr], ...]
    otherwise: PyExpr


@dataclass(frozen=True, slots=True)
class Subscript:
    whole: PyExpr
    at: PyExpr


@dataclass(frozen=True, slots=True)
class Slicing:
    whole: PyExpr
    start: PyExpr | None = None
    stop: PyExpr | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Apply:
    function: PyExpr
    args: tuple[PyExpr, ...]


@dataclass(frozen=True, slots=True)
class Method:
    owner: PyExpr
    word: MethodWord


@dataclass(frozen=True, slots=True)
class Display:
    """A tuple or a list, item by item."""

    items: tuple[PyExpr, ...]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Comprehension:
    """A list, or a generator where it is the only argument of a function."""

    value: PyExpr
    loops: tuple[tuple[PyExpr, PyExpr], ...]
    test: PyExpr | None = None
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Walrus:
    name: PyName
    value: PyExpr


PyExpr: TypeAlias = (
    PyName | int | Infix | Prefix | Ternary | Subscript | Slicing | Apply | Method | Display | Comprehension | Walrus
)


# ---- statements ------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Store:
    """`target = value`; several targets get the same value, a tuple of names is taken apart."""

    target: PyExpr
    value: PyExpr
    others: tuple[PyExpr, ...] = ()


@dataclass(frozen=True, slots=True)
class InPlaceStore:
    """`target sign= value`."""

    target: PyExpr
    sign: str
    value: PyExpr


@dataclass(frozen=True, slots=True)
class Branching:
    branches: tuple[tuple[PyExpr, PyBlock], ...]
    otherwise: PyBlock = ()


@dataclass(frozen=True, slots=True)
class ForIn:
    target: PyExpr
    values: PyExpr
    block: PyBlock


@dataclass(frozen=True, slots=True)
class Simple:
    """A word with what it is about, such as `return x` and `break`; without a word it is `x` for its effect."""

    word: Literal["return", "del", "break", "pass", "raise IndexError", ""]
    value: PyExpr | None = None


@dataclass(frozen=True, slots=True)
class FunctionDef:
    name: PyName
    params: tuple[PyName | Store, ...]
    block: PyBlock


PyStatement: TypeAlias = Store | InPlaceStore | Branching | ForIn | Simple | FunctionDef
PyBlock: TypeAlias = Sequence[PyStatement]


# ---- short ways to make them -----------------------------------------------------------------------
_OF_NONE: dict[str, PyExpr] = {"+": 0, "|": 0, "or": False, "and": True}


def infix(sign: str, *parts: PyExpr) -> PyExpr:
    """Any number of parts; of none it is what changes nothing where it is one of several."""
    return Infix(sign, parts) if len(parts) > 1 else parts[0] if parts else _OF_NONE[sign]


def negation(part: PyExpr) -> PyExpr:
    return Prefix("not", part)


def minus(part: PyExpr, number: int) -> PyExpr:
    return Infix("-", (part, number)) if number else part


def plus(part: PyExpr, number: int) -> PyExpr:
    return Infix("+", (part, number)) if number else part


def times(part: PyExpr, number: int) -> PyExpr:
    return Infix("*", (part, number)) if number != 1 else part


def ternary(value: PyExpr, test: PyExpr, otherwise: PyExpr) -> PyExpr:
    """Where the other value is a choice too, both are one chain."""
    if isinstance(otherwise, Ternary):
        return Ternary(((value, test), *otherwise.cases), otherwise.otherwise)
    return Ternary(((value, test),), otherwise)


def apply(word: Word, *args: PyExpr) -> PyExpr:
    return Apply(PyName(word), args)


def method(owner: PyExpr, word: MethodWord, *args: PyExpr) -> PyExpr:
    return Apply(Method(owner, word), args)


def subscript(whole: PyExpr, *at: PyExpr) -> PyExpr:
    """An item, an item of that item, and so on."""
    for place in at:
        whole = Subscript(whole, place)
    return whole


def gives(value: PyExpr) -> PyStatement:
    return Simple("return", value)


def does(value: PyExpr) -> PyStatement:
    return Simple("", value)


def display(items: Iterable[PyExpr]) -> PyExpr:
    return Display(tuple(items))


def numbered(digits: Iterable[tuple[PyExpr, Type]]) -> PyExpr:
    """One number for values of several types, as if they were its digits."""
    found: PyExpr | None = None
    for digit, kind in digits:
        term = minus(digit, type_first(kind))
        found = term if found is None else infix("+", times(found, type_size(kind)), term)
    return 0 if found is None else found


def values_of(kind: Type) -> PyExpr:
    """All values of a type, to go through."""
    values = type_values(kind)
    return apply("range", values.start, values.stop)


def has_bit(mask: PyExpr, number: PyExpr) -> PyExpr:
    return Infix("&", (Infix(">>", (mask, number)), 1))


def one_if(test: PyExpr) -> PyExpr:
    return Ternary(((1, test),), 0)


def branch(test: PyExpr, *block: PyStatement) -> Branching:
    return Branching(((test, block),))


# ---- questions about trees -------------------------------------------------------------------------
def uses(node: Any) -> Counter[PyName]:
    """How often each name stands in an expression, a statement, or a sequence of those."""
    found: Counter[PyName] = Counter()
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, PyName):
            found[node] += 1
        elif isinstance(node, tuple | list):
            waiting += node
        elif hasattr(node, "__match_args__"):
            waiting += [getattr(node, part) for part in node.__match_args__]
    return found


def replaced(node: Any, change: Callable[[PyName], PyExpr]) -> Any:
    """The same with another expression in place of each name."""
    if isinstance(node, PyName):
        return change(node)
    if isinstance(node, tuple | list):
        return tuple(replaced(part, change) for part in node)
    if hasattr(node, "__match_args__"):
        return type(node)(*(replaced(getattr(node, part), change) for part in node.__match_args__))
    return node


# ---- the printer -----------------------------------------------------------------------------------
_LEVELS = [
    ":=",
    "if",
    "or",
    "and",
    "not",
    "in == != < <= >",
    "|",
    "^",
    "&",
    "<< >>",
    "+ -",
    "* // %",
    "~",
    "number",
    "atom",
]
_BINDS = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs.split()}
_CHOICE, _TEST, _COMPARED, _ATOM = _BINDS["if"], _BINDS["or"], _BINDS["|"], _BINDS["atom"]


def text(code: PyExpr, least: int = _CHOICE) -> str:
    """Source of an expression, in parentheses if it binds less than `least`."""
    if isinstance(code, PyName):
        return code
    level = _ATOM
    match code:
        case int():
            level = _BINDS["number" if code >= 0 else "~"]
            found = str(code)
        case Infix(sign, parts):
            level = _BINDS[sign]
            first = level if level != _BINDS["=="] else _COMPARED
            found = f" {sign} ".join([text(parts[0], first), *[text(part, level + 1) for part in parts[1:]]])
        case Subscript(whole, at):
            found = f"{text(whole, _ATOM)}[{text(at)}]"
        case Prefix(sign, part):
            level = _CHOICE if sign == "*" else _BINDS[sign]
            found = f"{sign}{' ' if sign == 'not' else ''}{text(part, _COMPARED if sign == '*' else level)}"
        case Ternary(cases, otherwise):
            level = _CHOICE
            chain = [f"{text(value, _TEST)} if {text(test, _TEST)} else " for value, test in cases]
            found = f"{''.join(chain)}{text(otherwise)}"
        case Apply(function, args):
            found = f"{text(function, _ATOM)}({', '.join(map(text, args))})"
        case Method(owner, word):
            found = f"{text(owner, _ATOM)}.{word}"
        case Display(items, is_list):
            comma = "," if len(items) == 1 and not is_list else ""
            found = f"{', '.join(map(text, items))}{comma}"
            found = f"[{found}]" if is_list else f"({found})"
        case Slicing(whole, start, stop, step):
            marks = [*("" if mark is None else text(mark) for mark in (start, stop)), *([str(step)] if step else [])]
            found = f"{text(whole, _ATOM)}[{':'.join(marks)}]"
        case Comprehension(value, loops, test, is_list):
            clauses = [f" for {text(target)} in {text(values, _TEST)}" for target, values in loops]
            found = f"{text(value)}{''.join(clauses)}{'' if test is None else f' if {text(test, _TEST)}'}"
            found = f"[{found}]" if is_list else found
        case Walrus(name, value):
            level = _BINDS[":="]
            found = f"{name} := {text(value)}"
        case _:
            assert_never(code)
    return found if level >= least else f"({found})"


def source(block: PyBlock) -> str:
    lines: list[str] = []
    _write(block, "", lines)
    return "\n".join(lines) + "\n"


def _write(block: PyBlock, pad: str, lines: list[str]) -> None:
    inner = pad + "    "
    for statement in block or (Simple("pass"),):
        match statement:
            case Store(target, value, others):
                lines.append(pad + " = ".join(map(text, (target, *others, value))))
            case InPlaceStore(target, sign, value):
                lines.append(f"{pad}{text(target)} {sign}= {text(value)}")
            case Branching(branches, otherwise):
                word = "if"
                for test, inside in branches:
                    lines.append(f"{pad}{word} {text(test)}:")
                    _write(inside, inner, lines)
                    word = "elif"
                if otherwise:
                    lines.append(f"{pad}else:")
                    _write(otherwise, inner, lines)
            case ForIn(target, values, inside):
                lines.append(f"{pad}for {text(target)} in {text(values)}:")
                _write(inside, inner, lines)
            case Simple(word, value):
                lines.append(pad + (word if value is None else f"{word} {text(value)}".lstrip()))
            case FunctionDef(name, params, inside):
                given = [p if isinstance(p, PyName) else f"{text(p.target)}={text(p.value)}" for p in params]
                lines.append(f"{pad}def {name}({', '.join(given)}):")
                _write(inside, inner, lines)
            case _:
                assert_never(statement)

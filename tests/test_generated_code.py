"""Generated code as a tree: it prints as what it means, and its names are ours alone."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabi_formal.api import load
from hanabi_formal.kernel.types import BOOL, IntType
from hanabi_formal.run.compiler import code
from hanabi_formal.run.compiler.code import (
    WORDS,
    Apply,
    Branching,
    Comprehension,
    Display,
    ForIn,
    FunctionDef,
    Infix,
    InPlaceStore,
    Method,
    Prefix,
    PyExpr,
    PyName,
    Slicing,
    Store,
    Subscript,
    Ternary,
    Walrus,
    gives,
    infix,
    numbered,
    replaced,
    source,
    ternary,
    text,
    uses,
)

PACKAGE = Path(code.__file__).parent
X, Y, Z = PyName("x", 1), PyName("x", 2), PyName("x", 3)
COMPARISONS = ["in", "==", "!=", "<", "<=", ">"]
SIGNS = ["or", "and", *COMPARISONS, "|", "^", "&", "<<", ">>", "+", "-", "*", "//", "%"]
Shape = Callable[[PyExpr, PyExpr, PyExpr], PyExpr]


def in_full(node: PyExpr) -> str:
    """The same with parentheses around everything, which needs no precedence."""
    match node:
        case PyName() | int():
            found = str(node)
        case Infix(sign, parts) if sign in COMPARISONS:
            found = f" {sign} ".join(map(in_full, parts))
        case Infix(sign, parts):
            found = in_full(parts[0])
            for part in parts[1:]:
                found = f"({found} {sign} {in_full(part)})"
        case Prefix("*", part):
            return f"*{in_full(part)}"
        case Prefix(sign, part):
            found = f"{sign} {in_full(part)}"
        case Ternary(cases, otherwise):
            found = in_full(otherwise)
            for value, test in reversed(cases):
                found = f"({in_full(value)} if {in_full(test)} else {found})"
        case Subscript(whole, at):
            found = f"{in_full(whole)}[{in_full(at)}]"
        case Slicing(whole, start, stop, step):
            marks = [in_full(mark) if mark is not None else "" for mark in (start, stop, step)]
            found = f"{in_full(whole)}[{':'.join(marks)}]"
        case Method(owner, word):
            found = f"{in_full(owner)}.{word}"
        case Apply(function, args):
            found = f"{in_full(function)}({', '.join(map(in_full, args))})"
        case Display(items, is_list):
            inside = "".join(f"{in_full(item)}, " for item in items)
            found = f"[{inside}]" if is_list else f"({inside})"
        case Comprehension(value, loops, test):
            clauses = "".join(f" for {in_full(target)} in {in_full(values)}" for target, values in loops)
            found = f"[{in_full(value)}{clauses}{'' if test is None else f' if {in_full(test)}'}]"
        case Walrus(name, value):
            found = f"{name} := {in_full(value)}"
    return f"({found})"


class Flat(ast.NodeTransformer):
    """`(a and b) and c` is `a and b and c`."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        self.generic_visit(node)
        first = node.values[0]
        if isinstance(first, ast.BoolOp) and type(first.op) is type(node.op):
            node.values[:1] = first.values
        return node


def meaning(written: str) -> str:
    return ast.dump(Flat().visit(ast.parse(written, mode="eval")))


def two(sign: str) -> Shape:
    return lambda a, b, _: Infix(sign, (a, b))


def three(sign: str) -> Shape:
    return lambda a, b, c: Infix(sign, (a, b, c))


SHAPES: list[Shape] = [
    *map(two, SIGNS),
    *map(three, SIGNS),
    lambda a, _, __: a,
    lambda _, __, ___: 7,
    lambda _, __, ___: -7,
    lambda a, _, __: Prefix("not", a),
    lambda a, _, __: Prefix("~", a),
    lambda a, b, c: Ternary(((a, b),), c),
    lambda a, b, c: Ternary(((a, b), (b, c)), X),
    lambda a, b, _: Subscript(a, b),
    lambda a, b, c: Slicing(a, b, c),
    lambda a, b, _: Slicing(a, None, b, -1),
    lambda a, b, c: Apply(a, (b, c)),
    lambda a, b, _: Apply(Method(a, "append"), (b,)),
    lambda a, b, _: Display((a, b)),
    lambda a, _, __: Display((a,)),
    lambda a, b, _: Display((Prefix("*", a), b), is_list=True),
    lambda a, b, c: Comprehension(a, ((X, b), (Y, b)), c, is_list=True),
    lambda a, b, _: Infix("+", (Walrus(X, a), b)),
]


def nested() -> Iterator[PyExpr]:
    """Everything within everything, at every place."""
    for outer, inner, place in product(SHAPES, SHAPES, range(3)):
        yield outer(*(inner(X, Y, Z) if place == at else name for at, name in enumerate((X, Y, Z))))


def test_what_is_printed_is_what_was_meant() -> None:
    for tree in nested():
        assert meaning(text(tree)) == meaning(in_full(tree))


@settings(max_examples=100, derandomize=True, deadline=None, database=None)
@given(
    st.recursive(
        st.sampled_from([X, Y, Z]),
        lambda inner: st.builds(lambda shape, *args: shape(*args), st.sampled_from(SHAPES), inner, inner, inner),
    )
)
def test_large_trees(tree: PyExpr) -> None:
    assert meaning(text(tree)) == meaning(in_full(tree))


@pytest.mark.parametrize("sign", ["if", *SIGNS])
def test_a_wrong_precedence_is_found(sign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(code._BINDS, sign, code._BINDS["~"])
    monkeypatch.setattr(code, "_CHOICE", code._BINDS["if"])
    with pytest.raises((AssertionError, SyntaxError)):
        test_what_is_printed_is_what_was_meant()


def test_long_chains_are_flat() -> None:
    """Neither the printer nor Python's parser goes deeper with every case."""
    chain: PyExpr = 0
    for number in range(800):
        chain = ternary(number, infix("==", X, number), chain)
    scope: dict[str, Any] = {X: 640}
    assert eval(text(chain), scope) == 640
    branches = Branching(tuple((infix("==", X, n), [Store(Y, n)]) for n in range(800)))
    exec(source([branches]), scope)
    assert scope[Y] == 640


def test_statements() -> None:
    k = PyName("k")
    made = FunctionDef(
        PyName("step", 3),
        (k, Store(PyName("most"), 5)),
        [
            ForIn(X, Display((1, 2)), [Branching(((infix("<", X, k), ()),), [InPlaceStore(k, "-", X)])]),
            gives(infix("-", k, infix("-", PyName("most"), 1))),
        ],
    )
    assert source([made]).splitlines() == [
        "def step3(k, most=5):",
        "    for x1 in (1, 2):",
        "        if x1 < k:",
        "            pass",
        "        else:",
        "            k -= x1",
        "    return k - (most - 1)",
    ]


# ---- constructors and questions --------------------------------------------------------------------
def test_constructors_leave_out_what_changes_nothing() -> None:
    assert numbered([]) == 0
    assert text(numbered([(X, BOOL), (Y, IntType(2, 5))])) == "x1 * 4 + (x2 - 2)"
    assert infix("or") is False
    assert infix("+", X) == X


def test_uses_and_replacement() -> None:
    block = [Store(Y, infix("+", X, X)), Branching(((Y, [gives(X)]),), [gives(0)])]
    assert uses(block) == {X: 3, Y: 2}
    changed = replaced(block, lambda name: Subscript(PyName("s"), 4) if name == X else name)
    assert uses(changed) == {PyName("s"): 3, Y: 2}
    assert source(changed).splitlines()[0] == "x2 = s[4] + s[4]"


# ---- names -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("word", ["", "colour", "__import__", "x1", "x; import os", "end\n"])
def test_names_are_made_of_our_words_only(word: Any) -> None:
    with pytest.raises(ValueError, match="names in generated code"):
        PyName(word)


@pytest.mark.parametrize("number", ["1", "1_2", "] or exec(p", 1.5])
def test_only_numbers_follow_a_word(number: Any) -> None:
    with pytest.raises(ValueError, match="format code"):
        PyName("x", number)


def test_different_names_look_different() -> None:
    numbers: list[tuple[int, ...]] = [(), (1,), (11,), (1, 1), (1, 1, 1)]
    assert all(word.isalpha() for word in WORDS)
    names = {PyName(word, *several) for word in WORDS for several in numbers}
    assert len(names | {name.aside for name in names}) == 2 * len(WORDS) * len(numbers)


def test_names_are_made_nowhere_else() -> None:
    """No module makes a name around the check, and none but `code.py` prints Python."""
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr == "__new__":
                assert path.name == "code.py"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "PyName":
                words = node.args[:1]
                assert path.name == "code.py" or all(isinstance(word, ast.Constant | ast.Name) for word in words)
            if isinstance(node, ast.ImportFrom):
                assert node.module != "re"


@pytest.mark.parametrize("spec", ["base", "hanab_live"])
def test_generated_names_are_of_our_words(spec: str) -> None:
    compiled = load(spec).compiled(2)
    assert compiled.playout
    for tree in map(ast.parse, (compiled.source, compiled.playout_source)):
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert {name.rstrip("0123456789_") for name in names} <= WORDS | {"IndexError"}


def test_globals_have_plain_names() -> None:
    """With a name of another class among them Python takes a slower way to all of them, by a fifth of a game's time."""
    compiled = load("base").compiled(2)
    for function in (compiled.step, compiled.playout):
        assert isinstance(function, FunctionType)
        assert {type(name) for name in function.__globals__} == {str}

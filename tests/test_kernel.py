"""The kernel can be extended: every reading knows every kind of expression, and every walk comes everywhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

import hanabi_formal
from hanabi_formal.kernel import expr as expressions
from hanabi_formal.kernel.build import FALSE, TRUE, conj, negate
from hanabi_formal.kernel.expr import Expr, Get, Lit, Local, Quant, children, rebuild, walk
from hanabi_formal.kernel.rewrite import Rewriter, guarded
from hanabi_formal.kernel.system import (
    Assign,
    Block,
    Branch,
    Case,
    ForEach,
    Reveal,
    Statement,
    System,
    assignments,
    expressions_in,
    statements_in,
)
from hanabi_formal.kernel.types import BOOL, IntType

PACKAGE = Path(hanabi_formal.__file__).parent
KINDS = {kind.__name__ for kind in get_args(Expr)}
STATEMENTS = {kind.__name__ for kind in get_args(Statement)}
LISTED = re.compile(r"^- `([\w/]+\.py)` (`[\w.]+`(?:, `[\w.]+`)*): ", re.MULTILINE)


# ---- every reading knows every kind ----------------------------------------------------------------
def listed() -> list[tuple[str, str]]:
    """The places that the docstring of `kernel/expr.py` names."""
    text = expressions.__doc__ or ""
    return [(path, name) for path, names in LISTED.findall(text) for name in re.findall(r"`([\w.]+)`", names)]


@cache
def functions(source: str) -> dict[str, ast.FunctionDef]:
    """All functions of a module and methods of its classes, by their names."""
    found: dict[str, ast.FunctionDef] = {}
    for node in ast.parse(source).body:
        for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(inner, ast.FunctionDef):
                found[f"{node.name}.{inner.name}" if isinstance(node, ast.ClassDef) else inner.name] = inner
    return found


def kinds_in(tree: ast.AST) -> set[str]:
    """The classes that patterns name, except within other patterns and where a guard may refuse them."""
    found: set[str] = set()
    for case in (node for node in ast.walk(tree) if isinstance(node, ast.match_case) and node.guard is None):
        for pattern in case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]:
            if isinstance(pattern, ast.MatchClass) and isinstance(pattern.cls, ast.Name):
                found.add(pattern.cls.id)
    return found


def is_exhaustive(match: ast.Match, members: set[str]) -> bool:
    """Is every member among its cases, with `assert_never` behind them?"""
    last = match.cases[-1]
    ends = ast.unparse(last.pattern) == "_" and ast.unparse(last.body[0]).startswith("assert_never(")
    return ends and kinds_in(match) >= members


def reads_all(function: ast.FunctionDef, members: set[str]) -> bool:
    return any(isinstance(node, ast.Match) and is_exhaustive(node, members) for node in ast.walk(function))


def modules() -> Iterator[tuple[str, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8")


@pytest.mark.parametrize(("path", "name"), listed())
def test_every_reading_knows_every_kind(path: str, name: str) -> None:
    assert reads_all(functions((PACKAGE / path).read_text("utf-8"))[name], KINDS)


def test_the_list_is_complete() -> None:
    """Whatever goes through all kinds is in the list."""
    assert len(listed()) == 10
    found = {
        (path, name)
        for path, source in modules()
        for name, function in functions(source).items()
        if reads_all(function, KINDS)
    }
    assert found == set(listed())


def test_compiled_rules_know_every_kind() -> None:
    assert kinds_in(ast.parse((PACKAGE / "run/compiler/emit.py").read_text("utf-8"))) >= KINDS


def test_a_kind_that_is_forgotten_is_noticed() -> None:
    source = (PACKAGE / "run/readings.py").read_text("utf-8")
    assert reads_all(functions(source)["Readings._read"], KINDS)
    assert not reads_all(functions(source)["Readings._read"], KINDS | {"Newcomer"})
    for wrong in (
        source.replace("case Ite(condition, then, otherwise):", "case Ite(condition, then, otherwise) if condition:"),
        source.replace("assert_never(expr)", "raise AssertionError(expr)"),
        source.replace("case Cast(arg, kind):", "case Is(arg, kind):"),
    ):
        assert wrong != source
        assert not reads_all(functions(wrong)["Readings._read"], KINDS)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("kernel/system.py", "statements_in"),
        ("kernel/system.py", "expressions_in"),
        ("kernel/rewrite.py", "guarded"),
        ("kernel/rewrite.py", "Rewriter.statement"),
        ("kernel/depends.py", "_Restriction.statement"),
        ("run/interpret.py", "_Run._block"),
        ("smt/step.py", "Stepper._writes"),
        ("sat/encode/grouped_actions.py", "GroundGame._writes"),
    ],
)
def test_every_walk_knows_every_statement(path: str, name: str) -> None:
    assert reads_all(functions((PACKAGE / path).read_text("utf-8"))[name], STATEMENTS)


# ---- every walk comes everywhere -------------------------------------------------------------------
BINDERS = {"binders", "params", "seat"}


def whole_expressions(value: Any, name: str = "") -> Iterator[Expr]:
    """All expressions of a system or block that are in no other expression, found by looking at every field."""
    if isinstance(value, tuple):
        for part in value:
            yield from whole_expressions(part, name)
    elif isinstance(value, get_args(Expr)):
        if name not in BINDERS:
            yield value
    elif is_dataclass(value):
        for each in fields(value):
            yield from whole_expressions(getattr(value, each.name), each.name)


@dataclass(frozen=True)
class Collector(Rewriter):
    """Changes nothing, and remembers what it was given."""

    given: list[Expr] = field(default_factory=list)
    bound: list[Local] = field(default_factory=list)

    def expr(self, expr: Expr) -> Expr:
        self.given.append(expr)
        return expr

    def bind(self, *binders: Local) -> tuple[tuple[Local, ...], Collector]:
        self.bound.extend(binders)
        return binders, self


@cache
def systems() -> tuple[System, ...]:
    games = Path(__file__).parent / "games"
    specs = ("base", "hanab_live", "nl+rainbow", str(games / "tricks.hrl"))
    return tuple(hanabi_formal.load(spec).system(3) for spec in specs)


def blocks(system: System) -> Iterator[Block]:
    for action in system.actions:
        yield from (action.first, action.second)


def by_identity(exprs: Any) -> list[int]:
    return sorted(map(id, exprs))


def test_a_rewriter_is_given_every_expression_and_changes_nothing() -> None:
    for system in systems():
        collector = Collector()
        assert collector.system(system) == system
        assert by_identity(collector.given) == by_identity(whole_expressions(system))
        assert any(local.name for local in collector.bound)


def test_a_block_is_walked_to_its_end() -> None:
    for block in (block for system in systems() for block in blocks(system)):
        assert by_identity(expressions_in(block)) == by_identity(whole_expressions(block))
        leaves = [statement for statement in statements_in(block) if isinstance(statement, Assign | Reveal)]
        assert [found.statement for found in guarded(block)] == leaves
        assert list(assignments(block)) == [leaf for leaf in leaves if isinstance(leaf, Assign)]


def test_something_that_is_changed_everywhere_is_nowhere_left() -> None:
    class WithoutNumbers(Rewriter):
        def expr(self, expr: Expr) -> Expr:
            return Lit(0, expr.type) if isinstance(expr, Lit) else rebuild(expr, self.expr)

    for system in systems():
        changed = WithoutNumbers().system(system)
        left = [node for expr in whole_expressions(changed) for node in walk(expr) if isinstance(node, Lit)]
        assert left
        assert {node.value for node in left} == {0}


def test_a_walk_that_leaves_something_out_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part of a rewriter in turn does nothing."""
    wrong: dict[str, Callable[..., Any]] = {
        "statement": lambda self, statement: statement,
        "init": lambda self, init: init,
        "action": lambda self, action: replace(action),
        "view": lambda self, view: view,
        "property": lambda self, prop: prop,
        "interface": lambda self, interface: interface,
    }
    for name, change in wrong.items():
        with monkeypatch.context() as patch:
            patch.setattr(Rewriter, name, change)
            with pytest.raises(AssertionError):
                test_a_rewriter_is_given_every_expression_and_changes_nothing()


# ---- guards of statements --------------------------------------------------------------------------
A, B, C = (Get(name, (), BOOL) for name in "abc")
EACH = Local("i", IntType(0, 3))


def test_statements_have_the_conditions_under_which_they_are_read() -> None:
    write = [Assign(name, (), TRUE) for name in "vwxy"]
    told = Reveal((A,), (), TRUE, None, TRUE)
    loop = ForEach((EACH,), C, (write[1], told))
    block: Block = (write[0], Case((Branch(A, (loop,)), Branch(B, (write[2],)), Branch(TRUE, (write[3],)))))
    found = {id(each.statement): (each.conditions, each.binders) for each in guarded(block)}
    assert found == {
        id(write[0]): ((), ()),
        id(write[1]): ((A, C), (EACH,)),
        id(told): ((A, C), (EACH,)),
        id(write[2]): ((negate(A), B), ()),
        id(write[3]): ((negate(A), negate(B), TRUE), ()),
    }


def test_a_statement_that_is_dropped_is_gone() -> None:
    class NothingToW(Rewriter):
        def statement(self, statement: Statement) -> Statement | None:
            return None if isinstance(statement, Assign) and statement.var == "w" else super().statement(statement)

    block: Block = (Assign("w", (), A), Case((Branch(A, (Assign("w", (), B), Assign("v", (), FALSE))),)))
    assert NothingToW().block(block) == (Case((Branch(A, (Assign("v", (), FALSE),)),)),)


def test_names_that_are_bound_can_be_renamed() -> None:
    @dataclass(frozen=True)
    class Deeper(Rewriter):
        depth: int = 0

        def bind(self, *binders: Local) -> tuple[tuple[Local, ...], Deeper]:
            made = tuple(Local(f"{binder.name}{self.depth}", binder.type) for binder in binders)
            return made, Deeper(self.depth + 1)

    seat = Local("s", IntType(0, 1))
    inner = Reveal((A,), (EACH,), B, seat, C)
    (found,) = Deeper().block((ForEach((EACH,), A, (inner,)),))
    assert isinstance(found, ForEach)
    assert found.binders[0].name == "i0"
    (told,) = found.block
    assert isinstance(told, Reveal)
    assert told.seat is not None
    assert [told.binders[0].name, told.seat.name] == ["i1", "s2"]


def test_children_are_what_rebuild_changes() -> None:
    for system in systems():
        for expr in whole_expressions(system):
            for node in walk(expr):
                seen: list[Expr] = []
                assert rebuild(node, lambda child, seen=seen: seen.append(child) or child) == node  # type: ignore[misc]
                assert tuple(seen) == children(node)


def test_conditions_of_quantifiers_are_walked() -> None:
    inside = conj(A, B)
    assert list(walk(Quant("exists", (EACH,), inside, BOOL)))[1:] == [inside, A, B]

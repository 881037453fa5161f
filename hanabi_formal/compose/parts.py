"""Which part of a game an item is, and the labelled parts inside one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hanabi_formal.syntax import ast

ItemKey = tuple[str, str]
Owner = ast.Action | ast.Effect | ast.After

_SINGLE = {ast.Score: "score", ast.Bands: "bands", ast.View: "view", ast.Actor: "actor", ast.Interface: "interface"}


def item_key(item: ast.Item) -> ItemKey:
    """Kind and name. There is one score, one scale, one view, one actor and one interface."""
    if type(item) in _SINGLE:
        return _SINGLE[type(item)], ""
    name = getattr(item, "name", None)
    assert isinstance(name, ast.Ident), item
    return type(item).__name__.lower(), name.text


def repeated(idents: Iterable[ast.Ident]) -> Iterator[tuple[ast.Ident, ast.Ident]]:
    """Names that come again, each with the one before it."""
    last: dict[str, ast.Ident] = {}
    for ident in idents:
        if ident.text in last:
            yield ident, last[ident.text]
        last[ident.text] = ident


def blocks_of(item: Owner) -> tuple[ast.Block, ...]:
    match item:
        case ast.Effect(block=block):
            return (block,)
        case ast.Action(first=first, second=second) | ast.After(first=first, second=second):
            return tuple(block for block in (first, second) if block is not None)


def statements(block: ast.Block) -> Iterator[ast.Stmt]:
    """All statements of a block, those inside others too."""
    for statement in block.statements:
        yield statement
        match statement:
            case ast.Case(branches=branches):
                for branch in branches:
                    yield from statements(branch.block)
            case ast.Loop(block=inner):
                yield from statements(inner)


def labelled(item: Owner) -> dict[str, list[ast.Ident]]:
    """The labels of the cases in an action, an effect or a hook, each with its places: one, if all is well."""
    found: dict[str, list[ast.Ident]] = {}
    for block in blocks_of(item):
        for statement in statements(block):
            branches = statement.branches if isinstance(statement, ast.Case) else ()
            for label in (branch.label for branch in branches if branch.label):
                found.setdefault(label.text, []).append(label)
    return found


def branch_paths(item: Owner) -> list[str]:
    return list(labelled(item))


def replace_branch(item: Owner, label: str, new: ast.Block | None, cites: ast.Cites) -> Owner:
    """The item with the labelled branch given another block, or with an empty one if `new` is None."""

    def in_block(block: ast.Block) -> ast.Block:
        return replace(block, statements=tuple(map(in_statement, block.statements)))

    def in_statement(statement: ast.Stmt) -> ast.Stmt:
        match statement:
            case ast.Case(branches=branches):
                return replace(statement, branches=tuple(map(in_branch, branches)))
            case ast.Loop(block=block):
                return replace(statement, block=in_block(block))
            case _:
                return statement

    def in_branch(branch: ast.Branch) -> ast.Branch:
        if branch.label and branch.label.text == label:
            block = new if new is not None else replace(branch.block, statements=())
            return replace(branch, block=block, cites=cites or branch.cites)
        return replace(branch, block=in_block(branch.block))

    match item:
        case ast.Effect(block=block):
            return replace(item, block=in_block(block))
        case ast.Action(first=first, second=second):
            return replace(item, first=in_block(first), second=second and in_block(second))
        case ast.After(first=first, second=second):
            return replace(item, first=first and in_block(first), second=second and in_block(second))

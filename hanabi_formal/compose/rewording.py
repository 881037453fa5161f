"""Variants said of a game in other words than those of its author: each name stands for one of the game's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TypeVar

from hanabi_formal.compose.merge import Merged
from hanabi_formal.compose.rule_files import read_source
from hanabi_formal.compose.units import Composition, Unit, canonical_order
from hanabi_formal.syntax import ast
from hanabi_formal.syntax.parser import parse

T = TypeVar("T")


def extended(composition: Composition, files: Sequence[Path], names: Mapping[str, str]) -> Composition:
    """The composition with the variants of these files, in which every name in `names` means another."""
    trees = [reworded(parse(read_source(path, path.name)), names) for path in files]
    more = (Unit(tree, path.parent) for tree, path in zip(trees, files, strict=True))
    return replace(composition, order=canonical_order((*composition.order, *more)))


def reworded(node: T, names: Mapping[str, str]) -> T:
    """A tree with other names for variables, types, attributes and constructors; all at once, so two may be swapped."""
    match node:
        case ast.Ident(text=text):
            return replace(node, text=names.get(text, text))
        case ast.Name() | ast.NamedType():
            return replace(node, name=names.get(node.name, node.name))
        case tuple():
            return tuple(reworded(one, names) for one in node)  # type: ignore[return-value]
        case ast.Node():
            parts = {part.name: reworded(getattr(node, part.name), names) for part in fields(node) if part.init}
            return replace(node, **parts)
    return node


def card_types(merged: Merged, card: str, *attributes: str) -> dict[str, str]:
    """Other names for the type of the cards and those of their attributes, as far as these have names."""
    for item in merged.of_kind("cards"):
        assert isinstance(item, ast.Cards)
        pairs = zip(attributes, item.attributes, strict=False)
        named = {word: binder.type.name for word, binder in pairs if isinstance(binder.type, ast.NamedType)}
        return {card: item.name.text, **named}
    return {}

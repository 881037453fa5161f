"""A construct of the language is said once: its words in the grammar, its parts in the grammar and in one class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields

import pytest
from lark.grammar import Rule

from hanabi_formal.api import Game
from hanabi_formal.compose.merge import merge
from hanabi_formal.compose.settings import Settings
from hanabi_formal.compose.units import Composition
from hanabi_formal.diagnostics.diagnostic import Diagnostic, Rejected
from hanabi_formal.diagnostics.source import SourceFile
from hanabi_formal.resources import grammar_text
from hanabi_formal.syntax import ast, builder, parse_tables
from hanabi_formal.syntax.format import format_text
from hanabi_formal.syntax.keywords import keywords
from hanabi_formal.syntax.parser import parse

QUANTIFIER = ("?quantifier : EXISTS", 'PRODUCT: "product"\n?quantifier : PRODUCT | EXISTS')
OPERATOR = ("disjunction OR conjunction", "disjunction (OR | XOR) conjunction")
ITEM = ('actor       : "actor" NAME', 'actor       : "actor" NAME | "player" NAME')


@pytest.fixture
def other_grammar(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A grammar with a quantifier, an operator and an item that are words of no other."""
    text = grammar_text() + 'XOR: "xor"\n'
    for old, new in (QUANTIFIER, OPERATOR, ITEM):
        assert text.count(old) == 1
        text = text.replace(old, new)
    monkeypatch.setattr(parse_tables, "grammar_text", lambda: text)
    parse_tables.load_parser.cache_clear()
    yield
    monkeypatch.undo()
    parse_tables.load_parser.cache_clear()


def played(text: str) -> None:
    tree = parse(SourceFile("<text>", text))
    assert isinstance(tree, ast.Game)
    Game(merge(Composition("toy", "toy", tree, None, ())), Settings()).system()


def refused(text: str) -> Diagnostic:
    with pytest.raises(Rejected) as refusal:
        played(text)
    return refusal.value.diagnostics[0]


@pytest.mark.parametrize("word", ["product", "xor"])
def test_a_new_word_of_expressions_is_no_name(word: str, other_grammar: None) -> None:
    found = refused(f"game toy {{ const {word} = 1 }}")
    assert (found.code, found.message) == ("HRL208", f"`{word}` is a word of the language")


def test_it_was_one_before() -> None:
    assert refused("game toy { const product = 1 const xor = 1 }").code == "HRL209"
    assert not {"product", "xor", "player"} & keywords().words


def test_messages_know_a_new_word(other_grammar: None) -> None:
    assert refused("game toy { const a = product }").message == "unexpected `}`"
    assert refused("game toy { product }").message == "unexpected `product`"
    assert refused("game toy { playr turn }").help == "did you mean `player`?"
    assert refused("game toy { Player turn }").help == "words of the language are written small: `player`"
    assert refused("variant toy extends base { player turn }").help == (
        "a variant says what it changes: `add player …` or `override player …`"
    )


def test_new_words_are_among_what_is_expected(other_grammar: None) -> None:
    """An operator, an item and an expression are told as such, without the new word beside them."""
    assert refused("game toy { const a = }").labels[0].text == "expected an expression"
    assert refused("game toy { constant a = 1 }").labels[0].text == "expected `}` or an item"
    assert "xor" not in refused("game toy { const a = 1 )").labels[0].text


def test_the_formatter_knows_a_new_word(other_grammar: None) -> None:
    text = "game toy { const a = product (1 for b : Bool) - 1 player a }"
    assert "product(1 for b : Bool) - 1 player a" in format_text(text)


# ---- a rule and its class -------------------------------------------------------------------------
def made_by(rule: Rule) -> str:
    return str(rule.alias or rule.options.template_source or rule.origin.name)


def rules() -> list[Rule]:
    """Those that make something: not what Lark makes of repetitions, and not what passes on its only part."""
    found = [rule for rule in parse_tables.load_parser().rules if not rule.origin.name.startswith("__")]
    return [rule for rule in found if rule.alias or not rule.options.expand1]


def children(rule: Rule) -> int:
    kept = sum(not (symbol.is_term and getattr(symbol, "filter_out", False)) for symbol in rule.expansion)
    return kept + sum(map(sum, [rule.options.empty_indices or ()]))


def methods() -> set[str]:
    return {name for name in vars(builder._Builder) if not name.startswith("_")}


def test_every_rule_makes_something() -> None:
    names = {made_by(rule) for rule in rules()}
    assert names <= builder.NODES.keys() | builder.SEVERAL | methods()
    assert builder.SEVERAL | methods() <= names


@pytest.mark.parametrize("rule", rules(), ids=str)
def test_the_children_of_a_rule_are_the_fields_of_its_class(rule: Rule) -> None:
    name = made_by(rule)
    if name in builder.SEVERAL | methods():
        return
    parts = fields(builder.NODES[name])[1:]
    needed = [part for part in parts if part.default is MISSING]
    assert len(needed) <= children(rule) <= len(parts)

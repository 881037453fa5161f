"""The words of the language as the grammar has them: how each is spelt, and where in a rule it can stand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from itertools import pairwise

from lark import Lark
from lark.grammar import Symbol

from hanabi_formal.syntax.parse_tables import load_parser

_LOOKAHEAD = "(?="


class Keywords:
    """Terminals go by the names that the grammar has for them; `spelling` has those that are always spelt alike."""

    def __init__(self, parser: Lark) -> None:
        self.spelling: dict[str, str] = {}
        for terminal in parser.terminals:
            text, lookahead, _ = terminal.pattern.value.partition(_LOOKAHEAD)
            if terminal.pattern.type == "str" or lookahead:
                self.spelling[terminal.name] = text
        self._expansions: dict[str, list[Sequence[Symbol]]] = {}
        operators: set[str] = set()
        for rule in parser.rules:
            self._expansions.setdefault(rule.origin.name, []).append(rule.expansion)
            if rule.alias == "binary":
                operators |= {symbol.name for symbol in rule.expansion if symbol.is_term}
        self.operators = frozenset(operators)
        """What stands between two operands."""

    @cached_property
    def words(self) -> frozenset[str]:
        return self.spelt(self.spelling)

    def spelt(self, terminals: frozenset[str] | dict[str, str]) -> frozenset[str]:
        """Those of the terminals that are words, as they are written."""
        return frozenset(text for name in terminals if (text := self.spelling.get(name, "")).isidentifier())

    @cached_property
    def reserved(self) -> frozenset[str]:
        """Words that nothing is called like, because an expression can begin or go on with them."""
        return self.spelt(self.first("expr") | self.operators)

    @cached_property
    def items(self) -> frozenset[str]:
        """Words that an item of a game begins with."""
        return self.spelt(self.first("item"))

    @cached_property
    def changes(self) -> frozenset[str]:
        """Words that a change begins with, and no item."""
        return self.spelt(self.first("change")) - self.items

    def called(self, words: frozenset[str]) -> frozenset[str]:
        """All terminals that are spelt like one of these words."""
        return frozenset(name for name, text in self.spelling.items() if text in words)

    # ---- where in a rule ---------------------------------------------------------------------
    def first(self, rule: str) -> frozenset[str]:
        """The FIRST set of a rule: the terminals it can begin with."""
        return self._edge(rule, 1)

    def last(self, rule: str) -> frozenset[str]:
        """The LAST set of a rule: the terminals it can end with."""
        return self._edge(rule, -1)

    def right_before(self, terminal: str) -> frozenset[str]:
        """The terminals that one and the same rule has directly before this one."""
        found: set[str] = set()
        for expansions in self._expansions.values():
            for symbols in expansions:
                for one, other in pairwise(symbols):
                    if other.name == terminal:
                        found |= {one.name} if one.is_term else self.last(one.name)
        return frozenset(found)

    def _edge(self, rule: str, direction: int) -> frozenset[str]:
        found: set[str] = set()
        rules = [rule]
        for name in rules:
            for symbols in self._expansions[name]:
                for symbol in symbols[::direction]:
                    if symbol.is_term:
                        found.add(symbol.name)
                        break
                    if symbol.name not in rules:
                        rules.append(symbol.name)
                    if symbol.name not in self._nullable:
                        break
        return frozenset(found)

    @cached_property
    def _nullable(self) -> frozenset[str]:
        """Rules that can be nothing at all."""
        found: frozenset[str] = frozenset()
        while True:
            more = frozenset(
                rule
                for rule, expansions in self._expansions.items()
                if any(all(symbol.name in found for symbol in symbols) for symbols in expansions)
            )
            if more == found:
                return found
            found = more


@cache
def _keywords(parser: Lark) -> Keywords:
    return Keywords(parser)


def keywords() -> Keywords:
    """Those of the grammar that the parser is made of."""
    return _keywords(load_parser())

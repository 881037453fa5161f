"""What stands between two neighbouring tokens of a line: a space or nothing."""

from __future__ import annotations

from lark import Token

from hanabi_formal.syntax.keywords import keywords

_TIGHT_BEFORE = frozenset({"COMMA", "RPAR", "RSQB", "PRIME", "DOT", "DOTDOT"})
_TIGHT_AFTER = frozenset({"LPAR", "LSQB", "DOT", "DOTDOT"})
_BEFORE_TYPE = frozenset({"COLON", "LPAR", "LSQB", "COMMA"})


class Spacing:
    """Answers for the tokens of one file, by their position in it."""

    def __init__(self, tokens: list[Token]) -> None:
        self._kinds = [token.type for token in tokens]
        self._called = keywords().right_before("LPAR")
        self._operand_ends = keywords().last("sum")
        self._values = self._value_braces()
        self._path_ends = self._guard_paths()

    def before(self, at: int) -> str:
        """The gap between token `at` and the one before it."""
        last, kind = self._kinds[at - 1], self._kinds[at]
        if kind in _TIGHT_BEFORE or last in _TIGHT_AFTER:
            return ""
        if (kind == "RBRACE" and at in self._values) or (last == "LBRACE" and at - 1 in self._values):
            return ""
        if last == "MINUS" and not self._ends_operand(at - 2):
            return ""
        if kind == "LPAR" and last in self._called and at - 1 not in self._path_ends:
            return ""
        return "" if kind == "LSQB" and last == "NAME" else " "

    def opens_block(self, at: int) -> bool:
        """A brace around items, statements or arms, not around the values of a type."""
        return self._kinds[at] == "LBRACE" and at not in self._values

    def _ends_operand(self, at: int) -> bool:
        """Could a binary operator follow? `score` is a value except where it stands after one, as a word of `end`."""
        if at < 0 or at in self._path_ends:
            return False
        if self._kinds[at] == "SCORE":
            return not self._ends_operand(at - 1)
        return self._kinds[at] in self._operand_ends

    def _value_braces(self) -> frozenset[int]:
        """Both braces of each `{a, b}` that is a type."""
        found: list[int] = []
        for at, kind in enumerate(self._kinds):
            if kind == "LBRACE" and at and self._kinds[at - 1] in _BEFORE_TYPE:
                found += [at, self._kinds.index("RBRACE", at)]
        return frozenset(found)

    def _guard_paths(self) -> frozenset[int]:
        """The last name of each path in `override when action.label`: an expression follows it, not arguments."""
        found: list[int] = []
        for at, kind in enumerate(self._kinds):
            if kind == "WHEN" and at and self._kinds[at - 1] == "OVERRIDE":
                found.append(at + 3 if self._kinds[at + 2] == "DOT" else at + 1)
        return frozenset(found)

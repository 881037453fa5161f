"""JSON in which every value knows its place, so that a message can show it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from json import JSONDecodeError, JSONDecoder
from typing import NoReturn

from hanabi_formal.diagnostics.diagnostic import Rejected, refuse
from hanabi_formal.diagnostics.source import SourceFile, Span

MOST_DEPTH = 50
MOST_DIGITS = 18
_SPACE = re.compile(r"[ \t\n\r]*")
_QUOTES = "names and texts of JSON stand in double quotes, each on one line"
_IN_OUR_WORDS = {
    "Unterminated string starting at": ("this text in quotes is not closed", _QUOTES),
    "Invalid control character at": ("a text in quotes goes on over the end of its line, or has a tab in it", _QUOTES),
}
_MISSING = ("a value is missing here", "remove the `,` or `:` before it, or write a value")
_NO_JSON = ("this is no JSON", "a deal can also be given as text, `r1 y3 b5 …`, or as a seed")


@dataclass(frozen=True)
class Json:
    """A value and where it stands."""

    value: dict[str, Json] | list[Json] | str | int | float | bool | None
    span: Span = field(compare=False)

    @property
    def kind(self) -> str:
        match self.value:
            case dict():
                return "an object"
            case list():
                return "a list"
            case str():
                return "a text"
            case bool():
                return "true or false"
            case int() | float():
                return "a number"
            case None:
                return "null"

    def not_(self, wanted: str, what: str, code: str = "HRL600", help: str | None = None) -> Rejected:
        """`what` should be what is `wanted`, and is not."""
        return refuse(code, f"{what} is {self.kind}, not {wanted}", self.span, help=help)

    def integer(self, what: str, code: str = "HRL600") -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            whole = "a whole one" if isinstance(self.value, float) else "a whole number"
            raise self.not_(whole, what, code, "write a number without quotes and without a point, such as 3")
        return self.value

    def text(self, what: str) -> str:
        if not isinstance(self.value, str):
            raise self.not_("a text", what, help="a text stands in double quotes")
        return self.value

    def items(self, what: str) -> list[Json]:
        if not isinstance(self.value, list):
            raise self.not_("a list", what, help="a list is written `[…, …]`")
        return self.value

    def fields(self, what: str, code: str = "HRL600", help: str | None = None) -> dict[str, Json]:
        if not isinstance(self.value, dict):
            raise self.not_("an object", what, code, help)
        return self.value


def parse_json(source: SourceFile) -> Json:
    """The one value that a text holds."""
    reader = _JsonReader(source)
    found = reader.value(0)
    reader.skip()
    if reader.at < len(source.text):
        reader.refuse(
            "there is more after the end of the JSON value",
            reader.at,
            len(source.text),
            help="a deal or a game is one object; remove what follows it",
        )
    return found


class _JsonReader:
    def __init__(self, source: SourceFile) -> None:
        self.source, self.text, self.at = source, source.text, 0
        self.scalars = JSONDecoder(parse_int=_integer, parse_constant=_no_number)

    def refuse(self, message: str, start: int, end: int | None = None, help: str | None = None) -> NoReturn:
        raise refuse("HRL600", message, Span(self.source, start, start + 1 if end is None else end), help=help)

    def skip(self) -> None:
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        self.at = found.end()

    def next_is(self, sign: str) -> bool:
        """Skip the blanks before the next sign; go behind it if it is this one."""
        self.skip()
        if not self.text.startswith(sign, self.at):
            return False
        self.at += 1
        return True

    def value(self, depth: int) -> Json:
        self.skip()
        start = self.at
        if depth > MOST_DEPTH:
            self.refuse("the JSON is nested too deeply", start)
        if self.next_is("{"):
            return Json(self.members(start, depth), Span(self.source, start, self.at))
        if self.next_is("["):
            return Json(self.elements(start, depth), Span(self.source, start, self.at))
        return self.scalar()

    def scalar(self) -> Json:
        start = self.at
        try:
            value, self.at = self.scalars.raw_decode(self.text, start)
        except JSONDecodeError as problem:
            at = min(problem.pos, len(self.text))
            nothing = problem.msg == "Expecting value" and self.text[at : at + 1] in ("", ",", "]", "}")
            message, help = _MISSING if nothing else _IN_OUR_WORDS.get(problem.msg, _NO_JSON)
            self.refuse(message, at, help=help)
        except ValueError as problem:
            self.refuse(str(problem), start)
        if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
            self.refuse("this text has half a character in it", start, self.at)
        return Json(value, Span(self.source, start, self.at))

    def members(self, start: int, depth: int) -> dict[str, Json]:
        found: dict[str, Json] = {}
        if self.next_is("}"):
            return found
        while True:
            self.skip()
            if not self.text.startswith('"', self.at):
                self.refuse("the name of a field, in double quotes, is missing here", self.at, help=_QUOTES)
            key = self.scalar()
            assert isinstance(key.value, str)
            if key.value in found:
                self.refuse(
                    f"the field `{key.value[:40]}` is given twice",
                    key.span.start,
                    key.span.end,
                    help="keep one of them",
                )
            if not self.next_is(":"):
                self.refuse("a `:` is missing here", self.at)
            found[key.value] = self.value(depth + 1)
            if not self.more("}", start):
                return found

    def elements(self, start: int, depth: int) -> list[Json]:
        found: list[Json] = []
        if self.next_is("]"):
            return found
        while True:
            found.append(self.value(depth + 1))
            if not self.more("]", start):
                return found

    def more(self, close: str, start: int) -> bool:
        """Does another element follow, or the sign that closes?"""
        if self.next_is(","):
            return True
        if not self.next_is(close):
            if self.at == len(self.text):
                self.refuse(f"the JSON ends before the `{close}` that closes this", start, help="is the file cut off?")
            self.refuse(f"a `,` or `{close}` is missing here", self.at)
        return False


def _integer(digits: str) -> int:
    if len(digits.removeprefix("-")) > MOST_DIGITS:
        raise ValueError("this number is too long")
    return int(digits)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"`{name}` is no number of JSON")

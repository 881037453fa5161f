"""Text to tree. Lark does the parsing; its errors are put into the language's own words here."""

from __future__ import annotations

from functools import cache

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedToken, VisitError

from hanabi_formal.diagnostics.diagnostic import Label, Rejected, refuse
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.syntax import ast
from hanabi_formal.syntax.builder import Builder, TooDeep
from hanabi_formal.syntax.tables import load_parser
from hanabi_formal.syntax.words import RESERVED, describe_expected, describe_token

MAX_CHARACTERS = 400_000


@cache
def _parser() -> Lark:
    return load_parser()


def parse(file: SourceFile) -> ast.Unit:
    """The unit in a file, or `Rejected` with one located syntax error."""
    if len(file.text) > MAX_CHARACTERS:
        message = f"the file has {len(file.text):,} characters; a rule file has at most {MAX_CHARACTERS:,}"
        raise refuse("HRL106", message, Span(file, 0, 0))
    if not file.text.strip():
        raise refuse("HRL104", "the file is empty", Span(file, 0, 0), help="a file holds one `game`, `variant` or `edition`")
    try:
        unit = Builder(file).transform(_parser().parse(file.text))
    except UnexpectedCharacters as error:
        raise _bad_character(file, error) from None
    except UnexpectedToken as error:
        raise _bad_token(file, error) from None
    except VisitError as error:
        if not isinstance(error.orig_exc, TooDeep):
            raise
        span = error.orig_exc.span
        raise refuse("HRL105", "this is nested too deeply", span, help="name parts of it with `def`") from None
    assert isinstance(unit, ast.Game | ast.Variant | ast.Edition)
    return unit


def tokens(file: SourceFile) -> list[Token]:
    """The tokens of a file that parses, each of the kind the grammar takes it for where it stands."""
    return list(_parser().parse_interactive(file.text).iter_parse())


def _bad_character(file: SourceFile, error: UnexpectedCharacters) -> Rejected:
    at = error.pos_in_stream
    found = file.text[at]
    span = Span(file, at, at + 1)
    if found == '"':
        return refuse("HRL102", "this text is not closed", span, help='a text ends with `"` on the same line')
    if found == "@":
        return refuse("HRL101", "`@` is not followed by the name of a clause", span,
                      help="a citation looks like `@play.fit`: small letters, digits, `_` and dots")  # fmt: skip
    if found == "!":
        return refuse("HRL101", "`!` is no word of the language", span, help="`not x` denies, `x != y` tells apart")
    shown = found if found.isprintable() else f"U+{ord(found):04X}"
    return refuse("HRL101", f"the character `{shown}` has no meaning here", span)


def _bad_token(file: SourceFile, error: UnexpectedToken) -> Rejected:
    token = error.token
    expected = describe_expected(error.accepts or error.expected)
    if token.type == "$END":
        end = len(file.text.rstrip())
        labels = [Label(Span(file, end, end), f"expected {expected}")]
        opened = _innermost_open(file)
        if opened is not None:
            labels.append(Label(opened, "opened here and never closed"))
        return refuse("HRL103", "the file ends too early", *labels)
    start = token.start_pos or 0
    span = Span(file, start, start + len(token))
    text = None
    if token.type in RESERVED and "NAME" in (error.accepts or error.expected):
        text = f"`{token}` is a word of the language; choose another name"
    elif str(token) == "=" and "EQ" in (error.accepts or error.expected):
        text = "`==` compares; `=` gives a value"
    elif token.type == "PRIME":
        text = "`x'` is the value after the step; only a name or `name[index]` can have it"
    return refuse("HRL100", f"unexpected {describe_token(token)}", Label(span, f"expected {expected}"), help=text)


def _innermost_open(file: SourceFile) -> Span | None:
    """The last bracket that is still open at the end of the text, comments and texts left out."""
    stack: list[int] = []
    at, text = 0, file.text
    while at < len(text):
        char = text[at]
        if char == "#":
            at = text.find("\n", at)
            if at < 0:
                break
        elif char == '"':
            close = text.find('"', at + 1)
            at = close if close >= 0 else at
        elif char in "{([":
            stack.append(at)
        elif char in "})]" and stack:
            stack.pop()
        at += 1
    return Span(file, stack[-1], stack[-1] + 1) if stack else None

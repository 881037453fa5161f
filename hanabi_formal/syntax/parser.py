"""Text to tree. Lark does the parsing; its errors are put into the language's own words here."""

from __future__ import annotations

import re

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from hanabi_formal.diagnostics.diagnostic import Label, Rejected, refuse
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.foreign.text import STEERING
from hanabi_formal.syntax import ast
from hanabi_formal.syntax.advice import about_character, about_token
from hanabi_formal.syntax.builder import TooDeep, build
from hanabi_formal.syntax.keywords import keywords
from hanabi_formal.syntax.parse_tables import load_parser
from hanabi_formal.syntax.words import describe_expected, describe_token

MAX_CHARACTERS = 100_000
_ONE_UNIT = "a file holds one `game`, `variant` or `edition`"
_CLOSERS = {"{": "RBRACE", "(": "RPAR", "[": "RSQB"}
_CLOSERS_ALONE = frozenset("})]")
_MARKS = re.compile(r'#[^\n]*|"[^"\n]*"?|[{}()\[\]]')


def parse(file: SourceFile) -> ast.Unit:
    """The unit in a file, or `Rejected` with one located syntax error."""
    if len(file.text) > MAX_CHARACTERS:
        message = f"the file has {len(file.text):,} characters; a rule file has at most {MAX_CHARACTERS:,}"
        raise refuse("HRL106", message, Span(file, 0, 0))
    steering = STEERING.search(file.text)
    if steering is not None:
        raise _bad_sign(file, steering.start())
    if not file.text.strip():
        raise refuse("HRL104", "the file is empty", Span(file, 0, 0), help=_ONE_UNIT)
    try:
        return build(file, load_parser().parse(file.text))
    except UnexpectedCharacters as error:
        raise _bad_character(file, error) from None
    except UnexpectedToken as error:
        raise _bad_token(file, error) from None
    except TooDeep as error:
        raise refuse("HRL105", "this is nested too deeply", error.span, help="name parts of it with `def`") from None


def tokens(file: SourceFile) -> list[Token]:
    """The tokens of a file that parses, each of the kind the grammar takes it for where it stands."""
    return list(load_parser().parse_interactive(file.text).iter_parse())


def _bad_character(file: SourceFile, error: UnexpectedCharacters) -> Rejected:
    at = error.pos_in_stream or 0
    found = file.text[at]
    span = Span(file, at, at + 1)
    if found == '"':
        line = file.position(at)[0]
        end = file.line_starts[line - 1] + len(file.line(line))
        help = 'a text ends with `"` on the same line'
        return refuse("HRL102", "this text is not closed", Span(file, at, end), help=help)
    if found == "@":
        return refuse(
            "HRL101",
            "`@` is not followed by the name of a clause",
            span,
            help="a citation looks like `@setup.first`: small letters, digits, `_` and dots",
        )
    if not found.isprintable():
        return _bad_sign(file, at)
    return refuse("HRL101", f"the character `{found}` has no meaning here", span, help=about_character(found))


def _bad_sign(file: SourceFile, at: int) -> Rejected:
    message = f"the character `U+{ord(file.text[at]):04X}` has no meaning here"
    return refuse("HRL101", message, Span(file, at, at + 1), help=about_character(file.text[at]))


def _bad_token(file: SourceFile, error: UnexpectedToken) -> Rejected:
    token, accepts = error.token, error.accepts or error.expected
    expected = describe_expected(accepts)
    if token.type == "$END" and "GAME" in accepts:
        return refuse("HRL104", "the file holds only comments", Span(file, 0, 0), help=_ONE_UNIT)
    if token.type == "$END":
        end = len(file.text.rstrip())
        labels = [Label(Span(file, end, end), f"expected {expected}")]
        labels += [Label(opened, "opened here and never closed") for opened in _open_brackets(file, end)[-1:]]
        return refuse("HRL103", "the file ends too early", *labels)
    start = token.start_pos or 0
    end = start + len(token)
    labels = [Label(Span(file, start, end), f"expected {expected}")]
    opened = _open_brackets(file, start)
    after_a_block = keywords().items | keywords().changes | _CLOSERS_ALONE
    if len(opened) > 1 and str(token) in after_a_block and _CLOSERS[file.text[opened[-1].start]] in accepts:
        labels.append(Label(opened[-1], "this is still open"))
    around = file.text[max(0, start - 40) : start], file.text[end : end + 1]
    help = about_token(str(token), around, accepts)
    return refuse("HRL100", f"unexpected {describe_token(token)}", *labels, help=help)


def _open_brackets(file: SourceFile, end: int) -> list[Span]:
    """The brackets that are open at an offset, outermost first; comments and texts are passed over."""
    stack: list[Span] = []
    for found in _MARKS.finditer(file.text, 0, end):
        if found[0] in _CLOSERS:
            stack.append(Span(file, found.start(), found.end()))
        elif found[0] in _CLOSERS_ALONE and stack:
            stack.pop()
    return stack

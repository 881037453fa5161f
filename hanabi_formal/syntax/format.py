"""One way to write a rule file. The lines stay the author's; indentation, spaces and the column of citations do not.

The formatter works on the parser's own tokens, so a word is a name or a keyword exactly where the parser says so.
What lies between two tokens can only be space and comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, get_args

from hanabi_formal.diagnostics.source import SourceFile
from hanabi_formal.syntax import ast
from hanabi_formal.syntax.parser import parse, tokens
from hanabi_formal.syntax.spacing import Spacing

STEP = 2
LAST_COLUMN = 100
_COMMENT = re.compile(r"#[^\n]*")
_CLOSERS = frozenset({"RBRACE", "RPAR", "RSQB"})
_STARTERS = (
    *(kind for union in (ast.Unit, ast.Change, ast.Item, ast.Stmt) for kind in get_args(union)),
    *(ast.With, ast.Init, ast.Band, ast.Sight, ast.Entry, ast.Arm, ast.Guard),
)


class FormattingFault(Exception):
    """The formatted text does not say what the original says: a bug of the formatter, and nothing is written."""


@dataclass
class _Line:
    """A line as it is written out. `text` stops before the citations that end it."""

    first: str = ""
    last: str = ""
    indent: int = 0
    text: str = ""
    cites: str = ""
    comment: str = ""

    @property
    def is_blank(self) -> bool:
        return not (self.text or self.cites or self.comment)

    @property
    def ends_run(self) -> bool:
        """Citations are aligned over lines of rules; a gap, a comment or a bare brace starts afresh."""
        return not self.cites and not self.text.strip("{} ")


@dataclass
class _Frame:
    """An open bracket: where lines inside it start, and where the closing one goes if it starts a line."""

    is_block: bool
    inner: int
    close: int
    line: int
    carry: int = field(init=False)

    def __post_init__(self) -> None:
        self.carry = self.inner + STEP


def format_text(text: str, name: str = "<text>") -> str:
    """The text in its one form. Raises `Rejected` if it does not parse."""
    file = SourceFile(name, text)
    tree = parse(file)
    result = _Layout(file, tree).render()
    again = SourceFile(name, result)
    if not same_meaning(tree, parse(again)) or _comments(file) != _comments(again):
        raise FormattingFault(f"formatting {name} would change what it says")
    return result


def same_meaning(one: Any, other: Any) -> bool:
    """Are two trees equal, places apart? Not recursive, so that no tree is too deep for it."""
    todo = [(one, other)]
    while todo:
        a, b = todo.pop()
        if type(a) is not type(b):
            return False
        if is_dataclass(a):
            todo += [(getattr(a, f.name), getattr(b, f.name)) for f in fields(a) if f.name != "span"]
        elif isinstance(a, tuple):
            if len(a) != len(b):
                return False
            todo += zip(a, b)
        elif a != b:
            return False
    return True


def _comments(file: SourceFile) -> list[str]:
    found, at = [], 0
    for start, end in [*((t.start_pos or 0, t.end_pos or 0) for t in tokens(file)), (len(file.text), 0)]:
        found += [comment.rstrip() for comment in _COMMENT.findall(file.text, at, start)]
        at = end
    return found


def _starters(tree: ast.Unit) -> dict[int, bool]:
    """Where things begin that may start a line of their own; True for those that hang below another (guards)."""
    found = {tree.span.start: False}
    todo: list[Any] = [tree]
    while todo:
        node = todo.pop()
        for part in fields(node):
            value = getattr(node, part.name)
            for child in value if isinstance(value, tuple) else (value,):
                if isinstance(value, tuple) and isinstance(child, _STARTERS):
                    found[child.span.start] = isinstance(child, ast.Guard)
                if isinstance(child, ast.Node):
                    todo.append(child)
    return found


class _Layout:
    def __init__(self, file: SourceFile, tree: ast.Unit) -> None:
        self.file = file
        self.tokens = tokens(file)
        self.spacing = Spacing(self.tokens)
        self.starters = _starters(tree)
        self.stack = [_Frame(True, 0, 0, -1)]

    def render(self) -> str:
        lines = _without_loose_blanks(self._lines())
        _align(lines)
        return "".join(f"{_written(line)}\n" for line in lines)

    def _lines(self) -> Iterator[_Line]:
        """Every line of the text in turn, laid out; comments wait for the line they stand above."""
        waiting: list[_Line] = []
        at = 0
        for number, start in enumerate(self.file.line_starts):
            starts = self.file.line_starts
            end = starts[number + 1] if number + 1 < len(starts) else len(self.file.text)
            here = at
            while at < len(self.tokens) and (self.tokens[at].start_pos or 0) < end:
                at += 1
            code_end = (self.tokens[at - 1].end_pos or 0) if at > here else start
            comment = _COMMENT.search(self.file.text, code_end, end)
            shown = comment.group().rstrip() if comment else ""
            if at == here:
                waiting.append(_Line(comment=shown))
                continue
            above = self._indent(here) if self.tokens[here].type not in _CLOSERS else self.stack[-1].inner
            line = self._line(here, at, number)
            line.comment = shown
            for earlier in waiting:
                earlier.indent = above
            yield from waiting
            waiting.clear()
            yield line
        yield from waiting

    def _indent(self, at: int) -> int:
        token, top = self.tokens[at], self.stack[-1]
        if token.type in _CLOSERS:
            return top.close
        if not top.is_block:
            return top.inner
        hangs = self.starters.get(token.start_pos or 0)
        if hangs is not None:
            return top.inner + STEP if hangs else top.inner
        following = self.tokens[at + 1].type if at + 1 < len(self.tokens) else ""
        match token.type:
            case "LBRACE":
                return top.inner
            case "THEN" if following == "LBRACE":
                return top.inner
            case "ELSE" if following in ("LBRACE", "CASE", "LABEL", "CITE"):
                return top.inner
        return top.carry

    def _line(self, start: int, end: int, number: int) -> _Line:
        indent = self._indent(start)
        tail = self._citations_from(start, end)
        text, cites = " " * indent, ""
        for at in range(start, end):
            token = self.tokens[at]
            if at >= tail:
                cites += f" {token}" if cites else str(token)
                continue
            text += ("" if at == start else self.spacing.before(at)) + str(token)
            hangs = self.starters.get(token.start_pos or 0)
            if hangs is not None:
                self.stack[-1].carry = self.stack[-1].inner + (2 * STEP if hangs else STEP)
            self._open_or_close(at, end, len(text), indent, number)
        first, last = self.tokens[start].type, self.tokens[end - 1].type
        return _Line(first, last, indent, text.rstrip(), cites)

    def _citations_from(self, start: int, end: int) -> int:
        """Where the citations that end a line begin, a `;` after them included; `end` if there are none."""
        at = end - 1 if self.tokens[end - 1].type == "SEMI" else end
        first = at
        while first > start and self.tokens[first - 1].type == "CITE":
            first -= 1
        return first if first < at else end

    def _open_or_close(self, at: int, end: int, column: int, indent: int, number: int) -> None:
        token = self.tokens[at]
        if token.type in _CLOSERS:
            self.stack.pop()
        elif self.spacing.opens_block(at):
            top = self.stack[-1]
            base = top.inner if top.is_block and top.line == number else indent
            self.stack.append(_Frame(True, base + STEP, base, number))
        elif token.type in ("LBRACE", "LPAR", "LSQB"):
            if at + 1 < end:
                self.stack.append(_Frame(False, column, column - 1, number))
            else:
                self.stack.append(_Frame(False, indent + STEP, indent, number))


def _align(lines: list[_Line]) -> None:
    """Pad the texts of each run so that its citations start in one column, long lines left out."""
    run: list[_Line] = []
    for line in [*lines, _Line()]:
        if not line.ends_run:
            run.append(line)
            continue
        widths = [len(item.text) + 2 for item in run if item.cites and item.text and len(item.text) + 2 < LAST_COLUMN]
        for item in run:
            if item.cites:
                least = len(item.text) + 2 if item.text else item.indent
                item.text = item.text.ljust(max([least, *widths]) if least < LAST_COLUMN else least)
        run = []


def _without_loose_blanks(lines: Iterable[_Line]) -> list[_Line]:
    """One blank line between groups; none at the edges of the file or of a block."""
    kept: list[_Line] = []
    is_apart = False
    for line in lines:
        if line.is_blank:
            is_apart = True
            continue
        if is_apart and kept and kept[-1].last != "LBRACE" and line.first != "RBRACE":
            kept.append(_Line())
        kept.append(line)
        is_apart = False
    return kept


def _written(line: _Line) -> str:
    text = line.text + line.cites
    if not line.comment:
        return text
    return f"{text}  {line.comment}" if text else " " * line.indent + line.comment

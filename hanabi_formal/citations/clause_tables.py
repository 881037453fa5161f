"""Clause tables: what the sources of a game say, clause by clause, and how an edition stands to each.

A game or a variant names a table of clauses, an edition its table of standings; both are TOML beside the rule file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from hanabi_formal.compose.merge import Merged, Source
from hanabi_formal.compose.units import Unit
from hanabi_formal.diagnostics.diagnostic import Diagnostic, Label, Rejected, Sink, both_places, did_you_mean
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.foreign.files import read_plain
from hanabi_formal.syntax import ast

SCHEMA = 1
MAX_BYTES = 1_000_000
_ID = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*")
_AT = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)")
_TOP = ("schema", "clauses")
_TOP_EDITION = (*_TOP, "edition", "title", "offers", "standing")
_CLAUSE = ("says", "about", "out_of_scope")
_STANDING = ("is", "says", "used", "line")


class Status(StrEnum):
    """How an edition stands to a clause."""

    STATED = "stated"
    EXAMPLE = "example"
    SILENT = "silent"
    LOST = "lost"
    CONTRADICTORY = "contradictory"

    @property
    def is_open(self) -> bool:
        """The print settles nothing, so a reader has to."""
        return self in (Status.SILENT, Status.LOST, Status.CONTRADICTORY)


@dataclass(frozen=True)
class Clause:
    """`about` names the variant it belongs to; `out_of_scope` says why no rule needs to cite it."""

    id: str
    says: str
    about: str | None
    out_of_scope: str | None
    span: Span


@dataclass(frozen=True)
class ClauseStanding:
    """`used` is what stands in for a text that is lost, `line` where to look."""

    status: Status
    says: str | None
    used: str | None
    line: str | None
    span: Span


@dataclass(frozen=True)
class ClauseBook:
    """Every clause the composition can cite. Only an edition with a table has standings."""

    clauses: Mapping[str, Clause]
    standings: Mapping[str, ClauseStanding] | None


def load_clauses(merged: Merged) -> ClauseBook:
    """The clauses of a composition, or `Rejected` with all that is wrong with its tables."""
    book, found = read_book(merged)
    if found:
        raise Rejected(found)
    return book


def read_book(merged: Merged) -> tuple[ClauseBook, list[Diagnostic]]:
    """What could be read, and what is wrong with the rest."""
    reader = _TableReader(merged)
    for source in merged.sources:
        reader.source(source)
    for item in merged.clauses:
        reader.declare(Clause(item.clause, item.text, None, None, item.span))
    reader.check_standings()
    return ClauseBook(reader.clauses, reader.standings), reader.sink.found


class _Malformed(Exception):
    """What is wrong with a table, and where in its text if that is known."""

    def __init__(self, message: str, place: Span | None = None, help: str | None = None) -> None:
        super().__init__(message)
        self.message, self.place, self.help = message, place, help


class _TableReader:
    def __init__(self, merged: Merged) -> None:
        self.composition = merged.composition
        self.sink = Sink()
        self.clauses: dict[str, Clause] = {}
        self.standings: dict[str, ClauseStanding] | None = None
        self.seen: set[Path] = set()

    # ---- files -------------------------------------------------------------------------------
    def source(self, source: Source) -> None:
        unit = next(unit for unit in self.composition.order if unit.tree.span.file is source.span.file)
        try:
            path = _inside(unit.folder, source.path)
            if path in self.seen:
                return
            self.seen.add(path)
            text, data = _read(path, source.path)
        except _Malformed as problem:
            self._report(source, problem)
            return
        for fault in self._table(text, data, source, unit):
            self._report(source, fault)

    def _report(self, source: Source, problem: _Malformed) -> None:
        labels = [Label(source.span, "named here" if problem.place else "")]
        if problem.place:
            labels.append(Label(problem.place, "here"))
        self.sink.report("HRL504", problem.message, *labels, help=problem.help)

    # ---- shape -------------------------------------------------------------------------------
    def _table(self, text: SourceFile, data: dict[str, Any], source: Source, unit: Unit) -> Iterator[_Malformed]:
        edition = unit.tree if isinstance(unit.tree, ast.Edition) else None
        allowed = _TOP_EDITION if edition else _TOP
        for key in data.keys() - set(allowed):
            fault = "belongs in the table of an edition" if key in _TOP_EDITION else "is no part of a table of clauses"
            yield _Malformed(f"`{key}` {fault}", _find(text, key), did_you_mean(key, allowed))
        version = data.get("schema")
        if version != SCHEMA or isinstance(version, bool):
            yield _Malformed(f"`{source.path}` needs `schema = {SCHEMA}`", _find(text, "schema"))
        if edition:
            yield from _header(text, data, edition)
        if not data.keys() & {"clauses", "standing"}:
            yield _Malformed(f"`{source.path}` lists no clauses")
        for id, entry in _entries(data, "clauses"):
            problem = _entry_fault(text, "clauses", id, entry, _CLAUSE, "says")
            if problem:
                yield problem
            else:
                self.declare(Clause(id, entry["says"], entry.get("about"), entry.get("out_of_scope"), source.span))
        if edition and "standing" in data:
            self.standings = {} if self.standings is None else self.standings
        for id, entry in _entries(data, "standing") if edition else ():
            problem = _entry_fault(text, "standing", id, entry, _STANDING, "is") or self._standing(id, entry, source)
            if problem:
                yield _Malformed(problem.message, problem.place or _find(text, id), problem.help)

    def declare(self, clause: Clause) -> None:
        first = self.clauses.setdefault(clause.id, clause)
        if first is not clause:
            self.sink.report(
                "HRL505", f"the clause `{clause.id}` is declared twice", *both_places(clause.span, first.span)
            )

    def _standing(self, id: str, entry: dict[str, str], source: Source) -> _Malformed | None:
        assert self.standings is not None
        known = [str(status) for status in Status]
        if entry["is"] not in known:
            near = did_you_mean(entry["is"], known) or f"it is one of {', '.join(known)}"
            return _Malformed(f"`{id}` cannot be `{entry['is']}`", help=near)
        if id in self.standings:
            return _Malformed(f"how the edition stands to `{id}` is said twice")
        says, used, line = (entry.get(key) for key in ("says", "used", "line"))
        self.standings[id] = ClauseStanding(Status(entry["is"]), says, used, line, source.span)
        return None

    def check_standings(self) -> None:
        """A standing is about a known clause, or about one that an offered variant brings along with its name."""
        edition = self.composition.edition
        if edition is None or not self.standings or self.sink.has_errors:
            return
        absent = {ident.text for ident in edition.offers} - set(self.composition.variants)
        for id, standing in self.standings.items():
            if id not in self.clauses and id.partition(".")[0] not in absent:
                self.sink.report(
                    "HRL504",
                    f"the table speaks of a clause `{id}` that no table lists",
                    standing.span,
                    help=did_you_mean(id, self.clauses),
                )


def _inside(folder: Path, path: str) -> Path:
    """The file a `source` names: in the folder of the rule file or below it, and nowhere else."""
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or "\\" in path or PureWindowsPath(path).drive:
        help = "write a path below it, with `/` between its parts: `sources/clauses.toml`"
        raise _Malformed(f"`{path}` leads out of the folder of the rule file", help=help)
    try:
        found = (folder / parts).resolve()
        if not found.is_relative_to(folder.resolve()):
            raise _Malformed(f"`{path}` leads out of the folder of the rule file")
        if found.is_file():
            return found
    except (OSError, RuntimeError, ValueError):
        pass
    raise _Malformed(f"there is no file `{path}` beside the rule file")


def _read(path: Path, shown: str) -> tuple[SourceFile, dict[str, Any]]:
    try:
        raw = read_plain(path, MAX_BYTES)
        if len(raw) > MAX_BYTES:
            raise _Malformed(f"`{shown}` has more than {MAX_BYTES:,} bytes; no table is that long")
        text = SourceFile(shown, raw.decode("utf-8-sig").replace("\r\n", "\n"))
    except OSError as error:
        raise _Malformed(f"cannot read `{shown}`: {(error.strerror or 'it failed').lower()}") from None
    except UnicodeDecodeError:
        raise _Malformed(f"`{shown}` is not UTF-8 text") from None
    try:
        return text, tomllib.loads(text.text)
    except tomllib.TOMLDecodeError as error:
        reason = _AT.sub("", str(error)).lower()
        raise _Malformed(f"`{shown}` is not TOML: {reason}", _toml_place(text, error)) from None
    except (RecursionError, ValueError):
        raise _Malformed(f"`{shown}` is not TOML that can be read") from None


def _toml_place(text: SourceFile, error: tomllib.TOMLDecodeError) -> Span:
    found = _AT.search(str(error))
    if not found or not found[1] or int(found[1]) > len(text.line_starts):
        return Span(text, len(text.text), len(text.text))
    at = min(text.line_starts[int(found[1]) - 1] + int(found[2]) - 1, len(text.text))
    return Span(text, at, min(at + 1, len(text.text)))


def _find(text: SourceFile, word: str) -> Span | None:
    """Where a key stands in a table, as far as that can be told from its text."""
    quoted = text.text.find(f'"{word}"')
    at = quoted + 1 if quoted >= 0 else text.text.find(word)
    return Span(text, at, at + len(word)) if at >= 0 else None


def _header(text: SourceFile, data: dict[str, Any], edition: ast.Edition) -> Iterator[_Malformed]:
    if "edition" in data and data["edition"] != edition.name.text:
        yield _Malformed(f"this is the table of `{data['edition']}`, not of `{edition.name}`", _find(text, "edition"))
    offers = sorted(ident.text for ident in edition.offers)
    if "offers" in data and (not isinstance(data["offers"], list) or sorted(map(str, data["offers"])) != offers):
        yield _Malformed(
            f"the table and `{edition.name}` do not offer the same variants",
            _find(text, "offers"),
            f"`{edition.name}` offers {', '.join(offers) or 'none'}",
        )


def _entries(data: dict[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    table = data.get(key, {})
    yield from table.items() if isinstance(table, dict) else [(key, table)]


def _entry_fault(
    text: SourceFile, key: str, id: str, entry: Any, allowed: tuple[str, ...], needed: str
) -> _Malformed | None:
    """What is wrong with the shape of one entry, if anything."""
    place = _find(text, id)
    if not _ID.fullmatch(id):
        return _Malformed(f"`{id}` cannot be cited", place, "small letters, digits, `_` and dots, as in `goal.first`")
    if not isinstance(entry, dict) or any(isinstance(value, dict) for value in entry.values()):
        return _Malformed(f"`{id}` is no entry of `{key}`", place, f'an entry begins `[{key}."{id}"]`, in quotes')
    for name, value in entry.items():
        if name not in allowed:
            return _Malformed(f"`{id}` has a key `{name}`", place, did_you_mean(name, allowed))
        if not isinstance(value, str) or not value.strip():
            return _Malformed(f"`{name}` of `{id}` must be a text", place)
    return None if needed in entry else _Malformed(f"`{id}` lacks `{needed}`", place)

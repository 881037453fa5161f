"""Citations both ways: which rule rests on which clause, and which clause no rule rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hanabi_formal.citations.cited_rules import Rule, all_cites, rules_of
from hanabi_formal.citations.clause_tables import Clause, ClauseBook, ClauseStanding, Status, load_clauses, read_book
from hanabi_formal.compose.merge import Merged
from hanabi_formal.diagnostics.diagnostic import Diagnostic, Label, Sink, did_you_mean
from hanabi_formal.diagnostics.source import Span

__all__ = [
    "Citing",
    "Clause",
    "ClauseBook",
    "ClauseStanding",
    "Coverage",
    "OpenClause",
    "Rule",
    "Status",
    "check_citations",
    "coverage",
    "load_clauses",
]
MOST_PLACES = 3


@dataclass(frozen=True)
class Citing:
    """What cites a clause, and the place of the citation. `rule` is None for a change such as an added value."""

    rule: Rule | None
    span: Span

    @property
    def title(self) -> str:
        return self.rule.title if self.rule else "change"


@dataclass(frozen=True)
class OpenClause:
    """A clause that the edition leaves open, the parts that rest on it, and no ruling that covers it."""

    clause: Clause
    standing: ClauseStanding
    parts: tuple[Citing, ...]


@dataclass(frozen=True)
class Coverage:
    """Of the clauses that concern a composition each is in exactly one of `cited` (then also in `citing`),
    `out_of_scope`, `displaced`, `unsaid` and `uncited`; all but the last are covered.

    `displaced` clauses are cited only by parts that a variant or the edition takes away or replaces; of the `unsaid`
    the edition says nothing, and nothing cites them. `unprinted` clauses are cited though they do not concern it.
    """

    name: str
    rules: tuple[Rule, ...]
    citing: Mapping[str, tuple[Citing, ...]]
    cited: tuple[Clause, ...]
    out_of_scope: tuple[Clause, ...]
    displaced: tuple[Clause, ...]
    unsaid: tuple[Clause, ...]
    uncited: tuple[Clause, ...]
    unprinted: tuple[Clause, ...]
    open: tuple[OpenClause, ...]

    @property
    def clauses(self) -> int:
        return self.covered + len(self.uncited)

    @property
    def covered(self) -> int:
        return sum(map(len, (self.cited, self.out_of_scope, self.displaced, self.unsaid)))

    @property
    def uncited_rules(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.support == "none")

    @property
    def is_complete(self) -> bool:
        """Every clause is covered and every rule has a citation, its own or that of what it stands in."""
        return not self.uncited and not self.uncited_rules


def coverage(merged: Merged) -> Coverage:
    """Who cites what. Raises `Rejected` if a table is malformed; citations of unknown clauses are passed over."""
    return _coverage(merged, load_clauses(merged))


def _coverage(merged: Merged, book: ClauseBook) -> Coverage:
    rules = rules_of(merged)
    citing = {id: places for id, places in _citing(rules, merged).items() if id in book.clauses}
    written = {cite.clause for cite in all_cites(merged.composition)}
    concerned = _concerned(merged, book)
    groups: dict[str, list[Clause]] = {}
    for id, clause in concerned.items():
        standing = (book.standings or {}).get(id)
        if id in citing:
            group = "cited"
        elif clause.out_of_scope is not None:
            group = "out of scope"
        elif id in written:
            group = "displaced"
        else:
            group = "unsaid" if standing and standing.status is Status.SILENT else "uncited"
        groups.setdefault(group, []).append(clause)
    return Coverage(
        name=merged.composition.name,
        rules=rules,
        citing=citing,
        cited=tuple(groups.get("cited", ())),
        out_of_scope=tuple(groups.get("out of scope", ())),
        displaced=tuple(groups.get("displaced", ())),
        unsaid=tuple(groups.get("unsaid", ())),
        uncited=tuple(groups.get("uncited", ())),
        unprinted=tuple(book.clauses[id] for id in citing if id not in concerned),
        open=_open(concerned, book, citing),
    )


def _citing(rules: tuple[Rule, ...], merged: Merged) -> dict[str, tuple[Citing, ...]]:
    found: dict[str, list[Citing]] = {}
    for rule in rules:
        for cite in rule.cites:
            found.setdefault(cite.clause, []).append(Citing(rule, cite.span))
    known = {place.span for places in found.values() for place in places}
    for cite in merged.cites:
        if cite.span not in known:
            found.setdefault(cite.clause, []).append(Citing(None, cite.span))
    return {id: tuple(places) for id, places in found.items()}


def _concerned(merged: Merged, book: ClauseBook) -> dict[str, Clause]:
    """The clauses of the edition's table, or all there are; those about a variant only if it takes part.

    What a variant or the edition declares itself concerns it in any case; no table of the edition could list it.
    """
    present = {None, *merged.composition.variants}
    game = merged.composition.game.span.file
    return {
        id: clause
        for id, clause in book.clauses.items()
        if clause.about in present and (book.standings is None or id in book.standings or clause.span.file is not game)
    }


def _open(
    concerned: Mapping[str, Clause], book: ClauseBook, citing: Mapping[str, tuple[Citing, ...]]
) -> tuple[OpenClause, ...]:
    """Properties rest on nothing: they may well be there to show the defect."""
    found = []
    for id, standing in (book.standings or {}).items():
        if id not in concerned or not standing.status.is_open or concerned[id].out_of_scope is not None:
            continue
        places = citing.get(id, ())
        if any(place.rule and place.rule.is_ruling for place in places):
            continue
        parts = tuple(place for place in places if not (place.rule and place.rule.is_property))
        if parts:
            found.append(OpenClause(concerned[id], standing, parts))
    return tuple(found)


def check_citations(merged: Merged) -> list[Diagnostic]:
    """All there is to say about the citations of a composition; only with sound tables also what is missing."""
    book, found = read_book(merged)
    sink = Sink()
    for cite in all_cites(merged.composition):
        if cite.clause not in book.clauses and not found:
            near = did_you_mean(cite.clause, book.clauses)
            other = "declare it with `clause`, or in the table that `source` names"
            sink.report("HRL500", f"there is no clause `{cite.clause}`", cite.span, help=near or other)
    if found or sink.has_errors:
        return [*found, *sink.found]
    if book.clauses:
        _lint(_coverage(merged, book), merged, book, sink)
    return sink.found


def _lint(report: Coverage, merged: Merged, book: ClauseBook, sink: Sink) -> None:
    for rule in report.uncited_rules:
        sink.report("HRL501", f"{rule.title} cites no clause", _head(rule.span))
    for clause in report.uncited:
        standing = (book.standings or {}).get(clause.id)
        place = standing.span if standing else clause.span
        sink.report(
            "HRL502",
            f"nothing cites `{clause.id}`: {clause.says}",
            place,
            help="cite it with `@" + clause.id + "` after the rule that follows it",
        )
    edition = merged.composition.edition
    for item in report.open:
        places = [Label(part.span, "this rests on it") for part in item.parts[:MOST_PLACES]]
        name = edition.name if edition else report.name
        sink.report(
            "HRL503",
            f"`{item.clause.id}` is {item.standing.status} in `{name}`, and no ruling covers it",
            *places,
            help="a `ruling` that cites it makes the choice visible",
        )


def _head(span: Span) -> Span:
    """The first line of a place that may be long."""
    end = span.file.text.find("\n", span.start, span.end)
    return Span(span.file, span.start, end if end >= 0 else span.end)

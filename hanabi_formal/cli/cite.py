"""`cite SPEC`: clause coverage both ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

import click

from hanabi_formal.citations.coverage import Citing, Clause, Coverage, OpenClause, Rule, check_citations, coverage
from hanabi_formal.cli.common import Output, notes, output_options, spec_argument
from hanabi_formal.compose.merge import merge
from hanabi_formal.compose.printed import unprinted
from hanabi_formal.compose.units import Composition, compose, offered
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.diagnostics.render import clean

INCOMPLETE = 1
WIDTH = 100

Row = tuple[str, str]
Entry = tuple[Row, ...]


@click.command("cite")
@spec_argument
@click.option("--all", "everything", is_flag=True, help="Also list what cites each clause.")
@output_options
def command(spec: str, everything: bool, output: Output) -> None:
    """Does every rule of SPEC cite a clause, and does something cite every clause?

    An edition is covered alone and with each variant it offers. Exit 1 if a clause or a rule is left over.
    """
    composition = compose(spec)
    reports = [_report(composition), *(_report(compose(word)) for word in offered(composition, spec))]
    why = unprinted(composition)
    is_complete = all(report.is_complete for report in reports)
    data = {
        "spec": reports[0].name,
        "complete": is_complete,
        "unprinted": why,
        "reports": [as_data(report) for report in reports],
    }
    output.answer(data, as_text(reports, everything, why))
    if not is_complete:
        raise click.exceptions.Exit(INCOMPLETE)


def _report(composition: Composition) -> Coverage:
    merged = merge(composition)
    errors = [found for found in check_citations(merged) if found.severity == "error"]
    if errors:
        raise Rejected(errors)
    return coverage(merged)


# ---- for people ------------------------------------------------------------------------------------
def as_text(reports: Sequence[Coverage], everything: bool, unprinted: str | None = None) -> str:
    """A line for each composition, then the details; with a variant only those that the edition alone has not."""
    width = max(len(report.name) for report in reports)
    lines = [f"{report.name:{width}}  {_summary(report)}" for report in reports] + notes(unprinted)
    told: set[tuple[str, Entry]] = set()
    for report in reports:
        for title, entries in _sections(report, everything):
            new = [entry for entry in entries if (title, entry) not in told]
            told.update((title, entry) for entry in new)
            if new:
                where = f" ({report.name})" if len(reports) > 1 else ""
                lines += ["", f"{title}{where}:", *_table([row for entry in new for row in entry])]
    return "\n".join(lines)


def _summary(report: Coverage) -> str:
    if not report.clauses:
        clauses = "no clauses"
    else:
        share = 100 * report.covered // report.clauses
        clauses = f"{report.covered} of {report.clauses} clauses covered ({share}%)"
    cited = len(report.rules) - len(report.uncited_rules)
    opened = f", {len(report.open)} open without a ruling" if report.open else ""
    return f"{clauses}, {cited} of {len(report.rules)} rules cited{opened}"


def _sections(report: Coverage, everything: bool) -> Iterator[tuple[str, list[Entry]]]:
    yield "nothing cites", [_says(clause) for clause in report.uncited]
    yield "rules without a citation", [_place(rule) for rule in report.uncited_rules]
    yield "open without a ruling", [_opened(item) for item in report.open]
    yield "out of scope", [((clause.id, clause.out_of_scope or ""),) for clause in report.out_of_scope]
    yield "cited only by parts that are changed here", [_says(clause) for clause in report.displaced]
    yield "cited though the edition does not print it", [_says(clause) for clause in report.unprinted]
    if everything:
        yield "the edition says nothing, and nothing cites it", [_says(clause) for clause in report.unsaid]
        yield "cited", [_cited(clause, report.citing[clause.id]) for clause in report.cited]
        inherited = [rule for rule in report.rules if rule.support == "inherited"]
        yield "rules cited by what they stand in", [_place(rule) for rule in inherited]


def _says(clause: Clause) -> Entry:
    return ((clause.id, clause.says),)


def _place(rule: Rule) -> Entry:
    return ((rule.span.place, rule.title),)


def _opened(item: OpenClause) -> Entry:
    used = [f"Used instead: {item.standing.used}"] if item.standing.used else []
    parts = [f"{part.span.place} {part.title}" for part in item.parts]
    head = f"{item.standing.status}. {item.standing.says or ''}".strip()
    return ((item.clause.id, head), *(("", text) for text in [*used, *parts]))


def _cited(clause: Clause, places: Sequence[Citing]) -> Entry:
    texts = [f"{place.span.place} {place.title}" for place in places]
    return ((clause.id, texts[0]), *(("", text) for text in texts[1:]))


def _table(rows: Sequence[Row]) -> Iterator[str]:
    """Two columns, the second wrapped."""
    width = max(len(name) for name, _ in rows)
    room = max(WIDTH - width - 4, 40)
    for name, text in rows:
        lines = wrap(clean(" ".join(text.split())), room, break_long_words=False, break_on_hyphens=False)
        for number, line in enumerate(lines or [""]):
            yield f"  {'' if number else clean(name):{width}}  {line}".rstrip()


# ---- for programs ----------------------------------------------------------------------------------
def as_data(report: Coverage) -> dict[str, Any]:
    rules = report.rules
    return {
        "spec": report.name,
        "complete": report.is_complete,
        "clauses": {
            "total": report.clauses,
            "covered": report.covered,
            "cited": {clause.id: [_citing(place) for place in report.citing[clause.id]] for clause in report.cited},
            "out_of_scope": [{**_clause(clause), "because": clause.out_of_scope} for clause in report.out_of_scope],
            "displaced": [_clause(clause) for clause in report.displaced],
            "unsaid": [_clause(clause) for clause in report.unsaid],
            "uncited": [_clause(clause) for clause in report.uncited],
            "unprinted": [_clause(clause) for clause in report.unprinted],
        },
        "rules": {
            "total": len(rules),
            "own": sum(rule.support == "own" for rule in rules),
            "inherited": [_rule(rule) for rule in rules if rule.support == "inherited"],
            "none": [_rule(rule) for rule in report.uncited_rules],
        },
        "open": [
            {
                **_clause(item.clause),
                "is": str(item.standing.status),
                "note": item.standing.says,
                "used": item.standing.used,
                "parts": [_citing(part) for part in item.parts],
            }
            for item in report.open
        ],
    }


def _clause(clause: Clause) -> dict[str, str]:
    return {"clause": clause.id, "says": clause.says}


def _citing(place: Citing) -> dict[str, str]:
    return {"rule": place.title, "place": place.span.place}


def _rule(rule: Rule) -> dict[str, str]:
    return {"rule": rule.title, "place": rule.span.place}

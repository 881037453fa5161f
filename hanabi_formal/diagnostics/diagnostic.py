"""Errors as data: a code, a sentence, labelled places and a way out. Rendering is elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from hanabi_formal.diagnostics.codes import CODES
from hanabi_formal.diagnostics.source import Span


@dataclass(frozen=True)
class Label:
    span: Span
    text: str = ""


@dataclass(frozen=True)
class Diagnostic:
    """`labels[0]` is where the fault is; the others are places that explain it."""

    code: str
    message: str
    labels: tuple[Label, ...] = ()
    help: str | None = None

    def __post_init__(self) -> None:
        assert self.code in CODES, self.code

    @property
    def severity(self) -> str:
        return CODES[self.code].severity


class Rejected(Exception):
    """The input was refused; `diagnostics` say why."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("; ".join(f"{d.code}: {d.message}" for d in self.diagnostics))


class Sink:
    """Collects the diagnostics of a stage, each once."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self._seen: set[Diagnostic] = set()

    def report(self, code: str, message: str, *labels: Label | Span, help: str | None = None) -> None:
        wrapped = tuple(item if isinstance(item, Label) else Label(item) for item in labels)
        diagnostic = Diagnostic(code, message, wrapped, help)
        if diagnostic not in self._seen:
            self._seen.add(diagnostic)
            self.found.append(diagnostic)

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self.found)

    def stop_if_errors(self) -> None:
        """Stages end here: everything wrong with this one is told together, the next is not tried."""
        if self.has_errors:
            raise Rejected(d for d in self.found if d.severity == "error")


def refuse(code: str, message: str, *labels: Label | Span, help: str | None = None) -> Rejected:
    """An exception with one diagnostic in it, to be raised."""
    sink = Sink()
    sink.report(code, message, *labels, help=help)
    return Rejected(sink.found)


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """A help line naming the nearest candidate, if one is near."""
    near = get_close_matches(name[:80], sorted({c for c in candidates if c != name}), n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else None

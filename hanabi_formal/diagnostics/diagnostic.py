"""Errors as data: a code, a sentence, labelled places and a way out. Rendering is elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from hanabi_formal.diagnostics.codes import CODES
from hanabi_formal.diagnostics.source import Span

MOST_ERRORS = 50
MOST_CANDIDATES = 1000
MOST_LISTED = 6


@dataclass(frozen=True)
class Label:
    span: Span
    text: str = ""


def both_places(here: Span, first: Span) -> tuple[Label, Label]:
    """Of something that is there twice: where it is again, and where it was before."""
    return Label(here, "here"), Label(first, "and here")


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

    def __reduce__(self) -> tuple[type[Rejected], tuple[tuple[Diagnostic, ...]]]:
        return type(self), (self.diagnostics,)  # so that it can come from another process


class Sink:
    """Collects the diagnostics of a stage, each once. When there are very many it stops the stage: more help nobody."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self._seen: set[Diagnostic] = set()

    def report(self, code: str, message: str, *labels: Label | Span, help: str | None = None) -> None:
        wrapped = tuple(item if isinstance(item, Label) else Label(item) for item in labels)
        diagnostic = Diagnostic(code, message, wrapped, help)
        if diagnostic not in self._seen:
            self._seen.add(diagnostic)
            self.found.append(diagnostic)
            if diagnostic.severity == "error" and len(self.found) >= MOST_ERRORS:
                self.stop_if_errors()

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


def did_you_mean(name: str, candidates: Iterable[str], what: str = "", most: int = MOST_LISTED) -> str | None:
    """A help line naming the nearest candidate; if none is near and there are few, all of them as the `what`."""
    known = sorted({c for c in candidates if c != name})
    alike = [c for c in known if abs(len(c) - len(name)) <= len(name)][:MOST_CANDIDATES]
    near = get_close_matches(name[:80], alike, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    if not what or not 0 < len(known) <= most:
        return None
    return f"the {what} {'are' if len(known) > 1 else 'is'} {', '.join(f'`{c}`' for c in known)}"


def counted(many: int, word: str) -> str:
    """`1 index`, `2 indices`, `no fields`."""
    plural = {"index": "indices", "leaf": "leaves"}.get(word, f"{word}s")
    return f"{many or 'no'} {word if many == 1 else plural}"

"""What must be true of a game, kind by kind, and what can be said of it: obligations, verdicts, results."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import Enum, StrEnum, auto

from hanabi_formal.kernel.system import Clauses, Property, PropertyKind, System
from hanabi_formal.kernel.trace import Trace


class Verdict(StrEnum):
    """Bounded is never called proved, and no proof is never called refuted."""

    PROVED = "proved"
    REFUTED = "refuted"
    REACHED = "reached"
    VACUOUS = "vacuous"
    UNDECIDED = "undecided"


class Family(Enum):
    """Obligations that are decided together, in the order in which that is done; `SystemCheck` says how."""

    EXAMPLES = auto()
    INDUCTION = auto()
    KNOWLEDGE = auto()
    SEARCH = auto()
    COVERAGE = auto()
    LENGTH = auto()
    DEFECTS = auto()
    VARIANTS = auto()


class ObligationKind(Enum):
    """All there are: a word, the family, how one is named after its subject, and what it should come to."""

    # What the text declares; named by its author.
    INVARIANT = PropertyKind.INVARIANT, Family.INDUCTION
    UNREACHABLE = PropertyKind.UNREACHABLE, Family.INDUCTION
    STEP = PropertyKind.STEP, Family.INDUCTION
    TERMINATES = PropertyKind.TERMINATES, Family.INDUCTION
    DEADLOCK_FREE = PropertyKind.DEADLOCK_FREE, Family.INDUCTION
    REVEALS = PropertyKind.REVEALS, Family.KNOWLEDGE
    REACHABLE = PropertyKind.REACHABLE, Family.SEARCH, "{}", Verdict.REACHED
    EXAMPLE = PropertyKind.EXAMPLE, Family.EXAMPLES
    # What every game owes besides.
    MEANING = "meaning", Family.INDUCTION, "{} has a meaning"
    BOUNDS = "bounds", Family.INDUCTION, "bounds of {}"
    ALL_BOUNDS = "all bounds", Family.INDUCTION, "bounds"
    DISTINCT_WRITES = "distinct writes", Family.INDUCTION, "distinct writes"
    EXISTENCE = "existence", Family.INDUCTION, "every individual exists"
    BREAKDOWN = "breakdown", Family.INDUCTION, "the rules never break down"
    SCORE = "score", Family.INDUCTION, "the score of {}"
    STAYS_ALIKE = "stays alike", Family.KNOWLEDGE, "what is alike to a seat stays alike"
    LEGAL_IS_KNOWN = "legal is known", Family.KNOWLEDGE, "what is legal is known"
    END = "end", Family.SEARCH, "end {} comes about", Verdict.REACHED
    ACTION = "action", Family.SEARCH, "action {} is possible", Verdict.REACHED
    BANDS = "bands", Family.SEARCH, "bands cover every score once"
    ENDS_TOGETHER = "ends together", Family.SEARCH, "ends {} and {}", Verdict.REACHED
    LENGTH = "length", Family.LENGTH, "length of a game"
    # That nothing in the rules is without effect.
    CASE = "case", Family.COVERAGE, "case {} comes about", Verdict.REACHED
    GUARD = "guard", Family.COVERAGE, "guard {} decides", Verdict.REACHED
    PREMISE = "premise", Family.COVERAGE, "premise {} of {} comes about", Verdict.REACHED
    CONSTANT_PROPERTY = "constant property", Family.COVERAGE, "premise of {} comes about", Verdict.REACHED
    UNKNOWN_DEFECT = "unknown defect", Family.DEFECTS, "defect: {}"
    # What variants owe.
    EFFECT = "effect", Family.VARIANTS, "{} has an effect"
    KEPT = "kept", Family.VARIANTS, "kept of the base"
    GIVEN_UP = "given up", Family.VARIANTS, "gives up {}", Verdict.REFUTED

    def __init__(self, word: str, family: Family, form: str = "{}", expected: Verdict = Verdict.PROVED) -> None:
        self.word = word
        self.family = family
        self.form = form
        self.expected = expected

    def subject_of(self, name: str) -> tuple[str, ...] | None:
        """What an obligation of this kind is about that is named so, if one can be."""
        found = re.fullmatch(re.escape(self.form).replace(r"\{\}", "(.+?)"), name)
        return found.groups() if found else None


_DECLARED = {kind.word: kind for kind in ObligationKind if kind.word in list(PropertyKind)}


@dataclass(frozen=True)
class Obligation:
    """Something that must be true. Two are the same if their kind and subject are."""

    kind: ObligationKind
    subject: tuple[str, ...] = ()
    clauses: Clauses = field(default=(), compare=False, repr=False)
    expected: Verdict = field(default=Verdict.PROVED, compare=False, repr=False)

    @staticmethod
    def of(kind: ObligationKind, *subject: str, clauses: Clauses = ()) -> Obligation:
        """With what is normally expected of its kind."""
        return Obligation(kind, subject, clauses, kind.expected)

    @staticmethod
    def declared(prop: Property) -> Obligation:
        """That a property of the text holds, or that it is refuted, if the text says so."""
        found = Obligation.of(_DECLARED[prop.kind], prop.name, clauses=prop.clauses)
        return found if prop.refuted_because is None else found.expecting(Verdict.REFUTED)

    def expecting(self, expected: Verdict) -> Obligation:
        return replace(self, expected=expected)

    @property
    def name(self) -> str:
        """What people, files and options call it."""
        return self.kind.form.format(*self.subject)


class ObligationNames:
    """Names that people and files give to obligations of a system, read."""

    def __init__(self, system: System) -> None:
        props = (prop for prop in system.properties if prop.kind != PropertyKind.DEFECT)
        self._known: dict[str, Obligation | None] = {prop.name: Obligation.declared(prop) for prop in props}

    def read(self, name: str) -> Obligation | None:
        """None if nothing can have this name; whether there is such an obligation is another question."""
        if name not in self._known:
            kinds = (kind for kind in ObligationKind if kind not in _DECLARED.values())
            subjects = ((kind, kind.subject_of(name)) for kind in kinds)
            found = (Obligation.of(kind, *subject) for kind, subject in subjects if subject is not None)
            self._known[name] = next(found, None)
        return self._known[name]


@dataclass(frozen=True)
class Result:
    """What an obligation came to, how that was found, and the game that shows it, if one does.

    `weights` are what a proof found out that is worth keeping. For how many `players`, the checker says.
    """

    obligation: Obligation
    verdict: Verdict
    method: str
    detail: str = ""
    trace: Trace | None = field(default=None, repr=False)
    _: KW_ONLY
    seconds: float = 0.0
    players: int | None = None
    weights: Mapping[str, int | str] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        return self.obligation.name

    @property
    def as_expected(self) -> bool:
        return self.verdict is self.obligation.expected


def timed(results: Iterable[Result]) -> Iterator[Result]:
    """With the time that each took to come by."""
    began = time.perf_counter()
    for result in results:
        yield replace(result, seconds=time.perf_counter() - began)
        began = time.perf_counter()

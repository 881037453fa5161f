"""Which lemmas a question needs. Few do, and with those alone it is made and answered much more quickly.

An earlier proof says which: advice, no more. With any choice of lemmas an answer `proved` is as good as with all of
them; a question that fails with the lemmas advised is asked with all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hanabi_formal.kernel.expr import Expr
from hanabi_formal.prove.induction.query import Outcome, Query

Key = tuple[str, tuple[str, ...]]
"""Where a question arises, and the obligations it serves."""
Needs = Mapping[Key, tuple[str, ...]]
"""For each question the names of the lemmas that it needs."""
Asked = tuple[dict[str, Outcome], Query]
Lemmas = tuple[Expr, ...]


@dataclass
class Guide:
    """`lemmas` are what names stand for; `known` is advice, if there is any; what is found out is kept in `found`."""

    lemmas: Mapping[str, Expr] = field(default_factory=dict)
    known: Needs | None = None
    found: dict[Key, tuple[str, ...]] | None = None

    def follows(self, key: Key) -> bool:
        """Is it worth asking? What did not follow from others then does not now."""
        return not self.known or key in self.known

    def ask(self, where: str, names: Sequence[str], question: Callable[[Lemmas | None], Asked]) -> dict[str, Outcome]:
        """The question with the lemmas that it needs, else with all (None)."""
        key = where, tuple(names)
        advice = self.known.get(key) if self.known else None
        advised = self._lemmas(advice)
        if advice is not None and advised is not None:
            outcomes, _ = question(advised)
            if _proved(outcomes):
                if self.found is not None:
                    self.found[key] = advice
                return outcomes
        outcomes, query = question(None)
        if self.found is not None and _proved(outcomes):
            for fewer in self._guesses(query, names):
                if _proved(question(self._lemmas(fewer))[0]):
                    self.found[key] = fewer
                    break
        return outcomes

    def _lemmas(self, names: Iterable[str] | None) -> Lemmas | None:
        known = None if names is None else [self.lemmas.get(name) for name in names]
        return None if known is None or None in known else tuple(lemma for lemma in known if lemma is not None)

    def _guesses(self, query: Query, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """What the solver used, what is to be shown besides, and at last everything."""
        core = query.core()
        used = [name for name, lemma in self.lemmas.items() if lemma in core]
        yield tuple(used)
        yield tuple(name for name in self.lemmas if name in used or name in names)
        yield tuple(name for name, lemma in self.lemmas.items() if lemma in query.hypotheses)


def _proved(outcomes: Mapping[str, Outcome]) -> bool:
    return all(outcome.proved for outcome in outcomes.values())

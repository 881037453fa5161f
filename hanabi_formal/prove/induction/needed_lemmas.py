"""Lemma selection by unsat cores: a question needs few lemmas, and with those alone is answered much more quickly.

An earlier proof says which: advice, no more. With any choice of lemmas an answer `proved` is as good as with all of
them; a question that fails with the lemmas advised is asked with all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hanabi_formal.kernel.expr import Expr
from hanabi_formal.prove.induction.query import Query
from hanabi_formal.prove.induction.solver_call import ProofOutcome
from hanabi_formal.prove.obligation import Obligation, ObligationNames

QuestionKey = tuple[str, tuple[Obligation, ...]]
"""Where a question arises, and the obligations it serves."""
NeededLemmas = Mapping[QuestionKey, tuple[Obligation, ...]]
"""For each question the lemmas that it needs, by the obligations that they discharge."""
NamedLemmas = Mapping[tuple[str, tuple[str, ...]], tuple[str, ...]]
"""The same in a file: all obligations by their names."""
QueryOutcomes = tuple[dict[Obligation, ProofOutcome], Query]
Lemmas = tuple[Expr, ...]


def named_needs(needs: NeededLemmas) -> NamedLemmas:
    return {(at, tuple(one.name for one in shows)): tuple(one.name for one in n) for (at, shows), n in needs.items()}


def read_needs(names: ObligationNames, named: NamedLemmas) -> NeededLemmas:
    """Advice as it was kept; what speaks of something that nothing can be called is none."""
    found: dict[QuestionKey, tuple[Obligation, ...]] = {}
    for (at, shows), lemmas in named.items():
        read = [names.read(name) for name in (*shows, *lemmas)]
        known = tuple(one for one in read if one is not None)
        if len(known) == len(read):
            found[at, known[: len(shows)]] = known[len(shows) :]
    return found


@dataclass
class Guide:
    """`lemmas` are all there are; `known` is advice, if there is any; what is found out is kept in `found`."""

    lemmas: Mapping[Obligation, Expr] = field(default_factory=dict)
    known: NeededLemmas | None = None
    found: dict[QuestionKey, tuple[Obligation, ...]] | None = None

    def follows(self, key: QuestionKey) -> bool:
        """Is it worth asking? What did not follow from others then does not now."""
        return not self.known or key in self.known

    def ask(
        self, where: str, shows: Sequence[Obligation], question: Callable[[Lemmas | None], QueryOutcomes]
    ) -> dict[Obligation, ProofOutcome]:
        """The question with the lemmas that it needs, else with all (None)."""
        key = where, tuple(shows)
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
            for fewer in self._guesses(query, shows):
                if _proved(question(self._lemmas(fewer))[0]):
                    self.found[key] = fewer
                    break
        return outcomes

    def _lemmas(self, needed: Iterable[Obligation] | None) -> Lemmas | None:
        known = None if needed is None else [self.lemmas.get(one) for one in needed]
        return None if known is None or None in known else tuple(lemma for lemma in known if lemma is not None)

    def _guesses(self, query: Query, shows: Sequence[Obligation]) -> Iterator[tuple[Obligation, ...]]:
        """What the solver used, what is to be shown besides, and at last everything."""
        core = query.core()
        used = [one for one, lemma in self.lemmas.items() if lemma in core]
        yield tuple(used)
        yield tuple(one for one in self.lemmas if one in used or one in shows)
        yield tuple(one for one, lemma in self.lemmas.items() if lemma in query.hypotheses)


def _proved(outcomes: Mapping[Obligation, ProofOutcome]) -> bool:
    return all(outcome.proved for outcome in outcomes.values())

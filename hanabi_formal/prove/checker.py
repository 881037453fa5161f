"""The check: every obligation of a System, family by family, proved, shown by a game, refuted or left open."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import assert_never

from hanabi_formal.kernel.system import PropertyKind
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.consistency.bands import BANDS
from hanabi_formal.prove.consistency.dead_parts import DeadParts, Settled
from hanabi_formal.prove.consistency.worked_examples import examples
from hanabi_formal.prove.induction.invariants import Claim, Claimant
from hanabi_formal.prove.induction.solver_call import ProofListener
from hanabi_formal.prove.knowledge.knowledge import knowledge
from hanabi_formal.prove.length.length import LENGTH, length
from hanabi_formal.prove.obligation import Family, Obligation, ObligationKind, Result, Verdict, timed
from hanabi_formal.prove.search.goals import NOTHING, Memory
from hanabi_formal.prove.search.shared_search import Proofs, SharedSearch
from hanabi_formal.run.compiler.compile import Compiled

GAMES = 300


class SystemCheck:
    """All obligations of one System. Each result is yielded as soon as it is known.

    `keep`: find out what a later proof should know, which takes a while; `proofs.needs` has it afterwards.
    """

    def __init__(
        self,
        compiled: Compiled,
        players: int | None,
        games: int = GAMES,
        memory: Memory = NOTHING,
        listener: ProofListener | None = None,
        settled: Settled | None = None,
        keep: bool = False,
    ) -> None:
        self.compiled = compiled
        self.system = compiled.system
        self.players = players
        self.games = games
        self.memory = memory
        self.settled = settled
        self.proofs = Proofs({}, {}, listener, keep)
        self.told: dict[Obligation, Result] = {}
        self.found: dict[Obligation, Trace] = {}
        self._claims: list[Claim] | None = None
        self._search = SharedSearch(compiled, games, memory, self.proofs)

    def results(self) -> Iterator[Result]:
        for family in Family:
            yield from self._judged(self._decided(family))

    def chosen(self, wanted: Set[Obligation]) -> Iterator[Result]:
        """Those of the wanted obligations that are decided in the cheapest way: by a game, by the text, without lemmas.

        What is left open here is for `results`, which begins with all proofs by induction.
        """
        for family in Family:
            some = {one for one in wanted if one.kind.family is family}
            for result in self._judged(self._decided(family, some)) if some else ():
                if result.obligation in wanted and result.verdict is not Verdict.UNDECIDED:
                    yield result

    def _judged(self, results: Iterator[Result]) -> Iterator[Result]:
        """With the number of players, and with what the text itself expects of an obligation that it calls a defect."""
        defects = {prop.name for prop in self.system.properties if prop.kind == PropertyKind.DEFECT}
        for result in results:
            one = result.obligation
            found = replace(result, players=self.players)
            if one.name in defects:
                found = replace(found, obligation=one.expecting(Verdict.REFUTED))
            self.told[one] = found
            if found.trace is not None:
                self.found.setdefault(one, found.trace)
            yield found

    def _decided(self, family: Family, wanted: Set[Obligation] = frozenset()) -> Iterator[Result]:
        """How each family is decided; if only some of it is wanted, with as little work as that takes."""
        match family:
            case Family.EXAMPLES:
                return timed(examples(self.system))
            case Family.INDUCTION:
                return self._by_induction(wanted)
            case Family.KNOWLEDGE:
                return knowledge(self.compiled, self.proofs.invariants, self.proofs.listener)
            case Family.SEARCH:
                return self._by_search(wanted)
            case Family.COVERAGE:
                known = {**self.memory.games, **self.found}.values()
                parts = DeadParts(self.compiled, self.proofs.invariants, self.games, known, self.settled)
                return timed(parts.results())
            case Family.LENGTH:
                return timed(self._length())
            case Family.DEFECTS:
                return self._unknown_defects()
            case Family.VARIANTS:
                return self.variants()
        assert_never(family)

    def variants(self) -> Iterator[Result]:
        """A system has none; whoever composed it may have."""
        return iter(())

    def claims(self) -> list[Claim]:
        """By induction, asked once; afterwards the lemmas are there."""
        if self._claims is None:
            claimant = Claimant(self.compiled, self.proofs.listener, self.memory, self.proofs.keep)
            self._claims = list(claimant.claims())
            self.proofs.lemmas, self.proofs.needs = dict(claimant.lemmas), claimant.found
        return self._claims

    def _by_induction(self, wanted: Set[Obligation]) -> Iterator[Result]:
        """What is proved; of what is wanted only, what a few games refute."""
        if not wanted:
            yield from (claim.as_proved for claim in self.claims() if claim.outcome.proved)
            return
        claimant = Claimant(self.compiled, self.proofs.listener, self.memory)
        yield from map(self._search.refuted_or_open, claimant.refuted_by_games(wanted))

    def _by_search(self, wanted: Set[Obligation]) -> Iterator[Result]:
        """Bands are a matter of what is proved of scores."""
        claims = self.claims() if not wanted or BANDS in wanted else []
        left = [] if wanted else [claim for claim in claims if not claim.outcome.proved]
        return self._search.results(left, wanted)

    def _length(self) -> Iterator[Result]:
        self.claims()
        known, weights = self.memory.games.get(LENGTH), self.memory.weights
        bound = length(self.compiled, self.proofs.invariants, known, weights, self.proofs.listener)
        if bound is not None:
            yield bound

    def _unknown_defects(self) -> Iterator[Result]:
        """A fault where the text calls something a defect that is no obligation."""
        known = {one.name for one in self.told}
        for prop in self.system.properties:
            if prop.kind == PropertyKind.DEFECT and prop.name not in known:
                one = Obligation.of(ObligationKind.UNKNOWN_DEFECT, prop.name, clauses=prop.clauses)
                yield Result(one, Verdict.REFUTED, "text", "there is no such obligation")

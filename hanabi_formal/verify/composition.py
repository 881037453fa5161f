"""All obligations of a composition for one number of players: those of its system, and those of its variants."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from hanabi_formal.api import Game
from hanabi_formal.elaborate.changes import settled
from hanabi_formal.prove.chosen_obligations import few
from hanabi_formal.prove.induction.needed_lemmas import Needs
from hanabi_formal.prove.induction.query import Witness
from hanabi_formal.prove.obligations import GAMES, Checker
from hanabi_formal.prove.search.goals import NOTHING, Memory
from hanabi_formal.prove.verdicts import Result, Verdict, expected_of
from hanabi_formal.verify.variant_effects import Effects, base_of, constant_cases, keeps


class FullCheck:
    """`results` tells each verdict as soon as it is known.

    If only some are wanted, no more is done than they need, though others may be told with them.
    """

    def __init__(
        self,
        game: Game,
        players: int | None,
        games: int = GAMES,
        memory: Memory = NOTHING,
        witness: Witness | None = None,
        keep: bool = False,
        wanted: Set[str] = frozenset(),
    ) -> None:
        self.game = game
        self.players = players
        self.memory = memory
        self.wanted = wanted
        self.compiled = game.compiled(players)
        choices = settled(game.merged, self.compiled.system)
        self._checker = Checker(self.compiled, players, games, memory, witness, choices, keep)

    @property
    def needs(self) -> Needs:
        """What is worth keeping of the proofs, if it is to be kept, once all results are known."""
        return self._checker.needs

    def results(self) -> Iterator[Result]:
        told = set()
        for result in few(self._checker, self.wanted) if self.wanted else ():
            told.add(result.name)
            yield result
        if not self.wanted or self.wanted - told:
            yield from (result for result in self._all_results() if result.name not in told)

    def _all_results(self) -> Iterator[Result]:
        found: list[Result] = []
        for result in self._checker.results():
            found.append(result)
            yield result
        yield from constant_cases(self.game, self.players)
        base = base_of(self.game)
        if base is None:
            return
        known = {**self.memory.games, **{r.name: r.trace for r in found if r.trace is not None}}
        lemmas = self._checker.lemmas
        others = self.memory.others
        yield from Effects(self.game, self.players, known=known, lemmas=lemmas, others=others).results()
        for result in keeps(self.game, self.players, _promised(base, self.players), found, lemmas, known=known):
            # To remove a property is for the author to decide: no game needs to show that it fails.
            is_open = result.verdict is Verdict.UNDECIDED and result.name.startswith("gives up ")
            yield replace(result, expected=Verdict.UNDECIDED) if is_open else result


def _promised(base: Game, players: int | None) -> Iterator[Result]:
    """What the base says of itself; whether it keeps its word is found out by checking it."""
    for prop in base.system(players).properties:
        if prop.kind not in ("defect", "example"):
            expected = expected_of(prop)
            yield Result(prop.name, players, expected, expected, "text", prop.clauses)

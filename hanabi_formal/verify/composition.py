"""All obligations of a composition for one number of players: those of its system, and those of its variants."""

from __future__ import annotations

from collections.abc import Iterator, Set

from hanabi_formal.api import Game
from hanabi_formal.elaborate.changes import settled
from hanabi_formal.prove.checker import GAMES, SystemCheck
from hanabi_formal.prove.induction.solver_call import ProofListener
from hanabi_formal.prove.obligation import ObligationNames, Result
from hanabi_formal.prove.search.goals import NOTHING, Memory
from hanabi_formal.verify.kept_promises import Promises
from hanabi_formal.verify.variant_effects import Effects, base_of, constant_cases


class FullCheck(SystemCheck):
    """`results` tells each verdict as soon as it is known.

    If only some are `wanted`, by name, no more is done than they need, though others may be told with them.
    """

    def __init__(
        self,
        game: Game,
        players: int | None,
        games: int = GAMES,
        memory: Memory = NOTHING,
        listener: ProofListener | None = None,
        keep: bool = False,
        wanted: Set[str] = frozenset(),
    ) -> None:
        compiled = game.compiled(players)
        choices = settled(game.merged, compiled.system)
        super().__init__(compiled, players, games, memory, listener, choices, keep)
        self.game = game
        self.wanted = wanted

    def results(self) -> Iterator[Result]:
        names = ObligationNames(self.system)
        chosen = {one for one in map(names.read, self.wanted) if one is not None}
        told = set()
        for result in self.chosen(chosen):
            told.add(result.obligation)
            yield result
        if not self.wanted or self.wanted - {one.name for one in told}:
            yield from (result for result in super().results() if result.obligation not in told)

    def variants(self) -> Iterator[Result]:
        """What is turned off by choice; and of variants, whether each change has an effect, and what the base loses."""
        yield from constant_cases(self.game, self.players)
        base = base_of(self.game)
        if base is None:
            return
        known = {**self.memory.games, **self.found}
        lemmas = self.proofs.invariants
        yield from Effects(self.game, self.players, known=known, lemmas=lemmas, others=self.memory.others).results()
        yield from Promises(self.game, self.players, base, self.told, lemmas, known=known).results()

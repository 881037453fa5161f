"""Which combination of rulings does an implementation follow?

Differences are explained one by one: the ruling that explains one is taken over, and the games begin again, until there
is no difference left. A ruling is then certain if the rules with another value would have been told apart by the very
same games; else it makes no difference in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hanabi_formal.api import Game
from hanabi_formal.ask.diff.benches import Kind
from hanabi_formal.ask.diff.explain import Explainer
from hanabi_formal.ask.diff.rules_engine import RulesEngine
from hanabi_formal.ask.diff.terms import Implementation
from hanabi_formal.ask.diff.trial import Findings, Group, Trial
from hanabi_formal.ask.other_rulings import OtherRulings, with_rulings
from hanabi_formal.check.changes import other_values

ROUNDS = 16


@dataclass(frozen=True)
class Inferred:
    """`open` are rulings with the values that the games could not tell apart from the chosen one.

    `left` are differences that no ruling explains.
    """

    name: str
    rulings: dict[str, str]
    open: dict[str, tuple[str, ...]]
    left: tuple[Group, ...]
    games: int


class Inference:
    def __init__(
        self, game: Game, implementation: Implementation, players: Sequence[int], games: int, seed: int | str = 0,
        say: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.game = game
        self.implementation = implementation
        self.players = players
        self.games = games
        self.seed = seed
        self.say = say or (lambda text: None)
        self.played = 0

    def run(self) -> Inferred:
        rulings: dict[str, str] = {}
        findings = self._tried(self.game, self.implementation)
        for number in range(ROUNDS):
            learnt = self._learnt(with_rulings(self.game, rulings), findings)
            if not learnt:
                break
            self.say(f"round {number + 1}: " + ", ".join(f"{name} = {value}" for name, value in learnt.items()))
            rulings |= learnt
            findings = self._tried(with_rulings(self.game, rulings), self.implementation)
        final = with_rulings(self.game, rulings)
        chosen = dict(final.system(self.players[0]).rulings)
        undecided = self._undecided(final, chosen) if findings.agrees else {}
        return Inferred(self.implementation.name, chosen, undecided, tuple(findings.groups), self.played)

    def _tried(self, game: Game, implementation: Implementation) -> Findings:
        findings = self._trial(game, implementation).run()
        self.played += findings.games
        return findings

    def _trial(self, game: Game, implementation: Implementation) -> Trial:
        return Trial(game, implementation, self.players, self.games, self.seed)

    def _learnt(self, game: Game, findings: Findings) -> dict[str, str]:
        """What the differences teach: rulings that alone explain one; only if there is none, two that do together."""
        found: dict[str, str] = {}
        for group in sorted(findings.groups, key=lambda group: len(group.explained)):
            singles = [other.choice[0] for other in group.explained]
            # Where several would do, another difference may decide between them.
            if singles and not any(name in found for name, _ in singles):
                name, value = singles[0]
                found[name] = value
        return found or self._pair(game, findings)

    def _pair(self, game: Game, findings: Findings) -> dict[str, str]:
        trial = self._trial(game, self.implementation)
        explainer = Explainer(trial.benches)
        for group in findings.groups:
            played = group.shortest.played
            kind = Kind(played.players, played.cuts)
            for other in OtherRulings(trial.benches.cut(kind)).pairs(kind.players):
                if explainer.agrees(other, kind, played):
                    return dict(other.choice)
        return {}

    def _undecided(self, final: Game, chosen: dict[str, str]) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for name, value in chosen.items():
            self.say(f"is {name} = {value} certain?")
            alike = tuple(
                other for other in other_values(final.merged, name, value)
                if not self._told_apart(final, with_rulings(final, {name: other}))
            )  # fmt: skip
            if alike:
                found[name] = alike
        return found

    def _told_apart(self, one: Game, other: Game) -> bool:
        """Would the same games have shown that an implementation follows the other?"""
        if all(one.system(count) == other.system(count) for count in self.players):
            return False
        engine = RulesEngine(other)
        engine.knows = self.implementation.knows
        return self._trial(one, engine).differs()

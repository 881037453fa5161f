"""Reasons in the game's own terms why so many points cannot be had, as far as the rules have what they need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hanabi_formal.judge.arguments.argument import ArgumentJudge, needs_turns
from hanabi_formal.judge.arguments.displays import MOST_DISPLAYS, Display, accept, too_few
from hanabi_formal.judge.arguments.needs import CARDS, FEW, TURNS, NeedStatus, RuleNeeds
from hanabi_formal.judge.arguments.position import Position
from hanabi_formal.judge.certificate import Outnumbered, Reasoned, TooFew
from hanabi_formal.winnability.argument_search import find_argument


@dataclass(frozen=True)
class Reasons:
    """Of one position and goal. What is looked for, and what comes of it, is noted in `tried`.

    `all_faces`: the goal is the maximum. `scores_cards`: every end scores the cards on the fireworks, or nothing.
    """

    position: Position
    goal: int
    all_faces: bool
    scores_cards: bool
    has_last_round: bool
    needs: RuleNeeds
    tried: list[str]

    def argued(self) -> Reasoned | None:
        """An argument that not all faces are played, if there is one whose needs these rules meet."""
        for turns in self._with_turns():
            argument = find_argument(self.position, turns)
            if argument is None:
                self.tried.append(f"argument: none found{'' if turns else ' about room alone'}")
                return None
            standing = self.needs.standing(TURNS if needs_turns(argument) else CARDS)
            if standing.met:
                ArgumentJudge(self.position).accept(argument)
                self.tried.append(f"argument: found; it needs `{standing.need}`: {standing.detail}")
                return Reasoned(argument)
            self.tried.append(f"argument: found, but these rules do not allow it ({standing.detail})")
        return None

    def outnumbered(self, aims: list[Display]) -> Outnumbered | None:
        """An argument against each display that would do. Those against which there is none become the first."""
        if not self.scores_cards:
            return None
        for turns in self._with_turns():
            found = {aim: find_argument(self.position, turns, aim) for aim in aims}
            against = {aim: argument for aim, argument in found.items() if argument is not None}
            said = f"arguments: against {len(against)} of {len(aims)} displays of {self.goal} cards"
            if len(against) < len(aims) or len(aims) == MOST_DISPLAYS:
                self.tried.append(f"{said}{'' if turns else ', about room alone'}")
                aims.sort(key=against.__contains__)
                return None
            standing = self.needs.standing(TURNS if any(map(needs_turns, against.values())) else CARDS)
            if standing.met:
                accept(self.position, self.goal, against)
                self.tried.append(f"{said}; they need `{standing.need}`: {standing.detail}")
                return Outnumbered(tuple(against.items()))
            self.tried.append(f"{said}, but these rules do not allow them ({standing.detail})")
        return None

    def too_few(self, standing: NeedStatus | None) -> TooFew | None:
        """Too few cards in hands, where what is played is not replaced."""
        if standing is None or not standing.met or not self.may_be_too_few:
            return None
        too_few(self.position, self._cards)
        self.tried.append(f"argument: too few cards; it needs `{FEW}`: {standing.detail}")
        return TooFew()

    @property
    def may_be_too_few(self) -> bool:
        """Would there be, if nothing were replaced?"""
        at_hand = sum(self.position.heights) + sum(map(len, self.position.hands))
        return (self.all_faces or self.scores_cards) and self._cards > at_hand

    @property
    def _cards(self) -> int:
        return self.position.suits * self.position.ranks if self.all_faces else self.goal

    def _with_turns(self) -> Iterator[bool]:
        """First arguments that may speak of turns, then others."""
        if self.has_last_round:
            yield True
        yield False

"""Certificates that so many points cannot be had, judged: what they need of the rules, and what they say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache, partial

from hanabi_formal.api import Game, State
from hanabi_formal.diagnostics.diagnostic import counted
from hanabi_formal.judge.arguments.argument import ArgumentJudge, leaves, needs_turns
from hanabi_formal.judge.arguments.displays import accept, too_few
from hanabi_formal.judge.arguments.needs import CARDS, FEW, SPENDING, TOKENS, TURNS, RuleNeeds, scores_cards
from hanabi_formal.judge.arguments.position import Position, reader
from hanabi_formal.judge.certificate import Certificate, Outnumbered, Reasoned, TooFew, Unsolvable
from hanabi_formal.judge.lines import MOST_ACTIONS
from hanabi_formal.judge.refutations.lrat import Refused, most_clauses, unpack
from hanabi_formal.judge.refutations.meanings import meaning_of_choices, meaning_of_seats
from hanabi_formal.judge.refutations.refutation import Refutation, refute
from hanabi_formal.judge.refutations.seats import Seats, can_be_seated
from hanabi_formal.kernel.system import System
from hanabi_formal.roles.entries import maximum_of
from hanabi_formal.sat.formula import TooLarge, cnf

DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class CheckedCertificate:
    """How a certificate was checked, and what was checked if it is a proof about clauses."""

    checked: tuple[str, ...]
    refutation: Refutation | None = None


@lru_cache(maxsize=8)
def _needs(game: Game, players: int | None, dealt: int, afresh: bool) -> RuleNeeds:
    """Many deals of a game ask for the same: what this process has proved it need not prove again."""
    return RuleNeeds(game, players, dealt, afresh)


@dataclass(frozen=True)
class Certificates:
    """Of one deal. With `afresh` nothing that was proved of the rules before is believed."""

    game: Game
    players: int | None
    faces: tuple[int, ...]
    afresh: bool

    @property
    def system(self) -> System:
        return self.game.system(self.players)

    def accept(self, certificate: Certificate, state: State, goal: int) -> CheckedCertificate:
        """That no game from this state has so many points; or `Refused`."""
        match certificate:
            case Unsolvable(kind="unrolled"):
                return self._unrolled(certificate, state, goal)
        found = reader(self.game, self.players)
        if found is None:
            raise Refused("these rules have no places and turns that it could speak of")
        position = found.read(state)
        if state.ended is not None:
            raise Refused("the game is over; an argument about what may still come shows nothing")
        need = self._need(certificate, position, goal)
        standing = _needs(self.game, self.players, position.hand_size, self.afresh).standing(need)
        if not standing.met:
            raise Refused(f"these rules do not have what it needs ({need}): {standing.detail}")
        met = f"the rules have what it needs ({need}: {standing.detail})"
        match certificate:
            case Reasoned(argument):
                ArgumentJudge(position).accept(argument)
                many = sum(1 for _ in leaves(argument))
                return CheckedCertificate((met, f"the argument holds ({counted(many, 'leaf')})"))
            case Outnumbered(arguments):
                against = dict(arguments)
                many = accept(position, goal, against)
                if not against:
                    return CheckedCertificate((met, f"there are too few cards left for {goal} on the fireworks"))
                held = f"{counted(len(against), 'display')} of {goal} cards, and an argument against each"
                return CheckedCertificate((met, f"{held} ({counted(many, 'leaf')})"))
            case TooFew():
                too_few(position, self._cards_for(goal, position))
                return CheckedCertificate((met, "there are too few cards in hands"))
            case Unsolvable() if not can_be_seated(position):
                raise Refused("there are no hands, or no turns to come, that it could speak of")
            case Unsolvable():
                seats = Seats(position, goal, tokens=need != TURNS, at_full=need == SPENDING)
                refuted = refute(certificate, seats.cnf, partial(meaning_of_seats, seats, self.system))
                return CheckedCertificate((met, refuted.told), refuted)

    def _need(self, certificate: Certificate, position: Position, goal: int) -> str:
        """What the rules must be like for it to say anything about that goal; `Refused` if it cannot."""
        match certificate:
            case Reasoned(argument):
                if goal != position.suits * position.ranks or goal != maximum_of(self.system):
                    raise Refused("an argument is about all faces, and the goal is not")
                return TURNS if needs_turns(argument) else CARDS
            case Outnumbered(arguments):
                self._check_counts_cards()
                return TURNS if any(needs_turns(argument) for _, argument in arguments) else CARDS
            case Unsolvable(kind):
                if goal != maximum_of(self.system):
                    self._check_counts_cards()
                return kind if kind in (SPENDING, TOKENS) else TURNS
            case TooFew():
                if goal != maximum_of(self.system):
                    self._check_counts_cards()
                return FEW

    def _cards_for(self, goal: int, position: Position) -> int:
        """How many cards that many points are. The maximum is all faces: that is part of every need."""
        return position.suits * position.ranks if goal == maximum_of(self.system) else goal

    def _check_counts_cards(self) -> None:
        if not scores_cards(self.system):
            raise Refused("it counts cards on fireworks, and these rules score otherwise")

    def _unrolled(self, certificate: Unsolvable, state: State, goal: int) -> CheckedCertificate:
        if not 0 <= certificate.horizon <= MOST_ACTIONS:
            raise Refused("its horizon is no number of steps")
        if not DIGEST.fullmatch(certificate.digest):
            raise Refused("it does not say which clauses it is about")
        most = most_clauses(unpack(certificate.steps))
        try:
            formula = cnf(self.system, self.faces, state.spelt_out, goal, certificate.horizon, most)
        except TooLarge:
            raise Refused(f"so many steps are more than {most:,} clauses, and its proof is not about as many") from None
        refuted = refute(certificate, formula, partial(meaning_of_choices, formula, self.system))
        return CheckedCertificate((refuted.told,), refuted)

"""A deal decided by a solver, in the clauses of `judge/refutations/seats.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hanabi_formal.judge.arguments.position import Position
from hanabi_formal.judge.refutations.seats import Seats
from hanabi_formal.winnability.abstract_game import DISCARD, HINT, MISTAKE, PLAY, WAIT, AbstractAction


@dataclass(frozen=True)
class Plan:
    """A line in outline: the actions, and the cards that are to be played."""

    actions: tuple[AbstractAction, ...]
    used: frozenset[int]


def plannable(position: Position, goal: int, to_the_end: bool) -> Seats:
    """Clauses whose solutions are plans; `to_the_end`: games that are not over before the last card is drawn."""
    seats = Seats(position, goal, tokens=True)
    if to_the_end and seats.tokens is not None:
        for over in seats.tokens.over:
            seats.cnf.add(-over)
    return seats


def plan_of(seats: Seats, model: Sequence[int]) -> Plan:
    """What a solution with tokens says to do."""
    true = {literal for literal in model if literal > 0}
    used = frozenset(card for card, literal in enumerate(seats.used) if literal in true or literal == 1)
    return Plan(tuple(_actions(seats, true)), used)


def _actions(seats: Seats, true: set[int]) -> Iterator[AbstractAction]:
    assert seats.tokens is not None
    for step in range(seats.steps):
        if step < seats.draws:
            for many, literal in enumerate(seats.tokens.hints[step]):
                if literal in true:
                    yield from [AbstractAction(HINT)] * many
        played = [face for face in seats.faces if seats.plays[face][step] in true]
        if played:
            yield AbstractAction(PLAY, played[0])
        elif step >= seats.draws:
            yield AbstractAction(WAIT)
        else:
            yield AbstractAction(DISCARD if seats.tokens.discards[step] in true else MISTAKE)

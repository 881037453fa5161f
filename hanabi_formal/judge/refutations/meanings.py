"""What the variables of a formula stand for, in words: for whoever looks at exported clauses.

Those that only help to count have no word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hanabi_formal.formats.faces import all_face_names, show_action
from hanabi_formal.judge.refutations.cnf import TRUE
from hanabi_formal.judge.refutations.seats import Seats, Tokens
from hanabi_formal.kernel.system import System
from hanabi_formal.sat.formula import Formula

Named = Iterator[tuple[int, str]]


def meaning_of_seats(seats: Seats, system: System) -> dict[int, str]:
    """Cards are numbered from 0 in the order they are drawn, steps from 0: at each, a card leaves a hand."""
    found = dict(_of_seats(seats, all_face_names(system)))
    if seats.tokens is not None:
        found |= dict(_of_tokens(seats.tokens))
    return {literal: words for literal, words in sorted(found.items()) if literal > TRUE} | {TRUE: "true"}


def _of_seats(seats: Seats, faces: Sequence[str]) -> Named:
    for card, literal in enumerate(seats.used):
        yield literal, f"card {card} is the {faces[seats.position.faces[card]]} that is played"
    for step, acts in enumerate(seats.acts[: seats.draws]):
        for seat, literal in enumerate(acts):
            yield literal, f"step {step}: a card of seat {seat} leaves"
    for face in seats.faces:
        for step, literal in enumerate(seats.done[face]):
            yield literal, f"step {step}: {faces[face]} is played by then"
        for step, literal in enumerate(seats.plays[face]):
            yield literal, f"step {step}: {faces[face]} is played"
    for step, literal in enumerate(seats.is_play):
        yield literal, f"step {step}: something is played"


def _of_tokens(tokens: Tokens) -> Named:
    for step, literal in enumerate(tokens.over):
        yield literal, f"step {step}: the game is over before"
    for step, hints in enumerate(tokens.hints):
        for many, literal in enumerate(hints):
            yield literal, f"step {step}: {many} hints come before"
    for step, literal in enumerate(tokens.discards):
        yield literal, f"step {step}: a card is discarded"


def meaning_of_choices(formula: Formula, system: System) -> dict[int, str]:
    """The actions of each step. Where several do the same, they are one choice."""
    found: dict[int, str] = {}
    for step, choice in enumerate(formula.choices):
        if abs(choice.live) > TRUE:
            found[abs(choice.live)] = f"step {step}: the game is {'on' if choice.live > 0 else 'over'}"
        for option in choice.options:
            if abs(option.literal) > TRUE:
                shown = " or ".join(show_action(action, system) for action, _ in option.move.members)
                found[abs(option.literal)] = f"step {step}: {'' if option.literal > 0 else 'not '}{shown}"
    return {TRUE: "true", **found}

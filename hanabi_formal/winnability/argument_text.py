"""An argument that a deal cannot be won, told to a player."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hanabi_formal.judge.arguments.argument import Argument, Candidates, LastRound, LostFace, Room, Turns, opening_cards
from hanabi_formal.judge.arguments.displays import highest
from hanabi_formal.judge.arguments.position import Position

MOST_SHOWN = 14
SOLVED = {
    "seats": "Whoever holds which cards, and even if hints cost nothing, too few of them can be played in time.",
    "spending": "With the blue tokens that can be had at most, no order of plays, discards and hints is enough.",
    "tokens": "With the blue tokens counted, no order of plays, discards and hints is enough.",
    "unrolled": "All games that the rules allow were followed to their ends, and none has so many points.",
}
"""What a solver went through, for each kind of clauses."""


class Teller:
    """`names` are the faces as text, numbered as a position numbers them. `display`: what it is an argument against."""

    def __init__(self, position: Position, names: Sequence[str], display: Sequence[int] | None = None) -> None:
        self.position = position
        self.names = names
        self.faces = position.missing(display)
        self.last = len(position.faces) - 1

    def tell(self, argument: Argument, indent: str = "") -> Iterator[str]:
        yield from self._tell(argument, {face: self.position.copies[face] for face in self.faces}, indent)

    def _tell(self, argument: Argument, cards: Candidates, indent: str) -> Iterator[str]:
        match argument:
            case LostFace(face):
                there = face in self.position.faces
                yield f"{indent}{'Every' if there else 'There is no'} {self.names[face]}{' is gone' if there else ''}."
            case Turns(since):
                late = self._open_at(cards, since)
                yield f"{indent}{self._turns(since, str(len(late)), late)}"
            case LastRound(since):
                yield from self._last_round(since, cards, indent)
            case Room():
                yield from self._room(argument, cards, indent)

    def _turns(self, since: int, many: str, late: list[int]) -> str:
        leave = self.last - since + (self.position.players if since < self.last else self.position.turns_left)
        return (
            f"After {self._card(since)} is drawn, {_times(leave, 'card')} can still leave the hands, "
            f"and {many} are to be played that cannot be before: {self._shown(late)}."
        )

    def _room(self, room: Room, cards: Candidates, indent: str) -> Iterator[str]:
        earliest = opening_cards(self.position, self.faces, cards)
        held = [f for f in self.faces if min(cards[f]) < room.card and earliest[f] >= room.since]
        between = room.card - room.since
        kept = len(held) - between
        text = f"{indent}When {self._card(room.card)} is drawn, the hands hold it"
        if between:
            text += (
                f" and at least {kept} of {len(held)} cards that cannot be played before {self._card(room.since)}"
                f" is drawn (at most {between} can have been played since)"
            )
        else:
            text += f" and {kept} cards that cannot be played yet"
        yield f"{text}: {self._shown(held)}. That is {kept + 1} cards, and there is room for {self.position.room}."
        if not room.later:
            return
        shown = [self.names[face] for face, _ in room.later]
        yield f"{indent}Unless one of them is let go and played by a later card: {_listed(shown, 'or')}."
        known = dict(cards)
        for number, (face, branch) in enumerate(room.later):
            yield f"{indent}- If {'not, but ' if number else ''}{self.names[face]} is:"
            later = tuple(card for card in cards[face] if card >= room.card)
            yield from self._tell(branch, {**known, face: later}, f"{indent}  ")
            known[face] = tuple(card for card in cards[face] if card < room.card)

    def _last_round(self, since: int, cards: Candidates, indent: str) -> Iterator[str]:
        late = self._open_at(cards, since)
        held = []
        for face in late:
            seats = [self.position.seat_of[card] for card in cards[face] if card in self.position.seat_of]
            if len(seats) == len(cards[face]):
                held.append(f"{self.names[face]} by seat {_listed([str(seat) for seat in sorted({*seats})], 'or')}")
            elif cards[face] == (self.last,):
                held.append(f"{self.names[face]} by whoever draws the last card, who acts last")
        draws = self.last - since
        yield (
            f"{indent}{self._shown(late)} cannot be played before {self._card(since)} is drawn"
            + (f", and at most {draws} of them before the pile is empty" if draws else "")
            + "."
        )
        who = f" ({'; '.join(held)})" if held else ""
        yield (
            f"{indent}The rest must be played in the last round, in which everybody acts once, in turn{who}: "
            "no order works."
        )

    def turns_of(self, since: int, displays: Sequence[Sequence[int]]) -> str:
        """The same for several displays at once."""
        copies = dict(enumerate(self.position.copies))
        late = [{*Teller(self.position, self.names, display)._open_at(copies, since)} for display in displays]
        return self._turns(since, f"at least {min(map(len, late))} of these", sorted(set[int]().union(*late)))

    # ---- words -----------------------------------------------------------------------------------
    def _open_at(self, cards: Candidates, since: int) -> list[int]:
        return [face for face, card in opening_cards(self.position, self.faces, cards).items() if card >= since]

    def _card(self, card: int) -> str:
        return f"card {card + 1} ({self.names[self.position.faces[card]]})"

    def _shown(self, faces: list[int]) -> str:
        names = [self.names[face] for face in faces]
        more = len(names) - MOST_SHOWN
        return " ".join(names[:MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def tell_against(
    position: Position, names: Sequence[str], goal: int, arguments: Sequence[tuple[Sequence[int], Argument]]
) -> Iterator[str]:
    """Why none of the displays can be had that so many points need."""
    for face in position.missing():
        if not position.copies[face]:
            yield from Teller(position, names).tell(LostFace(face))
    if not arguments:
        yield f"At most {sum(highest(position))} cards can be on the fireworks."
        return
    faces = position.suits * position.ranks
    if goal == faces:
        yield f"{goal} points are all cards."
        yield from Teller(position, names).tell(arguments[0][1])
        return
    yield f"{goal} points are all but {faces - goal} of {faces} cards. All ways to leave out so many:"
    alike: dict[Argument, list[Sequence[int]]] = {}
    for display, argument in arguments:
        alike.setdefault(argument, []).append(display)
    for argument, ways in alike.items():
        match argument:
            case Turns(since) if len(ways) > 1:
                yield f"- Without {'; or '.join(_left_out(position, names, display) for display in ways)}:"
                yield f"  {Teller(position, names).turns_of(since, ways)}"
            case _:
                for display in ways:
                    yield f"- Without {_left_out(position, names, display)}:"
                    yield from Teller(position, names, display).tell(argument, "  ")


def _left_out(position: Position, names: Sequence[str], display: Sequence[int]) -> str:
    built = {*position.missing(display)}
    return _listed([names[face] for face in position.missing() if face not in built], "and")


def _times(many: int, thing: str) -> str:
    return f"{many} {thing}{'' if many == 1 else 's'}"


def _listed(words: list[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"

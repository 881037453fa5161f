"""An argument that a deal cannot be won, told to a player."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hanabi_formal.certify.argument import Argument, LastRound, Lost, Room, Turns
from hanabi_formal.certify.position import Position

MOST_SHOWN = 14


class Teller:
    """`names` are the faces as text, numbered as a position numbers them."""

    def __init__(self, position: Position, names: Mapping[int, str]) -> None:
        self.position = position
        self.names = names
        self.faces = [f for f in range(position.suits * position.ranks) if not position.is_played(f)]
        self.last = len(position.faces) - 1

    def tell(self, argument: Argument) -> Iterator[str]:
        yield from self._tell(argument, {face: self.position.copies[face] for face in self.faces}, "")

    def _tell(self, argument: Argument, cards: Mapping[int, tuple[int, ...]], indent: str) -> Iterator[str]:
        match argument:
            case Lost(face):
                yield f"{indent}Every {self.names[face]} is gone."
            case Turns(since):
                late = self._open_at(cards, since)
                many = self.last - since + (self.position.players if since < self.last else self.position.turns_left)
                yield (f"{indent}After {self._card(since)} is drawn, {_times(many, 'card')} can still leave the hands, "
                       f"and {len(late)} are to be played that cannot be before: {self._shown(late)}.")  # fmt: skip
            case LastRound(since):
                yield from self._last_round(since, cards, indent)
            case Room():
                yield from self._room(argument, cards, indent)

    def _room(self, room: Room, cards: Mapping[int, tuple[int, ...]], indent: str) -> Iterator[str]:
        earliest = self._earliest(cards)
        held = [f for f in self.faces if min(cards[f]) < room.card and earliest[f] >= room.since]
        between = room.card - room.since
        kept = len(held) - between
        text = f"{indent}When {self._card(room.card)} is drawn, the hands hold it"
        if between:
            text += (f" and at least {kept} of {len(held)} cards that cannot be played before {self._card(room.since)}"
                     f" is drawn (at most {between} can have been played since)")  # fmt: skip
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

    def _last_round(self, since: int, cards: Mapping[int, tuple[int, ...]], indent: str) -> Iterator[str]:
        late = self._open_at(cards, since)
        held = []
        for face in late:
            seats = [self.position.seat_of[card] for card in cards[face] if card in self.position.seat_of]
            if len(seats) == len(cards[face]):
                held.append(f"{self.names[face]} by seat {_listed([str(seat) for seat in sorted({*seats})], 'or')}")
            elif cards[face] == (self.last,):
                held.append(f"{self.names[face]} by whoever draws the last card, who acts last")
        draws = self.last - since
        yield (f"{indent}{self._shown(late)} cannot be played before {self._card(since)} is drawn"
               + (f", and at most {draws} of them before the pile is empty" if draws else "") + ".")  # fmt: skip
        who = f" ({'; '.join(held)})" if held else ""
        yield (f"{indent}The rest must be played in the last round, in which everybody acts once, in turn{who}: "
               "no order works.")  # fmt: skip

    # ---- words -----------------------------------------------------------------------------------
    def _earliest(self, cards: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
        found: dict[int, int] = {}
        now = self.position.drawn - 1
        for face in self.faces:
            below = found.get(face - 1, now) if face % self.position.ranks else now
            found[face] = max(below, min(cards[face]))
        return found

    def _open_at(self, cards: Mapping[int, tuple[int, ...]], since: int) -> list[int]:
        return [face for face, card in self._earliest(cards).items() if card >= since]

    def _card(self, card: int) -> str:
        return f"card {card + 1} ({self.names[self.position.faces[card]]})"

    def _shown(self, faces: list[int]) -> str:
        names = [self.names[face] for face in faces]
        more = len(names) - MOST_SHOWN
        return " ".join(names[:MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _times(many: int, thing: str) -> str:
    return f"{many} {thing}{'' if many == 1 else 's'}"


def _listed(words: list[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"

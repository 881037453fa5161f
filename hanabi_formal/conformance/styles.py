"""How games are played to try an implementation: deep ones above all, and some that keep near an edge.

Whoever plays sees all cards. Ways to play differ in how often chance decides, in what is done when no card fits (hints,
discards, mistakes), and in whether points are put off until the pile is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from hanabi_formal.conformance.menu import Chooser, Menu
from hanabi_formal.formats.faces import deck_of
from hanabi_formal.roles.actions import ANNOUNCE, DISCARD, PLAY
from hanabi_formal.run.compiler.compile import Dealt, PackedState


@dataclass(frozen=True)
class Style:
    """`hints` is how much likelier a hint is than a discard; `mistakes` how often a card that does not fit is played
    while one more is allowed; `patient` is how many of the last points are put off
    until the pile is empty.
    """

    name: str
    chance: float = 0.02
    hints: float = 1.0
    mistakes: float = 0.0
    points: float = 1.0
    patient: int = 0


STYLES = (
    Style("skilled"),
    Style("skilled, few hints", hints=0.3),
    Style("patient", chance=0.0, hints=0.5, patient=4),
    Style("skilled, with chance", chance=0.1),
    Style("one mistake left", mistakes=0.5),
    Style("tokens spent", hints=30.0),
    Style("tokens kept", hints=0.02),
    Style("no points", points=0.0, hints=0.2),
    Style("at random", chance=1.0),
)
DEEP = STYLES[:4]
LATE = Style("very patient", chance=0.0, hints=3.0, patient=1)


class StyledPlayer:
    """Chooses moves in one style after the other; the same seed gives the same games."""

    def __init__(self, menu: Menu, seed: int | str) -> None:
        self.menu = menu
        self.random = Random(f"games {seed}")
        self._table = menu.table
        self._masks: tuple[Dealt | None, list[int]] = (None, [])
        self._limit = menu.setup.red_tokens
        self._cards = len(menu.some_deal)
        self._most = len(menu.setup.suits) * len(menu.setup.ranks)

    def deal(self) -> list[int]:
        faces = list(self.menu.some_deal)
        self.random.shuffle(faces)
        return faces

    def ordered_deal(self) -> list[int]:
        """One card of each face, from the lowest rank up, then the others: all of them can be played as they come."""
        deck, uniform = deck_of(self.menu.system), self.random.random
        faces = enumerate(zip(deck.faces, deck.copies, strict=True))
        cards = [(copy > 0, face[-1], uniform(), number) for number, (face, many) in faces for copy in range(many)]
        return [number for _, _, _, number in sorted(cards)]

    def chooser(self, style: Style) -> Chooser:
        uniform, score, step, listed = self.random.random, self.menu.compiled.score, self.menu.step, self.menu.moves

        def choose(dealt: Dealt, state: PackedState, moves: Sequence[int]) -> int:
            if style.chance and uniform() < style.chance:
                return moves[int(uniform() * len(moves))]
            plays: list[int] = []
            discards: list[int] = []
            hints: list[int] = []
            for move in moves:
                kind = listed[move].kind
                (plays if kind in (PLAY, ANNOUNCE) else discards if kind == DISCARD else hints).append(move)
            now = score(dealt, state)
            good: list[int] = []
            bad: list[int] = []
            for move in plays:
                (good if score(dealt, step(dealt, state, move)) > now else bad).append(move)
            waits = now >= self._most - style.patient and self._table.drawn(state) < self._cards
            if good and not waits and (style.points == 1.0 or uniform() < style.points):
                return good[int(uniform() * len(good))]
            if bad and style.mistakes and self._table.red(state) < self._limit - 1 and uniform() < style.mistakes:
                return bad[int(uniform() * len(bad))]
            if hints and (not discards or uniform() * (style.hints + 1) < style.hints):
                return hints[int(uniform() * len(hints))]
            if discards:
                return self._discard(dealt, state, discards)
            rest = good or bad or moves
            return rest[int(uniform() * len(rest))]

        return choose

    def _discard(self, dealt: Dealt, state: PackedState, moves: Sequence[int]) -> int:
        """A card that is of no use any more, else one of which there is another."""
        faces, hand = dealt[0], self.menu.hand(state, self.menu.actor(state))
        played, gone = self._table.fireworks(state), self._table.discards(state)
        if self._masks[0] is not dealt:
            found = [0] * len(self.menu.faces)
            for card, face in enumerate(faces):
                found[face] |= 1 << card
            self._masks = dealt, found
        masks = self._masks[1]
        useless, safe = [], []
        for move in moves:
            slot = self.menu.moves[move].slot
            if slot is None:
                continue
            alike = masks[faces[hand[slot]]]
            if alike & played:
                useless.append(move)
            elif (alike & ~gone).bit_count() > 1:
                safe.append(move)
        among = useless or safe or moves
        return among[int(self.random.random() * len(among))]

"""Games told in words, from the first card on, and played in both engines.

    0 play r1 -> 8 blue, 1 in the pile, seat 0 holds r2 b1 b1 b1 b2

A line is a seat, what it does (as `hanabi_formal.reference.tell` reads it; `may not` before it says that it is refused),
and after the arrow what must then be true of both engines: of each by itself, not only of the two together.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import pytest

from hanabi_formal import reference as ref
from hanabi_formal.api import State
from hanabi_formal.kernel.types import UnionType, show_value
from hanabi_formal.run.faults import IllegalAction

from .correspondence import Correspondence
from .duel import Duel
from .scenes import parse_action, stacked
from .setups import Setup


@dataclass(frozen=True)
class Scene:
    """What a reader asks about, read off one engine."""

    engine: str
    blue: int
    red: int
    pile: int
    turn: int
    turns_left: int
    hands: tuple[tuple[str, ...], ...]
    heights: dict[str, int]
    discards: tuple[str, ...]
    told: dict[tuple[str, str], str]  # of the cards held: by face and hint
    end: str | None
    outcome: str | None
    score: int
    bands: tuple[str, ...]
    choices: int


def from_reference(duel: Duel) -> Scene:
    table = duel.table
    shown = [str(face) for face in table.deck]
    told = ref.view(table, 0).told
    return Scene(
        "reference",
        table.blue,
        table.red,
        table.pile_size,
        table.turn,
        table.turns_left,
        tuple(tuple(sorted(shown[card] for card in hand)) for hand in table.hands),
        {suit: table.height(suit) for suit in table.rules.suits},
        tuple(sorted(shown[card] for card in table.discards)),
        {
            (shown[card], str(about)): answer
            for (card, (_, about)), answer in told.items()
            if table.place(card)[0] == "hand"
        },
        table.end,
        ref.outcome(table),
        ref.score(table),
        ref.band(table),
        len(ref.legal(table)),
    )


def from_specification(duel: Duel) -> Scene:
    pair = duel.pair
    state = State(pair.compiled, duel.dealt, duel.state)
    values = pair.compiled.snapshot(duel.state).values
    place, told = values["place"], values["told"]
    assert isinstance(place, tuple)
    assert isinstance(told, tuple)
    kind = pair.system.variable("place").type
    assert isinstance(kind, UnionType)
    where = [show_value(kind, value) for value in place]
    faces = [pair.faces[number] for number in duel.dealt[0]]
    answers = ("untold", "yes", "no")

    def lying(name: str) -> list[str]:
        return sorted(str(face) for face, at in zip(faces, where, strict=True) if at == name)

    return Scene(
        "specification",
        state.value("blue_left"),
        state.value("red_spent"),
        len(lying("pile")),
        state.value("turn"),
        state.value("turns_left"),
        tuple(tuple(lying(f"hand({seat})")) for seat in range(pair.seats)),
        {suit: sum(text[0] == suit[0] for text in lying("fireworks")) for suit in pair.rules.suits},
        tuple(lying("discards")),
        {
            (str(faces[card]), str(clue[1])): answers[told[card * len(pair.clues) + number]]
            for card in range(pair.size)
            if where[card].startswith("hand")
            for number, clue in enumerate(pair.clues)
        },
        state.ended.name if state.ended else None,
        state.ended.outcome if state.ended else None,
        state.score,
        tuple(pair.band_ranges[text] for text in state.bands),
        len(state.legal()),
    )


# What can be said after an arrow: a pattern, what the words claim, and what a scene says.
Check = tuple[str, Callable[[re.Match[str]], object], Callable[[re.Match[str], Scene], object]]
CHECKS: list[Check] = [
    (r"(\d+) blue", lambda m: int(m[1]), lambda _, s: s.blue),
    (r"(\d+) red", lambda m: int(m[1]), lambda _, s: s.red),
    (r"(\d+) in the pile", lambda m: int(m[1]), lambda _, s: s.pile),
    (r"(\d+) turns? left", lambda m: int(m[1]), lambda _, s: s.turns_left),
    (r"(\d+) points?", lambda m: int(m[1]), lambda _, s: s.score),
    (r"seat (\d) to act", lambda m: int(m[1]), lambda _, s: s.turn),
    (r"seat (\d) holds nothing", lambda _: (), lambda m, s: s.hands[int(m[1])]),
    (r"seat (\d) holds (\d+) cards", lambda m: int(m[2]), lambda m, s: len(s.hands[int(m[1])])),
    (r"seat (\d) holds ([a-z]\d( [a-z]\d)*)", lambda m: tuple(sorted(m[2].split())), lambda m, s: s.hands[int(m[1])]),
    (r"(red|yellow|green|blue|white|multi) at (\d)", lambda m: int(m[2]), lambda m, s: s.heights[m[1]]),
    (r"discarded ([a-z]\d( [a-z]\d)*)", lambda m: tuple(sorted(m[1].split())), lambda _, s: s.discards),
    (r"nothing discarded", lambda _: (), lambda _, s: s.discards),
    (r"([a-z]\d) told (\w+) (yes|no|untold)", lambda m: m[3], lambda m, s: s.told.get((m[1], m[2]), "untold")),
    (r"(won|lost|over) by (\w+)", lambda m: (m[1], m[2], 0), lambda _, s: (s.outcome, s.end, s.choices)),
    (r"goes on", lambda _: (None, True), lambda _, s: (s.end, s.choices > 0)),
    (r"nobody can act", lambda _: (None, 0), lambda _, s: (s.end, s.choices)),
    (r"in the band (\S+)", lambda m: (m[1],), lambda _, s: s.bands),
    (r"in no band", lambda _: (), lambda _, s: s.bands),
]


class Story:
    """A stacked deal, and what happens with it. `deck` is the order of drawing; cards not named come last, sorted."""

    def __init__(self, deck: str, setup: Setup) -> None:
        self.setup = setup
        pair = pair_of(setup)
        self.duel = Duel(pair, stacked(pair.rules, " ".join(deck.replace("|", " ").split())))
        self._look("at the start", "")

    def tell(self, text: str) -> Story:
        for line in text.strip().splitlines():
            if line.strip():
                self._line(line.strip())
        return self

    def _line(self, line: str) -> None:
        told, _, checks = line.partition("->")
        seat, _, words = told.strip().partition(" ")
        if seat.isdigit():
            assert int(seat) == self.duel.table.turn, f"{line}: it is the turn of seat {self.duel.table.turn}"
            if words.startswith("may not "):
                self._refused(line, words.removeprefix("may not "))
            else:
                self.duel.act(parse_action(self.duel.table, words))
        else:
            assert not told.strip(), f"a line starts with a seat, or with an arrow: {line}"
        self._look(line, checks)

    def _refused(self, line: str, words: str) -> None:
        action = parse_action(self.duel.table, words)
        assert action not in self.duel.legal(), f"{line}: it is legal"
        now = State(self.duel.pair.compiled, self.duel.dealt, self.duel.state)
        instance = self.duel.pair.instance(action)
        with pytest.raises(IllegalAction):
            now.step(now.action(instance.name, *instance.args))
        with pytest.raises(ref.IllegalAction):
            ref.apply(self.duel.table, action)

    def _look(self, line: str, checks: str) -> None:
        """Compare the engines with each other in every way, then each with the words."""
        duel = self.duel
        duel.legal()
        duel.compare_slowly()
        duel.compare_views(range(duel.pair.seats))
        duel.compare_refusals(Random(line))
        scenes = (from_reference(duel), from_specification(duel))
        for words in filter(None, (part.strip() for part in checks.split(","))):
            for scene in scenes:
                self._check(line, words, scene)

    def _check(self, line: str, words: str, scene: Scene) -> None:
        for pattern, claimed, found in CHECKS:
            if match := re.fullmatch(pattern, words):
                claim, fact = claimed(match), found(match, scene)
                assert claim == fact, f"{line}\n{scene.engine}: not {words!r} but {fact}"
                return
        raise AssertionError(f"not understood: {words!r} in {line}")


@lru_cache(maxsize=32)
def pair_of(setup: Setup) -> Correspondence:
    return Correspondence(setup)

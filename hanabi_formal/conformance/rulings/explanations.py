"""Which ruling would explain a difference: the same game, compared under rules with a question decided otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hanabi_formal.conformance.benches import Benches
from hanabi_formal.conformance.difference import ComparedGame, GameKind, Nonconformance
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.messages import Failed, Unsupported
from hanabi_formal.conformance.one_game import Bench
from hanabi_formal.replays.other_rulings import OtherRulings, Otherwise


class Explainer:
    """Rules that decide otherwise, and a bench for each of them, are made once for a kind of game."""

    def __init__(self, benches: Benches) -> None:
        self.benches = benches
        self._others: dict[GameKind, list[tuple[Otherwise, Bench]]] = {}

    def rulings(self, found: Nonconformance) -> Iterator[Otherwise]:
        """Single rulings under which the two agree in this game."""
        if found.theirs is None:
            return
        kind = found.played.kind
        if kind not in self._others:
            others = OtherRulings(kind.cut(self.benches.game)).singles(kind.players)
            self._others[kind] = [(other, self._bench(other, kind)) for other in others]
        yield from (other for other, bench in self._others[kind] if agrees(bench, found.played))

    def _bench(self, other: Otherwise, kind: GameKind) -> Bench:
        implementation = self.benches.implementation
        return Bench(kind, Menu(other.game, kind.players, implementation.knows), implementation)


def agrees(bench: Bench, played: ComparedGame) -> bool:
    """Does the whole game go the same way, and the move that was only tried too? What else is legal is no matter."""
    menu = bench.menu
    dealt = menu.deal(played.deck)
    state = menu.compiled.start(dealt)
    for number in played.moves:
        if number not in menu.legal(dealt, state):
            return False
        state = menu.step(dealt, state, number)
    script = played
    if len(played.tried) == 1 and played.tried[0] in menu.legal(dealt, state):
        script = replace(played, moves=played.moves + played.tried, tried=())
    try:
        bench.sit()
        return not _any(bench.follow(script), played, len(script.moves))
    except (Failed, Unsupported):
        return False


def _any(differences: Iterable[Nonconformance], played: ComparedGame, length: int) -> bool:
    for found in differences:
        mere = found.cause[0] in ("allows", "refuses") and found.played.tried
        if not mere:
            return True
        if {*found.played.tried} & {*played.tried} and len(found.played.moves) in (len(played.moves), length - 1):
            return True
    return False

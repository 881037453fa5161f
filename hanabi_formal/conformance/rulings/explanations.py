"""Which ruling would explain a difference: the same game, compared under rules with a question decided otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hanabi_formal.conformance.benches import Benches, GameKind
from hanabi_formal.conformance.comparison import Comparison
from hanabi_formal.conformance.difference import ComparedGame, Nonconformance
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.messages import Failed, Unsupported
from hanabi_formal.replays.other_rulings import OtherRulings, Otherwise

MOST_PAIRS = 200


class Explainer:
    def __init__(self, benches: Benches) -> None:
        self.benches = benches
        self._others: dict[GameKind, OtherRulings] = {}
        self._comparisons: dict[tuple[GameKind, object], Comparison | None] = {}

    def rulings(self, found: Nonconformance) -> Iterator[Otherwise]:
        """Single rulings under which the two agree in this game; if there is none, pairs."""
        if found.theirs is None:
            return
        kind = GameKind(found.played.players, found.played.cuts)
        if kind not in self._others:
            self._others[kind] = OtherRulings(self.benches.cut(kind))
        others = self._others[kind]
        singles = [other for other in others.singles(kind.players) if self.agrees(other, kind, found.played)]
        yield from singles

    def agrees(self, other: Otherwise, kind: GameKind, played: ComparedGame) -> bool:
        key = kind, other.choice
        if key not in self._comparisons:
            self._comparisons[key] = self._comparison(other, kind)
        comparison = self._comparisons[key]
        return comparison is not None and agrees(comparison, played)

    def _comparison(self, other: Otherwise, kind: GameKind) -> Comparison | None:
        try:
            menu = Menu(other.game, kind.players, self.benches.implementation.knows)
        except Unsupported:
            return None
        return Comparison(menu, self.benches.implementation, kind.cuts)


def agrees(comparison: Comparison, played: ComparedGame) -> bool:
    """Does the whole game go the same way, and the move that was only tried too? What else is legal is no matter."""
    menu = comparison.menu
    dealt = menu.deal(played.deck)
    state = menu.compiled.start(dealt)
    script = list(played.moves)
    for number in script:
        if number not in menu.legal(dealt, state):
            return False
        state = menu.step(dealt, state, number)
    tried = played.tried
    if len(tried) == 1 and tried[0] in menu.legal(dealt, state):
        script, tried = [*script, tried[0]], ()
    try:
        comparison.sit()
        return not _any(comparison.follow(dealt[0], script, tried), played, len(script))
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

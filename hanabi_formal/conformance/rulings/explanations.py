"""Which ruling would explain a difference: the same game, compared under rules with a question decided otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hanabi_formal.conformance.benches import Benches, Kind
from hanabi_formal.conformance.difference import Difference, Played
from hanabi_formal.conformance.judge import Judge
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.messages import Failed, Unsupported
from hanabi_formal.replays.other_rulings import OtherRulings, Otherwise

MOST_PAIRS = 200


class Explainer:
    def __init__(self, benches: Benches) -> None:
        self.benches = benches
        self._others: dict[Kind, OtherRulings] = {}
        self._judges: dict[tuple[Kind, object], Judge | None] = {}

    def rulings(self, found: Difference) -> Iterator[Otherwise]:
        """Single rulings under which the two agree in this game; if there is none, pairs."""
        if found.theirs is None:
            return
        kind = Kind(found.played.players, found.played.cuts)
        if kind not in self._others:
            self._others[kind] = OtherRulings(self.benches.cut(kind))
        others = self._others[kind]
        singles = [other for other in others.singles(kind.players) if self.agrees(other, kind, found.played)]
        yield from singles

    def agrees(self, other: Otherwise, kind: Kind, played: Played) -> bool:
        key = kind, other.choice
        if key not in self._judges:
            self._judges[key] = self._judge(other, kind)
        judge = self._judges[key]
        return judge is not None and agrees(judge, played)

    def _judge(self, other: Otherwise, kind: Kind) -> Judge | None:
        try:
            menu = Menu(other.game, kind.players, self.benches.implementation.knows)
        except Unsupported:
            return None
        return Judge(menu, self.benches.implementation, kind.cuts)


def agrees(judge: Judge, played: Played) -> bool:
    """Does the whole game go the same way, and the move that was only tried too? What else is legal is no matter."""
    menu = judge.menu
    names = {name: face for face, name in enumerate(menu.faces)}
    faces = [names[card] for card in played.deck]
    dealt = menu.compiled.deal(faces)
    state = menu.compiled.start(dealt)
    script = list(played.moves)
    for number in script:
        code = next((c for c in menu.compiled.legal(dealt, state) if menu.number(state, c) == number), None)
        if code is None:
            return False
        state = menu.compiled.step(dealt, state, code)
    legal = menu.numbers(state, menu.compiled.legal(dealt, state))
    tried = played.tried
    if len(tried) == 1 and tried[0] in legal:
        script, tried = [*script, tried[0]], ()
    try:
        judge.sit()
        return not _any(judge.follow(faces, script, tried), played, len(script))
    except (Failed, Unsupported):
        return False


def _any(differences: Iterable[Difference], played: Played, length: int) -> bool:
    for found in differences:
        mere = found.cause[0] in ("allows", "refuses") and found.played.tried
        if not mere:
            return True
        if {*found.played.tried} & {*played.tried} and len(found.played.moves) in (len(played.moves), length - 1):
            return True
    return False

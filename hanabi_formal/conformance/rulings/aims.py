"""Games played towards what chance seldom comes to: out of cards and tokens, or perfect when the pile is empty.

Many games of one deal go on side by side, those first that are nearest, until rulings are told apart in one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hanabi_formal.conformance.difference import GameKind
from hanabi_formal.conformance.rulings.open_rules import OpenRules, RulingChoice
from hanabi_formal.conformance.styles import StyledPlayer
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.search.beam_search import Beam, Estimate
from hanabi_formal.run.compiler.compile import Dealt, PackedState

DEALS = 4
BUDGET = 1_000_000
MOST_STEPS = 30


class _Under:
    """The executor of open rules with one choice of rulings."""

    def __init__(self, board: OpenRules, choice: RulingChoice) -> None:
        self.board = board
        self.choice = choice

    def __getattr__(self, name: str) -> Any:
        return getattr(self.board.compiled, name)

    def start(self, dealt: Dealt) -> PackedState:
        return self.board.start(dealt, self.choice)


def aimed(kind: GameKind, board: OpenRules, player: StyledPlayer, committee: Sequence[RulingChoice]) -> Iterator[Trace]:
    """Games in which others of these rulings seem to differ from the first, one for each aim and deal at most."""
    goal = _Differs(board, committee)
    if not goal.others:
        return
    beam = Beam(_Under(board, committee[0]), BUDGET, most_steps=MOST_STEPS)  # type: ignore[arg-type]
    for estimate, faces in _aims(kind, board, player):
        played = beam.play(estimate, goal, Trace(tuple(faces), ()))
        if played is not None and played.reaching is not None:
            yield played.reaching


def _aims(kind: GameKind, board: OpenRules, player: StyledPlayer) -> Iterator[tuple[Estimate, Sequence[int]]]:
    menu, score = board.menu, board.compiled.score
    blue, drawn, cards = menu.table.blue, menu.table.drawn, len(menu.some_deal)

    def one_empty_hand(dealt: Dealt, state: PackedState) -> int:
        return -2 * len(menu.hand(state, 0)) - blue(state)

    def empty_hands(dealt: Dealt, state: PackedState) -> int:
        return -2 * sum(len(menu.hand(state, seat)) for seat in range(menu.players)) - blue(state)

    def late_points(dealt: Dealt, state: PackedState) -> int:
        return score(dealt, state) + int(drawn(state) == cards)

    if kind.cuts:
        yield from ((late_points, player.deal()) for _ in range(DEALS))
    else:
        yield one_empty_hand, player.ordered_deal()
        yield empty_hands, player.ordered_deal()


class _Differs:
    """Would others of these rulings have made another table of a step, or allow something else after it?"""

    def __init__(self, board: OpenRules, committee: Sequence[RulingChoice]) -> None:
        self.board = board
        self.others = list(dict.fromkeys(map(board.relevant, committee)))[1:]
        self._before: PackedState = ()
        self._known: set[PackedState] = set()

    def __call__(self, dealt: Dealt, before: PackedState, code: int, after: PackedState) -> bool:
        board, names = self.board, dealt[0]
        if before is not self._before:
            self._before = before
            self._known = set()
            self._there = [board.under(before, other) for other in self.others]
        if after in self._known:
            return False
        self._known.add(after)
        for start in self._there:
            there = board.compiled.step(dealt, start, code)
            if not board.is_same(dealt, after, there):
                if board.seen(dealt, names, there) != board.seen(dealt, names, after):
                    return True
            elif board.legal_differs(dealt, after, there):
                return True
        return False

"""Games that tell combinations of rulings apart, found by playing the rules under all of them at once.

No implementation is asked: what is found is what to ask it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

from hanabi_formal.api import Game
from hanabi_formal.conformance.benches import tiny_kinds
from hanabi_formal.conformance.difference import GameKind
from hanabi_formal.conformance.menu import Chooser
from hanabi_formal.conformance.messages import Seen
from hanabi_formal.conformance.rulings.aims import aimed
from hanabi_formal.conformance.rulings.open_rules import OpenGame, OpenRules, Questions, RulingChoice
from hanabi_formal.conformance.styles import LATE, STYLES, Style, StyledPlayer
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.run.compiler.compile import Dealt, PackedState

SMALL = 3


@dataclass(frozen=True)
class Probe:
    """A game to be asked for. By its last move, or after it, the rulings in `others` differ from the first ones."""

    kind: GameKind
    faces: tuple[int, ...]
    moves: tuple[int, ...]
    others: frozenset[RulingChoice]


@dataclass
class Boards:
    """The rules with their rulings left open, for every kind of game; each is made once."""

    game: Game
    players: tuple[int, ...]
    knows: frozenset[str]
    tiny: bool = True
    _made: dict[GameKind, OpenRules | None] = field(default_factory=dict)

    @cached_property
    def questions(self) -> Questions:
        return Questions(OpenGame(self.game.merged, self.game.settings).opened(self.players[0]).rulings)

    @cached_property
    def depends(self) -> frozenset[int]:
        """The numbers of the rulings that whole games depend on at all."""
        systems = [OpenGame(self.game.merged, self.game.settings).system(players) for players in self.players]
        names = {variable.name for system in systems for variable in system.variables}
        return frozenset(number for number, name in enumerate(self.questions.names) if name in names)

    def board(self, kind: GameKind) -> OpenRules | None:
        """None if there is no such game."""
        if kind not in self._made:
            try:
                self._made[kind] = OpenRules(kind.cut(self.game), kind.players, self.knows, self.questions)
            except Rejected:
                self._made[kind] = None
        return self._made[kind]

    def kinds(self) -> Iterator[GameKind]:
        """Whole decks, and tiny ones for the fewest players."""
        for players in self.players:
            yield GameKind(players)
            board = self.board(GameKind(players)) if players == min(self.players) and self.tiny else None
            if board is not None:
                yield from tiny_kinds(self.game, players, board.menu.hand_size, SMALL)


class ProbeSearch:
    """Plays on from where it was. `told` are the parts of a table that an implementation tells, None for all."""

    def __init__(self, boards: Boards, seed: int | str) -> None:
        self.boards = boards
        self.seed = seed
        self.told: frozenset[str] | None = None
        self.unsupported: frozenset[GameKind] = frozenset()
        self.looked_at = 0
        self._players: dict[GameKind, StyledPlayer] = {}
        self._order = self._games()

    def player(self, kind: GameKind, board: OpenRules) -> StyledPlayer:
        if kind not in self._players:
            self._players[kind] = StyledPlayer(board.menu, f"{self.seed} {kind}")
        return self._players[kind]

    def _games(self) -> Iterator[tuple[GameKind, Style]]:
        styles = (*STYLES, LATE)
        for number in count():
            for at, kind in enumerate(self.boards.kinds()):
                yield kind, styles[(number + at) % len(styles)]

    def split(self, committee: Sequence[RulingChoice], games: int) -> Probe | None:
        """A game in which the first of these rulings and some other behave differently; None if none was found."""
        for _ in range(games):
            kind, style = next(self._order)
            board = self.boards.board(kind) if kind not in self.unsupported else None
            if board is None:
                continue
            player = self.player(kind, board)
            found = self._played(kind, board, committee, tuple(player.deal()), player.chooser(style))
            if found is not None:
                return found
        return None

    def aimed(self, committee: Sequence[RulingChoice]) -> Probe | None:
        """The same, in games that are played towards edges."""
        for kind in self.boards.kinds():
            board = self.boards.board(kind) if kind not in self.unsupported else None
            if board is None or kind.players > min(self.boards.players):
                continue
            for trace in aimed(kind, board, self.player(kind, board), committee):
                found = self._played(kind, board, committee, trace.faces, _following(board, trace))
                if found is not None:
                    return found
        return None

    def _played(
        self,
        kind: GameKind,
        board: OpenRules,
        committee: Sequence[RulingChoice],
        faces: tuple[int, ...],
        choose: Chooser,
    ) -> Probe | None:
        self.looked_at += 1
        compiled = board.compiled
        dealt, names = compiled.deal(list(faces)), board.menu.names(faces)
        alike: dict[RulingChoice, list[RulingChoice]] = {}
        for choice in committee:
            alike.setdefault(board.relevant(choice), []).append(choice)
        states = [board.start(dealt, choice) for choice in alike]
        moves: list[int] = []
        while len(states) > 1:
            strange = [board.legal_differs(dealt, states[0], state) for state in states]
            other = [self._shown_differs(board, dealt, names, states[0], state) for state in states]
            if any(strange) or any(other):
                tried = min(frozenset().union(*strange), default=None) if not any(other) else None
                differ = other if tried is None else [tried in moves for moves in strange]
                others = [c for group, differs in zip(alike.values(), differ, strict=True) if differs for c in group]
                return Probe(kind, faces, (*moves, *(() if tried is None else (tried,))), frozenset(others))
            legal = board.menu.legal(dealt, states[0])
            move = choose(dealt, states[0], legal) if legal else None
            if move is None:
                return None
            moves.append(move)
            states = board.menu.steps(dealt, states, move)
        return None

    def _shown_differs(
        self, board: OpenRules, dealt: Dealt, names: Sequence[str], one: PackedState, other: PackedState
    ) -> bool:
        if board.is_same(dealt, one, other):
            return False
        shown, also = board.seen(dealt, names, one), board.seen(dealt, names, other)
        told = Seen._fields if self.told is None else self.told
        return any(getattr(shown, name) != getattr(also, name) for name in told)


def _following(board: OpenRules, trace: Trace) -> Chooser:
    script = iter(trace.actions)

    def choose(dealt: Dealt, state: PackedState, moves: Sequence[int]) -> int | None:
        action = next(script, None)
        move = board.menu.move_of(state, action) if action is not None else None
        return move if move in moves else None

    return choose

"""Games that tell combinations of rulings apart, found by playing the rules under all of them at once.

No implementation is asked: what is found is what to ask it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from hanabi_formal.api import Game
from hanabi_formal.conformance.benches import Kind, cut, tiny_kinds
from hanabi_formal.conformance.messages import Seen, Unsupported
from hanabi_formal.conformance.rulings.aims import aimed
from hanabi_formal.conformance.rulings.open_rules import Choice, OpenGame, OpenRules, Questions
from hanabi_formal.conformance.styles import LATE, STYLES, Player, Style
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.run.compiler.compile import Dealt, Packed_State

SMALL = 3
Script = Callable[[Dealt, Packed_State, Sequence[int]], int | None]


@dataclass(frozen=True)
class Probe:
    """A game to be asked for. By its last move, or after it, the rulings in `others` differ from the first ones."""

    kind: Kind
    faces: tuple[int, ...]
    moves: tuple[int, ...]
    others: frozenset[Choice]


class Boards:
    """The rules with their rulings left open, for every kind of game; each is made once."""

    def __init__(self, game: Game, players: Sequence[int], knows: frozenset[str], tiny: bool = True) -> None:
        self.game = game
        self.players = tuple(players)
        self.knows = knows
        self.tiny = tiny
        self.questions = Questions(OpenGame(game.merged, game.settings).opened(self.players[0]).rulings)
        self._made: dict[Kind, OpenRules | None] = {}

    @cached_property
    def depends(self) -> frozenset[int]:
        """The numbers of the rulings that whole games depend on at all."""
        systems = [OpenGame(self.game.merged, self.game.settings).system(players) for players in self.players]
        names = {variable.name for system in systems for variable in system.variables}
        return frozenset(number for number, name in enumerate(self.questions.names) if name in names)

    def board(self, kind: Kind) -> OpenRules | None:
        """None if there is no such game."""
        if kind not in self._made:
            try:
                found = OpenRules(cut(self.game, kind), kind.players, self.knows, self.questions)
            except (Rejected, Unsupported):
                self._made[kind] = None
            else:
                self._made[kind] = found
        return self._made[kind]

    def kinds(self) -> Iterator[Kind]:
        """Whole decks, and tiny ones for the fewest players."""
        for players in self.players:
            yield Kind(players)
            board = self.board(Kind(players)) if players == min(self.players) and self.tiny else None
            if board is not None:
                yield from tiny_kinds(self.game, players, board.menu.hand_size, SMALL)


class Search:
    """Plays on from where it was. `told` are the parts of a table that an implementation tells, None for all."""

    def __init__(self, boards: Boards, seed: int | str, told: frozenset[str] | None = None) -> None:
        self.boards = boards
        self.seed = seed
        self.told = told
        self.unsupported: frozenset[Kind] = frozenset()
        self.looked_at = 0
        self._players: dict[Kind, Player] = {}
        self._order = self._games()

    def player(self, kind: Kind, board: OpenRules) -> Player:
        if kind not in self._players:
            self._players[kind] = Player(board.menu, f"{self.seed} {kind}")
        return self._players[kind]

    def _games(self) -> Iterator[tuple[Kind, Style]]:
        styles = (*STYLES, LATE)
        for number in count():
            for at, kind in enumerate(self.boards.kinds()):
                yield kind, styles[(number + at) % len(styles)]

    def split(self, committee: Sequence[Choice], games: int) -> Probe | None:
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

    def aimed(self, committee: Sequence[Choice]) -> Probe | None:
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
        self, kind: Kind, board: OpenRules, committee: Sequence[Choice], faces: tuple[int, ...], choose: Script
    ) -> Probe | None:
        self.looked_at += 1
        compiled = board.compiled
        dealt, names = compiled.deal(list(faces)), board.menu.names(faces)
        alike: dict[Choice, list[Choice]] = {}
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
            codes = [c for c in compiled.legal(dealt, states[0]) if board.menu.number(states[0], c) is not None]
            code = choose(dealt, states[0], codes) if codes else None
            number = board.menu.number(states[0], code) if code is not None else None
            if code is None or number is None:
                return None
            moves.append(number)
            states = [compiled.step(dealt, state, code) for state in states]
        return None

    def _shown_differs(
        self, board: OpenRules, dealt: Dealt, names: Sequence[str], one: Packed_State, other: Packed_State
    ) -> bool:
        if board.is_same(dealt, one, other):
            return False
        shown, also = board.seen(dealt, names, one), board.seen(dealt, names, other)
        return any(
            value != known
            for name, value, known in zip(Seen._fields, shown, also, strict=True)
            if self.told is None or name in self.told
        )


def _following(board: OpenRules, trace: Trace) -> Script:
    script = iter(trace.actions)

    def choose(dealt: Dealt, state: Packed_State, codes: Sequence[int]) -> int | None:
        step = next(script, None)
        return None if step is None else board.compiled.encode(dealt, state, step)

    return choose

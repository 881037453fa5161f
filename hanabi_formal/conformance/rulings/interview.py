"""An implementation led through games, and what it said, to be held against any rulings later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from hanabi_formal.conformance.difference import GameKind
from hanabi_formal.conformance.menu import Chooser
from hanabi_formal.conformance.messages import Failed, Implementation, Reply, Unsupported
from hanabi_formal.conformance.one_game import guarded
from hanabi_formal.conformance.rulings.open_rules import HeardGame, OpenRules, RulingChoice
from hanabi_formal.conformance.rulings.tell_apart import Probe

Next = Callable[[Reply], int | None]


class Interview:
    """`told` are the parts of a table that it ever told; `unsupported` are games that it does not have."""

    def __init__(self, implementation: Implementation, seed: int | str) -> None:
        self.implementation = implementation
        self.random = Random(f"attempts {seed}")
        self.games = 0
        self.told: frozenset[str] = frozenset()
        self.unsupported: dict[GameKind, str] = {}
        self._seated: GameKind | None = None

    def probed(self, board: OpenRules, probe: Probe) -> HeardGame | None:
        moves = iter(probe.moves)

        def following(answer: Reply) -> int | None:
            return None if answer.refused is not None else next(moves, None)

        return self._played(board, probe.kind, probe.faces, following)

    def game(
        self,
        board: OpenRules,
        kind: GameKind,
        faces: tuple[int, ...],
        choice: RulingChoice,
        choose: Chooser,
        attempts: int,
    ) -> HeardGame | None:
        """A whole game as these rulings have it. Illegal moves are tried too, unless it says what is legal."""
        compiled, menu = board.compiled, board.menu
        dealt = compiled.deal(list(faces))

        def moves() -> Iterator[int]:
            state = board.start(dealt, choice)
            while True:
                legal = menu.legal(dealt, state)
                illegal = [n for n in range(len(menu.moves)) if n not in legal and menu.instance(state, n) is not None]
                if attempts and not listed and illegal and not compiled.ended(state):
                    yield from self.random.sample(illegal, min(attempts, len(illegal)))
                move = choose(dealt, state, legal) if legal else None
                if move is None:
                    return
                state = menu.step(dealt, state, move)
                yield move

        listed = False
        script = moves()

        def following(answer: Reply) -> int | None:
            nonlocal listed
            listed = answer.legal is not None
            return next(script, None)

        return self._played(board, kind, faces, following)

    def _played(self, board: OpenRules, kind: GameKind, faces: tuple[int, ...], following: Next) -> HeardGame | None:
        """Up to where it fails, if it does. None if it has no such game, or nothing to say of it."""
        answers: list[Reply] = []
        moves: list[int] = []
        failed = False
        if kind in self.unsupported:
            return None
        try:
            if self._seated != kind:
                self._seated = None
                guarded(self.implementation.sit, board.setup)
                self._seated = kind
            self.games += 1
            answers.append(guarded(self.implementation.start, board.menu.names(faces)))
            number = following(answers[-1])
            while number is not None:
                moves.append(number)
                answers.append(guarded(self.implementation.act, number))
                number = following(answers[-1])
        except Unsupported as problem:
            self.unsupported[kind] = str(problem)
            return None
        except Failed:
            failed = True
        for answer in answers:
            self.told |= answer.seen.told.keys()
        return HeardGame(faces, tuple(moves[: max(0, len(answers) - 1)]), tuple(answers), failed)

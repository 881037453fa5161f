"""The rules and an implementation compared in games of one kind."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from hanabi_formal.conformance.difference import Cause, Cuts, Nonconformance
from hanabi_formal.conformance.menu import Chooser, Menu
from hanabi_formal.conformance.messages import Failed, Implementation
from hanabi_formal.conformance.one_game import OneGame, Sides, Tally, guarded
from hanabi_formal.conformance.prohibitions import Prohibitions

ATTEMPTS = 2


class Comparison:
    """Plays games of one kind; what it counts and comes to know is in its `tally`."""

    def __init__(
        self, menu: Menu, implementation: Implementation, cuts: Cuts = (), known: set[Cause] | None = None
    ) -> None:
        self.menu = menu
        self.cuts = cuts
        self.prohibitions = Prohibitions(menu)
        self.tally = Tally(known if known is not None else set())
        self._sides = Sides(menu, implementation, cuts, self.prohibitions, self.tally)

    def sit(self) -> None:
        """Tell the implementation which kind of game comes next. If it fails, the next game will show that."""
        with contextlib.suppress(Failed):
            guarded(lambda: self._sides.implementation.sit(self.menu.setup))

    def play(self, faces: Sequence[int], choose: Chooser, attempts: int = 0) -> Iterator[Nonconformance]:
        """A game that goes on as the chooser likes, until it ends or the two part. Found differences in what is legal
        do not stop it. `attempts` are illegal moves to try at each state, if the implementation does not list them.
        """
        return OneGame(self._sides, tuple(faces), choose, attempts).run()

    def follow(self, faces: Sequence[int], moves: Sequence[int], tried: Sequence[int] = ()) -> Iterator[Nonconformance]:
        """A game with given moves, all of them legal; at its end others are tried."""
        return OneGame(self._sides, tuple(faces), None, 0, moves, tried).run()

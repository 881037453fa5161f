"""Which combination of rulings does an implementation follow?

All combinations are candidates. As long as the rules know a game in which two candidates behave differently, the
implementation is led through it, and candidates that would have answered otherwise are out. Those left at the end are
told apart by no game that was looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, islice, product
from math import prod
from random import Random

from hanabi_formal.conformance.difference import GameKind
from hanabi_formal.conformance.messages import ALWAYS, Implementation
from hanabi_formal.conformance.one_game import ATTEMPTS
from hanabi_formal.conformance.rulings.interview import Interview
from hanabi_formal.conformance.rulings.open_rules import HeardGame, RulingChoice
from hanabi_formal.conformance.rulings.tell_apart import Boards, ProbeSearch
from hanabi_formal.conformance.styles import DEEP, STYLES, Style
from hanabi_formal.conformance.trial import ConformanceTrial, Group
from hanabi_formal.replays.other_rulings import with_rulings

COMMITTEE = 40
LOOK_AT = 80
FRUITLESS = 3
TINY_GAMES = 9
UNSAID = 12
KNOWS = ALWAYS | {"announce", "pass", "take"}
"""Whoever has these can show every ruling that anybody can."""
QUICK = STYLES[-1]


@dataclass(frozen=True)
class Inferred:
    """`rulings` is the combination found, as near to the one given as can be. `alike` are all that are left, that one
    first, and `open` the other values in them.

    Why they are left: on `same` the rules do not depend, whatever the other rulings are; what would show `unsaid` the
    implementation has no action for; of the rest, no game that was looked at shows anything. `given` was not asked for:
    such rulings decide what there is to play with. `left` are differences that no combination explains.
    """

    name: str
    rulings: dict[str, str]
    alike: tuple[dict[str, str], ...]
    open: dict[str, tuple[str, ...]]
    same: tuple[str, ...]
    unsaid: tuple[str, ...]
    given: tuple[str, ...]
    left: tuple[Group, ...]
    games: int
    looked_at: int

    @property
    def is_product(self) -> bool:
        """Is every combination of the values left?"""
        return len(self.alike) == prod(1 + len(others) for others in self.open.values())


@dataclass
class Inference:
    """`games` are played with whole decks in the end, to see whether anything is left that no ruling explains."""

    boards: Boards
    implementation: Implementation
    games: int
    seed: int | str = 0
    say: Callable[[str], None] = lambda text: None

    def __post_init__(self) -> None:
        self.game, self.players, self.questions = self.boards.game, self.boards.players, self.boards.questions
        self.search = ProbeSearch(self.boards, self.seed)
        self.witness = Interview(self.implementation, self.seed)
        self.random = Random(f"infer {self.seed}")
        self.records: list[tuple[GameKind, HeardGame]] = []
        self.given = self.questions.choice(dict(self.game.system(self.players[0]).rulings))
        depends = self.boards.depends
        asked = [range(len(v)) if n in depends else (self.given[n],) for n, (_, v) in enumerate(self.questions.rulings)]
        self.alive: list[RulingChoice] = sorted(product(*asked), key=self._changes)
        self._fruitless: Counter[RulingChoice] = Counter()

    def run(self) -> Inferred:
        self._introduce()
        self._tell_apart()
        while (many := len(self.alive)) and not self._confirmed():
            if len(self.alive) == many:
                return self._inferred(self._unexplained())
            self._tell_apart()
        return self._inferred(())

    def _changes(self, choice: RulingChoice) -> tuple[int, RulingChoice]:
        return sum(one != other for one, other in zip(choice, self.given, strict=True)), choice

    @property
    def leader(self) -> RulingChoice:
        return self.alive[0]

    # ---- asking ----------------------------------------------------------------------------------------
    def _introduce(self) -> None:
        """A short game, to see what it tells."""
        for kind in self.boards.kinds():
            if self._game(kind, QUICK, 0) is not None:
                break
        self.search.told = self.witness.told or None

    def _tell_apart(self) -> None:
        while len(self.alive) > 1:
            self.search.unsupported = frozenset(self.witness.unsupported)
            probe = self.search.split(self._committee(), LOOK_AT) or self.search.aimed(self._committee(near=True))
            if probe is None:
                return
            board = self.boards.board(probe.kind)
            assert board is not None
            record = self.witness.probed(board, probe)
            if record is not None and not self._prune(probe.kind, record):
                self._fruitless.update(probe.others)
            self.say(f"{len(self.alive):,} combinations are left")

    def _committee(self, near: bool = False) -> list[RulingChoice]:
        """The leader and those next to it; also some others, if not only those are wanted."""
        alive = [choice for choice in self.alive[1:] if self._fruitless[choice] < FRUITLESS]
        beside = {*self.questions.neighbours(self.leader)}
        found = [choice for choice in alive if choice in beside]
        others = [choice for choice in alive if choice not in beside] if not near else []
        many = max(0, COMMITTEE - len(found))
        return [self.leader, *found, *(others if len(others) <= many else self.random.sample(others, many))]

    def _prune(self, kind: GameKind, record: HeardGame) -> bool:
        """Only those stay that explain most of what was said. Did any go?"""
        self.records.append((kind, record))
        lasts = self._lasts(kind, record, self.alive)
        most, many = max(lasts), len(self.alive)
        self.alive = [choice for choice, last in zip(self.alive, lasts, strict=True) if last == most]
        return len(self.alive) < many

    def _lasts(self, kind: GameKind, record: HeardGame, choices: Sequence[RulingChoice]) -> list[int]:
        board = self.boards.board(kind)
        assert board is not None
        dealt, names = board.compiled.deal(list(record.faces)), board.menu.names(record.faces)
        known: dict[RulingChoice, int] = {}
        for choice in map(board.relevant, choices):
            if choice not in known:
                known[choice] = board.lasts(choice, record, dealt, names)
        return [known[board.relevant(choice)] for choice in choices]

    # ---- whether that is all ---------------------------------------------------------------------------
    def _game(self, kind: GameKind, style: Style, attempts: int) -> HeardGame | None:
        board = self.boards.board(kind)
        if board is None:
            return None
        player = self.search.player(kind, board)
        return self.witness.game(board, kind, tuple(player.deal()), self.leader, player.chooser(style), attempts)

    def _confirmed(self) -> bool:
        """Does it go on as the rulings found say, in games of all kinds?"""
        tiny = [kind for kind in self.boards.kinds() if kind.cuts]
        whole = zip(islice(cycle(map(GameKind, self.players)), self.games), cycle(DEEP), strict=False)
        edges = zip(islice(cycle(tiny), TINY_GAMES), cycle(STYLES), strict=False)
        for kind, style in chain(whole, edges):
            record = self._game(kind, style, ATTEMPTS)
            if record is not None:
                (last,) = self._lasts(kind, record, [self.leader])
                self._prune(kind, record)
                if last < len(record.answers) or record.failed:
                    return False
        return True

    def _unexplained(self) -> tuple[Group, ...]:
        """What is left under the rulings that explain most of all games."""
        best, fewest = self.leader, self._against(self.leader)
        better: RulingChoice | None = best
        while better is not None:
            best, better = better, None
            for other in self.questions.neighbours(best):
                against = self._against(other)
                if against < fewest:
                    better, fewest = other, against
        if best != self.leader:
            self.alive = [best]
        final = with_rulings(self.game, self.questions.chosen(best))
        findings = ConformanceTrial(final, self.implementation, self.players, self.games, self.seed).run()
        self.witness.games += findings.games
        return tuple(findings.groups)

    def _against(self, choice: RulingChoice) -> int:
        return sum(self._lasts(kind, record, [choice])[0] < len(record.answers) for kind, record in self.records)

    # ---- the answer ------------------------------------------------------------------------------------
    def _inferred(self, left: tuple[Group, ...]) -> Inferred:
        same = [n for n in range(len(self.given)) if n not in self.boards.depends]
        # What makes no difference was not tried; it may be anything.
        any_value = [
            [self.given[n], *(v for v in range(len(values)) if v != self.given[n])] if n in same else [None]
            for n, (_, values) in enumerate(self.questions.rulings)
        ]
        alive = [
            tuple(old if new is None else new for old, new in zip(choice, other, strict=True))
            for choice in self.alive
            for other in product(*any_value)
        ]
        alike = [self.questions.chosen(choice) for choice in alive]
        final = dict(with_rulings(self.game, alike[0]).system(self.players[0]).rulings)
        opened = {
            name: others
            for name, value in alike[0].items()
            if (others := tuple(dict.fromkeys(other[name] for other in alike if other[name] != value)))
        }
        names = self.questions.names
        return Inferred(
            self.implementation.name,
            final,
            tuple(alike),
            opened,
            tuple(names[n] for n in same),
            self._unsaid(),
            tuple(name for name in final if name not in names),
            left,
            self.witness.games,
            self.search.looked_at,
        )

    def _unsaid(self) -> tuple[str, ...]:
        """Rulings that would be told apart if the implementation had every action there is."""
        knows = self.implementation.knows
        if knows >= KNOWS:
            return ()
        search = ProbeSearch(Boards(self.game, self.players[:1], knows | KNOWS, tiny=False), self.seed)
        found = []
        for number, name in enumerate(self.questions.names):
            others = [c for c in self.questions.neighbours(self.leader) if c[number] != self.leader[number]]
            others = [choice for choice in others if choice in self.alive]
            if others and search.split([self.leader, *others], UNSAID) is not None:
                found.append(name)
        return tuple(found)

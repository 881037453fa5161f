"""An implementation put on trial: games of every kind, what parts it from the rules, shown as shortly as can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice

from hanabi_formal.api import Game
from hanabi_formal.conformance.benches import Benches
from hanabi_formal.conformance.difference import WORDS, Cause, GameKind, Nonconformance
from hanabi_formal.conformance.messages import Implementation
from hanabi_formal.conformance.one_game import ATTEMPTS, Bench
from hanabi_formal.conformance.orders import Order, orders
from hanabi_formal.conformance.rulings.explanations import Explainer
from hanabi_formal.conformance.shrink import Shrinker, states_of
from hanabi_formal.conformance.styles import DEEP, STYLES, Style, StyledPlayer
from hanabi_formal.engines.second_opinion import second_opinion
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.search.replayed import longest_games
from hanabi_formal.replays.other_rulings import Otherwise
from hanabi_formal.run.compiler.compile import Dealt, PackedState

FAILURES = 6
TINY = 16
PER_TINY = 9
EDGES = 5


@dataclass(frozen=True)
class Group:
    """Differences with one cause: how many there were, the shortest game, the rulings that would explain it."""

    shortest: Nonconformance
    many: int
    explained: tuple[Otherwise, ...] = ()


@dataclass(frozen=True)
class Exercised:
    """Something of the rules, and whether the implementation was led through a game that exercises it.

    `unsaid` is an action of that game which the implementation does not know.
    """

    order: Order
    players: int
    done: bool
    unsaid: str = ""


@dataclass
class Findings:
    name: str
    games: int = 0
    states: int = 0
    refusals: int = 0
    groups: list[Group] = field(default_factory=list)
    coverage: list[Exercised] = field(default_factory=list)
    unsupported: dict[GameKind, str] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    stopped: str = ""

    @property
    def agrees(self) -> bool:
        return not self.groups

    @property
    def untold(self) -> tuple[str, ...]:
        """What lies on the table and was never told, so that it could not be compared."""
        return tuple(name for name in WORDS if name not in self.told) if self.states else ()

    @property
    def missing(self) -> list[Exercised]:
        """What was not exercised."""
        return [item for item in self.coverage if not item.done]

    @property
    def is_whole(self) -> bool:
        """Could everything be compared?"""
        return self.states > 0 and not self.untold and not any(item.unsaid for item in self.missing)


TrialProgress = Callable[[str, int, int], None]


@dataclass
class ConformanceTrial:
    """`games` is how many are played with whole decks, shared among the numbers of players."""

    game: Game
    implementation: Implementation
    players: Sequence[int]
    games: int
    seed: int | str = 0
    tiny: bool = True
    explain: bool = True
    progress: TrialProgress = lambda what, done, of: None

    def __post_init__(self) -> None:
        self.benches = Benches(self.game, self.implementation)
        self.findings = Findings(self.implementation.name)
        self._found: dict[Cause, tuple[Nonconformance, int]] = {}
        self._failures = 0

    def run(self) -> Findings:
        self._play()
        self._shrink()
        return self._told()

    def so_far(self) -> Findings:
        """What is known when a trial is interrupted: games as they were found."""
        if not self.findings.groups:
            self.findings.groups = [Group(found, many) for found, many in self._found.values()]
        self.findings.stopped = "before it was done"
        return self._told()

    def _told(self) -> Findings:
        self.findings.unsupported = dict(self.benches.unsupported)
        return self.findings

    # ---- games -----------------------------------------------------------------------------------------
    def _play(self) -> None:
        kinds = [GameKind(players) for players in self.players]
        for kind in kinds:
            if not self._over:
                self._made_to_order(kind)
        if self.tiny and not self._over:
            for kind in islice((k for players in self.players for k in self.benches.tiny(players)), TINY):
                self._several(kind, PER_TINY, STYLES)
        share = [self.games // len(kinds) + (n < self.games % len(kinds)) for n in range(len(kinds))]
        for kind, many in zip(kinds, share, strict=True):
            self._several(kind, many, (*DEEP, *STYLES) if many > EDGES else DEEP)

    @property
    def _over(self) -> bool:
        """Enough of one that does not answer."""
        if self._failures >= FAILURES and not self.findings.stopped:
            self.findings.stopped = f"after {self._failures} games in which it failed"
        return bool(self.findings.stopped)

    def _several(self, kind: GameKind, many: int, styles: Sequence[Style]) -> None:
        bench = self.benches.bench(kind) if not self._over else None
        if bench is None:
            return
        player = StyledPlayer(bench.menu, f"{self.seed} {kind}")
        for number, style in enumerate(islice(cycle(styles), many)):
            if self._over:
                return
            self._note(bench, bench.play(player.deal(), player.chooser(style), ATTEMPTS))
            self.progress(str(kind), number + 1, many)

    def _made_to_order(self, kind: GameKind) -> None:
        bench = self.benches.bench(kind)
        if bench is None:
            return
        wanted = orders(bench.menu.system)
        games = longest_games(order.trace for order in wanted if order.trace is not None)
        longest_first = sorted(games, key=lambda trace: -len(trace.actions))
        played = {trace: self._follow(bench, trace) for trace in longest_first if not self._over}
        for order in wanted:
            trace = order.trace
            longer = [done for whole, done in played.items() if trace is not None and trace.begins(whole)]
            made, unsaid = max(longer, default=(-1, ""))
            done = trace is not None and made >= len(trace.actions)
            self.findings.coverage.append(Exercised(order, kind.players, done, unsaid))

    def _follow(self, bench: Bench, trace: Trace) -> tuple[int, str]:
        """How many actions of a game both made in the same way; and one that cannot be said, if that stops it.

        What is illegal is tried at every state.
        """
        script = iter(trace.actions)
        made, unsaid = 0, ""

        def choose(dealt: Dealt, state: PackedState, moves: Sequence[int]) -> int | None:
            nonlocal made, unsaid
            action = next(script, None)
            if action is None:
                return None
            move = bench.menu.move_of(state, action)
            if move is None or move not in moves:
                is_legal = bench.menu.compiled.encode(dealt, state, action) is not None
                unsaid = bench.menu.shown(action) if is_legal else ""
                return None
            made += 1
            return move

        self._note(bench, bench.play(trace.faces, choose, ATTEMPTS))
        return (made - 1 if bench.tally.parted else made), unsaid

    def _note(self, bench: Bench, differences: Iterable[Nonconformance]) -> None:
        states, refusals = bench.tally.states, bench.tally.refusals
        for found in differences:
            bench.tally.known.add(found.cause)
            known, many = self._found.get(found.cause, (found, 0))
            shorter = found if len(found.played) < len(known.played) else known
            self._found[found.cause] = shorter, many + 1
            if found.theirs is None:
                self._failures += 1
        self.findings.told |= bench.tally.told
        self.findings.games += 1
        self.findings.states += bench.tally.states - states
        self.findings.refusals += bench.tally.refusals - refusals

    # ---- causes ----------------------------------------------------------------------------------------
    def _shrink(self) -> None:
        shrinker, explainer = Shrinker(self.benches), Explainer(self.benches)
        groups: list[Group] = []
        for number, (found, many) in enumerate(self._found.values(), 1):
            self.progress("shrinking", number, len(self._found))
            short = shrinker.shrink(found)
            self._confirm(short)
            explained = tuple(explainer.rulings(short)) if self.explain else ()
            groups.append(Group(short, many, explained))
        self.findings.groups = sorted(_merged(groups), key=lambda group: len(group.shortest.played))

    def _confirm(self, found: Nonconformance) -> None:
        """Our own engines agree on the game, or the fault is ours; `Disagreement` says so."""
        menu = self.benches.of(found).menu
        steps = states_of(menu, found.played)[: len(found.played.moves)]
        made = [menu.action(state, number) for state, number, _ in steps]
        second_opinion(menu.game, menu.players, menu.deal(found.played.deck)[0], made)


def _merged(groups: Iterable[Group]) -> list[Group]:
    """One ruling that explains several of them is one cause."""
    found: dict[object, Group] = {}
    for number, group in enumerate(groups):
        single = [other.choice for other in group.explained if len(other.choice) == 1]
        key: object = single[0] if len(single) == 1 else number
        known = found.get(key)
        if known is None:
            found[key] = group
        else:
            short = min(known, group, key=lambda g: len(g.shortest.played))
            found[key] = Group(short.shortest, known.many + group.many, short.explained)
    return list(found.values())

"""One game played side by side: by the rules' executor, and by an implementation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import cycle, islice
from typing import ParamSpec, TypeVar

from hanabi_formal.conformance.difference import ROLES, WORDS, Cause, ComparedGame, GameKind, Nonconformance, differing
from hanabi_formal.conformance.menu import Chooser, Menu
from hanabi_formal.conformance.messages import Failed, Implementation, Reply, Seen, Unsupported
from hanabi_formal.conformance.prohibitions import Prohibitions
from hanabi_formal.run.compiler.compile import PackedState
from hanabi_formal.run.interpret import Step

P = ParamSpec("P")
T = TypeVar("T")
ATTEMPTS = 2
LOOKED_AT = 4
REFUSED_BUT_DONE = "refused but done"


@dataclass
class Tally:
    """What is known and was counted so far. Causes in `known` are not tried for any more where that costs a game.

    After a game, `parted` says whether the two had come into different states. `told` are the names of what the
    implementation has told of a table at all.
    """

    known: set[Cause] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    parted: bool = False
    states: int = 0
    refusals: int = 0


@dataclass(frozen=True)
class Bench:
    """The rules and an implementation, compared in games of one kind."""

    kind: GameKind
    menu: Menu
    implementation: Implementation
    tally: Tally = field(default_factory=Tally)

    @cached_property
    def prohibitions(self) -> Prohibitions:
        return Prohibitions(self.menu)

    def sit(self) -> None:
        """Tell the implementation which kind of game comes next. If it fails, the next game will show that."""
        with suppress(Failed):
            guarded(self.implementation.sit, self.menu.setup)

    def play(self, faces: Sequence[int], choose: Chooser, attempts: int = 0) -> Iterator[Nonconformance]:
        """A game that goes on as the chooser likes, until it ends or the two part. Found differences in what is legal
        do not stop it. `attempts` are illegal moves to try at each state, if the implementation does not list them.
        """
        return OneGame(self, tuple(faces), choose, attempts).run()

    def follow(self, played: ComparedGame) -> Iterator[Nonconformance]:
        """A game with given moves, all of them legal; at its end others are tried."""
        faces = self.menu.deal(played.deck)[0]
        return OneGame(self, tuple(faces), None, script=played.moves, tried=played.tried).run()


@dataclass
class OneGame:
    """Goes on as the chooser likes, or with given moves; then others are `tried` at its end."""

    bench: Bench
    faces: tuple[int, ...]
    choose: Chooser | None
    attempts: int = 0
    script: tuple[int, ...] = ()
    tried: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.menu, self.tally = self.bench.menu, self.bench.tally
        self.compiled = self.menu.compiled
        self.names = self.menu.names(self.faces)
        self.dealt = self.compiled.deal(list(self.faces))
        self.state: PackedState = self.compiled.start(self.dealt)
        self.moves: list[int] = []
        self.attempted: list[int] = []

    def run(self) -> Iterator[Nonconformance]:
        compiled, menu = self.compiled, self.menu
        self.tally.parted = False
        try:
            answer = self._start()
            yield from self._tables_differ(answer.seen, None)
            while not self.tally.parted:
                self.tally.states += 1
                legal = menu.legal(self.dealt, self.state)
                usable: Sequence[int] = legal
                if answer.legal is None:
                    if not compiled.ended(self.state):
                        yield from self._try(frozenset(legal))
                elif answer.legal != frozenset(legal):
                    yield from self._legal_differs(frozenset(legal), answer)
                    usable = [move for move in legal if move in answer.legal]
                move = self._next(usable)
                if move is None:
                    return
                before = self.state
                self.state = menu.step(self.dealt, before, move)
                self.moves.append(move)
                self.attempted.clear()
                answer = self._act(move)
                if answer.refused is not None:
                    self.tally.parted = True
                    yield self._refuses(before, move, answer)
                    return
                yield from self._tables_differ(answer.seen, (before, move))
        except Failed as problem:
            self.tally.parted = True
            yield self._failed(problem)

    def _start(self) -> Reply:
        return guarded(self.bench.implementation.start, self.names)

    def _act(self, move: int) -> Reply:
        return guarded(self.bench.implementation.act, move)

    # ---- going on ------------------------------------------------------------------------------------
    def _next(self, usable: Sequence[int]) -> int | None:
        """The next move, of those that both allow."""
        if self.choose is None:
            wanted = self.script[len(self.moves)] if len(self.moves) < len(self.script) else None
            return wanted if wanted in usable else None
        return self.choose(self.dealt, self.state, usable) if usable else None

    # ---- what is not legal ---------------------------------------------------------------------------
    def _try(self, legal: frozenset[int]) -> Iterator[Nonconformance]:
        """Illegal moves, one after the other; after one that was not simply refused the game begins again."""
        if self.choose is None:
            for number in self.tried if len(self.moves) == len(self.script) else ():
                if number not in legal:
                    yield from self._attempt(number)
            return
        wanted = list(islice(self._illegal(legal), self.attempts)) if self.attempts else []
        # What is refused once may be done when it is asked for again; where that is known, nothing is asked for twice.
        for number in islice(cycle(wanted), self.attempts if wanted else 0):
            if self.attempted and any(cause[0] == REFUSED_BUT_DONE for cause in self.tally.known):
                return
            found = list(self._attempt(number))
            yield from found
            if found:
                self._again()

    def _illegal(self, legal: frozenset[int]) -> Iterator[int]:
        """Moves that nothing known speaks of: for each guard one, others where the state says."""
        seen: set[Cause] = set()
        every = [n for n in range(len(self.menu.moves)) if n not in legal]
        start = len(self.moves) * LOOKED_AT
        some = dict.fromkeys(every[(start + n) % len(every)] for n in range(LOOKED_AT if every else 0))
        for number in sorted(some, key=lambda number: self.bench.prohibitions.many(self.state, self.faces, number)):
            if self.menu.instance(self.state, number) is not None:
                cause, _ = self.bench.prohibitions.cause(self.state, self.faces, number)
                if cause not in seen and cause not in self.tally.known:
                    seen.add(cause)
                    yield number

    def _attempt(self, number: int) -> Iterator[Nonconformance]:
        self.tally.refusals += 1
        self.attempted.append(number)
        answer = self._act(number)
        if answer.refused is None:
            yield self._allows(number, answer)
            return
        ours = self.menu.seen(self.dealt, self.names, self.state)
        wrong = differing(ours, answer.seen)
        if wrong:
            kind = self.menu.moves[number].kind
            what = f"a refused {kind} changes {WORDS[wrong[0]]}"
            yield self._difference((REFUSED_BUT_DONE, kind), what, (), answer.seen, tuple(self.attempted))

    def _again(self) -> None:
        self.attempted.clear()
        answer = self._start()
        for number in self.moves:
            answer = self._act(number)
        if differing(self.menu.seen(self.dealt, self.names, self.state), answer.seen):
            raise Failed("not the same twice", "played again, the same game has another course")

    def _legal_differs(self, legal: frozenset[int], answer: Reply) -> Iterator[Nonconformance]:
        assert answer.legal is not None
        seen: set[Cause] = set()
        for number in sorted(answer.legal ^ legal):
            if number in legal:
                found = self._refuses(self.state, number, answer, made=False)
            elif self.menu.instance(self.state, number) is None and not self.compiled.ended(self.state):
                continue
            else:
                found = self._allows(number, answer)
            if found.cause not in seen:
                seen.add(found.cause)
                yield found

    def _allows(self, number: int, answer: Reply) -> Nonconformance:
        cause, clauses = self.bench.prohibitions.cause(self.state, self.faces, number)
        what = f"it allows a {cause[1]} that the guard `{cause[2]}` forbids"
        if len(cause) > 3:
            what = f"it allows a {cause[1]} after the end by `{cause[3]}`"
        return self._difference(cause, what, clauses, answer.seen, tuple(self.attempted) or (number,))

    def _refuses(self, before: PackedState, number: int, answer: Reply, made: bool = True) -> Nonconformance:
        kind = self.menu.moves[number].kind
        moves = self.moves[:-1] if made else self.moves
        labels = (label for label in self._explained(before, number).labels if label in ("fit", "misfit"))
        cause = ("refuses", kind, *labels)
        clauses = self.compiled.system.action(self.menu.action(before, number).name).clauses
        why = f": {answer.refused}" if answer.refused else ""
        what = f"it refuses a {kind} that is legal{why}"
        return self._difference(cause, what, clauses, answer.seen, (number,), moves, before)

    # ---- what lies on the table ------------------------------------------------------------------------
    def _tables_differ(self, theirs: Seen, made: tuple[PackedState, int] | None) -> Iterator[Nonconformance]:
        ours, told = self.menu.seen(self.dealt, self.names, self.state), self.tally.told
        if len(told) < len(Seen._fields):
            told.update(theirs.told)
        wrong = differing(ours, theirs) if ours != theirs else []
        if not wrong:
            return
        first = wrong[0]
        kind = "start" if made is None else self.menu.moves[made[1]].kind
        end = self.compiled.ended(self.state)
        clauses: tuple[str, ...] = ()
        about: tuple[str, ...] = ()
        if end:
            found = self.compiled.system.ends[end - 1]
            about, clauses = (found.name,), found.clauses
        if first in ROLES and made is not None:
            variable = getattr(self.menu.table.roles, ROLES[first])
            changes = self._explained(*made).changes
            clauses = tuple(dict.fromkeys(c for change in changes if change.var == variable for c in change.clauses))
            # Whether the last action draws a card is a question of its own.
            about = (*clauses, "at the end") if end and first in ("pile", "hands") else clauses
        cause = ("differs", first, *about) if first == "ended" and end else ("differs", first, kind, *about)
        what = f"after a {kind}: {', '.join(WORDS[name] for name in wrong)}"
        self.tally.parted = True
        yield self._difference(cause, what, clauses, theirs, ())

    def _explained(self, before: PackedState, number: int) -> Step:
        """What a legal move does."""
        snapshot = self.compiled.snapshot(before)
        return self.compiled.interpreter.step(snapshot, self.faces, self.menu.action(before, number))

    def _failed(self, problem: Failed) -> Nonconformance:
        last = self.attempted or self.moves
        kind = self.menu.moves[last[-1]].kind if last else "start"
        cause, tried = (problem.kind, kind, _normal(problem.detail)), tuple(self.attempted)
        return self._difference(cause, f"{problem.kind} at a {kind}", (), None, tried, detail=problem.detail)

    def _difference(
        self,
        cause: Cause,
        what: str,
        clauses: tuple[str, ...],
        theirs: Seen | None,
        tried: tuple[int, ...],
        moves: Sequence[int] | None = None,
        state: PackedState | None = None,
        detail: str = "",
    ) -> Nonconformance:
        made = tuple(self.moves if moves is None else moves)
        played = ComparedGame(self.bench.kind, self.names, made, tried)
        ours = self.menu.seen(self.dealt, self.names, self.state if state is None else state)
        return Nonconformance(cause, what, clauses, played, ours, theirs, detail=detail)


def guarded(work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Whatever an implementation in our own process raises is a crash of it."""
    try:
        return work(*args, **named)
    except (Failed, Unsupported):
        raise
    except Exception as problem:
        raise Failed("crashed", f"{type(problem).__name__}: {problem}") from problem


def _normal(text: str) -> str:
    """A message without what changes from game to game."""
    last = text.strip().rpartition("\n")[2]
    return "".join("#" if char.isdigit() else char for char in last)[:80]

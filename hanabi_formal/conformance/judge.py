"""One game played side by side: by the rules' executor, and by an implementation."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from typing import TypeVar

from hanabi_formal.conformance.difference import Cause, Difference, Played
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.messages import Answer, Failed, Implementation, Seen
from hanabi_formal.roles.entries import Roles
from hanabi_formal.run.compiler.compile import Dealt, Packed_State
from hanabi_formal.run.interpret import Snapshot, Step

T = TypeVar("T")
Chooser = Callable[[Dealt, Packed_State, Sequence[int]], int]
# Differences of these are looked at in this order: what comes first explains what comes later.
ORDER = ("ended", "red", "fireworks", "discards", "blue", "pile", "hands", "turn", "score")
WORDS = {
    "ended": "whether the game has ended",
    "red": "mistakes",
    "fireworks": "fireworks",
    "discards": "discarded cards",
    "blue": "blue tokens",
    "pile": "cards in the pile",
    "hands": "hands",
    "turn": "whose turn it is",
    "score": "score",
}
VARIABLES: dict[str, Callable[[Roles], str]] = {
    "red": lambda roles: roles.red,
    "blue": lambda roles: roles.blue,
    "pile": lambda roles: roles.drawn,
    "turn": lambda roles: roles.turn,
    **dict.fromkeys(("fireworks", "discards", "hands"), lambda roles: roles.place),
}
"""The variable that tells each of them."""
ATTEMPTS = 2
LOOKED_AT = 4
REFUSED_BUT_DONE = "refused but done"


class Judge:
    """Compares games of one kind. Causes in `known` are not tried for any more where that costs a game.

    After a game, `parted` says whether the two had come into different states. `told` are the names of what the
    implementation has told of a table at all.
    """

    def __init__(
        self,
        menu: Menu,
        implementation: Implementation,
        cuts: Sequence[tuple[str, tuple[str, ...]]] = (),
        known: set[Cause] | None = None,
    ) -> None:
        self.menu = menu
        self.implementation = implementation
        self.cuts = tuple(cuts)
        self.known = known if known is not None else set()
        self._spelt_out: tuple[Packed_State | None, Snapshot] = (None, Snapshot({}))
        self.parted = False
        self.told: set[str] = set()
        self.states = 0
        self.refusals = 0

    def sit(self) -> None:
        """Tell the implementation which kind of game comes next. If it fails, the next game will show that."""
        with contextlib.suppress(Failed):
            guarded(lambda: self.implementation.sit(self.menu.setup))

    def play(self, faces: Sequence[int], choose: Chooser, attempts: int = 0) -> Iterator[Difference]:
        """A game that goes on as the chooser likes, until it ends or the two part. Found differences in what is legal
        do not stop it. `attempts` are illegal moves to try at each state, if the implementation does not list them.
        """
        yield from _Game(self, tuple(faces), choose, attempts).run()

    def follow(self, faces: Sequence[int], moves: Sequence[int], tried: Sequence[int] = ()) -> Iterator[Difference]:
        """A game with given moves, all of them legal; at its end others are tried."""
        following = _Game(self, tuple(faces), None, 0, moves, tried)
        yield from following.run()

    def forbidden(self, state: Packed_State, faces: tuple[int, ...], number: int) -> tuple[Cause, tuple[str, ...]]:
        """Which guard forbids a move that is not legal, as a cause; and its clauses."""
        compiled, kind = self.menu.compiled, self.menu.moves[number].kind
        end = compiled.ended(state)
        if end:
            found = compiled.system.ends[end - 1]
            return ("allows", kind, "after the end", found.name), found.clauses
        instance = self.menu.instance(state, number)
        if instance is None:
            return ("allows", kind, "no card"), ()
        action = compiled.system.action(instance.name)
        guard = compiled.interpreter.failing_guard(self._snapshot(state), faces, action, instance.args)
        label, clauses = (guard.label, guard.clauses) if guard is not None else (None, ())
        return ("allows", kind, label or "?"), clauses

    def reasons(self, state: Packed_State, faces: tuple[int, ...], number: int) -> int:
        """How many guards forbid a move: what one alone forbids shows best whether that one is known."""
        instance = self.menu.instance(state, number)
        if instance is None:
            return 0
        interpreter = self.menu.compiled.interpreter
        action = self.menu.system.action(instance.name)
        scene = interpreter.scene(self._snapshot(state), faces)
        names = (param.name for param in action.params)
        scene.locals.update(zip(names, instance.args, strict=True))
        return sum(not interpreter.evaluate(guard.condition, scene) for guard in action.guards)

    def _snapshot(self, state: Packed_State) -> Snapshot:
        if self._spelt_out[0] is not state:
            self._spelt_out = state, self.menu.compiled.snapshot(state)
        return self._spelt_out[1]


class _Parted(Exception):
    """The two are in different states: nothing later in the game can be compared."""


class _Game:
    def __init__(
        self,
        judge: Judge,
        faces: tuple[int, ...],
        choose: Chooser | None,
        attempts: int,
        moves: Sequence[int] = (),
        tried: Sequence[int] = (),
    ) -> None:
        self.judge = judge
        self.menu = judge.menu
        self.compiled = judge.menu.compiled
        self.faces = faces
        self.names = self.menu.names(faces)
        self.dealt = self.compiled.deal(list(faces))
        self.state: Packed_State = self.compiled.start(self.dealt)
        self.choose = choose
        self.attempts = attempts
        self.script = tuple(moves)
        self.tried = tuple(tried)
        self.moves: list[int] = []
        self.attempted: list[int] = []

    def run(self) -> Iterator[Difference]:
        implementation, compiled, menu = self.judge.implementation, self.compiled, self.menu
        self.judge.parted = False
        try:
            answer = self._said(lambda: implementation.start(self.names))
            yield from self._tables_differ(answer.seen, None)
            while True:
                self.judge.states += 1
                codes = compiled.legal(self.dealt, self.state)
                legal = menu.numbers(self.state, codes)
                if answer.legal is not None and answer.legal != legal:
                    yield from self._legal_differs(legal, answer)
                if not compiled.ended(self.state):
                    yield from self._try(legal, answer)
                code, number = self._next(codes, legal if answer.legal is None else legal & answer.legal)
                if code is None or number is None:
                    return
                before = self.state
                self.state = compiled.step(self.dealt, before, code)
                self.moves.append(number)
                self.attempted.clear()
                answer = self._said(lambda number=number: implementation.act(number))  # type: ignore[misc]
                if answer.refused is not None:
                    self.judge.parted = True
                    yield self._refuses(before, number, answer)
                    return
                yield from self._tables_differ(answer.seen, (before, number))
        except Failed as problem:
            self.judge.parted = True
            yield self._failed(problem)
        except _Parted:
            return

    def _said(self, work: Callable[[], T]) -> T:
        return guarded(work)

    # ---- going on ------------------------------------------------------------------------------------
    def _next(self, codes: Sequence[int], legal: frozenset[int]) -> tuple[int | None, int | None]:
        """The next step, as a code of the executor and as the number of a move."""
        menu, state = self.menu, self.state
        if self.choose is None:
            wanted = self.script[len(self.moves)] if len(self.moves) < len(self.script) else None
            if wanted not in legal:
                return None, None
            return next((code for code in codes if menu.number(state, code) == wanted), None), wanted
        usable = codes if len(legal) == len(codes) else [code for code in codes if menu.number(state, code) in legal]
        if not usable:
            return None, None
        code = self.choose(self.dealt, state, usable)
        return code, menu.number(state, code)

    # ---- what is not legal ---------------------------------------------------------------------------
    def _try(self, legal: frozenset[int], answer: Answer) -> Iterator[Difference]:
        """Illegal moves, one after the other; after one that was not simply refused the game begins again."""
        if answer.legal is not None:
            return
        if self.choose is None:
            for number in self.tried if len(self.moves) == len(self.script) else ():
                if number not in legal:
                    yield from self._attempt(number)
            return
        wanted = list(islice(self._illegal(legal), self.attempts)) if self.attempts else []
        # What is refused once may be done when it is asked for again; where that is known, nothing is asked for twice.
        for number in islice(cycle(wanted), self.attempts if wanted else 0):
            if self.attempted and any(cause[0] == REFUSED_BUT_DONE for cause in self.judge.known):
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
        for number in sorted(some, key=lambda number: self.judge.reasons(self.state, self.faces, number)):
            if self.menu.instance(self.state, number) is not None:
                cause, _ = self.judge.forbidden(self.state, self.faces, number)
                if cause not in seen and cause not in self.judge.known:
                    seen.add(cause)
                    yield number

    def _attempt(self, number: int) -> Iterator[Difference]:
        self.judge.refusals += 1
        self.attempted.append(number)
        answer = self._said(lambda: self.judge.implementation.act(number))
        if answer.refused is None:
            yield self._allows(number, answer)
            return
        ours = self.menu.seen(self.dealt, self.names, self.state)
        wrong = differing(ours, answer.seen)
        if wrong:
            cause = self._passes(number)
            what = f"a refused {cause[1]} changes {WORDS[wrong[0]]}"
            yield self._difference(cause, what, (), answer.seen, tuple(self.attempted))

    def _passes(self, number: int) -> Cause:
        return REFUSED_BUT_DONE, self.menu.moves[number].kind

    def _again(self) -> None:
        self.attempted.clear()
        answer = self._said(lambda: self.judge.implementation.start(self.names))
        for number in self.moves:
            answer = self._said(lambda number=number: self.judge.implementation.act(number))  # type: ignore[misc]
        if differing(self.menu.seen(self.dealt, self.names, self.state), answer.seen):
            raise Failed("not the same twice", "played again, the same game has another course")

    def _legal_differs(self, legal: frozenset[int], answer: Answer) -> Iterator[Difference]:
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

    def _allows(self, number: int, answer: Answer) -> Difference:
        cause, clauses = self.judge.forbidden(self.state, self.faces, number)
        what = f"it allows a {cause[1]} that the guard `{cause[2]}` forbids"
        if len(cause) > 3:
            what = f"it allows a {cause[1]} after the end by `{cause[3]}`"
        return self._difference(cause, what, clauses, answer.seen, tuple(self.attempted) or (number,))

    def _refuses(self, before: Packed_State, number: int, answer: Answer, made: bool = True) -> Difference:
        kind = self.menu.moves[number].kind
        moves = self.moves[:-1] if made else self.moves
        step = self._explained(before, number)
        labels = tuple(label for label in step.labels if label in ("fit", "misfit")) if step is not None else ()
        cause = ("refuses", kind, *labels)
        instance = self.menu.instance(before, number)
        clauses = self.compiled.system.action(instance.name).clauses if instance is not None else ()
        why = f": {answer.refused}" if answer.refused else ""
        what = f"it refuses a {kind} that is legal{why}"
        return self._difference(cause, what, clauses, answer.seen, (number,), moves, before)

    # ---- what lies on the table ------------------------------------------------------------------------
    def _tables_differ(self, theirs: Seen, made: tuple[Packed_State, int] | None) -> Iterator[Difference]:
        ours, told = self.menu.seen(self.dealt, self.names, self.state), self.judge.told
        if len(told) < len(Seen._fields):
            told.update(name for name, value in zip(Seen._fields, theirs, strict=True) if value is not None)
        if ours == theirs:
            return
        wrong = differing(ours, theirs)
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
        step = self._explained(*made) if made is not None else None
        if first in VARIABLES and step is not None:
            variable = VARIABLES[first](self.menu.table.roles)
            changed = [change for change in step.changes if change.var == variable]
            clauses = tuple(dict.fromkeys(clause for change in changed for clause in change.clauses))
            # Whether the last action draws a card is a question of its own.
            about = (*clauses, "at the end") if end and first in ("pile", "hands") else clauses
        cause = ("differs", first, *about) if first == "ended" and end else ("differs", first, kind, *about)
        what = f"after a {kind}: {', '.join(WORDS[name] for name in wrong)}"
        self.judge.parted = True
        yield self._difference(cause, what, clauses, theirs, ())
        raise _Parted

    def _explained(self, before: Packed_State, number: int) -> Step | None:
        instance = self.menu.instance(before, number)
        if instance is None:
            return None
        snapshot = self.compiled.snapshot(before)
        return self.compiled.interpreter.step(snapshot, self.faces, instance)

    def _failed(self, problem: Failed) -> Difference:
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
        state: Packed_State | None = None,
        detail: str = "",
    ) -> Difference:
        made = tuple(self.moves if moves is None else moves)
        played = Played(self.menu.players, self.judge.cuts, self.names, made, tried)
        ours = self.menu.seen(self.dealt, self.names, self.state if state is None else state)
        return Difference(cause, what, clauses, played, ours, theirs, detail=detail)


def guarded(work: Callable[[], T]) -> T:
    """Whatever an implementation in our own process raises is a crash of it."""
    from hanabi_formal.conformance.messages import Unsupported

    try:
        return work()
    except (Failed, Unsupported):
        raise
    except Exception as problem:
        raise Failed("crashed", f"{type(problem).__name__}: {problem}") from problem


def differing(ours: Seen, theirs: Seen) -> list[str]:
    """The names of what both tell, and tell differently."""
    found = []
    for name in ORDER:
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine is not None and other is not None and mine != other:
            found.append(name)
    return found


def _normal(text: str) -> str:
    """A message without what changes from game to game."""
    last = text.strip().rpartition("\n")[2]
    return "".join("#" if char.isdigit() else char for char in last)[:80]

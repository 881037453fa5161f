"""What becomes of the properties of the base under a variant: kept, or given up, which a game should show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from hanabi_formal.api import Game
from hanabi_formal.elaborate.changes import Changed, changes_of
from hanabi_formal.kernel.build import negate
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Clauses, Property, PropertyKind
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.consistency.vacuity import rigid_part
from hanabi_formal.prove.induction.one_condition import holds_always
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Result, Verdict, timed
from hanabi_formal.prove.properties import OF_STATES, as_asked, condition_of, stuck
from hanabi_formal.prove.search.directed import game_towards
from hanabi_formal.prove.search.explorer import Explorer, Goal
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.prove.search.shorten import Shortener
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.verify.variant_effects import GAMES, without_change

KEPT = Obligation.of(ObligationKind.KEPT)
NO_PROMISES = (PropertyKind.DEFECT, PropertyKind.EXAMPLE)


@dataclass(frozen=True)
class Promises:
    """What becomes of each property that the base promises, from what was told of the game.

    Whether the base keeps its word is found out by checking it.
    """

    game: Game
    players: int | None
    base: Game
    told: Mapping[Obligation, Result]
    lemmas: tuple[Expr, ...] = ()
    games: int = GAMES
    known: Mapping[Obligation, Trace] = field(default_factory=dict)

    def results(self) -> Iterator[Result]:
        said = [prop for prop in self.base.system(self.players).properties if prop.kind not in NO_PROMISES]
        promised = {prop.name: Obligation.declared(prop) for prop in said if prop.refuted_because is None}
        no_longer_said = list(_no_longer_said(self.game, self.players))
        given_up = {name for name, _ in no_longer_said}
        now = {one: self.told[one] for name, one in promised.items() if name not in given_up and one in self.told}
        kept = [one.name for one, result in now.items() if result.verdict is one.expected]
        left_open = [one.name for one, result in now.items() if result.verdict is Verdict.UNDECIDED]
        detail = ", ".join(kept) + (f"; undecided: {', '.join(left_open)}" if left_open else "")
        yield Result(KEPT, Verdict.UNDECIDED if left_open else Verdict.PROVED, "results of both", detail)
        for one, result in now.items():
            if result.verdict not in (one.expected, Verdict.UNDECIDED):
                new = result.obligation
                yield replace(result, obligation=_given_up(one.name, new.clauses).expecting(new.expected))
        yield from timed(self._removed(name, change) for name, change in no_longer_said if name in promised)

    def _removed(self, name: str, change: Changed) -> Result:
        """A property that a variant removes or restates: a game that breaks it, or that it would still hold.

        To remove a property is for the author to decide: no game needs to show that it fails.
        """
        compiled = self.game.compiled(self.players)
        prop = _said(without_change(self.game, change), self.players, name)
        assert prop is not None
        one, detail = _given_up(name, change.clauses), f"removed by {change.by}"
        condition = _broken(compiled, prop)
        trace = _search(compiled, condition, self.games, self.known.get(one)) if condition is not None else None
        if trace is not None:
            return Result(one, Verdict.REFUTED, "game", detail, trace)
        if _still_holds(compiled, prop, self.lemmas):
            return Result(one, Verdict.PROVED, "induction", f"{detail}, and true all the same")
        return Result(one.expecting(Verdict.UNDECIDED), Verdict.UNDECIDED, f"search, {self.games} games", detail)


def _given_up(name: str, clauses: Clauses) -> Obligation:
    return Obligation.of(ObligationKind.GIVEN_UP, name, clauses=clauses)


def _no_longer_said(game: Game, players: int | None) -> Iterator[tuple[str, Changed]]:
    """Properties that a variant removes, or says otherwise; to expect something else of the same is no such change."""
    for change in changes_of(game.merged.composition):
        if change.removed_property is not None:
            yield change.removed_property, change
        elif (name := change.restated_property) is not None:
            old, new = _said(without_change(game, change), players, name), _said(game, players, name)
            if old is not None and new is not None and (old.kind, old.exprs) != (new.kind, new.exprs):
                yield name, change


def _said(game: Game, players: int | None, name: str) -> Property | None:
    return next((prop for prop in game.system(players).properties if prop.name == name), None)


def _broken(compiled: Compiled, prop: Property) -> Expr | None:
    match prop.kind:
        case PropertyKind.INVARIANT | PropertyKind.UNREACHABLE:
            return negate(condition_of(as_asked(compiled.system, prop)))
        case PropertyKind.DEADLOCK_FREE:
            return stuck(compiled.system)
    return None


def _search(compiled: Compiled, condition: Expr, games: int, remembered: Trace | None) -> Trace | None:
    goal: Goal = compiled.predicate(condition)
    if remembered is not None:
        with suppress(ValueError):
            if goal(*replay(compiled, remembered)):
                return remembered
    found = game_towards(compiled, condition) if rigid_part(condition) is not None else None
    found = found or Explorer(compiled).explore({"broken": goal}, games).traces.get("broken")
    if found is None:
        return None
    found = Shortener(compiled, condition).shorter(found)
    replay(compiled, found)
    return found


def _still_holds(compiled: Compiled, prop: Property, lemmas: tuple[Expr, ...]) -> bool:
    if prop.kind not in OF_STATES:
        return False
    return holds_always(compiled.system, condition_of(as_asked(compiled.system, prop)), lemmas).proved

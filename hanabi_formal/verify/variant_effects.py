"""Is a variant consistent: does every change have an effect, and what becomes of the properties of its base?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property
from weakref import WeakKeyDictionary

from hanabi_formal.api import Game
from hanabi_formal.compose.merge import Merged, merge
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.elaborate.changes import (
    Changed,
    changes_of,
    choices_in,
    only,
    other_values,
    range_of,
    silent_cases,
    without_variants,
)
from hanabi_formal.kernel.build import FALSE, negate
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import Property, System
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.consistency.guard_coverage import guards_of
from hanabi_formal.prove.consistency.side_by_side import (
    Difference,
    SideBySide,
    plain_difference,
    rules_of,
    text_difference,
)
from hanabi_formal.prove.consistency.vacuity import rigid_part
from hanabi_formal.prove.induction.invariants import stuck
from hanabi_formal.prove.induction.one_condition import holds_always
from hanabi_formal.prove.properties import as_asked
from hanabi_formal.prove.search.directed import game_towards
from hanabi_formal.prove.search.explorer import Explorer, Goal
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.prove.search.shorten import Shortener
from hanabi_formal.prove.verdicts import Result, Verdict, condition_of
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.follow import legal_part

GAMES = 60
KEPT = "kept of the base"


def constant_cases(game: Game, players: int | None) -> Iterator[Result]:
    """Cases that the chosen rulings and parameters turn off are as they should be; others that never can be are not."""
    for case in silent_cases(game.merged, game.system(players)):
        detail = f"its condition is always false{f' under {case.under}' if case.under else ''}"
        verdict = Verdict.VACUOUS if case.under else Verdict.REFUTED
        expected = Verdict.VACUOUS if case.under else Verdict.REACHED
        name = f"case {case.name} comes about"
        yield Result(name, players, verdict, expected, "text", case.clauses, 0.0, detail)


# ---- every change has an effect ----------------------------------------------------------------------
class Effects:
    """The changes of a composition's variants, each compared with the game that lacks it."""

    def __init__(
        self,
        game: Game,
        players: int | None,
        games: int = GAMES,
        known: Mapping[str, Trace] | None = None,
        lemmas: tuple[Expr, ...] = (),
        others: Callable[[], Iterable[Trace]] = tuple,
    ) -> None:
        self.game = game
        self.others = others
        self.players = players
        self.games = games
        self.lemmas = lemmas
        self.known = known or {}
        self._played: list[Trace] = []

    def results(self) -> Iterator[Result]:
        for change in changes_of(self.game.merged.composition):
            yield self._result(change)

    @cached_property
    def _more(self) -> Iterator[Trace]:
        return Explorer(self.game.compiled(self.players)).games(self.games)

    def _shared_games(self) -> Iterator[Trace]:
        """Games of the whole composition: all changes are looked for in the same ones, played when first needed."""
        yield from self._played
        for game in self._more:
            self._played.append(game)
            yield game

    def _result(self, change: Changed) -> Result:
        began = time.perf_counter()
        found, same = self._difference(change)
        verdict, expected, method = Verdict.UNDECIDED, Verdict.PROVED, f"side by side, {self.games} games"
        detail, trace = "no game shows a difference", None
        if found is not None:
            shown = found.trace is not None
            verdict, method = (Verdict.REACHED, "game") if shown else (Verdict.PROVED, "text")
            expected, detail, trace = verdict, found.what, self._checked(found.trace)
        elif not same and (change.is_removal or self._turns_off(change)):
            # What could never happen is better removed than left in the text.
            verdict, method, detail = Verdict.PROVED, "text", "the part is gone, and no game shows that it is missing"
        elif other := self._at_home(change) or self._under_other_rulings(change):
            verdict, expected, detail = Verdict.VACUOUS, Verdict.VACUOUS, other
        elif same:
            verdict, method, detail = Verdict.REFUTED, "text", "it changes nothing"
        elif self._forbids_nothing(change):
            verdict, method, detail = Verdict.REFUTED, "induction", "it forbids nothing that was allowed"
        took = time.perf_counter() - began
        name = f"{change.name} has an effect"
        return Result(name, self.players, verdict, expected, method, change.clauses, took, detail, trace)

    def _difference(self, change: Changed) -> tuple[Difference | None, bool]:
        """The difference it makes, if one is found; and whether there can be none."""
        try:
            without = _without(self.game, change)
            if change.parameter is not None:
                differ = range_of(without.merged, change.parameter) != range_of(self.game.merged, change.parameter)
                return (Difference("other values can be chosen"), False) if differ else (None, True)
            return _compare(self.game, without, self.players, self._games_for(change))
        except Rejected:
            return Difference("without it the game is not well-formed"), False

    def _turns_off(self, change: Changed) -> bool:
        """Is some end or action out of the question with it that would be open without?"""
        without = _without(self.game, change)
        return bool(_turned_off(self.game.system(self.players)) - _turned_off(without.system(self.players)))

    def _games_for(self, change: Changed) -> Iterator[Trace]:
        remembered = self.known.get(f"{change.name} has an effect")
        if remembered is not None:
            yield legal_part(self.game.compiled(self.players), remembered)
        yield from self._shared_games()
        for trace in self.others():
            yield legal_part(self.game.compiled(self.players), trace)

    def _at_home(self, change: Changed) -> str:
        """Something else in the composition may take its effect away; then it has one where it was written for."""
        composition = self.game.merged.composition
        home = only(composition, change.home)
        if home.order == composition.order:
            return ""
        merged = merge(home)
        settings = _known_to(merged, self.game.settings)
        found = self._effect(change, merged, settings)
        return f"no effect here; in {home.name} alone: {found.what}" if found else ""

    def _under_other_rulings(self, change: Changed) -> str:
        """A ruling that the change speaks of, under which it would have an effect."""
        merged, settings = self.game.merged, self.game.settings
        chosen = dict(self.game.system(self.players).rulings)
        for kind, name in choices_in(merged, change.change):
            for value in other_values(merged, name, chosen[name]) if kind == "ruling" else ():
                found = self._effect(change, merged, replace(settings, rulings={**settings.rulings, name: value}))
                if found is not None:
                    return f"no effect under {name} = {chosen[name]}; under {name} = {value}: {found.what}"
        return ""

    def _effect(self, change: Changed, merged: Merged, settings: Settings) -> Difference | None:
        try:
            with_it = Game(merged, settings)
            without = _without(with_it, change)
            games = Explorer(with_it.compiled(self.players)).games(self.games)
            return _compare(with_it, without, self.players, games)[0]
        except Rejected:
            return None

    def _forbids_nothing(self, change: Changed) -> bool:
        system = self.game.system(self.players)
        added = [asked for asked in guards_of(system) if asked.guard.span == change.added_guard is not None]
        return bool(added) and all(asked.never_forbids(system, self.lemmas).proved for asked in added)

    def _checked(self, trace: Trace | None) -> Trace | None:
        if trace is not None:
            replay(self.game.compiled(self.players), trace)
        return trace


def _turned_off(system: System) -> set[str]:
    ends = {end.name for end in system.ends if end.condition == FALSE}
    return ends | {action.name for action in system.actions if any(g.condition == FALSE for g in action.guards)}


def _compare(
    changed: Game, unchanged: Game, players: int | None, games: Iterable[Trace]
) -> tuple[Difference | None, bool]:
    new, old = changed.system(players), unchanged.system(players)
    if rules_of(new) == rules_of(old):
        said = text_difference(new, old)
        return (Difference(said), False) if said else (None, True)
    plain = plain_difference(new, old)
    if plain:
        return Difference(plain), False
    return SideBySide(changed.compiled(players), unchanged.compiled(players)).difference(games), False


# ---- what the base promised --------------------------------------------------------------------------
@cache
def base_of(game: Game) -> Game | None:
    """The same game without its variants; None if it has none."""
    composition = game.merged.composition
    if not composition.variants:
        return None
    merged = merge(without_variants(composition))
    return Game(merged, _known_to(merged, game.settings))


def _known_to(merged: Merged, settings: Settings) -> Settings:
    """Settings of what only a variant has are left out."""
    names = {name for _, name in merged.items}
    return Settings(
        {name: value for name, value in settings.params.items() if name in names},
        {name: value for name, value in settings.rulings.items() if ("ruling", name) in merged.items},
        {name: values for name, values in settings.cuts.items() if name in names},
    )


def keeps(
    game: Game,
    players: int | None,
    base: Iterable[Result],
    results: Iterable[Result],
    lemmas: tuple[Expr, ...] = (),
    games: int = GAMES,
    known: Mapping[str, Trace] | None = None,
) -> Iterator[Result]:
    """What becomes of each property that the base has, from the results of both; given up is shown by a game."""
    found = {result.name: result for result in results}
    promised = [result for result in base if result.as_expected and result.verdict is not Verdict.REFUTED]
    original = base_of(game)
    names = {prop.name for prop in original.system(players).properties} if original else set()
    given_up = {name for name, _ in _no_longer_said(game, players)}
    mine = [result for result in promised if result.name in names - given_up]
    kept = [r.name for r in mine if r.name in found and found[r.name].verdict is r.verdict]
    left_open = [r.name for r in mine if r.name in found and found[r.name].verdict is Verdict.UNDECIDED]
    verdict = Verdict.UNDECIDED if left_open else Verdict.PROVED
    detail = ", ".join(kept) + (f"; undecided: {', '.join(left_open)}" if left_open else "")
    yield Result(KEPT, players, verdict, Verdict.PROVED, "results of both", (), 0.0, detail)
    for result in mine:
        now = found.get(result.name)
        if now is not None and now.verdict is not result.verdict and now.verdict is not Verdict.UNDECIDED:
            yield replace(now, name=f"gives up {result.name}")
    wanted = {result.name for result in promised if result.name in names}
    yield from _removed(game, players, wanted, lemmas, games, known or {})


def _removed(
    game: Game, players: int | None, names: set[str], lemmas: tuple[Expr, ...], games: int, known: Mapping[str, Trace]
) -> Iterator[Result]:
    """Properties that a variant removes or restates: a game that breaks each, or that it would still hold."""
    compiled = game.compiled(players)
    for removed, change in _no_longer_said(game, players):
        if removed not in names:
            continue
        began = time.perf_counter()
        prop = _said(_without(game, change), players, removed)
        assert prop is not None
        name = f"gives up {prop.name}"
        condition = _broken(compiled, prop)
        trace = _search(compiled, condition, games, known.get(name)) if condition is not None else None
        verdict, method, detail = Verdict.UNDECIDED, f"search, {games} games", f"removed by {change.by}"
        if trace is not None:
            verdict, method = Verdict.REFUTED, "game"
        elif _still_holds(compiled, prop, lemmas):
            verdict, method, detail = Verdict.PROVED, "induction", f"removed by {change.by}, and true all the same"
        took = time.perf_counter() - began
        yield Result(name, players, verdict, Verdict.REFUTED, method, change.clauses, took, detail, trace)


def _no_longer_said(game: Game, players: int | None) -> Iterator[tuple[str, Changed]]:
    """Properties that a variant removes, or says otherwise; to expect something else of the same is no such change."""
    for change in changes_of(game.merged.composition):
        if change.removed_property is not None:
            yield change.removed_property, change
        elif (name := change.restated_property) is not None:
            old, new = _said(_without(game, change), players, name), _said(game, players, name)
            if old is not None and new is not None and (old.kind, old.exprs) != (new.kind, new.exprs):
                yield name, change


_WITHOUT: WeakKeyDictionary[Game, dict[int, Game]] = WeakKeyDictionary()


def _without(game: Game, change: Changed) -> Game:
    """The game without one change. It is made once, as to elaborate it takes time; two changes may read alike."""
    known = _WITHOUT.setdefault(game, {})
    part = id(change.change)
    if part not in known:
        known[part] = Game(merge(game.merged.composition, without=change.change), game.settings)
    return known[part]


def _said(game: Game, players: int | None, name: str) -> Property | None:
    return next((prop for prop in game.system(players).properties if prop.name == name), None)


def _broken(compiled: Compiled, prop: Property) -> Expr | None:
    match prop.kind:
        case "invariant" | "unreachable":
            return negate(condition_of(as_asked(compiled.system, prop)))
        case "deadlock_free":
            return stuck(compiled.system)
    return None


def _search(compiled: Compiled, condition: Expr, games: int, remembered: Trace | None) -> Trace | None:
    goal: Goal = compiled.predicate(condition)
    if remembered is not None:
        try:
            if goal(*replay(compiled, remembered)):
                return remembered
        except ValueError:
            pass
    found = game_towards(compiled, condition) if rigid_part(condition) is not None else None
    found = found or Explorer(compiled).explore({"broken": goal}, games).traces.get("broken")
    if found is None:
        return None
    found = Shortener(compiled, goal, condition).shorter(found)
    replay(compiled, found)
    return found


def _still_holds(compiled: Compiled, prop: Property, lemmas: tuple[Expr, ...]) -> bool:
    if prop.kind not in ("invariant", "unreachable"):
        return False
    return holds_always(compiled.system, condition_of(as_asked(compiled.system, prop)), lemmas).proved

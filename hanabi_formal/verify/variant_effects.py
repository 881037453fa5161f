"""Is a variant consistent: does every change have an effect?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
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
from hanabi_formal.kernel.build import FALSE
from hanabi_formal.kernel.expr import Expr
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Trace
from hanabi_formal.prove.consistency.guard_coverage import guards_of
from hanabi_formal.prove.consistency.side_by_side import (
    RuleDifference,
    SideBySide,
    plain_difference,
    rules_of,
    text_difference,
)
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Result, Verdict, timed
from hanabi_formal.prove.properties import can_never_be_taken
from hanabi_formal.prove.search.explorer import Explorer
from hanabi_formal.prove.search.replayed import replay
from hanabi_formal.run.follow import legal_part

GAMES = 60


def constant_cases(game: Game, players: int | None) -> Iterator[Result]:
    """Cases that the chosen rulings and parameters turn off are as they should be; others that never can be are not."""
    for case in silent_cases(game.merged, game.system(players)):
        one = Obligation.of(ObligationKind.CASE, case.name, clauses=case.clauses)
        detail = "its condition is always false"
        if case.under:
            one, detail = one.expecting(Verdict.VACUOUS), f"{detail} under {case.under}"
        yield Result(one, Verdict.VACUOUS if case.under else Verdict.REFUTED, "text", detail)


@dataclass
class Effects:
    """The changes of a composition's variants, each compared with the game that lacks it.

    Games that are `known`, and those of `others`, may show a difference; so may new ones.
    """

    game: Game
    players: int | None
    games: int = GAMES
    known: Mapping[Obligation, Trace] = field(default_factory=dict)
    lemmas: tuple[Expr, ...] = ()
    others: Callable[[], Iterable[Trace]] = tuple
    _played: list[Trace] = field(default_factory=list)

    def results(self) -> Iterator[Result]:
        return timed(map(self._result, changes_of(self.game.merged.composition)))

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
        one, found, same = _has_effect(change), *self._difference(change)
        if found is not None and found.trace is not None:
            replay(self.game.compiled(self.players), found.trace)
            return Result(one.expecting(Verdict.REACHED), Verdict.REACHED, "game", found.what, found.trace)
        if found is not None:
            return Result(one, Verdict.PROVED, "text", found.what)
        if not same and (change.is_removal or self._turns_off(change)):
            # What could never happen is better removed than left in the text.
            return Result(one, Verdict.PROVED, "text", "the part is gone, and no game shows that it is missing")
        method = f"side by side, {self.games} games"
        if other := self._at_home(change) or self._under_other_rulings(change):
            return Result(one.expecting(Verdict.VACUOUS), Verdict.VACUOUS, method, other)
        if same:
            return Result(one, Verdict.REFUTED, "text", "it changes nothing")
        if self._forbids_nothing(change):
            return Result(one, Verdict.REFUTED, "induction", "it forbids nothing that was allowed")
        return Result(one, Verdict.UNDECIDED, method, "no game shows a difference")

    def _difference(self, change: Changed) -> tuple[RuleDifference | None, bool]:
        """The difference it makes, if one is found; and whether there can be none."""
        try:
            without = without_change(self.game, change)
            if change.parameter is not None:
                differ = range_of(without.merged, change.parameter) != range_of(self.game.merged, change.parameter)
                return (RuleDifference("other values can be chosen"), False) if differ else (None, True)
            return _compare(self.game, without, self.players, self._games_for(change))
        except Rejected:
            return RuleDifference("without it the game is not well-formed"), False

    def _turns_off(self, change: Changed) -> bool:
        """Is some end or action out of the question with it that would be open without?"""
        without = without_change(self.game, change)
        return bool(_turned_off(self.game.system(self.players)) - _turned_off(without.system(self.players)))

    def _games_for(self, change: Changed) -> Iterator[Trace]:
        remembered = self.known.get(_has_effect(change))
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

    def _effect(self, change: Changed, merged: Merged, settings: Settings) -> RuleDifference | None:
        try:
            with_it = Game(merged, settings)
            without = without_change(with_it, change)
            games = Explorer(with_it.compiled(self.players)).games(self.games)
            return _compare(with_it, without, self.players, games)[0]
        except Rejected:
            return None

    def _forbids_nothing(self, change: Changed) -> bool:
        system = self.game.system(self.players)
        added = [asked for asked in guards_of(system) if asked.guard.span == change.added_guard is not None]
        return bool(added) and all(asked.never_forbids(system, self.lemmas).proved for asked in added)


def _has_effect(change: Changed) -> Obligation:
    return Obligation.of(ObligationKind.EFFECT, change.name, clauses=change.clauses)


def _turned_off(system: System) -> set[str]:
    ends = {end.name for end in system.ends if end.condition == FALSE}
    return ends | {action.name for action in system.actions if can_never_be_taken(action)}


def _compare(
    changed: Game, unchanged: Game, players: int | None, games: Iterable[Trace]
) -> tuple[RuleDifference | None, bool]:
    new, old = changed.system(players), unchanged.system(players)
    if rules_of(new) == rules_of(old):
        said = text_difference(new, old)
        return (RuleDifference(said), False) if said else (None, True)
    plain = plain_difference(new, old)
    if plain:
        return RuleDifference(plain), False
    return SideBySide(changed.compiled(players), unchanged.compiled(players)).difference(games), False


_WITHOUT: WeakKeyDictionary[Game, dict[int, Game]] = WeakKeyDictionary()


def without_change(game: Game, change: Changed) -> Game:
    """The game without one change. It is made once, as to elaborate it takes time; two changes may read alike."""
    known = _WITHOUT.setdefault(game, {})
    part = id(change.change)
    if part not in known:
        known[part] = Game(merge(game.merged.composition, without=change.change), game.settings)
    return known[part]


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

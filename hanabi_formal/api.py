"""The Python interface: `load` a specification, `start` a game, ask what is `legal`, `step`.

>>> import hanabi_formal
>>> state = hanabi_formal.load("base").start(players=3, seed=7)
>>> state.ended is None and len(state.legal()) > 0
True

What is public is in `__all__`: `load`, the `Game` it makes, the `State`s of a game, the actions (`Instance`) that lead
from one to the next, and what is raised where a text (`Rejected`) or an action (`IllegalAction`) is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hanabi_formal.compose.merge import Merged, merge
from hanabi_formal.compose.settings import Settings
from hanabi_formal.compose.units import compose
from hanabi_formal.diagnostics.diagnostic import Rejected, refuse
from hanabi_formal.elaborate.elaborate import elaborate, player_counts
from hanabi_formal.formats.deals import parse_deal, shuffled
from hanabi_formal.formats.faces import check_deal, show_action, show_deal
from hanabi_formal.kernel.system import End, System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import type_values
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import IllegalAction
from hanabi_formal.run.follow import after
from hanabi_formal.run.interpret import Fact, Snapshot, Step
from hanabi_formal.run.readings import position

__all__ = ["Game", "IllegalAction", "Instance", "Rejected", "State", "load"]


def load(
    spec: str,
    *,
    rulings: Mapping[str, str] | None = None,
    params: Mapping[str, int] | None = None,
    cuts: Mapping[str, Sequence[str]] | None = None,
) -> Game:
    """A game from a path, a built-in name, or several joined by `+`. Raises `Rejected` with located diagnostics."""
    settings = Settings(params or {}, rulings or {}, {name: tuple(values) for name, values in (cuts or {}).items()})
    return Game.of(spec, settings)


class Game:
    """Rules with their settings chosen; compiled for a player count when first played."""

    def __init__(self, merged: Merged, settings: Settings, systems: Mapping[int | None, System] | None = None) -> None:
        """`systems`, by number of players, are those that are known already."""
        self.merged = merged
        self.settings = settings
        self._systems = dict(systems or {})
        self._compiled: dict[int | None, Compiled] = {}

    @staticmethod
    def of(spec: str, settings: Settings) -> Game:
        """As `load`, with settings that are put together already."""
        return Game(merge(compose(spec)), settings)

    @property
    def name(self) -> str:
        """The names of its units joined by `+`, such as `nl+rainbow`."""
        return self.merged.composition.name

    @cached_property
    def player_counts(self) -> tuple[int, ...]:
        """What `players` may be; empty for a game that has no such parameter."""
        if "players" in self.settings.params:
            return (self.settings.params["players"],)
        return player_counts(self.merged)

    def _count(self, players: int | None) -> int | None:
        if not self.player_counts:
            if players is not None:
                raise refuse("HRL219", f"`{self.name}` has no parameter `players`")
            return None
        return self.player_counts[0] if players is None else players

    def system(self, players: int | None = None) -> System:
        """The kernel's reading of the rules for a player count."""
        count = self._count(players)
        if count not in self._systems:
            chosen = self.settings if count is None else self.settings.with_params(players=count)
            self._systems[count] = elaborate(self.merged, chosen)
        return self._systems[count]

    def compiled(self, players: int | None = None) -> Compiled:
        """The executor for a player count: plain tuples and numbers, for those who need speed."""
        count = self._count(players)
        if count not in self._compiled:
            self._compiled[count] = Compiled(self.system(count))
        return self._compiled[count]

    def start(
        self, players: int | None = None, deal: str | Sequence[int] | None = None, seed: int | str | None = None
    ) -> State:
        """The first state. `deal` is text such as `r1 y3 …` or face numbers; without one, `seed` shuffles."""
        compiled = self.compiled(players)
        system = compiled.system
        if isinstance(deal, str):
            faces = parse_deal(deal, system)
        elif deal is not None:
            faces = check_deal(deal, system)
        elif system.deck is None:
            faces = ()
        else:
            faces = shuffled(system, 0 if seed is None else seed)
        dealt = compiled.deal(list(faces))
        return State(compiled, dealt, compiled.start(dealt))


@dataclass(frozen=True, eq=False)
class State:
    """A position in a game. Immutable and hashable; equal positions of equal deals are equal."""

    compiled: Compiled = field(repr=False)
    dealt: Dealt = field(repr=False)
    packed: PackedState

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and (self.packed, self.dealt[0]) == (other.packed, other.dealt[0])

    def __hash__(self) -> int:
        return hash((self.packed, tuple(self.dealt[0])))

    @property
    def system(self) -> System:
        """The kernel's reading of the rules that this position belongs to."""
        return self.compiled.system

    @cached_property
    def spelt_out(self) -> Snapshot:
        """The value of every state variable."""
        return self.compiled.snapshot(self.packed)

    @property
    def deal(self) -> str:
        """The whole order of the cards as text."""
        return show_deal(self.dealt[0], self.system)

    @property
    def actor(self) -> int | None:
        """Whose turn it is."""
        return self.value(self.system.actor) if self.system.actor is not None else None

    def value(self, variable: str, *index: int) -> int:
        """The value of a state variable, at an index if it is a map."""
        found = self.spelt_out.values[variable]
        if isinstance(found, int):
            return found
        return found[position(self.system.variable(variable).index, index)]

    def legal(self) -> tuple[Instance, ...]:
        """All legal actions; none once the game has ended."""
        return tuple(self.compiled.decode(self.packed, code) for code in self.compiled.legal(self.dealt, self.packed))

    def action(self, name: str, *args: int) -> Instance:
        """An action by name and argument numbers, legal or not; IllegalAction if there is no such action."""
        known = next((action for action in self.system.actions if action.name == name), None)
        if known is None:
            raise IllegalAction(f"there is no action `{name}`")
        fits = len(args) == len(known.params) and all(
            value in type_values(param.type) for value, param in zip(args, known.params, strict=True)
        )
        if not fits:
            raise IllegalAction(f"`{name}` does not take {args}")
        return Instance(name, args)

    def shown(self, action: Instance) -> str:
        """An action as a rule file would write it."""
        return show_action(action, self.system)

    def step(self, action: Instance) -> State:
        """The state after a legal action; `IllegalAction` names the guard and the clause that refuse any other."""
        packed = after(self.compiled, self.dealt, self.packed, action)
        if packed is None:
            self.explain(action)
            raise AssertionError("the interpreter allows what the executor refuses")
        return State(self.compiled, self.dealt, packed)

    def play(self, actions: Iterable[Instance]) -> State:
        """The state after several actions, one after the other."""
        state = self
        for name, args in actions:
            state = state.step(state.action(name, *args))
        return state

    def explain(self, action: Instance) -> Step:
        """What the action does: changes with their clauses, cases taken, who learns what."""
        return self.compiled.interpreter.step(self.spelt_out, tuple(self.dealt[0]), action)

    @property
    def ended(self) -> End | None:
        """The end that was reached, with its name, outcome and clauses."""
        number = self.compiled.ended(self.packed)
        return self.system.ends[number - 1] if number else None

    @property
    def score(self) -> int:
        """The score now, or the final one."""
        return self.compiled.score(self.dealt, self.packed)

    @property
    def bands(self) -> tuple[str, ...]:
        """What the scale says of an ended game: one text, or none, or several where the print overlaps."""
        return self.compiled.bands(self.dealt, self.packed)

    def view(self, seat: int) -> tuple[Fact, ...]:
        """Everything a seat can see."""
        view = self.system.view
        if view is None:
            return ()
        facts = [fact for sight in view.sights for fact in sight.facts]
        seen = self.compiled.view(self.dealt, self.packed, seat)
        return tuple(Fact(facts[number], binding, value) for number, binding, value in seen)

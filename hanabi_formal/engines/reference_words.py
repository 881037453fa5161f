"""What the rule files say, in the words of the hand-written engine: rules, decks, actions and positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import cast

from hanabi_formal import reference as ref
from hanabi_formal.api import Game, State
from hanabi_formal.compose.merge import merge
from hanabi_formal.compose.units import compose
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.kernel.canonical import rules_identity
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import Type, show_value, type_values
from hanabi_formal.resources import spec_folder
from hanabi_formal.roles.actions import Colour, DeclaredActions, Rank
from hanabi_formal.roles.entries import Roles, roles_of
from hanabi_formal.run.readings import Values

KNOWN = ("base", *ref.EDITIONS, *ref.VARIANTS)
RANKS = ("1", "2", "3", "4", "5")
FIVE = ref.SUITS[:5]


class UnknownRules(Exception):
    """The reference engine cannot play this; the message says why."""


def known_rules(game: Game, players: int | None) -> ref.Rules:
    """These rules as the reference engine has them. It reads no rule files: it knows what the built-in ones mean.

    Rulings are its own for the edition, unless the user chose others; numbers of tokens are those of the game.
    """
    composition, settings = _built_in(game, players).merged.composition, game.settings
    suits, ranks = settings.cuts.get("Suit", FIVE), settings.cuts.get("Rank", RANKS)
    if settings.cuts.keys() - {"Suit", "Rank"} or ranks != RANKS[: len(ranks)]:
        raise UnknownRules("it cannot play without what is cut away")
    numbers = dict(game.system(players).parameters)
    count = numbers.pop("players")
    edition = composition.edition.name.text if composition.edition is not None else None
    chosen: dict[str, str | int] = {**numbers, **settings.rulings, "top": len(ranks)}
    try:
        return ref.rules_for(edition, composition.variants, count, chosen, suits)
    except ValueError as refused:
        raise UnknownRules(f"it refuses {refused}") from None


@lru_cache(maxsize=8)
def _built_in(game: Game, players: int | None) -> Game:
    """The built-in game that has just these rules, wherever their files lie and whatever is stated of them besides."""
    units = game.merged.composition.order
    names = [unit.name for unit in units if unit.name in KNOWN]
    strangers = [unit.name for unit in units if unit.name not in KNOWN]
    if not strangers and all(unit.folder.resolve() == spec_folder().resolve() for unit in units):
        return game
    names.sort(key=ref.EDITIONS.__contains__, reverse=True)  # an edition comes first
    try:
        found = Game(merge(compose("+".join(names))), game.settings)
        if rules_identity(found.system(players)) == rules_identity(game.system(players)):
            return found
    except Rejected:
        pass  # there are no such rules, or what is chosen here cannot be chosen there
    if strangers:
        raise UnknownRules(f"it does not know `{strangers[0]}`")
    raise UnknownRules(f"it knows other rules as `{game.name}`")


class Words:
    """The translation for one System that the reference engine knows."""

    def __init__(self, system: System) -> None:
        self.system = system

    @cached_property
    def _faces(self) -> list[ref.Face]:
        assert self.system.deck is not None
        return [ref.Face(show_value(self._suits, suit), rank) for suit, rank in self.system.deck.faces]

    @cached_property
    def _suits(self) -> Type:
        assert self.system.deck is not None
        return self.system.deck.attributes[0][1]

    def deck(self, faces: Sequence[int]) -> list[ref.Face]:
        return [self._faces[face] for face in faces]

    @cached_property
    def _roles(self) -> Roles:
        return roles_of(self.system)

    @cached_property
    def _actions(self) -> DeclaredActions:
        return DeclaredActions(self.system)

    def action(self, action: Instance) -> ref.Action:
        role = self._actions.role_of(action)
        match role, action.args:
            case "hint", (seat, about):
                return ("hint", seat, self._clue(about))
            case "announce", (card, suit, take):
                return ("announce", card, show_value(self._suits, suit), bool(take))
            case "discard" | "play" | "deck_play", (*cards, take):
                return cast(ref.Action, (role, *cards, bool(take)))
        return cast(ref.Action, (role, *action.args))

    def _clue(self, about: int) -> ref.Clue:
        match self._actions.subjects[about]:
            case Colour(name):
                return ("colour", name)
            case Rank(rank):
                return ("value", rank)

    def compared(self, state: State, values: Values, table: ref.Table) -> Iterator[tuple[str, object, object]]:
        """All that lies on the table, the end and the worth of the game: its name, what `state` and what `table` says.

        `values` is the state spelt out.
        """
        yield "the end", state.ended and state.ended.name, table.end
        roles = self._roles
        kind, places = self.system.variable(roles.place).type, cast("tuple[int, ...]", values[roles.place])
        lying = {
            roles.pile: range(table.drawn, len(table.deck)),
            roles.discards: table.discards,
            roles.fireworks: [card for firework in table.fireworks for card in firework],
            **dict(zip(roles.hands, table.hands, strict=True)),
        }
        for place, theirs in lying.items():
            ours = [card for card, at in enumerate(places) if at == place]
            yield f"cards in {show_value(kind, place)}", ours, sorted(theirs)
        numbers = {
            roles.drawn: table.drawn,
            roles.turn: table.turn,
            roles.blue: table.blue,
            roles.red: table.red,
            cast(str, roles.countdown): table.turns_left,
        }
        for name, number in numbers.items():
            yield name, values[name], number
        told = {(card, f"{clue[0]}({clue[1]})"): "yes" if touched else "no" for card, clue, touched in table.told}
        yield "what was told", self._told(cast("tuple[int, ...]", values[cast(str, roles.told)])), told
        yield "the outcome", state.ended and state.ended.outcome, ref.outcome(table)
        yield "the score", state.score, ref.score(table)
        yield "the bands", self._ranges(state.bands), ref.band(table)

    @cached_property
    def _clues(self) -> list[tuple[int, str]]:
        """The places of the record of what was told."""
        cards, clues = self.system.variable(cast(str, self._roles.told)).index
        named = ["{}({})".format(*self._clue(clue)) for clue in type_values(clues)]
        return [(card, clue) for card in type_values(cards) for clue in named]

    def _told(self, answers: tuple[int, ...]) -> dict[tuple[int, str], str]:
        kind = self.system.variable(cast(str, self._roles.told)).type
        shown = {value: show_value(kind, value) for value in type_values(kind)}
        pairs = zip(self._clues, answers, strict=True)
        return {place: shown[answer] for place, answer in pairs if shown[answer] != "untold"}

    def _ranges(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Bands as the reference engine writes them: it has no texts."""
        bands = self.system.bands.bands if self.system.bands is not None else ()
        found = [band for band in bands if band.text in texts]
        return tuple(f"{band.low}..{band.high}" if band.low < band.high else str(band.low) for band in found)

"""What arguments about deals need of the rules, and whether these rules have it.

The needs are written as rules are, in `spec/needs/`, in the words of the base game; of another game they are said in
its own, as its interface declares them. Z3 proves them of a game by induction, like any property. Of the
built-in rules that was done once, and the package keeps the outcome under the identity of the rules. Of other rules it
is proved in every run that asks for it. Nothing is looked up that a user can write.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from hanabi_formal.api import Game
from hanabi_formal.compose.merge import merge
from hanabi_formal.compose.rewording import card_types, extended
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.judge.arguments.kept_needs import AdviceKey, Tried, kept_needs
from hanabi_formal.kernel.canonical import identity, rules_identity
from hanabi_formal.kernel.expr import Attr, Expr, Get, Lit, Local, Op, Quant
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import UnionType, show_value, type_values
from hanabi_formal.resources import spec_folder
from hanabi_formal.roles.entries import Roles, Undeclared, maximum_of, roles_of

CARDS, FEW, TURNS, SPENDING, TOKENS = NEEDS = "cards", "few", "turns", "spending", "tokens"
EXTENDS = {CARDS: (), FEW: (CARDS,), TURNS: (CARDS,), SPENDING: (CARDS, TURNS), TOKENS: (CARDS, TURNS)}
"""Whoever has a need has those that it extends."""
GAME = "base"
"""The game that the needs extend, in their own words."""


@dataclass(frozen=True)
class NeedStatus:
    """Whether a need is met; `detail` says what is missing, or where the proof comes from."""

    need: str
    met: bool
    detail: str


def scores_cards(system: System) -> bool:
    """Whether every end scores a point for each card on the fireworks, or nothing; a no may be too careful."""
    try:
        roles = roles_of(system)
    except Undeclared:
        return False
    return all(_counts_cards(end.score, roles) for end in system.ends)


def _counts_cards(score: Expr, roles: Roles) -> bool:
    match score:
        case Lit(value):
            return value <= 0
        case Quant("sum", (suit,), Quant("count", (card,), Op("and", (Op("eq", (at, there)), Op("eq", (of, this)))))):
            match at, there, of:
                case Get(place, (Local() as placed,)), Lit(value), Attr(attribute, Local() as drawn):
                    said = this == suit and placed == drawn == card
                    return said and (place, value, attribute) == (roles.place, roles.fireworks, roles.suit)
    return False


def need_path(need: str) -> Path:
    return spec_folder() / "needs" / f"{need}.hrl"


@cache
def _need_hash(need: str) -> str:
    texts = "\0".join(need_path(one).read_text("utf-8") for one in _levels(need))
    return sha256(texts.encode()).hexdigest()


def _levels(need: str) -> tuple[str, ...]:
    """The need and those it extends."""
    return *EXTENDS[need], need


def key_of(system: System, need: str, dealt: int) -> str:
    """All that a proof depends on: the rules, the need, and how many cards a hand is taken to hold."""
    return sha256(f"{rules_identity(system)} {need} {dealt} {_need_hash(need)}".encode()).hexdigest()[:32]


class RuleNeeds:
    """The needs of one game and player count; each is looked up in the package, or proved, when it is first asked for.

    With `afresh` it is proved, whatever the package keeps.
    """

    def __init__(self, game: Game, players: int | None, dealt: int, afresh: bool = False) -> None:
        self.game = game
        self.players = players
        self.dealt = dealt
        self.afresh = afresh
        self._known: dict[str, NeedStatus | None] = {}

    def standing(self, need: str) -> NeedStatus:
        found = self.known(need)
        if found is None:
            missing = prove_need(self.game, self.players, need, self.dealt)
            found = NeedStatus(need, not missing, missing or "proved now")
            # Whoever has turns has cards too, and so on: one file extends the other.
            self._known |= dict.fromkeys(_levels(need), found) if found.met else {need: found}
        return replace(found, need=need)

    def known(self, need: str) -> NeedStatus | None:
        """If it needs no proof to be told."""
        if need not in self._known:
            self._known[need] = None if self.afresh else self._kept(need)
        return self._known[need]

    def _kept(self, need: str) -> NeedStatus | None:
        system = self.game.system(self.players)
        tried = kept_needs().tried.get(key_of(system, need, self.dealt))
        if tried is None or (tried.missing and tried.stated != identity(system)):
            return None
        return NeedStatus(need, not tried.missing, tried.missing or "proved, kept in proofs/")


def prove_need(
    game: Game,
    players: int | None,
    need: str,
    dealt: int,
    found: dict[AdviceKey, tuple[str, ...]] | None = None,
    advised: bool = True,
) -> str:
    """Nothing if Z3 proves all of the need of these rules; else what it cannot prove.

    Unless it is `advised`, no lemma is preferred to others. Which ones each question needed goes into `found`, if that
    is wanted: advice for other proofs.
    """
    from hanabi_formal.prove.induction.chosen_properties import prove_all  # the solver is slow to load

    rules = game.system(players)
    maximum = maximum_of(rules)
    if maximum is None:
        return "the interface names no maximum"
    units = game.merged.composition.order
    spoken_of = {ident.text for unit in units for block in getattr(unit.tree, "withs", ()) for ident in block.variants}
    if taken := {*NEEDS} & ({unit.name for unit in units} | spoken_of):
        return f"these rules speak of `{min(taken)}`, as the need is called, and might change it"
    try:
        roles = roles_of(rules)
        files = [need_path(one) for one in _levels(need)]
        composed = extended(game.merged.composition, files, _words_of(game, rules, roles))
        tokens = _most_tokens(rules, roles) if need in (SPENDING, TOKENS) else {}
        system = Game(merge(composed), game.settings.with_params(dealt=dealt, **tokens)).system(players)
    except (Rejected, Undeclared) as problem:
        return f"it cannot be said of these rules: {problem}"
    if rules_identity(replace(system, parameters=rules.parameters)) != rules_identity(rules):
        return "said of these rules, it changes them"
    display = next(prop for prop in system.properties if prop.name == "need_display").exprs
    if not all(_is_about_all_faces(expr, system) for expr in display):
        return "cards have other suits or ranks than `Suit` and `Rank`"
    advice = kept_needs().advice.get(need) if advised else None
    return prove_all(system, "need_", display, maximum, advice, found)


def _is_about_all_faces(display: Expr, system: System) -> bool:
    """Are the suits and ranks that the needs speak of those that cards have?"""
    match display:
        case Quant("forall", binders):
            return system.deck is not None and [b.type for b in binders] == [kind for _, kind in system.deck.attributes]
    return False


def _words_of(game: Game, rules: System, roles: Roles) -> dict[str, str]:
    """For every word that the needs use for a part of a game, what the part is called in this one."""
    place = rules.variable(roles.place).type
    assert isinstance(place, UnionType)
    words = {
        GAME: game.merged.composition.game.name.text,
        "suit": roles.suit,
        "rank": roles.rank,
        "place": roles.place,
        "pile": show_value(place, roles.pile),
        "hand": place.constructors[place.decode(roles.hands[0])[0]].name,
        "fireworks": show_value(place, roles.fireworks),
        "discards": show_value(place, roles.discards),
        "drawn": roles.drawn,
        "turn": roles.turn,
        "blue_left": roles.blue,
        "red_spent": roles.red,
        "turns_left": roles.countdown or "",
        "Player": rules.variable(roles.turn).type.name,
    }
    return words | card_types(game.merged, "Card", "Suit", "Rank")


def _most_tokens(system: System, roles: Roles) -> dict[str, int]:
    """As many as the variables can hold; positions know no other limit."""
    named = {"most_blue": roles.blue, "most_red": roles.red}
    return {name: type_values(system.variable(variable).type)[-1] for name, variable in named.items()}


def tried_of(game: Game, players: int | None, need: str, dealt: int, missing: str) -> Iterator[tuple[str, Tried]]:
    """What is to be kept of a proof that was tried, by its key."""
    system = game.system(players)
    if missing:
        yield key_of(system, need, dealt), Tried(game.name, players, need, missing, identity(system))
        return
    for one in _levels(need):
        yield key_of(system, one, dealt), Tried(game.name, players, one)

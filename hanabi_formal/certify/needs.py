"""What arguments about deals need of the rules, and whether these rules have it.

The needs are written as rules are, in `spec/needs/`. Z3 proves them of a game by induction, like any property. What was
proved is kept under `proofs/`, and for rules of the user's own in the cache, by a hash of the rules.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from hanabi_formal import __version__
from hanabi_formal.api import Game
from hanabi_formal.check.merge import merge
from hanabi_formal.check.units import compose
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats import storage
from hanabi_formal.kernel.expr import Attr, Expr, Get, Lit, Local, Op, Quant
from hanabi_formal.kernel.meaning import meaning_hash
from hanabi_formal.kernel.system import System
from hanabi_formal.kernel.types import show_value, type_values
from hanabi_formal.resources import cache_folder, proofs_folder, spec_folder

CARDS, FEW, TURNS, SPENDING, TOKENS = NEEDS = "cards", "few", "turns", "spending", "tokens"
EXTENDS = {CARDS: (), FEW: (CARDS,), TURNS: (CARDS,), SPENDING: (CARDS, TURNS), TOKENS: (CARDS, TURNS)}
"""Whoever has a need has those that it extends."""
FILE = "needs.json"
MISSING = "missing"
SCHEMA = 1
TOKEN_PARAMETERS = {"most_blue": "blue_left", "most_red": "red_spent"}
HELD = ("def", "held")
"""The word of the base game that the needs use for being in a hand."""


@dataclass(frozen=True)
class Standing:
    """Whether a need is met; `detail` says what is missing, or where the proof comes from."""

    need: str
    met: bool
    detail: str


def maximum_of(system: System) -> int | None:
    """The most points there are, as the interface says."""
    values = dict(system.interface.values).get("maximum", ()) if system.interface is not None else ()
    return values[0].value if len(values) == 1 and isinstance(values[0], Lit) else None


def scores_cards(system: System) -> bool:
    """Whether every end scores a point for each card on the fireworks, or nothing; a no may be too careful."""
    return all(_counts_cards(end.score) for end in system.ends)


def _counts_cards(score: Expr) -> bool:
    match score:
        case Lit(value):
            return value <= 0
        case Quant("sum", (suit,), Quant("count", (card,), Op("and", (Op("eq", (at, there)), Op("eq", (of, this)))))):
            match at, there, of:
                case Get("place", (Local() as placed,)), Lit(value, kind), Attr("suit", Local() as drawn):
                    shown = show_value(kind, value)
                    return this == suit and placed == drawn == card and shown == "fireworks"
    return False


def need_path(need: str) -> Path:
    return spec_folder() / "needs" / f"{need}.hrl"


@cache
def _text_hash(need: str) -> str:
    texts = "\0".join(need_path(one).read_text("utf-8") for one in _levels(need))
    return sha256(f"needs {SCHEMA}\n{texts}".encode()).hexdigest()


def _levels(need: str) -> tuple[str, ...]:
    """The need and those it extends."""
    return *EXTENDS[need], need


def key_of(system: System, need: str, dealt: int) -> str:
    """All that a verdict depends on: the rules, the need, and how many cards a hand is taken to hold."""
    text = f"{meaning_hash([system], properties=False)} {maximum_of(system)} {need} {dealt} {_text_hash(need)}"
    return sha256(text.encode()).hexdigest()[:32]


class Needs:
    """The needs of one game and player count; each is looked up, or proved, when it is first asked for.

    With `afresh` nothing that was proved before is believed.
    """

    def __init__(self, game: Game, players: int | None, dealt: int, afresh: bool = False) -> None:
        self.game = game
        self.players = players
        self.dealt = dealt
        self.afresh = afresh
        self._known: dict[str, Standing | None] = {}

    def standing(self, need: str) -> Standing:
        found = self.known(need)
        if found is None:
            found = self._known[need] = self._proved_now(need)
        return found

    def known(self, need: str) -> Standing | None:
        """If it needs no proof to be told."""
        if need not in self._known:
            self._known[need] = None if self.afresh else self._kept(need)
        return self._known[need]

    def _kept(self, need: str) -> Standing | None:
        key = key_of(self.game.system(self.players), need, self.dealt)
        folder = cache_folder()
        for path, place in ((proofs_folder() / FILE, "proofs/"), (folder / FILE if folder else None, "the cache")):
            entry = _entries(path).get(key) if path is not None else None
            if entry is not None and MISSING not in entry:
                return Standing(need, True, f"proved, kept in {place}")
            if entry is not None and self._is_as_tried(entry):
                return Standing(need, False, str(entry[MISSING]))
        return None

    def _is_as_tried(self, entry: Mapping[str, object]) -> bool:
        """Would another attempt at a proof go the same way?"""
        stated = meaning_hash([self.game.system(self.players)])
        return (entry.get("version"), entry.get("stated")) == (__version__, stated)

    def _proved_now(self, need: str) -> Standing:
        missing = prove_need(self.game, self.players, need, self.dealt)
        folder = cache_folder()
        if folder is not None:
            keep(folder / FILE, entries_of(self.game, self.players, need, self.dealt, missing))
        return Standing(need, not missing, missing or "proved now")


def prove_need(game: Game, players: int | None, need: str, dealt: int) -> str:
    """Nothing if Z3 proves all of the need of these rules; else what it cannot prove."""
    from hanabi_formal.prove.lemmas import prove_all  # the solver is slow to load

    maximum = maximum_of(game.system(players))
    if maximum is None:
        return "the interface names no maximum"
    units = game.merged.composition.order
    spoken_of = {ident.text for unit in units for block in getattr(unit.tree, "withs", ()) for ident in block.variants}
    if taken := {*NEEDS} & ({unit.name for unit in units} | spoken_of):
        return f"these rules speak of `{min(taken)}`, as the need is called, and might change it"
    if game.merged.items.get(HELD) not in game.merged.composition.game.items:
        return "`held` is no longer to be in a hand"
    try:
        composed = compose(f"{game.merged.composition.spec}+{need_path(need)}")
        tokens = _most_tokens(game.system(players)) if need in (SPENDING, TOKENS) else {}
        system = Game(merge(composed), game.settings.with_params(dealt=dealt, **tokens)).system(players)
    except Rejected as rejected:
        return f"it cannot be said of these rules: {rejected}"
    display = next(prop for prop in system.properties if prop.name == "need_display").exprs
    if not all(_is_about_all_faces(expr, system) for expr in display):
        return "cards have other suits or ranks than `Suit` and `Rank`"
    return prove_all(system, "need_", display, maximum)


def _is_about_all_faces(display: Expr, system: System) -> bool:
    """Are the suits and ranks that the needs speak of those that cards have?"""
    match display:
        case Quant("forall", binders):
            return system.deck is not None and [b.type for b in binders] == [kind for _, kind in system.deck.attributes]
    return False


def _most_tokens(system: System) -> dict[str, int]:
    """As many as the variables can hold; positions know no other limit."""
    return {name: type_values(system.variable(var).type)[-1] for name, var in TOKEN_PARAMETERS.items()}


def entries_of(
    game: Game, players: int | None, need: str, dealt: int, missing: str = ""
) -> dict[str, Mapping[str, object]]:
    """What is kept of a proof. Whoever has turns has cards too, and so on: one file extends the other.

    What could not be proved is kept as well, so that nobody waits for it twice; the next version may try again.
    """
    system = game.system(players)
    about = {"spec": game.name, "players": players}
    if missing:
        # What is stated of the rules may serve as a lemma, so with more of it more may be proved.
        tried = {"version": __version__, "stated": meaning_hash([system])}
        return {key_of(system, need, dealt): {**about, "need": need, MISSING: missing, **tried}}
    return {key_of(system, one, dealt): {**about, "need": one} for one in _levels(need)}


def kept_in(path: Path) -> set[str]:
    """The keys of what a file keeps."""
    return set(_entries(path))


def _entries(path: Path) -> dict[str, Mapping[str, object]]:
    """What a file keeps; nothing if it is not there, or not ours."""
    stamp = path.stat().st_mtime_ns if path.is_file() else None
    return _read(path, stamp) if stamp is not None else {}


@cache
def _read(path: Path, stamp: int) -> dict[str, Mapping[str, object]]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict) or found.get("schema") != SCHEMA or not isinstance(found.get("proved"), dict):
        return {}
    return {key: entry for key, entry in found["proved"].items() if isinstance(entry, dict)}


def keep(path: Path, entries: Mapping[str, Mapping[str, object]], only: Container[str] | None = None) -> None:
    """Add to what a file keeps, or to those of its keys that are named. A cache that cannot be written is no error."""
    known = {key: entry for key, entry in _entries(path).items() if only is None or key in only}
    proved = {**known, **entries}
    text = json.dumps({"schema": SCHEMA, "proved": dict(sorted(proved.items()))}, indent=1) + "\n"
    storage.keep(path, text.encode())

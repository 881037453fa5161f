"""Decks so small that every game can be played, and all rules that matter there at each of their values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from exhaustive import best_score
from hanabi_formal.api import Game, load
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.sat.question import ask

FEW_CARDS = """
variant few_cards extends base {
  clause @few "Everybody holds one card, and there are fewer blue tokens."
  override const hand_size = 1              @few
  override const blue_max = 1 + extra_blue  @few
}
"""
MAXIMUM = 6
# That there is no more than everything takes long to prove, and is asked of one deal in so many.
MORE_THAN_ALL = 10
SPECS = ("base", "expert", "timed", "rainbow", "difficulty")
RULINGS: dict[str, tuple[str, ...]] = {
    "empty_hint": ("allowed", "refused"),
    "discard_at_full": ("refused", "allowed"),
    "take_token": ("must", "may"),
    "loss_score": ("zero", "sum"),
    "perfect_in_last_round": ("stops", "plays_on"),
    "fit": ("continues", "literal"),
    "draw_after_fit": ("yes", "no"),
    "draw_on_end": ("no", "yes"),
    "stuck": ("unruled", "lost", "skipped"),
    "red_limit": ("all_given", "third"),
    "all_or_five": ("all", "five"),
    "hopeless": ("plays_on", "stops"),
}
MORE_RULINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "expert": {"misfit_is_discard": ("yes", "no")},
    "timed": {"announced_but_misfit": ("misfit", "misfit_and_token")},
}


@dataclass(frozen=True)
class Deck:
    """A specification cut down, with one ruling decided."""

    spec: str
    players: int
    ruling: tuple[str, str] | None
    suits: int = 2


def decks(spec: str) -> Iterator[Deck]:
    """The rules as they are, then each ruling at each of its values; players and suits by turns."""
    yield Deck(spec, 2, None)
    yield Deck(spec, 3, None)
    yield Deck(spec, 2, None, suits=3)
    place = 0
    for name, values in {**RULINGS, **MORE_RULINGS.get(spec, {})}.items():
        for value in values:
            place += 1
            yield Deck(spec, 2 + place % 2, (name, value), 3 if place % 5 == 0 else 2)
    if spec == "timed":  # a question that only both variants together raise
        for value in ("own_colour", "any_colour", "refused"):
            yield Deck("timed+rainbow", 2, ("announce_multi", value))


def load_deck(deck: Deck, folder: Path) -> Game:
    path = folder / "few_cards.hrl"
    if not path.exists():
        path.write_text(FEW_CARDS, encoding="utf-8")
    last = "multi" if "rainbow" in deck.spec else "green"
    suits = ("red", last) if deck.suits == 2 else ("red", "yellow", last)
    ranks = ("1", "2", "3") if deck.suits == 2 else ("1", "2")
    tokens = {} if deck.spec == "difficulty" else {"red_tokens": 3 if deck.ruling == ("red_limit", "third") else 2}
    rulings = dict([deck.ruling]) if deck.ruling is not None else {}
    return load(f"{deck.spec}+{path}", rulings=rulings, params=tokens, cuts={"Suit": suits, "Rank": ranks})


class Comparison:
    """Clauses against every game there is."""

    def __init__(self, deck: Deck, folder: Path) -> None:
        game = load_deck(deck, folder)
        self.deck = deck
        self.system = game.system(deck.players)
        self._compiled = Compiled(restrict(self.system))
        self.full = Compiled(self.system)

    def compare(self, seed: int) -> int | None:
        """The best score of a shuffled deal, from a state early in a game; raises if the clauses differ."""
        faces = tuple(shuffled(self.system, f"small {seed}"))
        dealt = self.full.deal(list(faces))
        state = self.full.start(dealt)
        random = Random(seed)
        for _ in range(seed % 4):
            codes = self.full.legal(dealt, state)
            if not codes:
                break
            state = self.full.step(dealt, state, random.choice(list(codes)))
        snapshot = self.full.snapshot(state)
        small = self._compiled.deal(list(faces))
        best = best_score(self._compiled, small, self._compiled.pack(snapshot, small), 400_000)
        goals = {0: "impossible"} if best is None else {best: "reached", best + 1: "impossible"}
        if seed % MORE_THAN_ALL:
            goals.pop(MAXIMUM + 1, None)
        for goal, expected in goals.items():
            answer = ask(self.system, faces, snapshot, goal, budget=200_000)
            assert answer.verdict == expected, (self.deck, seed, best, goal, answer)
        return best

"""Games about which evidence is forged, each with what is really true of its deals.

Most have so few cards that every game can be played. Many are made to deceive: the words of the base game mean
something else, so that an argument which is sound there would deny a deal that can be won.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from attacks.limits import unlimited
from attacks.program import roles
from hanabi_formal.api import Game, load
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.resources import spec_folder
from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState
from hanabi_formal.run.faults import Fault, IllegalAction
from hanabi_formal.winnability.answer import LadderBudget
from hanabi_formal.winnability.deal_report import DealReport
from hanabi_formal.winnability.oracle import Oracle

Action = Instance
UNKNOWN = -1
MOST_STATES = 400_000
TINY = """variant tiny extends base {
  clause @tiny "one card a hand, two blue tokens"
  override const hand_size = 1              @tiny
  override const blue_max = 2 + extra_blue  @tiny
}
"""


def _interface(maximum: str) -> str:
    """The interface of the base game with another maximum."""
    block = (spec_folder() / "base.hrl").read_text("utf-8").partition("interface cards {")[2].partition("}")[0]
    entries = [line.strip() for line in block.strip().splitlines() if not line.strip().startswith("maximum")]
    return f"override interface cards {{ {' ; '.join((*entries, f'maximum = {maximum}'))} }}"


MOODS = ("add enum Mood = v0 | v1 | v2 @changed", "add var mood : Mood @changed", "add start { mood = v0 @changed }")
LAYS_ALL = "for c : Card where place[c] != fireworks { place[c]' = fireworks @changed }"

# Each is a name and changes to the base game. In many of them a deal can be won that could not be otherwise.
CHANGES: dict[str, tuple[str, ...]] = {
    "credit": ("override var blue_left : -2..blue_max @changed", "override when hint.token blue_left > -2 @changed"),
    "free_hints": (
        "override action hint(p, about) : move @changed when p != turn label mate @changed"
        " { blue_left' = max(0, blue_left - 1) @changed }",
    ),
    "needs_changed": (
        "override action hint(p, about) : move @changed when p != turn label mate @changed"
        " { blue_left' = max(0, blue_left - 1) @changed }",
        "with tokens { remove property need_hint_costs @changed }",
    ),
    "double": ("override score = 2 * sum(height(s) for s : Suit) @changed", _interface("2 * size(Suit) * size(Rank)")),
    "cards_count_double": ("override score = min(6, 2 * sum(height(s) for s : Suit)) @changed",),
    "one_point_more": (_interface("size(Suit) * size(Rank) + 1"),),
    "fewer_points": (_interface("size(Suit) * size(Rank) - 1"),),
    "score_at_the_end": ("override end last_round over when turns_left == 0 score 6 @changed",),
    "loss_is_a_win": ("override end strikes lost when red_spent == red_tokens score 6 @changed",),
    "held_is_less": ("override def held(c, p) = place[c] == hand(p) and index(c) < 3 @changed",),
    "misfit_comes_back": (
        "override effect misfit(c) { place[c]' = hand(next(turn)) @changed"
        " red_spent' = min(red_spent + 1, red_tokens) @changed } @changed",
    ),
    "anything_fits": ("override def fits(c) = rank[c] >= height(suit[c]) + 1 @changed",),
    "everything_fits": ("override def fits(c) = rank[c] > 0 @changed",),
    "recovers": (
        "add action recover(c : Card) : move @changed when place[c] == discards label gone @changed"
        " when blue_left > 0 label token @changed"
        " { place[c]' = hand(turn) @changed blue_left' = blue_left - 1 @changed }",
    ),
    "another_round": (
        "override after move countdown { case drawn == size(Card) and blue_left == 0 label last_round"
        " { turns_left' = turns_left - 1 @changed } } @changed",
    ),
    "acts_again": (
        "override after move next_turn then { turn' = if blue_left == 0 then turn else next(turn) @changed } @changed",
    ),
    "gives": (
        "add action give(c : Card) : move @changed when held(c, turn) label own @changed"
        " when blue_left > 0 label token @changed"
        " { place[c]' = hand(next(turn)) @changed blue_left' = blue_left - 1 @changed }",
    ),
    "draws_more": (
        "add action take() : move @changed when drawn < size(Card) label some @changed"
        " when blue_left > 0 label token @changed"
        " { place[Card(drawn)]' = hand(turn) @changed drawn' = drawn + 1 @changed"
        " blue_left' = blue_left - 1 @changed }",
    ),
    "shows_all": (f"add action finish() : move @changed when blue_left == 0 label none @changed {{ {LAYS_ALL} }}",),
    "starts_elsewhere": ("override start { turn = Player(if suit[Card(0)] == red then 0 else 1) @changed }",),
    "starts_with_more": (
        "override start { place[c] = if rank[c] == 1 and index(c) >= 6 then fireworks else"
        " if index(c) < players * hand_size then hand(Player(index(c) / hand_size)) else pile"
        " @changed }",
    ),
    "perfect_is_less": ("override def perfect() = exists(complete(s) for s : Suit) @changed",),
    "hints_gain": (
        "override action hint(p, about) : move @changed when p != turn label mate @changed"
        " { blue_left' = min(blue_left + 1, blue_max) @changed }",
    ),
    "no_red_three": (
        "override def copies(s, r) = if s == red and r == 3 then 0 else 2 @changed",
        "remove property deck_completes @changed",
        "remove property box @changed",
    ),
    "nobody_plays": (
        "strengthen action play when blue_left > 99 label never @changed",
        "strengthen action discard when blue_left > 99 label never @changed",
    ),
    "mood_of_a_value": (
        *MOODS,
        f"add action shout(x : Mood, y : Mood) : move @changed when mood == v2 label right @changed {{ {LAYS_ALL} }}",
    ),
    "mood_of_a_parameter": (
        *MOODS,
        f"add action shout(x : Mood, y : Mood) : move @changed when mood == y label right @changed {{ {LAYS_ALL} }}",
    ),
}
RULINGS = {
    "draw_after_fit": "no",
    "perfect_in_last_round": "plays_on",
    "discard_at_full": "allowed",
    "fit": "literal",
    "hopeless": "stops",
    "loss_score": "sum",
    "draw_on_end": "yes",
    "take_token": "may",
    "stuck": "lost",
    "empty_hint": "refused",
}
OF_MANY_GAMES = {"recovers", "draws_more"}
ONE_SUIT = {"Suit": ["red"], "Rank": ["1", "2", "3"]}
SMALL = {"Suit": ["red", "blue"], "Rank": ["1", "2", "3"]}


@dataclass
class Ground:
    """A game, and what is true of its deals."""

    name: str
    specs: tuple[str, ...]
    files: dict[str, str] = field(default_factory=dict)
    cuts: dict[str, list[str]] = field(default_factory=dict)
    rulings: dict[str, str] = field(default_factory=dict)
    params: dict[str, int] = field(default_factory=dict)
    players: int = 2
    folder: Path = Path()
    _truths: dict[tuple[Any, ...], int | None] = field(default_factory=dict)
    _honest: dict[int, dict[str, Any]] = field(default_factory=dict)

    @cached_property
    def spec(self) -> str:
        here = self.folder / self.name
        here.mkdir(exist_ok=True)
        for name, text in self.files.items():
            (here / name).write_text(text, encoding="utf-8")
        return "+".join(str(here / name) if name in self.files else name for name in self.specs)

    @cached_property
    def game(self) -> Game:
        with unlimited():
            return load(self.spec, rulings=self.rulings, params=self.params, cuts=self.cuts)

    def faces(self, seed: int) -> tuple[int, ...]:
        return shuffled(self.game.system(self.players), f"ground {seed}")

    @cached_property
    def oracle(self) -> Oracle:
        return Oracle(
            self.game, budget=LadderBudget(widths=(10,), wider=(), conflicts=20_000, general_conflicts=20_000)
        )

    def honest(self, seed: int) -> dict[str, Any]:
        """What the program itself says of a deal, as evidence."""
        if seed not in self._honest:
            with unlimited():
                asked = self.oracle.ask(self.players, self.faces(seed), best=bool(self.cuts))
                self._honest[seed] = DealReport(self.oracle, asked).evidence()
        return self._honest[seed]

    @cached_property
    def _small(self) -> Compiled:
        return Compiled(restrict(self.game.system(self.players)))

    def best(self, seed: int, before: Sequence[Action]) -> int | None:
        """The best score that a game can still end with, None if none ends, UNKNOWN if there are too many games."""
        place = (seed, *before)
        if place not in self._truths:
            with unlimited():
                self._truths[place] = self._best(seed, before)
        return self._truths[place]

    def _best(self, seed: int, before: Sequence[Action]) -> int | None:
        if not self.cuts:
            return self._known_best(seed, before)
        state = self.game.start(self.players, self.faces(seed))
        try:
            for name, args in before:
                state = state.step(state.action(name, *args))
        except (IllegalAction, Fault):
            return UNKNOWN
        if state.ended is not None:
            return state.score
        dealt = self._small.deal(list(self.faces(seed)))
        try:
            return self._played_out(dealt, self._small.pack(state.spelt_out, dealt))
        except Fault:
            return UNKNOWN

    def _played_out(self, dealt: Dealt, state: PackedState) -> int | None:
        """Every game there is, until one has all the points."""
        compiled, all_points = self._small, roles.maximum_of(self._small.system)
        seen, waiting = {state}, [state]
        best: int | None = None
        while waiting:
            now = waiting.pop()
            if compiled.ended(now):
                best = max(compiled.score(dealt, now), best if best is not None else 0)
                if all_points is not None and best >= all_points:
                    return best
                continue
            for code in compiled.legal(dealt, now):
                after = compiled.step(dealt, now, code)
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
            if len(seen) > MOST_STATES:
                return UNKNOWN
        return best

    def _known_best(self, seed: int, before: Sequence[Action]) -> int | None:
        """Of a whole deck it is known only where a line was found, and it goes on as the line does."""
        found = self.honest(seed)
        if found["answer"] != "winnable" or list(before) != self.line(seed)[: len(before)]:
            return UNKNOWN
        return int(found["goal"])

    def line(self, seed: int) -> list[Action]:
        """The winning line of a deal, in the words of the rules; empty if there is none."""
        found = self.honest(seed)
        recorder = self.oracle.ladder(self.players).writer.recorder
        return [action for data in found.get("line", ()) for action in [_as_action(recorder, data)]]


def _as_action(recorder: Any, data: dict[str, Any]) -> Action:
    from hanabi_formal.formats.hanab_live.records import ActionKind, RecordedAction

    if "action" in data:
        return Instance(data["action"], tuple(data["args"]))
    found: Action = recorder.played(RecordedAction(ActionKind(data["type"]), data["target"], data["value"]))
    return found


def grounds(folder: Path) -> list[Ground]:
    """The plain ones first: what is asked early needs few proofs."""
    tiny = {"tiny.hrl": TINY}
    small: dict[str, Any] = {"cuts": SMALL, "params": {"red_tokens": 2}, "folder": folder}
    whole: dict[str, Any] = {"folder": folder}
    found = [
        Ground("whole_2", ("base",), players=2, **whole),
        Ground("tiny", ("base", "tiny.hrl"), tiny, **small),
        Ground("whole_3", ("avalanche",), players=3, **whole),
        *(_changed(name, tiny, small) for name in ("mood_of_a_value", "mood_of_a_parameter", "misfit_comes_back")),
        Ground("whole_5", ("avalanche",), players=5, **whole),
    ]
    found += [_changed(name, tiny, small) for name in CHANGES if name not in {ground.name for ground in found}]
    found += [
        Ground(f"{name}_{value}", ("base", "tiny.hrl"), tiny, rulings={name: value}, **small)
        for name, value in RULINGS.items()
    ]
    found += [
        Ground("expert_tiny", ("expert", "tiny.hrl"), tiny, **small),
        Ground("timed_tiny", ("timed", "tiny.hrl"), tiny, **small),
        Ground("dutch_tiny", ("dutch_layout", "tiny.hrl"), tiny, **small),
        Ground(
            "four_ranks",
            ("base", "tiny.hrl"),
            tiny,
            cuts={"Suit": ["red", "blue"], "Rank": ["1", "2", "3", "4"]},
            params={"red_tokens": 2},
            folder=folder,
        ),
        Ground("three_seats", ("base", "tiny.hrl"), tiny, players=3, **small),
    ]
    return found


def _changed(name: str, tiny: dict[str, str], small: dict[str, Any]) -> Ground:
    lines = "".join(f"  {line}\n" for line in CHANGES[name])
    text = f'variant changed extends base {{\n  clause @changed "a rule of our own"\n{lines}}}\n'
    cuts = {"cuts": ONE_SUIT} if name in OF_MANY_GAMES else {}
    return Ground(name, ("base", "tiny.hrl", "changed.hrl"), {**tiny, "changed.hrl": text}, **{**small, **cuts})

"""Recorded games in JSON, links and text, replayed.

The hand-written engine says what is true: which action is the first that is not legal, whether the game has ended and
what it is worth. The record is read for it once more here, plainly.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from attacks import mutate
from attacks.harness import Case, Differs, WrongAcceptance
from attacks.link_text import link, read_actions, read_link
from attacks.program import verb
from hanabi_formal import reference as ref
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.games import open_games
from hanabi_formal.replays.outcome import Replayed
from hanabi_formal.replays.recorded import Library, exported
from hanabi_formal.resources import cache_folder

LETTERS = {"red": "r", "yellow": "y", "green": "g", "blue": "b", "white": "w"}
NAMES = {letter: name for name, letter in LETTERS.items()}
FIVE = tuple(LETTERS)
TWO, THREE = ("red", "blue"), ("red", "green", "blue")
NOTHING_FOLLOWS = ("oneExtraCard", "oneLessCard", "detrimentalCharacters")
ILLEGAL, BAD_INPUT = 1, 2
Move = tuple[int, int, int]


@dataclass(frozen=True)
class Table:
    """Rules under which games are replayed, as both engines know them."""

    rules: ref.Rules
    spec: str = "base"
    rulings: tuple[tuple[str, str], ...] = ()

    @property
    def cuts(self) -> dict[str, tuple[str, ...]]:
        if self.rules.suits == FIVE and self.rules.top == 5:
            return {}
        return {"Suit": self.rules.suits, "Rank": tuple(str(rank + 1) for rank in range(self.rules.top))}

    @cached_property
    def library(self) -> Library:
        settings = Settings({"players": self.rules.players}, dict(self.rulings), self.cuts)
        return Library(self.spec, settings, cache_folder())

    @cached_property
    def deck(self) -> list[ref.Face]:
        return [
            ref.Face(suit, rank)
            for suit in self.rules.suits
            for rank in range(1, self.rules.top + 1)
            for _ in range(self.rules.copies(suit, rank))
        ]


TABLES = (
    Table(ref.Rules(2, TWO, 3)),
    Table(ref.Rules(2, TWO, 3)),
    Table(ref.Rules(2, TWO, 3)),
    Table(ref.Rules(2, TWO, 3, empty_hint="refused"), rulings=(("empty_hint", "refused"),)),
    Table(ref.Rules(2, TWO, 3, discard_at_full="allowed"), rulings=(("discard_at_full", "allowed"),)),
    Table(ref.Rules(2, TWO, 3, draw_after_fit="no"), rulings=(("draw_after_fit", "no"),)),
    Table(ref.Rules(2, TWO, 3, fit="literal"), rulings=(("fit", "literal"),)),
    Table(ref.Rules(2, TWO, 3, expert=True), "expert"),
    Table(ref.Rules(3, THREE, 3)),
)
WHOLE = Table(ref.Rules(2))
"""A whole deck takes long to replay, and is seldom asked for; only it has links."""


@dataclass(frozen=True)
class Story:
    """A game as the hand-written engine plays it: cards and moves as hanab.live writes them."""

    table: Table
    cards: tuple[ref.Face, ...]
    moves: tuple[Move, ...]

    def record(self, random: Random) -> dict[str, Any]:
        suits = list(self.table.rules.suits)
        found: dict[str, Any] = {
            "players": ["Alice", "Bob", "Cathy"][: self.table.rules.players],
            "deck": [{"suitIndex": _index(self.table, card.suit), "rank": card.value} for card in self.cards],
            "actions": [{"type": kind, "target": target, "value": value} for kind, target, value in self.moves],
            "options": random.choice(({}, {"emptyClues": False}, {"deckPlays": False})),
        }
        return found if self.table.cuts == {} else {**found, "suits": suits}

    def text(self) -> str:
        """As `play` prints it, more or less."""
        lines = [
            f"{self.table.spec}, {self.table.rules.players} players",
            "deal  " + " ".join(f"{LETTERS[card.suit]}{card.value}" for card in self.cards),
        ]
        for number, (kind, target, value) in enumerate(self.moves, 1):
            suit = _suits(self.table)[value % len(_suits(self.table))]
            about = f"colour({suit})" if kind == 2 else f"value({value})"
            what = f"hint({target}, {about})" if kind > 1 else f"{('play', 'discard')[kind]}({target}, true)"
            lines.append(f"{number:3}  {what}")
        return "\n".join(lines) + "\n"


def _suits(table: Table) -> tuple[str, ...]:
    """By their numbers in a record of this table."""
    return table.rules.suits if table.cuts else FIVE


def _index(table: Table, suit: str) -> int:
    return _suits(table).index(suit)


def story(random: Random, table: Table) -> Story:
    """A game at random, in which few mistakes are made, or part of one."""
    cards = random.sample(table.deck, len(table.deck))
    state = ref.start(table.rules, cards)
    moves: list[Move] = []
    most = random.choice((3, 8, 20, 40))
    while len(moves) < most and (legal := [a for a in ref.legal(state) if a[0] in ("hint", "discard", "play")]):
        plays = [action for action in legal if _fits(state, action)]
        action = random.choice(plays or legal) if random.random() < 0.8 else random.choice(legal)
        moves.append(_move(table, action))
        state = ref.apply(state, action)
    return Story(table, tuple(cards), tuple(moves))


def _fits(state: ref.Table, action: ref.Action) -> bool:
    match action:
        case ("play", card, _):
            face = state.deck[card]
            return state.height(face.suit) + 1 == face.value
    return False


def _move(table: Table, action: ref.Action) -> Move:
    match action:
        case ("play", card, _):
            return 0, card, 0
        case ("discard", card, _):
            return 1, card, 0
        case ("hint", seat, ("colour", suit)):
            return 2, seat, _index(table, suit)
        case ("hint", seat, ("value", rank)):
            return 3, seat, rank
    raise AssertionError(action)


class Attack:
    def __init__(self, folder: Path) -> None:
        self.file = folder / "game.json"

    def case(self, number: int, random: Random) -> Case:
        table = WHOLE if random.random() < 0.02 else random.choice(TABLES)
        told = story(random, table)
        make = random.choices(
            (self._json, self._text, self._link, self._junk, self._command_line),
            (10, 5, 0 if table.cuts else 20, 1, 0.1),
        )[0]
        return make(random, told)

    def _json(self, random: Random, told: Story) -> Case:
        data = told.record(random)
        if random.random() < 0.15:
            text = json.dumps(data)
            return Case("JSON, honest", text, lambda: self._replayed(text, told, told))
        changed = _changed_moves(random, told) if random.random() < 0.6 else None
        if changed is not None:
            text = json.dumps(changed.record(random))
            return Case("JSON, other moves", text, lambda: self._replayed(text, told, changed))
        text = json.dumps(mutate.data(random, data))
        if random.random() < 0.2:
            text = mutate.text(random, text)
        return Case("JSON, changed", text, lambda: self._replayed(text, told, _plain(text, told.table)))

    def _text(self, random: Random, told: Story) -> Case:
        if random.random() < 0.4:
            changed = _changed_moves(random, told)
            text = changed.text()
            return Case("text, other moves", text, lambda: self._replayed(text, told, changed, readable=False))
        text = mutate.text(random, told.text())
        return Case("text, changed", text, lambda: self._replayed(text, told, None))

    def _link(self, random: Random, told: Story) -> Case:
        if any(target > 61 or not 0 <= value <= 5 for _, target, value in told.moves):
            return self._text(random, told)
        text = link(told.table.rules.players, [(FIVE.index(c.suit), c.value) for c in told.cards], told.moves)
        if random.random() < 0.8:
            at = random.randrange(len(text) or 1)
            text = text[:at] + random.choice("abcdefgABC0123-,") + text[at + random.randrange(2) :]
        return Case("link", text, lambda: self._replayed(text, told, _plain(text, told.table)))

    def _junk(self, random: Random, told: Story) -> Case:
        text = random.choice(
            (
                mutate.deep_text(random),
                '{"a":1}\n' + mutate.deep_text(random),
                mutate.deep_text(random) + "\n{}",
                "deal " + random.choice(mutate.NASTY),
                "",
                "{}",
                "deal\n" * 30,
                "deal r1\nplay(" + "(" * 5000,
                "deal r1\n" + "x" * 100_000,
                "\n".join(["{}"] * 50),
            )
        )
        return Case("junk", text[:2000], lambda: self._replayed(text, told, None))

    def _command_line(self, random: Random, told: Story) -> Case:
        """The whole command, in all its forms of output."""
        text = json.dumps(mutate.data(random, told.record(random)) if random.random() < 0.7 else told.record(random))
        form = random.choice(([], ["--json"], ["--export", "json"], ["--export", "text"], ["--export", "link"]))

        def ask() -> bool:
            self.file.write_text(text, encoding="utf-8")
            sets = [f"{name}={','.join(values)}" for name, values in told.table.cuts.items()]
            rulings = [f"{name}={value}" for name, value in told.table.rulings]
            words = [w for one in sets for w in ("--set", one)] + [w for one in rulings for w in ("--ruling", one)]
            return verb("replay", told.table.spec, str(self.file), *words, *form).code == 0

        return Case("command line", [text, form], ask)

    # ---- what is true --------------------------------------------------------------------------------------
    def _replayed(self, text: str, told: Story, plain: Story | None, readable: bool = True) -> bool:
        accepted = False
        for given in open_games(text).each:
            if isinstance(given.content, Rejected):
                continue
            replayed = told.table.library.replay(given.content)
            accepted |= replayed.legal
            rules = self._rules(replayed, told.table)
            if plain is not None and readable:
                self._agree(replayed, plain, rules)
            self._is_legal(replayed, rules)
        return accepted

    @staticmethod
    def _rules(replayed: Replayed, table: Table) -> ref.Rules:
        """With what options of the record decided."""
        rules = table.rules
        if "expert" in replayed.game.merged.composition.variants:
            rules = replace(rules, expert=True)
        chosen = dict(replayed.game.system(rules.players).rulings)
        return replace(rules, empty_hint="allowed" if chosen["empty_hint"] == "allowed" else "refused")

    @staticmethod
    def _agree(replayed: Replayed, plain: Story, rules: ref.Rules) -> None:
        """The first illegal action, the end and the score, by the other engine."""
        state, wrong = _followed(plain, rules)
        played_on = replayed.played_on
        illegal = replayed.illegal.number if replayed.illegal is not None else None
        if played_on is not None:  # legal under another ruling, from where these rules stop
            if state.end is None or wrong != played_on.after + 1:
                raise Differs(f"it stops after {played_on.after} actions, the other engine at {wrong}, {state.end}")
            return
        if illegal is None and wrong is not None:
            raise WrongAcceptance(f"action {wrong} is not legal, and the game is accepted")
        if illegal != wrong:
            raise Differs(f"action {illegal} is called illegal, by the other engine {wrong}")
        ended = replayed.last.ended.name if replayed.last.ended is not None else None
        if (ended, replayed.last.score) != (state.end, ref.score(state)):
            raise Differs(f"{ended} with {replayed.last.score}, by the other engine {state.end} {ref.score(state)}")

    @staticmethod
    def _is_legal(replayed: Replayed, rules: ref.Rules) -> None:
        """Written again as a record, what was legal is legal for the other engine."""
        if replayed.played_on is not None:
            return
        if any(turn.told.action.name not in ("play", "discard", "hint") for turn in replayed.turns):
            return
        table = Table(rules)
        record = exported(replayed)
        found = _plain(json.dumps(record), table)
        if found is None:
            raise Differs("what is written again cannot be read")
        wrong = _followed(found, rules)[1]
        if wrong is not None:
            raise WrongAcceptance(f"action {wrong} of the legal part is not legal")


def _followed(plain: Story, rules: ref.Rules) -> tuple[ref.Table, int | None]:
    state = ref.start(rules, list(plain.cards))
    for number, (kind, target, value) in enumerate(plain.moves, 1):
        suits = _suits(plain.table)
        action: Any = ("play", target, True) if kind == 0 else ("discard", target, True)
        if kind in (2, 3):
            known = kind == 3 or 0 <= value < len(suits)
            action = ("hint", target, ("colour", suits[value] if known else "?") if kind == 2 else ("value", value))
        if kind > 3 or action not in ref.legal(state):
            return state, number
        state = ref.apply(state, action)
    return state, None


def _changed_moves(random: Random, told: Story) -> Story:
    """Other actions in the right form."""
    moves = list(told.moves)
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(moves) + 1)
        odd: Move = (random.randrange(4), random.randrange(-1, len(told.cards) + 1), random.randrange(-1, 6))
        if random.random() < 0.4:
            odd = random.choice((2, 3)), random.randrange(told.table.rules.players), random.randrange(1, 4)
        match random.randrange(4):
            case 0:
                moves.insert(at, odd)
            case 1 if moves:
                moves[at % len(moves)] = odd
            case 2 if moves:
                del moves[at % len(moves)]
            case _:
                moves += [random.choice(moves) if moves else odd]
    return replace(told, moves=tuple(moves))


def _plain(text: str, table: Table) -> Story | None:
    """A record read without care; None where it is not clear what it says."""
    if "replay-json" in text:
        try:
            words, done = read_link(text) or [], read_actions(text)
        except (ValueError, IndexError):
            return None
        return Story(table, tuple(ref.Face(NAMES[word[0]], int(word[1:])) for word in words), tuple(done))
    try:
        data = json.loads(text)
        options = data.get("options") or {}
        suits = data.get("suits") or list(LETTERS)
        if any(options.get(name) for name in (*NOTHING_FOLLOWS, "deckPlays")) or not re.fullmatch(r"\{.*\}", text):
            return None
        if list(suits) != list(_suits(table)):  # the same game in other words
            return None
        cards = tuple(ref.Face(suits[card["suitIndex"]], card["rank"]) for card in data["deck"])
        listed = data.get("actions") or ()
        moves = [(a["type"], a["target"], a.get("value") or 0) for a in listed]
    except (ValueError, RecursionError, TypeError, KeyError, IndexError, AttributeError):
        return None
    return Story(table, cards, tuple(moves))

"""Deals as text, JSON, seeds, links, files and lines of a file.

A deal that is accepted must have every card of the deck the right number of times, in the order that a plain reading of
the same text gives; what was written as it should be must be accepted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from attacks import mutate
from attacks.harness import Case, Differs, WrongAcceptance
from attacks.link_text import link, read_link
from hanabi_formal.api import load
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.deal_lines import deal_lines
from hanabi_formal.formats.deals import faces_of, open_deal, player_count
from hanabi_formal.formats.faces import show_deal
from hanabi_formal.kernel.system import System
from hanabi_formal.reference import Rules
from hanabi_formal.resources import cache_folder

LETTERS = {"red": "r", "yellow": "y", "green": "g", "blue": "b", "white": "w", "multi": "m"}
FIVE = ("red", "yellow", "green", "blue", "white")
SEPARATORS = (" ", "  ", "\n", ", ", ",", "\t", " \r\n", "\u00a0")
LETTERS_THERE = "rygbw"


@dataclass(frozen=True)
class Table:
    """A game whose deck is known without the rule files, from the hand-written engine."""

    spec: str
    rules: Rules
    cuts: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @cached_property
    def system(self) -> System:
        return load(self.spec, cuts=dict(self.cuts)).system(self.rules.players)

    @cached_property
    def deck(self) -> list[str]:
        return [
            f"{LETTERS[suit]}{rank}"
            for suit in self.rules.suits
            for rank in range(1, self.rules.top + 1)
            for _ in range(self.rules.copies(suit, rank))
        ]

    @property
    def is_standard(self) -> bool:
        return (self.rules.suits, self.rules.top) == (FIVE, 5)

    def shuffled(self, random: Random) -> list[str]:
        return random.sample(self.deck, len(self.deck))


SMALL = (("Suit", ("red", "blue")), ("Rank", ("1", "2", "3")))
LARGER = (("Suit", ("red", "green", "blue")), ("Rank", ("1", "2", "3")))
TABLES = (
    Table("base", Rules(2)),
    Table("base", Rules(3)),
    Table("base", Rules(5)),
    Table("base", Rules(2, ("red", "blue"), 3), SMALL),
    Table("base", Rules(3, ("red", "green", "blue"), 3), LARGER),
    Table("rainbow", Rules(4, (*FIVE, "multi"), rainbow=True)),
    Table("hanab_live", Rules(6, house=True)),
)


class Attack:
    def __init__(self, folder: Path) -> None:
        self.file = folder / "deal.txt"

    def case(self, number: int, random: Random) -> Case:
        make = random.choices(
            (self._text, self._seed, self._json, self._link, self._file, self._line, self._junk), (5, 3, 6, 4, 1, 3, 1)
        )[0]
        return make(random, random.choice(TABLES))

    # ---- in writing ----------------------------------------------------------------------------------
    def _text(self, random: Random, table: Table) -> Case:
        cards = table.shuffled(random)
        separator = random.choice(SEPARATORS)
        if random.random() < 0.1:
            text = separator.join(card.upper() if random.random() < 0.5 else card for card in cards)
            return Case("text, honest", text, lambda: self._must(text, table, cards))
        if random.random() < 0.6:
            text = separator.join(_other_cards(random, cards))
        else:
            text = mutate.text(random, separator.join(cards))
        return Case("text, changed", text, lambda: self._may(text, table))

    def _seed(self, random: Random, table: Table) -> Case:
        players = random.choice((table.rules.players, 2, 3, 7))
        seed = f"p{players}v{random.choice((0, 0, 0, 1))}s{random.randrange(10**6)}"
        text = random.choice((seed, seed, mutate.text(random, seed), str(random.randrange(-99, 10**20))))
        return Case("seed", text, lambda: self._may(text, table))

    def _junk(self, random: Random, table: Table) -> Case:
        text = random.choice(
            (
                mutate.deep_text(random),
                "".join(random.choices(mutate.NASTY, k=random.randrange(8))),
                "r1 " * random.choice((0, 1, 49, 51, 3000)),
                "{" + '"deck":"r1",' * 500 + "}",
                "[" + "1," * 4000 + "1]",
            )
        )
        return Case("junk", text[:2000], lambda: self._may(text, table))

    def _file(self, random: Random, table: Table) -> Case:
        cards = table.shuffled(random)
        content = mutate.octets(random, " ".join(cards).encode()) if random.random() < 0.8 else " ".join(cards).encode()
        content = random.choice((b"", b"", b"\xef\xbb\xbf", b"\xff\xfe")) + content

        def ask() -> bool:
            self.file.write_bytes(content)
            text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
            return self._checked(str(self.file), table, text)

        return Case("file", content.hex(), ask)

    # ---- as hanab.live has them ------------------------------------------------------------------------
    def _json(self, random: Random, table: Table) -> Case:
        cards = table.shuffled(random)
        data = record(random, table, cards)
        if random.random() < 0.1:
            text = json.dumps(data)
            return Case("JSON, honest", text, lambda: self._must(text, table, cards))
        changed = mutate.data(random, data)
        text = json.dumps(changed, ensure_ascii=random.random() < 0.8)
        if random.random() < 0.15:
            text = mutate.text(random, text)
        return Case("JSON, changed", text, lambda: self._may(text, table))

    def _line(self, random: Random, table: Table) -> Case:
        cards = table.shuffled(random)
        data = {**record(random, table, cards), "id": random.choice((1, "a", "\x1b[31m"))}
        text = json.dumps(mutate.data(random, data) if random.random() < 0.9 else data)

        def ask() -> bool:
            for line in deal_lines([text.encode()], "deals.jsonl"):
                found = line.deal()
                if found.players not in (None, table.rules.players):
                    return False
                self._is_right(show_deal(found.faces(table.system, cache_folder()), table.system), table, text)
            return True

        return Case("line", text, ask)

    def _link(self, random: Random, table: Table) -> Case:
        cards = table.shuffled(random)
        text = link(table.rules.players, [(LETTERS_THERE.find(card[0]), int(card[1])) for card in cards], ())
        if table.is_standard and random.random() < 0.1:
            return Case("link, honest", text, lambda: self._must(text, table, cards))
        for _ in range(random.choice((1, 1, 2))):
            at = random.randrange(len(text) or 1)
            text = (
                mutate.text(random, text)
                if random.random() < 0.3
                else (text[:at] + random.choice("abcdefghijklmnopqrstuvwxyz0123456789-,/#") + text[at + 1 :])
            )
        return Case("link, changed", text, lambda: self._may(text, table))

    # ---- what is true --------------------------------------------------------------------------------------
    def _must(self, text: str, table: Table, cards: list[str]) -> bool:
        try:
            faces = faces_of(open_deal(text), table.system, cache_folder())
        except Rejected as refused:
            raise Differs(f"a deal as it should be is refused: {refused}") from None
        shown = show_deal(faces, table.system).split()
        if shown != cards:
            raise WrongAcceptance(f"the deal is {cards}, and was read as {shown}")
        return True

    def _may(self, text: str, table: Table) -> bool:
        return self._checked(text, table, text)

    def _checked(self, given: str, table: Table, text: str) -> bool:
        deal = open_deal(given)
        player_count(deal, (table.rules.players,), table.spec)
        faces = faces_of(deal, table.system, cache_folder())
        self._is_right(show_deal(faces, table.system), table, text)
        if show_deal(faces_of(open_deal(show_deal(faces, table.system)), table.system), table.system) != show_deal(
            faces, table.system
        ):
            raise Differs("what is shown of the deal is read as another")
        return True

    @staticmethod
    def _is_right(shown: str, table: Table, text: str) -> None:
        found = shown.split()
        if Counter(found) != Counter(table.deck):
            raise WrongAcceptance(f"the deal has other cards than the game: {shown}")
        plain = plain_reading(text, table)
        if plain is not None and found != plain:
            raise WrongAcceptance(f"it says {plain}, and was read as {found}")


def record(random: Random, table: Table, cards: list[str]) -> dict[str, Any]:
    """A deal in JSON: cards by number, or as text."""
    suits = list(dict.fromkeys(LETTERS[suit] for suit in table.rules.suits))
    names = {letter: name for name, letter in LETTERS.items()}
    found: dict[str, Any] = {"players": random.choice((["a"] * table.rules.players, table.rules.players))}
    if random.random() < 0.3:
        return {**found, "deck": " ".join(cards)}
    if not table.is_standard or random.random() < 0.3:
        random.shuffle(suits)
        found["suits"] = [names[letter] for letter in suits]
        return {**found, "deck": [{"suitIndex": suits.index(card[0]), "rank": int(card[1])} for card in cards]}
    found["options"] = random.choice(({}, {"variant": "No Variant"}, None))
    return {**found, "deck": [{"suitIndex": LETTERS_THERE.index(card[0]), "rank": int(card[1])} for card in cards]}


def _other_cards(random: Random, cards: list[str]) -> list[str]:
    """A card doubled, lost, changed or moved."""
    found = list(cards)
    for _ in range(random.choice((1, 1, 2))):
        at, other = random.randrange(len(found)), random.randrange(len(found))
        match random.randrange(5):
            case 0:
                found[at] = found[other]
            case 1:
                found[at], found[other] = found[other], found[at]
            case 2 if len(found) > 1:
                del found[at]
            case 3:
                found.insert(at, found[other])
            case _:
                found[at] = random.choice(("r0", "r6", "x1", "1r", "r", "r11", "r-1", "m1", "", "r1r1", "R1", "r１"))
    return found


def plain_reading(text: str, table: Table) -> list[str] | None:
    """The cards that a text names, read without any care; None for what is no list of cards."""
    stripped = text.strip()
    if stripped.startswith(("{", "[")):
        return _plain_json(stripped, table)
    if "replay-json" in stripped or re.match(r"[2-6]\d\d[0-9A-Za-z-]{8,},", stripped):
        return read_link(stripped)
    words = [word.lower() for word in re.split(r"[\s,]+", stripped) if word]
    return words if len(words) > 1 else None


def _plain_json(text: str, table: Table) -> list[str] | None:
    try:
        data = json.loads(text)
        deck = data.get("deck")
    except (ValueError, RecursionError, AttributeError):
        return None
    if isinstance(deck, str):
        return plain_reading(deck, table)
    if not isinstance(deck, list):
        return None
    names = data.get("suits")
    suits = [LETTERS.get(name, "?") for name in names] if isinstance(names, list) else list(LETTERS_THERE)
    return [f"{suits[card['suitIndex']]}{card['rank']}" for card in deck]

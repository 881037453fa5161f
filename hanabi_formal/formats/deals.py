"""Deals: the whole order of the cards, as text, as JSON, from a seed or as face numbers."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hanabi_formal.diagnostics.diagnostic import refuse
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.formats.faces import check_deal, face_names, named_faces, show_deal, sorted_faces, words_of
from hanabi_formal.formats.hanab_live.deck_numbers import listed_faces
from hanabi_formal.formats.hanab_live.links import looks_like_link, read_link
from hanabi_formal.formats.hanab_live.records import GameRecord, read_record
from hanabi_formal.formats.hanab_live.seeds import (
    NO_VARIANT,
    NO_VARIANT_LETTERS,
    Seed,
    looks_like_seed,
    parse_seed,
    seed_cards,
)
from hanabi_formal.formats.inputs import given_text, is_there, read_file, trimmed
from hanabi_formal.formats.located_json import parse_json
from hanabi_formal.kernel.system import System

AS_GIVEN = "<deal>"
_FILE_NAME = re.compile(r"\S*[/\\]\S*|\S+\.(?:json|jsonl|txt|deal)", re.IGNORECASE)
_NUMBER = re.compile(r"-?[0-9]{1,100}", re.ASCII)


@dataclass(frozen=True)
class TextDeal:
    """`r1 y3 b5 …`; it does not say for how many players."""

    span: Span
    players = None


@dataclass(frozen=True)
class SeedDeal:
    seed: Seed
    span: Span

    @property
    def players(self) -> int:
        return self.seed.players


Given = TextDeal | SeedDeal | GameRecord


# ---- what was given --------------------------------------------------------------------------------
def open_deal(given: str) -> Given:
    """DEAL of the command line: a file, `-`, or the text of a deal in any form. No game is needed yet.

    What begins like JSON, a seed or a link of hanab.live is that; a file of such a name is `./p3v0s17`.
    """
    text = given.strip()
    is_text = not text or text[0] in "{[" or looks_like_seed(text)
    is_text = is_text or (looks_like_link(text) and not is_there(given))
    is_file = given == "-" or (not is_text and (is_there(given) or _FILE_NAME.fullmatch(text) is not None))
    return understood(read_file(given) if is_file else given_text(given, AS_GIVEN))


def understood(source: SourceFile) -> Given:
    if source.text.lstrip()[:1] in ("{", "["):
        return read_record(parse_json(source))
    return _of_span(trimmed(source))


def _of_span(span: Span) -> Given:
    text = span.file.text[span.start : span.end]
    if looks_like_link(text):
        return read_link(span)
    if looks_like_seed(text):
        return SeedDeal(parse_seed(span), span)
    return TextDeal(span)


def player_count(given: Given, allowed: Sequence[int], name: str) -> int | None:
    """For how many the deal is, if it says so and the game asks."""
    if given.players is None or not allowed:
        return None
    if given.players not in allowed:
        span = given.places.get("players") if isinstance(given, GameRecord) else given.span
        raise refuse(
            "HRL600",
            f"the deal is for {given.players} players, `{name}` for {', '.join(map(str, allowed))}",
            *(() if span is None else (span,)),
            help="choose a SPEC for as many, or another deal",
        )
    return given.players


# ---- as faces --------------------------------------------------------------------------------------
def parse_deal(text: str, system: System) -> tuple[int, ...]:
    """Face numbers in draw order, of a text in any form. What is missing, too many or unknown is named."""
    return faces_of(understood(given_text(text, AS_GIVEN)), system)


def faces_of(given: Given, system: System, folder: Path | None = None) -> tuple[int, ...]:
    """Face numbers in draw order. `folder` is where tables that are slow to compute may be kept."""
    match given:
        case TextDeal(span):
            return _text_faces(span, system)
        case SeedDeal(seed, span):
            _check_players(seed.players, system, span, "seed")
            return _seed_faces(seed, system, span, folder)
        case GameRecord():
            return _record_faces(given, system, folder)


def _text_faces(span: Span, system: System) -> tuple[int, ...]:
    words = list(words_of(span))
    if not words:
        raise refuse("HRL600", "the deal is empty", span, help="a deal names every card, as in `r1 y3 b5 …`")
    first = words[0][0]
    if len(words) == 1 and _NUMBER.fullmatch(first):
        return shuffled(system, first)
    if span.file.name == AS_GIVEN and len(words) == 1 and not {first, first.lower()} & {*face_names(system)}:
        raise refuse(
            "HRL600",
            f"`{first[:40]}` is neither a file nor a deal",
            span,
            help="a deal is text (`r1 y3 b5 …`), JSON, or a seed such as `p3v0s17` or `17`",
        )
    return check_deal(named_faces(words, system), system, [place for _, place in words])


def _seed_faces(seed: Seed, system: System, span: Span, folder: Path | None) -> tuple[int, ...]:
    """The deck of a seed of hanab.live, if it is the deck of the game."""
    names, cards = face_names(system), seed_cards(seed, folder)
    theirs, ours = Counter(cards), Counter(names[face] for face in sorted_faces(system))
    if theirs != ours:
        more = [f"has {_few(ours - theirs)} besides"] if ours - theirs else []
        less = [f"lacks {_few(theirs - ours)}"] if theirs - ours else []
        suits = " ".join(NO_VARIANT_LETTERS)
        raise refuse(
            "HRL600",
            f"the seed deals {NO_VARIANT}, and `{system.name}` {' and '.join(more + less)}",
            span,
            help=f"{NO_VARIANT} has the suits {suits}; choose another SPEC, or give the deck",
        )
    numbers = {name: face for face, name in enumerate(names)}
    return tuple(numbers[card] for card in cards)


def _few(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:4]) + (", …" if len(listed) > 4 else "")


def _record_faces(record: GameRecord, system: System, folder: Path | None) -> tuple[int, ...]:
    if record.players is not None:
        _check_players(record.players, system, record.places.get("players", record.places.get("seed")), "game")
    match record.deck:
        case None:
            assert record.seed is not None
            return _seed_faces(record.seed, system, record.places["seed"], folder)
        case Span() as span:
            faces = faces_of(_of_span(span), system, folder)
        case cards:
            faces = listed_faces(cards, record, system)
    if record.seed is not None and show_deal(faces, system).split() != seed_cards(record.seed, folder):
        raise refuse(
            "HRL600",
            f"`deck` is not the deck of the seed `{record.seed.text}`",
            record.places["deck"],
            record.places["seed"],
            help="hanab.live would follow the seed; remove one of them",
        )
    return faces


def _check_players(players: int, system: System, span: Span | None, what: str) -> None:
    """A game whose parameters do not say how many play is for any number."""
    wanted = dict(system.parameters).get("players", players)
    if players != wanted:
        labels = () if span is None else (span,)
        raise refuse(
            "HRL600",
            f"the {what} is for {players} players, and `{system.name}` is for {wanted}",
            *labels,
            help=f"say `--players {players}`, or give another {what}",
        )


# ---- from a seed -----------------------------------------------------------------------------------
def parse_chosen_seed(text: str) -> SeedDeal | int:
    """`--seed` of the command line: a number, or a seed of hanab.live."""
    word = text.strip()
    if _NUMBER.fullmatch(word):
        return int(word)
    source = given_text(word, "<seed>")
    whole = Span(source, 0, len(source.text))
    if looks_like_seed(word):
        return SeedDeal(parse_seed(whole), whole)
    raise refuse(
        "HRL700",
        f"`--seed {source.text[:40]}` is neither a number nor a seed of hanab.live",
        whole,
        help="`--seed 17` shuffles in a way of ours, `--seed p3v0s17` as hanab.live does",
    )


def shuffled(system: System, seed: int | str, folder: Path | None = None) -> tuple[int, ...]:
    """A deal from a seed, the same on every machine. A seed of hanab.live gives its deck, any other one of ours."""
    if isinstance(seed, str) and looks_like_seed(seed):
        return faces_of(understood(given_text(seed, "<seed>")), system, folder)
    faces = sorted_faces(system)
    generator = random.Random(f"deal {seed}")
    for i in range(len(faces) - 1, 0, -1):
        # `random.Random.random` is fixed for ever by Python's documentation, `shuffle` is not.
        j = int(generator.random() * (i + 1))
        faces[i], faces[j] = faces[j], faces[i]
    return tuple(faces)

"""The faces of a deck: what each is called in text, and whether a list of them is the whole deck."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from hanabi_formal.diagnostics.diagnostic import Label, Rejected, refuse
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.kernel.system import Deck, System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import EnumType, show_value, type_values
from hanabi_formal.roles.entries import letter_pairs

MOST_NAMED = 4
_WORD = re.compile(r"[^\s,]+")


def deck_of(system: System) -> Deck:
    if system.deck is None:
        raise refuse("HRL600", f"`{system.name}` has no cards to deal")
    return system.deck


def letters(system: System) -> dict[str, int]:
    """From a letter to the value of the first attribute of a face, as the interface lists them; empty without it."""
    deck = deck_of(system)
    kind = deck.attributes[0][1]
    if len(deck.attributes) != 2 or not isinstance(kind, EnumType):
        return {}
    pairs = letter_pairs(system).items()
    return {letter: kind.labels.index(label) for label, letter in pairs if label in kind.labels}


def sorted_faces(system: System) -> list[int]:
    """Every card once, face by face."""
    deck = deck_of(system)
    return [face for face, many in enumerate(deck.copies) for _ in range(many)]


def face_names(system: System) -> tuple[str, ...]:
    """What each face of the deck is called in text."""
    return tuple(named(deck_of(system).faces, system))


def named(faces: Iterable[Sequence[int]], system: System) -> Iterator[str]:
    """Faces as text, given by their attributes: `r1`, or the values joined by `-` where there are no letters."""
    deck = deck_of(system)
    by_value = {value: letter for letter, value in letters(system).items()}
    for face in faces:
        if len(face) == 2 and face[0] in by_value:
            yield f"{by_value[face[0]]}{face[1]}"
        else:
            yield "-".join(show_value(kind, value) for (_, kind), value in zip(deck.attributes, face, strict=True))


def all_face_names(system: System) -> list[str]:
    """The same for every pair of suit and rank, in the order in which positions number them."""
    kinds = [type_values(kind) for _, kind in deck_of(system).attributes]
    return list(named(product(*kinds), system))


def show_action(action: Instance, system: System) -> str:
    """An action as a rule file would write it."""
    params = system.action(action.name).params
    args = ", ".join(show_value(param.type, value) for param, value in zip(params, action.args, strict=True))
    return f"{action.name}({args})"


def show_deal(faces: Iterable[int], system: System) -> str:
    names = face_names(system)
    return " ".join(names[face] for face in faces)


def words_of(span: Span) -> Iterator[tuple[str, Span]]:
    """The words of a text, parted by blanks, line ends or commas, each with its place."""
    for found in _WORD.finditer(span.file.text, span.start, span.end):
        yield found[0], Span(span.file, found.start(), found.end())


def named_faces(words: Iterable[tuple[str, Span]], system: System) -> list[int]:
    """The faces that the words name, whatever the deck has of them."""
    names = {name: face for face, name in enumerate(face_names(system))}
    faces = []
    for position, (word, place) in enumerate(words, 1):
        name = word if word in names else word.lower()
        if name not in names:
            raise refuse(
                "HRL600",
                f"card {position} of the deal, `{word[:20]}`, is no card of `{system.name}`",
                place,
                help=how_cards_are_written(system),
            )
        faces.append(names[name])
    return faces


def how_cards_are_written(system: System) -> str:
    names, known = face_names(system), letters(system)
    listed = ", ".join(sorted(known)) if known else ", ".join(sorted(names)[:8])
    return f"a card is written like `{names[0]}`; the suits are {listed}"


def check_deal(faces: Sequence[int], system: System, places: Sequence[Span] = ()) -> tuple[int, ...]:
    """The faces as they are, if every card of the deck is there once. `places` are where each was named, if known."""
    deck = deck_of(system)
    strange = next((face for face in faces if face not in range(len(deck.faces))), None)
    if strange is not None:
        raise refuse("HRL600", f"there is no face number {strange}; there are {len(deck.faces)}")
    have = Counter(faces)
    wrong = {face: have[face] for face, many in enumerate(deck.copies) if have[face] != many}
    if wrong:
        raise _not_the_deck(faces, wrong, system, places)
    return tuple(faces)


def _not_the_deck(faces: Sequence[int], wrong: dict[int, int], system: System, places: Sequence[Span]) -> Rejected:
    deck, names = deck_of(system), face_names(system)
    shown = [f"{names[face]} {many} times instead of {deck.copies[face]}" for face, many in wrong.items()]
    more = [f"and {len(shown) - MOST_NAMED} more"] if len(shown) > MOST_NAMED else []
    labels = []
    surplus = _surplus(faces, deck)
    if places and surplus is not None:
        labels.append(Label(places[surplus], f"one {names[faces[surplus]]} too many"))
    elif places:
        labels.append(Label(Span(places[-1].file, places[-1].end, places[-1].end), "the deal ends here"))
    return refuse(
        "HRL600",
        f"the deal has {len(faces)} cards, `{system.name}` has {deck.sort.size}: "
        + "; ".join(shown[:MOST_NAMED] + more),
        *labels,
        help="a deal has all cards of the deck, in the order in which they are drawn",
    )


def _surplus(faces: Sequence[int], deck: Deck) -> int | None:
    """Where the first card stands of which there are enough already."""
    left = list(deck.copies)
    for position, face in enumerate(faces):
        left[face] -= 1
        if left[face] < 0:
            return position
    return None

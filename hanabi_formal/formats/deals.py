"""Deals: the whole order of the cards, as text, as face numbers, or from a seed."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from hanabi_formal.diagnostics.diagnostic import refuse
from hanabi_formal.kernel.system import Deck, System
from hanabi_formal.kernel.types import EnumType, show_value


def letters(system: System) -> dict[str, int]:
    """From a letter to the value of the first attribute of a face, as the interface lists them."""
    deck = _deck(system)
    kind = deck.attributes[0][1]
    assert isinstance(kind, EnumType)
    if system.interface is None:
        return {}
    pairs = dict(system.interface.texts).get("letters", "").split()
    found = dict(zip(pairs[::2], pairs[1::2], strict=False))
    return {letter: kind.labels.index(label) for label, letter in found.items() if label in kind.labels}


def _deck(system: System) -> Deck:
    if system.deck is None:
        raise refuse("HRL600", f"`{system.name}` has no cards to deal")
    return system.deck


def sorted_faces(system: System) -> list[int]:
    """Every card once, face by face."""
    deck = _deck(system)
    return [face for face, many in enumerate(deck.copies) for _ in range(many)]


def face_names(system: System) -> tuple[str, ...]:
    """What each face is called in text: `r1`, or the attributes' values joined by `-` where there are no letters."""
    deck = _deck(system)
    by_value = {value: letter for letter, value in letters(system).items()} if _has_letters(system) else {}
    names = []
    for face in deck.faces:
        if len(face) == 2 and face[0] in by_value:
            names.append(f"{by_value[face[0]]}{face[1]}")
        else:
            shown = (show_value(kind, value) for (_, kind), value in zip(deck.attributes, face, strict=True))
            names.append("-".join(shown))
    return tuple(names)


def _has_letters(system: System) -> bool:
    deck = _deck(system)
    return (
        system.interface is not None
        and len(deck.attributes) == 2
        and isinstance(deck.attributes[0][1], EnumType)
        and any(key == "letters" for key, _ in system.interface.texts)
    )


def parse_deal(text: str, system: System) -> tuple[int, ...]:
    """Face numbers in draw order. What is missing, too many or unknown is named."""
    words = re.split(r"[\s,]+", text.strip()) if text.strip() else []
    names = {name: face for face, name in enumerate(face_names(system))}
    faces = []
    for position, word in enumerate(words, 1):
        name = word if word in names else word.lower()
        if name not in names:
            known = ", ".join(sorted(letters(system))) if _has_letters(system) else ", ".join(sorted(names)[:8])
            raise refuse("HRL600", f"card {position} of the deal, `{word[:20]}`, is no card of `{system.name}`",
                         help=f"a card is written like `{next(iter(names))}`; the suits are {known}")  # fmt: skip
        faces.append(names[name])
    return check_deal(faces, system)


def check_deal(faces: Sequence[int], system: System) -> tuple[int, ...]:
    """The faces as they are, if every card of the deck is there once."""
    deck = _deck(system)
    names = face_names(system)
    strange = [face for face in faces if face not in range(len(deck.faces))]
    if strange:
        raise refuse("HRL600", f"there is no face number {strange[0]}; there are {len(deck.faces)}")
    have = Counter(faces)
    wrong = []
    for face, many in enumerate(deck.copies):
        if have[face] != many:
            wrong.append(f"{names[face]} {have[face]} times instead of {many}")
    if wrong:
        shown = "; ".join(wrong[:4]) + (f"; and {len(wrong) - 4} more" if len(wrong) > 4 else "")
        raise refuse("HRL600", f"the deal has {len(faces)} cards, `{system.name}` has {deck.sort.size}: {shown}")
    return tuple(faces)


def shuffled(system: System, seed: int | str) -> tuple[int, ...]:
    """A deal from a plain seed: the same for the same seed and deck, on every machine."""
    faces = sorted_faces(system)
    generator = random.Random(f"deal {seed}")
    for i in range(len(faces) - 1, 0, -1):
        # `random.Random.random` is fixed for ever by Python's documentation, `shuffle` is not.
        j = int(generator.random() * (i + 1))
        faces[i], faces[j] = faces[j], faces[i]
    return tuple(faces)


def show_deal(faces: Iterable[int], system: System) -> str:
    names = face_names(system)
    return " ".join(names[face] for face in faces)



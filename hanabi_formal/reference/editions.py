"""The printed editions, and the house rules of hanab.live: which rulings and which scale each one sets."""

from collections.abc import Iterable, Mapping
from typing import Any

from .rules import MULTI, RULINGS, SUITS, Rules

EDITIONS: dict[str, dict[str, str]] = {
    "no": {"perfect_in_last_round": "plays_on"},
    "nl": {
        "take_token": "may",  # a returned token "may" be put back
        "discard_at_full": "allowed",  # nowhere forbidden
        "loss_score": "zero",  # the one edition to say so
        "perfect_in_last_round": "stops",
    },
    "en": {"empty_hint": "refused", "perfect_in_last_round": "plays_on"},
    "sv": {"perfect_in_last_round": "plays_on"},
    "fi": {"perfect_in_last_round": "plays_on"},
    "hanab_live": {
        "empty_hint": "refused",
        "discard_at_full": "refused",
        "loss_score": "zero",
        "perfect_in_last_round": "stops",
        "hopeless": "stops",
        "stuck": "lost",  # its expert game is lost "when the next player has no card and no token"
    },
}

VARIANTS = ("expert", "timed", "avalanche", "rainbow", "difficulty")
SETTINGS = ("red_tokens", "extra_blue", "top", "hand")


def rules_for(
    edition: str | None,
    variants: Iterable[str] = (),
    players: int = 2,
    overrides: Mapping[str, str | int] | None = None,
    suits: Iterable[str] = SUITS[:5],
) -> Rules:
    """The rules an edition prints, with its variants; `overrides` changes rulings and numbers by name.

    The variant `difficulty` only says that red_tokens and extra_blue, among the overrides, are meant.
    """
    chosen, changes = set(variants), dict(overrides or {})
    if edition is not None and edition not in EDITIONS:
        raise ValueError(f"edition: one of {(None, *EDITIONS)}, not {edition!r}")
    if unknown := chosen - set(VARIANTS):
        raise ValueError(f"variants: of {VARIANTS}, not {sorted(unknown)}")
    if unknown := changes.keys() - RULINGS.keys() - set(SETTINGS):
        raise ValueError(f"overrides: neither a ruling nor one of {SETTINGS}: {sorted(unknown)}")

    fireworks = tuple(suits)
    if chosen & {"avalanche", "rainbow"} and MULTI not in fireworks:
        fireworks += (MULTI,)
    settings: dict[str, Any] = {
        "players": players,
        "suits": fireworks,
        "expert": "expert" in chosen,
        "timed": "timed" in chosen,
        "rainbow": "rainbow" in chosen,
        "house": edition == "hanab_live",
        "edition": edition,
    }
    return Rules(**settings | EDITIONS.get(edition or "", {}) | changes)


Band = tuple[int, int]
LOWER: tuple[Band, ...] = ((0, 5), (6, 10), (11, 15), (16, 20), (21, 24))
SCALE: tuple[Band, ...] = (*LOWER, (25, 25))  # NO and FI lost their numbers in scanning


def bands(rules: Rules) -> tuple[Band, ...]:
    """score.bands, avalanche.bands: the scale in use, lowest first."""
    if rules.edition == "hanab_live":
        return ()
    if MULTI not in rules.suits or rules.edition == "nl":  # NL prints no more of it for a sixth colour
        return SCALE
    if rules.edition == "sv":  # added to the scale as it stands: 25 is in two bands
        return (*SCALE, (25, 29), (30, 30))
    return (*LOWER, (25, 29), (30, 30))

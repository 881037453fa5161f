"""What cannot happen under given rules, with the reason: everything else must happen in the games of a run."""

from __future__ import annotations

from collections.abc import Callable

from hanabi_formal.reference import Rules

Reason = tuple[Callable[[Rules], bool], str]


def _always_holds_a_card(rules: Rules) -> bool:
    return not rules.expert and rules.draw_after_fit == "yes"


def _all_cards_gone(rules: Rules) -> bool:
    """Nobody can act only when every card has been played or discarded, and then the game has ended before."""
    return (
        rules.expert and rules.stuck == "skipped" and rules.draw_after_fit == "yes" and rules.misfit_is_discard == "yes"
    )


PASS: list[Reason] = [
    (lambda r: r.stuck != "skipped", "nobody is passed over unless stuck: skipped"),
    (_always_holds_a_card, "whoever acts holds a card, and may play it"),
]

NEVER: dict[str, list[Reason]] = {
    "end strikes": [(lambda r: r.red_limit == "third" and r.red_tokens < 3, "there is no third red token")],
    "end perfect": [
        (lambda r: r.fit == "literal" and r.top > 2, "read literally, nothing between the first card and the last fits")
    ],
    "end hopeless": [(lambda r: r.hopeless == "plays_on", "the rulebooks play on")],
    "end stuck": [
        (lambda r: r.stuck == "unruled", "the print does not rule it"),
        (_always_holds_a_card, "whoever acts holds a card, and may play it"),
        (_all_cards_gone, "with all cards gone the display is perfect, or an indispensable card was lost"),
    ],
    "end (nobody can act)": [
        (lambda r: r.stuck != "unruled", "ruled: an end, or passed over"),
        (_always_holds_a_card, "whoever acts holds a card, and may play it"),
        (lambda r: r.house, "a game can always be abandoned"),
    ],
    "pass": PASS,
    "pass > countdown.last_round": PASS,
    "play > play.fit > play.bonus": [
        (lambda r: r.fit == "literal" and r.top > 2, "read literally, no firework is completed")
    ],
    "announce > announce.fit > announce.two": [
        (lambda r: r.fit == "literal" and r.top > 2, "read literally, no firework is completed")
    ],
    "deck_play": [(lambda r: r.deck_plays == "off", "the option is off")],
    "deck_play > deck_play.fit": [(lambda r: r.deck_plays == "off", "the option is off")],
    "deck_play > deck_play.fit > deck_play.bonus": [
        (lambda r: r.deck_plays == "off", "the option is off"),
        (lambda r: r.fit == "literal" and r.top > 2, "read literally, no firework is completed"),
    ],
    "deck_play > deck_play.misfit": [(lambda r: r.deck_plays == "off", "the option is off")],
    "deck_play > countdown.last_round": [(lambda _: True, "there is a card in the pile, or it could not be played")],
}


def why_never(name: str, rules: Rules) -> str | None:
    """Why this end (`end perfect`) or case (`play > play.fit`) cannot happen; None if it can."""
    return next((reason for holds, reason in NEVER.get(name, []) if holds(rules)), None)

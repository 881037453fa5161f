"""The reference engine: Hanabi written by hand from the printed rulebooks, to be checked against them by eye.

It shares no code with the formal specification, so that the two can be tested against each other.
"""

from .actions import Action, could_act, legal
from .decks import Face, composition, parse_face, shuffled, stacked
from .editions import EDITIONS, VARIANTS, bands, rules_for
from .ends import band, outcome, score
from .moves import IllegalAction, apply, replay, start
from .rules import RULINGS, SUITS, Clue, Rules
from .scenes import staged, tell
from .sight import View, view
from .skilled import choose, play_out
from .table import Table

__all__ = [
    "EDITIONS",
    "RULINGS",
    "SUITS",
    "VARIANTS",
    "Action",
    "Clue",
    "Face",
    "IllegalAction",
    "Rules",
    "Table",
    "View",
    "apply",
    "band",
    "bands",
    "choose",
    "composition",
    "could_act",
    "legal",
    "outcome",
    "parse_face",
    "play_out",
    "replay",
    "rules_for",
    "score",
    "shuffled",
    "stacked",
    "staged",
    "start",
    "tell",
    "view",
]

"""The reference engine: Hanabi written by hand from the printed rulebooks, to be checked against them by eye.

It shares no code with the formal specification, so that the two can be tested against each other.
"""

from .actions import Action, could_act, legal
from .decks import Face, composition
from .editions import EDITIONS, VARIANTS, bands, rules_for
from .ends import band, outcome, score
from .moves import IllegalAction, apply, replay, start
from .rules import RULINGS, SUITS, Clue, Rules
from .sight import View, view
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
    "composition",
    "could_act",
    "legal",
    "outcome",
    "replay",
    "rules_for",
    "score",
    "start",
    "view",
]

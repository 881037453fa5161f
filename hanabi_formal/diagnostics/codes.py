"""The closed list of diagnostics. A code never changes its meaning; `explain CODE` prints its text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Code:
    """`title` is one sentence about every diagnostic of the code; `text` explains it, with an example and a way out."""

    name: str
    title: str
    severity: str = "error"

    @property
    def text(self) -> str:
        return _texts()[self.name]


@cache
def _texts() -> dict[str, str]:
    """The sections of `explain.md` by code; read only when somebody asks."""
    whole = Path(__file__).with_name("explain.md").read_text(encoding="utf-8")
    sections = (section.partition("\n") for section in whole.split("\n## ")[1:])
    return {name.strip(): text.strip() for name, _, text in sections}


_LIST = (
    # The text
    Code("HRL100", "A word or sign stands where it cannot stand."),
    Code("HRL101", "A character has no meaning in the language."),
    Code("HRL102", "A text in quotes is not closed on its line."),
    Code("HRL103", "The file ends in the middle of something."),
    Code("HRL104", "The file holds no specification."),
    Code("HRL105", "Something is nested too deeply."),
    Code("HRL106", "The file is too long for a rule file."),
    Code("HRL107", "The file is not UTF-8 text."),
    # Files, names and changes
    Code("HRL200", "A file cannot be read."),
    Code("HRL201", "There is no specification of that name."),
    Code("HRL202", "A specification extends itself."),
    Code("HRL203", "Specifications of different games are joined."),
    Code("HRL204", "An edition is not the first specification, or not the only edition."),
    Code("HRL205", "A name is given twice."),
    Code("HRL206", "A name is not declared."),
    Code("HRL207", "A name is used as something that it is not."),
    Code("HRL208", "A word of the language is used as a name."),
    Code("HRL209", "The game lacks a part that every game has."),
    Code("HRL210", "Something is defined by itself."),
    Code("HRL212", "A variant changes a part that does not exist."),
    Code("HRL213", "An override has another number of parameters than what it overrides."),
    Code("HRL214", "Two variants change the same part."),
    Code("HRL216", "Two specifications exclude each other."),
    Code("HRL217", "The order of two ends is not said."),
    Code("HRL218", "An edition is extended."),
    Code("HRL219", "A setting names something that the game does not have."),
    Code("HRL220", "A ruling or a setting has a value that it cannot have."),
    Code("HRL221", "A name means two things."),
    # Types
    Code("HRL300", "An expression has another type than its place needs."),
    Code("HRL301", "Values of different types are compared."),
    Code("HRL302", "The number of arguments is wrong."),
    Code("HRL303", "The number of indices is wrong."),
    Code("HRL304", "A `match` leaves something out, or says something twice."),
    Code("HRL305", "A type is empty or too large."),
    Code("HRL306", "A constant is needed, and this is none."),
    Code("HRL307", "A number is outside its bounds."),
    Code("HRL308", "A divisor is not a positive constant."),
    Code("HRL309", "Values without an order are compared by `<`."),
    Code("HRL310", "A value after the step is used where there is no step."),
    Code("HRL311", "The type of a name cannot be told."),
    Code("HRL312", "A minimum or maximum may be over nothing."),
    Code("HRL313", "A rule asks whether the game has ended."),
    # Actions and records
    Code("HRL400", "Something is updated twice at the same time."),
    Code("HRL401", "A rule depends on a record."),
    Code("HRL402", "Something that never changes is updated."),
    Code("HRL403", "A variable has no value at the start."),
    Code("HRL404", "The rules break down during a game."),
    # Citations
    Code("HRL500", "A citation names a clause that no table lists."),
    Code("HRL501", "A rule cites no clause.", "warning"),
    Code("HRL502", "A clause is cited by nothing.", "warning"),
    Code("HRL503", "A clause leaves something open, and no ruling covers it.", "warning"),
    Code("HRL504", "A table of clauses cannot be understood."),
    Code("HRL505", "A clause is declared twice."),
    # Games and the command line
    Code("HRL600", "A deal is wrong."),
    Code("HRL601", "An action cannot be read, or is not legal."),
    Code("HRL602", "A game has no deal that could be won."),
    Code("HRL603", "Evidence is refused."),
    Code("HRL700", "The command line is used wrongly."),
)
CODES: dict[str, Code] = {code.name: code for code in _LIST}

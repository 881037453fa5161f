"""The closed list of diagnostics. A code never changes its meaning; `explain CODE` prints its text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    title: str
    text: str
    severity: str = "error"


CODES: dict[str, Code] = {
    "HRL100": Code("", ""),
    "HRL101": Code("", ""),
    "HRL102": Code("", ""),
    "HRL103": Code("", ""),
    "HRL104": Code("", ""),
    "HRL105": Code("", ""),
    "HRL106": Code("", ""),
    "HRL107": Code("", ""),
    "HRL200": Code("", ""),
    "HRL201": Code("", ""),
    "HRL202": Code("", ""),
    "HRL203": Code("", ""),
    "HRL204": Code("", ""),
    "HRL205": Code("", ""),
    "HRL206": Code("", ""),
    "HRL207": Code("", ""),
    "HRL208": Code("", ""),
    "HRL209": Code("", ""),
    "HRL210": Code("", ""),
    "HRL212": Code("", ""),
    "HRL213": Code("", ""),
    "HRL214": Code("", ""),
    "HRL216": Code("", ""),
    "HRL217": Code("", ""),
    "HRL218": Code("", ""),
    "HRL219": Code("", ""),
    "HRL220": Code("", ""),
    "HRL300": Code("", ""),
    "HRL301": Code("", ""),
    "HRL302": Code("", ""),
    "HRL303": Code("", ""),
    "HRL304": Code("", ""),
    "HRL305": Code("", ""),
    "HRL306": Code("", ""),
    "HRL307": Code("", ""),
    "HRL308": Code("", ""),
    "HRL309": Code("", ""),
    "HRL310": Code("", ""),
    "HRL311": Code("", ""),
    "HRL312": Code("", ""),
    "HRL313": Code("", ""),
    "HRL400": Code("", ""),
    "HRL401": Code("", ""),
    "HRL402": Code("", ""),
    "HRL403": Code("", ""),
}

"""Foreign text made safe to show. Every output of the program passes here (`cli/terminal.py`).

A terminal obeys control characters, and shows text with marks of direction in another order than it has.
"""

from __future__ import annotations

import re

_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f"  # without tab and line feed
_BREAKS = "\u2028\u2029"
_DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_HALVES = "\ud800-\udfff"
STEERING = re.compile(f"(?!\r\n)[{_CONTROL}{_BREAKS}{_DIRECTIONS}{_INVISIBLE}{_HALVES}]")
"""Characters that are never shown as they are; a return before a line feed is none."""
_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")
_NOT_IN_JSON = re.compile(f"[{_CONTROL}{_BREAKS}{_DIRECTIONS}{_INVISIBLE}{_HALVES}]")


def clean(text: str) -> str:
    """The same lines with a dot for each character that would steer a terminal."""
    return STEERING.sub("·", text)


def clean_line(text: str) -> str:
    """The same on one line: ends of lines are dots as well, and tabs are blanks."""
    return clean(text.replace("\t", " ")).replace("\r", "·").replace("\n", "·")


def clean_painted(text: str) -> str:
    """The same for text in our own colours: nothing but them is left of sequences."""
    return "".join(part if at % 2 else clean(part) for at, part in enumerate(_COLOUR.split(text)))


def clean_json(text: str) -> str:
    """JSON with the same meaning, in which those characters are escaped."""
    return _NOT_IN_JSON.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))

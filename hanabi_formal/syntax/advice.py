"""Ways out of syntax errors: what a writer who comes from elsewhere probably meant."""

from __future__ import annotations

from collections.abc import Collection

from hanabi_formal.diagnostics.diagnostic import did_you_mean
from hanabi_formal.syntax.keywords import keywords

_COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">="])
_ELSEWHERE = {
    "variable": "var",
    "function": "def",
    "define": "def",
    "let": "const",
    "constant": "const",
    "type": "enum",
    "parameter": "param",
    "guard": "when",
    "elif": "else case",
    "elseif": "else case",
    "if": "case",
}
_CHARACTERS = {
    "&": "`and` joins conditions",
    "≥": "write `>=`",
    "≤": "write `<=`",
    "≠": "write `!=`",
    "∧": "write `and`",
    "∨": "write `or`",
    "¬": "write `not`",
    "→": "write `implies`",
    "×": "write `*`",
    "·": "write `*`",
    "÷": "write `/`",
    "−": "write `-`",
    "–": "write `-` or `..`",
    "…": "a range is written with two dots: `1..5`",
    "“": 'a text stands in plain `"…"`',
    "”": 'a text stands in plain `"…"`',
    "‘": "a value after the step has a plain `'`",
    "’": "a value after the step has a plain `'`",
    "∀": "write `forall(… for x : T)`",
    "∃": "write `exists(… for x : T)`",
    "!": "`not x` denies, `x != y` tells apart",
    "^": "there is no power; multiply",
    "~": "write `not`",
    "\\": "a line simply goes on; nothing marks its end",
}


def about_character(char: str) -> str | None:
    if char in _CHARACTERS:
        return _CHARACTERS[char]
    if char.isalpha():
        return "names are written with the letters a to z, digits and `_`"
    return None if char.isprintable() else "only spaces, tabs and line breaks separate words"


def about_token(text: str, around: tuple[str, str], accepts: Collection[str]) -> str | None:
    """Help for an unexpected token, from its text, what stands before and after it, and what could stand there."""
    before, after = around[0][-1:], around[1][:1]
    match text:
        case "=" if before == "=":
            return "`=` gives a value, `==` compares"
        case "=" if "EQ" in accepts:
            return "`==` compares, `=` gives a value"
        case "=" if "PRIME" in accepts:
            return "an update is written with a prime: `x' = …`"
        case "'":
            return "`x'` is the value after the step; only a name or `name[index]` can have it"
        case "|" if before == "|" or "OR" in accepts:
            return "`or` is written as a word"
        case "/" | "*" if before == "/" or after in ("/", "*"):
            return "a comment begins with `#` and goes to the end of its line"
        case ";" if "SEMI" not in accepts:
            return "`;` separates statements, arms and entries; between items nothing is needed"
    if text in _COMPARISONS and "AND" in accepts:
        return "comparisons do not chain: write `a < b and b < c`"
    if before == '"':
        return 'a text cannot hold a `"`'
    if before.isdigit() and text[0].isalpha():
        return "a name begins with a letter or `_`"
    if "ELSE" in accepts and not {"NAME", "RBRACE"} & set(accepts):
        return "`if` always has an `else`"
    if "PRIME" in accepts and around[0].split()[-1:] == ["if"]:
        return "statements choose with `case … { … }`; `if` chooses between values"
    return about_word(text, accepts)


def about_word(text: str, accepts: Collection[str]) -> str | None:
    known = keywords()
    if text in known.items and "ADD" in accepts:
        return f"a variant says what it changes: `add {text} …` or `override {text} …`"
    if text in known.changes and "ENUM" in accepts:
        return "a game declares its parts without such a word; changes stand in a `variant` or an `edition`"
    if text in ("game", "variant", "edition"):
        return "a file holds one of them; give this one a file of its own"
    words = known.spelt(frozenset(accepts))
    other = _ELSEWHERE.get(text.lower(), "")
    if other and other.split()[0] in words:
        return f"here this is called `{other}`"
    if text.lower() in words and text not in words:
        return f"words of the language are written small: `{text.lower()}`"
    return did_you_mean(text, words) if text.isidentifier() and text not in known.words else None

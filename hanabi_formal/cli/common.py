"""What the verbs share: the SPEC argument, settings, and the form of the output."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hanabi_formal.cli.terminal import as_json, say
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Diagnostic, refuse
from hanabi_formal.formats.deals import Given, player_count

if TYPE_CHECKING:
    from hanabi_formal.api import Game

F = TypeVar("F", bound=Callable[..., Any])
SCHEMA = 1
MOST_VALUES = 4096
_NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_SPAN = re.compile(r"(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})", re.ASCII)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True)
class Output:
    """The form in which a verb answers: `text`, `editor` (one line a diagnostic) or `json`."""

    form: str

    @staticmethod
    def of(args: Sequence[str]) -> Output:
        """As the command line asks; also for one that cannot be parsed, so that `--json` never answers in prose."""
        ours = list(args[: args.index("--")] if "--" in args else args)
        if "--json" in ours:
            return Output("json")
        editor = "--format=editor" in ours or ("--format", "editor") in pairwise(ours)
        return Output("editor" if editor else "text")

    def diagnostics(self, found: Sequence[Diagnostic]) -> None:
        """Diagnostics beside an answer; in JSON they are part of the answer, not printed by themselves."""
        from hanabi_formal.diagnostics.render import render_editor, render_text

        if not found or self.form == "json":
            return
        colour = wants_colour(sys.stderr) and self.form != "editor"
        text = render_editor(found) if self.form == "editor" else render_text(found, colour)
        say(text, err=True, nl=False, painted=colour)

    def unreadable(self, found: Sequence[Diagnostic], file: str, number: int) -> None:
        """Diagnostics about a line of a file, with its place if they do not name it."""
        if file not in {label.span.file.name for diagnostic in found for label in diagnostic.labels}:
            say(f"{file}, line {number}:", err=True)
        self.diagnostics(found)

    def refused(self, found: Sequence[Diagnostic]) -> None:
        """Diagnostics instead of an answer."""
        self.diagnostics(found)
        self.answer({}, "", found)

    def answer(self, data: dict[str, Any], text: str, found: Sequence[Diagnostic] = ()) -> None:
        """The answer on standard output."""
        from hanabi_formal.diagnostics.render import as_data

        if self.form == "json":
            whole = {"schema": SCHEMA, **data, "diagnostics": as_data(found)}
            say(as_json(whole, indent=2))
        elif text:
            say(text)


def wants_colour(stream: Any) -> bool:
    """Colour on a terminal, unless NO_COLOR or a dumb one says otherwise."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and stream is not None and stream.isatty()


def notes(unprinted: str | None) -> list[str]:
    """A line for a combination that no edition has."""
    return [f"note: unprinted: {unprinted}"] if unprinted is not None else []


# ---- arguments and options -----------------------------------------------------------------------
class Finite(click.FloatRange):
    """A number that is one: neither infinite nor `nan`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found: float = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is no finite number.", param, ctx)
        return found


spec_argument = click.argument("spec", metavar="SPEC")


def output_options(command: F) -> F:
    """`--json` and `--format`, given to the verb as one `output`."""

    @click.option("--json", "as_json", is_flag=True, help="Answer in JSON, on standard output.")
    @click.option(
        "--format",
        "form",
        type=click.Choice(["text", "editor"]),
        default="text",
        show_default=True,
        help="How diagnostics are printed; `editor` is one line each.",
    )
    @wraps(command)
    def wrapped(*args: Any, as_json: bool, form: str, **kwargs: Any) -> Any:
        return command(*args, output=Output("json" if as_json else form), **kwargs)

    return wrapped  # type: ignore[return-value]


ALL_COUNTS = "all that SPEC allows if not given"
AS_DEALT = "what the deal or the game says if not given"


def setting_options(command: F, otherwise: str = ALL_COUNTS) -> F:
    """`--players`, `--ruling` and `--set`, given to the verb as one `settings`."""

    @click.option("--players", type=int, metavar="N", help=f"How many players; {otherwise}.")
    @click.option(
        "--ruling", "rulings", multiple=True, metavar="NAME=VALUE", help="Decide an open question. Repeatable."
    )
    @click.option(
        "--set",
        "sets",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a parameter (`--set red_tokens=100`) or cut a type down (`--set Suit=red,blue`, "
        "`--set Rank=1..3`). Repeatable.",
    )
    @wraps(command)
    def wrapped(*args: Any, players: int | None, rulings: Sequence[str], sets: Sequence[str], **kwargs: Any) -> Any:
        return command(*args, settings=read_settings(players, rulings, sets), **kwargs)

    return wrapped  # type: ignore[return-value]


def chosen_players(game: Game, settings: Settings, given: Given | None) -> int | None:
    """As the command line says, or else the deal; None if neither does."""
    if "players" in settings.params or given is None:
        return settings.params.get("players")
    return player_count(given, game.player_counts, game.name)


def read_settings(players: int | None, rulings: Iterable[str], sets: Iterable[str]) -> Settings:
    params: dict[str, int] = {} if players is None else {"players": players}
    chosen: dict[str, str] = {}
    cuts: dict[str, tuple[str, ...]] = {}
    for text in rulings:
        name, value = _pair("--ruling", text)
        if name in chosen:
            raise refuse("HRL700", f"the ruling `{name}` is given twice")
        chosen[name] = value
    for text in sets:
        name, value = _pair("--set", text)
        if name in params or name in cuts:
            raise refuse("HRL700", f"`{name}` is given twice")
        if _NUMBER.fullmatch(value):
            params[name] = int(value)
        else:
            cuts[name] = _values(text, value)
    return Settings(params, chosen, cuts)


def _pair(option: str, text: str) -> tuple[str, str]:
    name, sign, value = (part.strip() for part in text.partition("="))
    if not sign or not value or not _NAME.fullmatch(name):
        example = "empty_hint=refused" if option == "--ruling" else "red_tokens=2"
        raise refuse(
            "HRL700", f"`{option} {text}` is not of the form NAME=VALUE", help=f"for example `{option} {example}`"
        )
    return name, value


def _values(text: str, value: str) -> tuple[str, ...]:
    """`red,blue` or `1..3`."""
    span = _SPAN.fullmatch(value)
    if span is None:
        words = [word.strip() for word in value.split(",")]
        twice = next((word for at, word in enumerate(words) if word in words[:at]), None)
        if twice is not None:
            raise refuse("HRL700", f"`--set {text}` names `{twice}` twice")
        return tuple(words)
    low, high = int(span[1]), int(span[2])
    if not 0 < high - low + 1 <= MOST_VALUES:
        most = f"a type has 1 to {MOST_VALUES:,} values"
        raise refuse("HRL700", f"`--set {text}` leaves {max(0, high - low + 1):,} values", help=most)
    return tuple(str(number) for number in range(low, high + 1))

"""Places in a text, shown: long lines, tabs, wide characters, several places, colour."""

from __future__ import annotations

import pytest
from click import unstyle

from hanabi_formal.diagnostics.diagnostic import MOST_ERRORS, Diagnostic, Label, Rejected, Sink, counted, did_you_mean
from hanabi_formal.diagnostics.render import as_data, clean, render_editor, render_text
from hanabi_formal.diagnostics.source import SourceFile, Span


def place(text: str, word: str, name: str = "a.hrl") -> Span:
    return Span(SourceFile(name, text), text.index(word), text.index(word) + len(word))


def shown(*labels: Label, help: str | None = None) -> list[str]:
    return render_text([Diagnostic("HRL206", "message", labels, help)]).splitlines()


def test_several_places() -> None:
    first = place("one\ntwo\n  override def f() = 1\n", "f()", "mine/a.hrl")
    second = place("\n" * 11 + "override def f() = 2", "f()", "b.hrl")
    assert shown(Label(first, "here"), Label(second, "and here"), help="choose") == [
        "error[HRL206]: message",
        "   ┌─ mine/a.hrl:3:16",
        " 3 │   override def f() = 1",
        "   │                ^^^ here",
        "   ┌─ b.hrl:12:14",
        "12 │ override def f() = 2",
        "   │              --- and here",
        "   = help: choose",
    ]


def test_two_places_of_one_line() -> None:
    text = "first == second"
    assert shown(Label(place(text, "first"), "left"), Label(place(text, "second"), "right"))[2:] == [
        "1 │ first == second",
        "  │ ^^^^^ left",
        "  │          ------ right",
    ]


def test_tabs_and_wide_characters() -> None:
    assert shown(Label(place("\tx 漢字 e\u0301 bad", "bad")))[2:] == [
        "1 │     x 漢字 e\u0301 bad",
        "  │              ^^^",
    ]
    assert shown(Label(place("a 漢字", "漢字")))[3] == "  │   ^^^^"


def test_a_line_without_end() -> None:
    lines = shown(Label(place("x" * 500_000 + " bad " + "y" * 500_000, "bad"), "here"))
    assert max(map(len, lines)) < 130
    assert lines[2].startswith("1 │ …")
    assert lines[2].endswith("…")
    at = lines[3].index("^")
    assert lines[2][at : at + 3] == "bad"


def test_what_is_longer_than_a_line() -> None:
    assert shown(Label(place("game {\n  x\n}", "{\n  x\n}"), "all of this"))[2:] == [
        "1 │ game {",
        "  │      ^ all of this",
    ]


def test_the_end_of_the_file() -> None:
    file = SourceFile("a.hrl", "game")
    assert shown(Label(Span(file, 4, 4), "expected `}`"))[2:] == ["1 │ game", "  │     ^ expected `}`"]
    assert shown(Label(Span(SourceFile("a.hrl", ""), 0, 0)))[1:] == ["  ┌─ a.hrl:1:1", "1 │", "  │ ^"]


def test_nothing_steers_the_terminal() -> None:
    text = "a \x1b[31m\u202e b"
    assert "\x1b" not in "".join(shown(Label(place(text, "b"), "\x1b[0m")))
    assert clean("a\nb\x07") == "a·b·"
    assert len(clean("a" * 10_000)) < 200


def test_colour_changes_no_letter() -> None:
    found = [Diagnostic("HRL501", "message", (Label(place("a bad b", "bad"), "here"),), "help")]
    assert render_text(found, colour=True) != render_text(found)
    assert unstyle(render_text(found, colour=True)) == render_text(found)


def test_for_editors_and_programs() -> None:
    found = [Diagnostic("HRL502", "odd", (Label(place("a\nbad\nc", "bad\nc"), "here"),)), Diagnostic("HRL700", "no")]
    assert render_editor(found) == "a.hrl:2:1: warning[HRL502]: odd\nerror[HRL700]: no\n"
    assert as_data(found)[0]["labels"] == [
        {"file": "a.hrl", "line": 2, "column": 1, "end_line": 3, "end_column": 2, "text": "here"}
    ]


def test_a_flood_is_cut_off() -> None:
    found = [Diagnostic("HRL206", f"number {n}") for n in range(1000)]
    assert render_text(found).endswith("… and 980 more; `--json` lists them all\n")
    sink = Sink()
    for number in range(MOST_ERRORS - 1):
        sink.report("HRL206", f"number {number}")
    with pytest.raises(Rejected) as stopped:
        sink.report("HRL206", "one more")
    assert len(stopped.value.diagnostics) == MOST_ERRORS


def test_helps() -> None:
    assert did_you_mean("lefft", ["left", "right"]) == "did you mean `left`?"
    assert did_you_mean("xyz", ["left", "right"]) is None
    assert did_you_mean("xyz", ["left", "right"], "sides") == "the sides are `left`, `right`"
    assert did_you_mean("left", ["left"]) is None
    assert [counted(n, "index") for n in (0, 1, 2)] == ["no indices", "1 index", "2 indices"]

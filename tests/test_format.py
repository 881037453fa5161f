"""One form of a rule file: examples to read, then spacings and line breaks at random."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import Lark

from hanabi_formal.cli.main import cli
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.diagnostics.source import SourceFile
from hanabi_formal.resources import grammar_text, spec_folder
from hanabi_formal.syntax import format as formatter
from hanabi_formal.syntax.format import FormattingFault, format_text, same_meaning
from hanabi_formal.syntax.keywords import keywords
from hanabi_formal.syntax.parser import parse, tokens

SPECS = sorted(spec_folder().glob("*.hrl"))
COMMENT = re.compile(r"#[^\n]*")


def formatted(text: str) -> str:
    once = format_text(text)
    assert format_text(once) == once
    return once


def expect(before: str, after: str) -> None:
    assert formatted(dedent(before).lstrip("\n")) == dedent(after).lstrip("\n")


# ---- examples ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name)
def test_the_specifications_are_fixed_points(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert format_text(text, path.name) == text


def test_spaces_indentation_and_blank_lines() -> None:
    expect(
        """


        game  toy{

        param n:1 .. 3=2
          enum Side=left|right


          ruling tie:{ first,second }=first "who?"
        var at [ Side ]:0..n
        action go( s:Side,k : 1..2 ):move
        when at[ s ]' +1<=- 1*( n-k )and not(s==left)
        {at[s] '=min( at[s]+k,n )}

        }
        """,
        """
        game toy {
          param n : 1..3 = 2
          enum Side = left | right

          ruling tie : {first, second} = first "who?"
          var at[Side] : 0..n
          action go(s : Side, k : 1..2) : move
            when at[s]' + 1 <= -1 * (n - k) and not (s == left)
          { at[s]' = min(at[s] + k, n) }
        }
        """,
    )


def test_citations_are_aligned_run_by_run() -> None:
    expect(
        """
        game toy {
          const a = 1 @one @two
          const long_name = 22      @two

          const b = 3    @one
          # a comment starts afresh
          var x : 0..9 @one
          effect up() {
            x' = x + 1 @one
            case x == 1 label small @two { up() @two }
          }
          const c = 3 @one
        }
        """,
        """
        game toy {
          const a = 1           @one @two
          const long_name = 22  @two

          const b = 3  @one
          # a comment starts afresh
          var x : 0..9  @one
          effect up() {
            x' = x + 1  @one
            case x == 1 label small @two { up() @two }
          }
          const c = 3  @one
        }
        """,
    )


def test_a_closing_brace_with_citations_belongs_to_its_run() -> None:
    expect(
        """
        game toy {
          def f(s : Side) = match s {
            left : 1
            else : 2
          }  @one
          const longer_than_a_brace = 1 @two
        }
        """,
        """
        game toy {
          def f(s : Side) = match s {
            left : 1
            else : 2
          }                              @one
          const longer_than_a_brace = 1  @two
        }
        """,
    )


def test_long_lines_do_not_push_the_column_past_100() -> None:
    fits = "  const a = " + "1 + " * 20 + "1"
    too_long = "  const b = " + "1 + " * 22 + "1"
    lines = formatted(f"game toy {{\n{fits} @x\n{too_long} @x\n  const c = 1 @x\n}}\n").split("\n")
    assert lines[1] == f"{fits}  @x"
    assert lines[2] == f"{too_long}  @x"
    assert lines[3].index("@") == lines[1].index("@")
    ones = "1" * 85
    edge = formatted(f"game toy {{\n  const d = {ones} @x\n  const e = {ones}1 @x\n  const f = 1 @x\n}}\n")
    assert [line.index("@") for line in edge.split("\n")[1:4]] == [99, 100, 99]


def test_comments_stay_where_they_are() -> None:
    expect(
        """
            # above
        game toy {    # beside
              #inside

          const a = 1   @x   # after a citation
            # before the end
        }
        # below
        """,
        """
        # above
        game toy {  # beside
          #inside

          const a = 1  @x  # after a citation
          # before the end
        }
        # below
        """,
    )


def test_lines_that_go_on() -> None:
    expect(
        """
        game toy {
        def f(a : Side) =
        if a == left then 1
        else 2                 @x
        def g() = forall(a == left or b == right
        for a : Side,
        b : Side)
        def h() = forall(
        a == left
        for a : Side
        )
        def k() =
        match side {
        left : f(
        left)
        else : 2
        }
        action go()
        when true
        and false label never
        {
        case true label one { x' = 1 }
        else label two
        { x' = 2 }
        }
        then {
        x' = 3 ;
        }
        end stop lost
        when true
        score -1
        }
        """,
        """
        game toy {
          def f(a : Side) =
            if a == left then 1
            else 2  @x
          def g() = forall(a == left or b == right
                           for a : Side,
                           b : Side)
          def h() = forall(
            a == left
            for a : Side
          )
          def k() =
            match side {
              left : f(
                left)
              else : 2
            }
          action go()
            when true
              and false label never
          {
            case true label one { x' = 1 }
            else label two
            { x' = 2 }
          }
          then {
            x' = 3 ;
          }
          end stop lost
            when true
            score -1
        }
        """,
    )


def test_variants_and_editions() -> None:
    expect(
        """
        edition mine extends toy offers fast ,slow {
        set n=- 2 because "why"@x
        override when go.late (n-1)*2>score-1@x
        override when go.early -n<1
        override case go.one{}
        strengthen action go when n>1 label big
        add end stop lost when score==1 score score-1 before other
        with fast{remove end stop@x}}
        """,
        """
        edition mine extends toy offers fast, slow {
          set n = -2 because "why"                       @x
          override when go.late (n - 1) * 2 > score - 1  @x
          override when go.early -n < 1
          override case go.one { }
          strengthen action go when n > 1 label big
          add end stop lost when score == 1 score score - 1 before other
          with fast { remove end stop @x } }
        """,
    )


def test_windows_line_ends_and_tabs() -> None:
    assert formatted('game toy {\r\n\tsource "a.toml"\t# x\r\n}\r\n') == 'game toy {\n  source "a.toml"  # x\n}\n'


def test_a_sign_of_comment_in_a_text_is_no_comment() -> None:
    assert formatted('game toy { clause @x "no # here" }# yes') == 'game toy { clause @x "no # here" }  # yes\n'


def test_what_does_not_parse_is_refused() -> None:
    with pytest.raises(Rejected, match="HRL103"):
        format_text("game toy {")


def test_a_changed_meaning_is_never_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatter._Layout, "render", lambda self: "game toy { const a = 2 }\n")
    with pytest.raises(FormattingFault):
        format_text("game toy { const a = 1 }")
    monkeypatch.setattr(formatter._Layout, "render", lambda self: "game toy { const a = 1 }\n")
    with pytest.raises(FormattingFault):
        format_text("game toy { const a = 1 }  # lost")


# ---- at random -----------------------------------------------------------------------------------
def spread(text: str, data: st.DataObject) -> str:
    """The same lines of tokens and comments with other spaces, line ends and numbers of blank lines."""
    lines = []
    words = tokens(SourceFile("<text>", text))
    for number, line in enumerate(text.split("\n"), 1):
        here = [str(token) for token in words if token.line == number]
        if not line:
            lines += [data.draw(st.sampled_from(["", " ", "\t"]))] * data.draw(st.integers(1, 3))
            continue
        made = data.draw(st.sampled_from(["", " ", "      ", "\t"]))
        for one, other in zip(["", *here], here):
            may_touch = not re.match(r"\w", other) or not re.search(r"\w\Z", one)
            made += data.draw(st.sampled_from(["", " ", "   ", "\t"] if may_touch else [" ", "  ", "\t \t"])) + other
        end = max((t.end_column or 0 for t in words if t.line == number), default=1) - 1
        comment = COMMENT.search(line, end)
        lines.append(f"{made}{comment.group() if comment else ''}{data.draw(st.sampled_from(['', '  ', chr(13)]))}")
    return "\n".join(lines) + data.draw(st.sampled_from(["", "\n", "\n\n\n"]))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
@pytest.mark.sampled(6)
def test_spacing_is_restored(path: Path, data: st.DataObject) -> None:
    text = path.read_text(encoding="utf-8")
    # Part of the file is enough a time: its items are cut to a few, so that failures are short.
    cut = data.draw(st.integers(0, max(0, text.count("\n\n") - 2)))
    groups = text.split("\n\n")
    part = "\n\n".join([groups[0], groups[cut + 1], *groups[-1:]]) if len(groups) > 2 else text
    try:
        neat = format_text(part)
    except Rejected:
        neat = text
    assert format_text(spread(neat, data)) == neat


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
@pytest.mark.sampled(6)
def test_lines_broken_anywhere_keep_meaning_and_comments(path: Path, data: st.DataObject) -> None:
    text = path.read_text(encoding="utf-8")
    words = tokens(SourceFile("<text>", text))
    places = data.draw(st.lists(st.integers(0, len(words) - 1), max_size=60, unique=True))
    breaks = {at: data.draw(st.sampled_from(["\n", "\n\n", " # note\n", "\n   # note \n\n"])) for at in places}
    broken = " ".join(f"{token}{breaks.get(at, '')}" for at, token in enumerate(words))
    result = formatted(broken)
    assert same_meaning(parse(SourceFile("a", text)), parse(SourceFile("b", result)))
    assert result.count("# note") == broken.count("# note")
    assert not re.search(r"[ \t]\n|\n\n\n|\A\n|\n\n\Z", result)


WORDS = {name: st.just(f" {text} ") for name, text in keywords().spelling.items() if text.isidentifier()}
SOUP = from_lark(
    Lark(grammar_text(), start="unit"),
    start="unit",
    explicit={
        **WORDS,
        "NAME": st.sampled_from([" alpha ", " b ", " c1 "]),
        "INT": st.sampled_from([" 0 ", " 12 "]),
        "CITE": st.sampled_from(["@a.b ", "@c "]),
        "STRING": st.sampled_from(['"t"', '"a # b"']),
        "SPACE": st.sampled_from([" ", "\n", "\n\n", "\t"]),
        "COMMENT": st.sampled_from(["# note\n", "#note \n"]),
    },
)


@given(text=SOUP)
@settings(max_examples=150, deadline=None)
def test_any_text_of_the_grammar(text: str) -> None:
    try:
        parse(SourceFile("<text>", text))
    except Rejected:
        assume(False)
    result = formatted(text)
    count = len(re.findall(r"# ?note", text))
    assert len(re.findall(r"# ?note", result)) == count


# ---- the command -----------------------------------------------------------------------------------
UGLY, NEAT = "game toy{const a=1}", "game toy { const a = 1 }\n"


def fmt(*args: str | Path, stdin: str | bytes = "") -> Result:
    return CliRunner().invoke(cli, ["fmt", *map(str, args)], input=stdin)


def test_files_are_rewritten_in_place_and_keep_their_mode(tmp_path: Path) -> None:
    ugly, neat, link = tmp_path / "ugly.hrl", tmp_path / "neat.hrl", tmp_path / "link.hrl"
    ugly.write_text(UGLY)
    ugly.chmod(0o640)
    neat.write_text(NEAT)
    link.symlink_to(ugly)
    assert fmt("--check", ugly, neat).exit_code == 1
    assert ugly.read_text() == UGLY
    result = fmt(link, neat)
    assert (result.exit_code, result.stdout) == (0, f"formatted {link}\n1 file is well written already\n")
    assert ugly.read_text() == NEAT
    assert link.is_symlink()
    assert stat.S_IMODE(ugly.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.hrl", "neat.hrl", "ugly.hrl"]
    assert fmt("--check", ugly).exit_code == 0


def test_check_names_what_would_change(tmp_path: Path) -> None:
    (tmp_path / "ugly.hrl").write_text(UGLY)
    result = fmt("--check", tmp_path / "ugly.hrl")
    assert (result.exit_code, result.stdout) == (1, f"would change {tmp_path / 'ugly.hrl'}\n")


def test_a_diff_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ugly.hrl"
    path.write_text(UGLY)
    result = fmt("--diff", path)
    no_end = "\\ No newline at end of file\n"
    assert result.stdout == f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-{UGLY}\n{no_end}+{NEAT}"
    assert result.exit_code == 0
    assert path.read_text() == UGLY


def test_standard_input() -> None:
    assert fmt("-", stdin=UGLY).stdout == NEAT
    assert fmt("--check", "-", stdin=UGLY).exit_code == 1
    assert fmt("--check", "-", stdin=NEAT).exit_code == 0
    assert fmt("-", stdin=b"game \xff").exit_code == 2
    assert fmt("-", "more.hrl").exit_code == 2


def test_a_bad_file_is_told_and_the_others_are_written(tmp_path: Path) -> None:
    (tmp_path / "bad.hrl").write_text("game toy {")
    (tmp_path / "ugly.hrl").write_text(UGLY)
    result = fmt(tmp_path / "bad.hrl", tmp_path / "none.hrl", tmp_path / "ugly.hrl")
    assert result.exit_code == 2
    assert "HRL103" in result.stderr
    assert "HRL200" in result.stderr
    assert (tmp_path / "bad.hrl").read_text() == "game toy {"
    assert (tmp_path / "ugly.hrl").read_text() == NEAT

"""`cite`: the report as people read it, and as programs do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hanabi_formal.cli.main import cli

GOLDEN = Path(__file__).parent / "golden"
GAME = """game toy {
  source "clauses.toml"
  var left : 0..9                         @pile
  start { left = 9 }
  action take(n : 1..2) when n <= left { left' = left - n }  @take
  end over over when left == 0            @end
}
"""
CLAUSES = """schema = 1
[clauses."pile"]
says = "There are nine sticks."
[clauses."take"]
says = "One or two are taken."
[clauses."end"]
says = "No stick, no game."
[clauses."turn"]
says = "Turns are taken one after the other, which takes a long sentence to say, so long that it needs two lines."
[clauses."talk"]
says = "Nobody speaks."
out_of_scope = "There is no event of speaking."
[clauses."quick.time"]
says = "A minute for each turn."
about = "quick"
"""
STANDINGS = """schema = 1
[standing."pile"]
is = "stated"
[standing."take"]
is = "silent"
says = "No number is given."
used = "What other books say."
[standing."end"]
is = "stated"
[standing."talk"]
is = "stated"
[standing."quick.time"]
is = "stated"
"""


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.hrl").write_text(GAME)
    (tmp_path / "clauses.toml").write_text(CLAUSES)
    (tmp_path / "book.hrl").write_text('edition book extends toy offers quick { source "book.toml" }')
    (tmp_path / "book.toml").write_text(STANDINGS)
    (tmp_path / "quick.hrl").write_text("variant quick extends toy { remove end over }")
    return tmp_path


def cite(*args: str) -> Result:
    return CliRunner().invoke(cli, ["cite", *args])


def test_a_game(toys: Path) -> None:
    result = cite("toy.hrl")
    assert result.exit_code == 1
    expected = """\
toy  4 of 5 clauses covered (80%), 4 of 6 rules cited

nothing cites:
  turn  Turns are taken one after the other, which takes a long sentence to say, so long that it
        needs two lines.

rules without a citation:
  toy.hrl:4:11  start `left`
  toy.hrl:5:25  guard in action `take`

out of scope:
  talk  There is no event of speaking.
"""
    assert result.stdout == expected


def test_all_of_it(toys: Path) -> None:
    assert cite("toy.hrl", "--all").stdout.endswith("""\
cited:
  pile  toy.hrl:3:43 var `left`
  take  toy.hrl:5:62 action `take`
  end   toy.hrl:6:43 end `over`

rules cited by what they stand in:
  toy.hrl:5:42  update `left'` in action `take`
""")


def test_an_edition_alone_and_with_what_it_offers(toys: Path) -> None:
    result = cite("book.hrl")
    assert result.exit_code == 1
    expected = """\
book        4 of 4 clauses covered (100%), 4 of 6 rules cited, 1 open without a ruling
book+quick  4 of 5 clauses covered (80%), 3 of 5 rules cited, 1 open without a ruling

rules without a citation (book):
  toy.hrl:4:11  start `left`
  toy.hrl:5:25  guard in action `take`

open without a ruling (book):
  take  silent. No number is given.
        Used instead: What other books say.
        toy.hrl:5:62 action `take`

out of scope (book):
  talk  There is no event of speaking.

nothing cites (book+quick):
  quick.time  A minute for each turn.

cited only by parts that are changed here (book+quick):
  end  No stick, no game.
"""
    assert result.stdout == expected


def test_a_composition_by_itself(toys: Path) -> None:
    assert cite("book.hrl+quick.hrl").stdout.startswith("book+quick  4 of 5 clauses covered (80%)")


def test_complete_is_zero(toys: Path) -> None:
    (toys / "toy.hrl").write_text(
        'game toy { source "clauses.toml" var left : 0..9 @pile @turn\n'
        "start { left = 9 @take } end over over when left == 0 @end }"
    )
    result = cite("toy.hrl")
    assert result.exit_code == 0
    assert result.stdout.startswith("toy  5 of 5 clauses covered (100%), 3 of 3 rules cited\n")


def test_a_game_without_clauses(toys: Path) -> None:
    (toys / "toy.hrl").write_text("game toy { const a = 1 }")
    result = cite("toy.hrl")
    assert result.exit_code == 1
    assert result.stdout == (
        "toy  no clauses, 0 of 1 rules cited\n\nrules without a citation:\n  toy.hrl:1:12  const `a`\n"
    )


def test_bad_input(toys: Path) -> None:
    (toys / "toy.hrl").write_text('game toy { source "clauses.toml" const a = 1 @pill }')
    result = cite("toy.hrl")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "HRL500" in result.stderr
    assert "did you mean `pile`?" in result.stderr
    assert cite("none.hrl").exit_code == 2


def test_json(toys: Path) -> None:
    result = cite("book.hrl", "--json")
    answer = json.loads(result.stdout)
    assert (answer["schema"], answer["spec"], answer["complete"]) == (1, "book", False)
    alone, with_quick = answer["reports"]
    assert [alone["spec"], with_quick["spec"]] == ["book", "book+quick"]
    assert alone["clauses"]["cited"]["end"] == [{"rule": "end `over`", "place": "toy.hrl:6:43"}]
    assert alone["clauses"]["out_of_scope"] == [
        {"clause": "talk", "says": "Nobody speaks.", "because": "There is no event of speaking."}
    ]
    assert alone["rules"]["own"] == 3
    assert alone["rules"]["none"][0] == {"rule": "start `left`", "place": "toy.hrl:4:11"}
    assert alone["open"][0]["is"] == "silent"
    assert with_quick["clauses"]["uncited"] == [{"clause": "quick.time", "says": "A minute for each turn."}]
    assert result.exit_code == 1


def test_texts_of_a_table_cannot_paint_the_terminal(toys: Path) -> None:
    (toys / "clauses.toml").write_text(CLAUSES.replace("Turns are", "\\u001b[31mTurns\\nare"))
    assert "·[31mTurns are" in cite("toy.hrl").stdout


def test_the_base_game(golden: Callable[[Path, str], None]) -> None:
    golden(GOLDEN / "cite_base.txt", cite("base").stdout)

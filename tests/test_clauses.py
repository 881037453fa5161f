"""Clause tables and citations, in games small enough to read."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from hanabi_formal.citations.coverage import ClauseBook, Coverage, Status, check_citations, coverage, load_clauses
from hanabi_formal.compose.merge import Merged, merge
from hanabi_formal.compose.units import compose
from hanabi_formal.diagnostics.diagnostic import Diagnostic, Rejected

GAME = """
game toy {
  source "clauses.toml"
  var left : 0..9              @pile
  start { left = 9 }
  actor left
  ruling bottom : {stop, on} = stop "may the last one be taken?"  @take.last
  action take(n : 1..2) : move @take
    when n <= left             @take.last
    when n > 0
  {
    left' = left - n
    case n == 2 label two      @take.two { again() }
  }
  effect again() { case left > 5 { left' = 5 } else { left' = 4 } }
  end over over when left == 0 @end
}
"""
CLAUSES = """
schema = 1
[clauses."pile"]
says = "There are nine sticks."
[clauses."take"]
says = "One or two are taken."
[clauses."take.last"]
says = "The last may be taken."
[clauses."take.two"]
says = "Two are more than one."
[clauses."end"]
says = "No stick, no game."
[clauses."talk"]
says = "Nobody speaks."
out_of_scope = "There is no event of speaking."
[clauses."quick.time"]
says = "A minute for each turn."
about = "quick"
"""
EDITION = """
edition book extends toy offers quick {
  source "book.toml"
  set bottom = on because "it is silent" @take.last
}
"""
STANDINGS = """
schema = 1
edition = "book"
title = "The book"
offers = ["quick"]
[standing."pile"]
is = "stated"
line = "line 1"
[standing."take"]
is = "silent"
says = "No number is given."
[standing."take.last"]
is = "silent"
[standing."take.two"]
is = "example"
[standing."end"]
is = "lost"
used = "What other books say."
[standing."quick.time"]
is = "contradictory"
"""
QUICK = """
variant quick extends toy {
  remove end over
  add const minute = 60 @quick.time
}
"""


class Folder:
    """Rule files and tables, written as the test goes along."""

    def __init__(self, path: Path) -> None:
        self.path = path
        files = {
            "toy.hrl": GAME,
            "clauses.toml": CLAUSES,
            "book.hrl": EDITION,
            "book.toml": STANDINGS,
            "quick.hrl": QUICK,
        }
        for name, text in files.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(dedent(text).lstrip("\n"), encoding="utf-8")

    def change(self, name: str, old: str, new: str) -> None:
        text = (self.path / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def merged(self, *names: str) -> Merged:
        return merge(compose("+".join(str(self.path / f"{name}.hrl") for name in names or ("toy",))))

    def coverage(self, *names: str) -> Coverage:
        return coverage(self.merged(*names))

    def found(self, *names: str) -> list[Diagnostic]:
        return check_citations(self.merged(*names))

    def told(self, *names: str) -> list[str]:
        """Code, line and sentence of each diagnostic."""
        return [
            f"{d.code} {d.labels[0].span.file.position(d.labels[0].span.start)[0]}: {d.message}"
            for d in self.found(*names)
        ]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


# ---- tables --------------------------------------------------------------------------------------


def test_a_game_has_clauses(folder: Folder) -> None:
    book = load_clauses(folder.merged())
    assert [*book.clauses] == ["pile", "take", "take.last", "take.two", "end", "talk", "quick.time"]
    assert book.clauses["pile"].says == "There are nine sticks."
    assert book.clauses["quick.time"].about == "quick"
    assert book.clauses["talk"].out_of_scope == "There is no event of speaking."
    assert book.standings is None


def test_an_edition_has_standings(folder: Folder) -> None:
    book = load_clauses(folder.merged("book"))
    assert book.standings is not None
    assert book.standings["pile"].status is Status.STATED
    assert book.standings["pile"].line == "line 1"
    assert book.standings["end"].used == "What other books say."
    assert book.standings["take"].says == "No number is given."
    assert [id for id, standing in book.standings.items() if standing.status.is_open] == [
        "take",
        "take.last",
        "end",
        "quick.time",
    ]


def test_a_clause_can_be_declared_in_the_rules(folder: Folder) -> None:
    folder.change("toy.hrl", "actor left", 'actor left\n  clause @mine "of my own"\n  const x = 1 @mine')
    assert load_clauses(folder.merged()).clauses["mine"].says == "of my own"
    assert "mine" in folder.coverage().citing


def test_a_table_named_twice_is_read_once(folder: Folder) -> None:
    folder.change("quick.hrl", "remove end over", 'remove end over\n  source "./clauses.toml"')
    assert len(load_clauses(folder.merged("toy", "quick")).clauses) == 7


def test_a_clause_declared_twice_shows_both_places(folder: Folder) -> None:
    folder.change("toy.hrl", "actor left", 'clause @end "again"')
    [found] = folder.found()
    assert (found.code, found.message) == ("HRL505", "the clause `end` is declared twice")
    assert [label.span.file.position(label.span.start)[0] for label in found.labels] == [5, 2]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../clauses.toml", "`../clauses.toml` leads out of the folder of the rule file"),
        ("a/../../clauses.toml", "`a/../../clauses.toml` leads out of the folder of the rule file"),
        ("/etc/passwd", "`/etc/passwd` leads out of the folder of the rule file"),
        ("C:/x.toml", "`C:/x.toml` leads out of the folder of the rule file"),
        ("a\\\\b.toml", "`a\\\\b.toml` leads out of the folder of the rule file"),
        ("link.toml", "`link.toml` leads out of the folder of the rule file"),
        ("none.toml", "there is no file `none.toml` beside the rule file"),
        ("", "there is no file `` beside the rule file"),
        ("x" * 300, f"there is no file `{'x' * 300}` beside the rule file"),
    ],
)
def test_a_source_stays_in_its_folder(tmp_path: Path, path: str, message: str) -> None:
    (tmp_path / "clauses.toml").write_text(CLAUSES)
    (tmp_path / "here").mkdir()
    folder = Folder(tmp_path / "here")
    (tmp_path / "here" / "link.toml").symlink_to(tmp_path / "clauses.toml")
    folder.change("toy.hrl", '"clauses.toml"', f'"{path}"')
    assert folder.told() == [f"HRL504 2: {message}"]
    with pytest.raises(Rejected, match="HRL504"):
        load_clauses(folder.merged())


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("schema = 1\nx", "`clauses.toml` is not TOML: expected '=' after a key in a key/value pair"),
        ("clauses = {}", "`clauses.toml` needs `schema = 1`"),
        ("schema = 2\nclauses = {}", "`clauses.toml` needs `schema = 1`"),
        ("schema = true\nclauses = {}", "`clauses.toml` needs `schema = 1`"),
        ("schema = 1", "`clauses.toml` lists no clauses"),
        ("schema = 1\nclauses = 3", "`clauses` is no entry of `clauses`"),
        ("schema = 1\n[clause.a]\nsays = 'x'", "`clause` is no part of a table of clauses"),
        ("schema = 1\n[clauses]\n[standing.a]\nis = 'lost'", "`standing` belongs in the table of an edition"),
        ("schema = 1\n[clauses.a]\n", "`a` lacks `says`"),
        ("schema = 1\n[clauses.a]\nsays = 3", "`says` of `a` must be a text"),
        ("schema = 1\n[clauses.a]\nsays = ' '", "`says` of `a` must be a text"),
        ("schema = 1\n[clauses.a]\nsay = 'x'", "`a` has a key `say`"),
        ("schema = 1\n[clauses.a.b]\nsays = 'x'", "`a` is no entry of `clauses`"),
        ("schema = 1\n[clauses.'A b']\nsays = 'x'", "`A b` cannot be cited"),
        ("x = " + "[" * 5000, "`clauses.toml` is not TOML that can be read"),
        ("# " + "x" * 1_000_000, "`clauses.toml` has more than 1,000,000 bytes; no table is that long"),
    ],
)
def test_a_malformed_table_of_clauses(folder: Folder, table: str, message: str) -> None:
    folder.write("clauses.toml", table)
    assert folder.told()[0] == f"HRL504 2: {message}"
    assert {d.code for d in folder.found()} == {"HRL504"}


def test_the_place_in_the_table_is_shown_too(folder: Folder) -> None:
    folder.change("clauses.toml", 'says = "No stick, no game."', 'sais = "No stick, no game."')
    [found] = folder.found()
    assert [label.span.place.rpartition("/")[2] for label in found.labels] == ["toy.hrl:2:3", "clauses.toml:10:11"]
    assert found.help == "did you mean `says`?"
    folder.write("clauses.toml", "schema = 1\n\nx y")
    [found] = folder.found()
    assert found.labels[1].span.place == "clauses.toml:3:3"


def test_a_table_that_is_not_text(folder: Folder) -> None:
    (folder.path / "clauses.toml").write_bytes(b"\xff")
    assert folder.told() == ["HRL504 2: `clauses.toml` is not UTF-8 text"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('is = "example"', 'is = "exampel"', "`take.two` cannot be `exampel`"),
        ('is = "example"', 'says = "x"', "`take.two` lacks `is`"),
        ('edition = "book"', 'edition = "other"', "this is the table of `other`, not of `book`"),
        ('offers = ["quick"]', "offers = []", "the table and `book` do not offer the same variants"),
        ('offers = ["quick"]', "offers = 3", "the table and `book` do not offer the same variants"),
        ('"take.two"', '"take.too"', "the table speaks of a clause `take.too` that no table lists"),
    ],
)
def test_a_malformed_table_of_standings(folder: Folder, old: str, new: str, message: str) -> None:
    folder.change("book.toml", old, new)
    assert folder.told("book") == [f"HRL504 2: {message}"]


def test_a_variant_that_is_offered_may_bring_its_own_clauses(folder: Folder) -> None:
    folder.change("clauses.toml", '[clauses."quick.time"]', '[clauses."slow.time"]')
    folder.change("quick.hrl", "remove end over", 'remove end over\n  clause @quick.time "In a minute."')
    assert not [d for d in folder.found("book") if d.severity == "error"]
    assert not [d for d in folder.found("book", "quick") if d.severity == "error"]
    assert "quick.time" in {clause.id for clause in folder.coverage("book", "quick").cited}


# ---- citations -----------------------------------------------------------------------------------


def test_an_unknown_clause_is_told_where_it_is_cited(folder: Folder) -> None:
    folder.change("toy.hrl", "@take.two", "@take.tow")
    folder.change("toy.hrl", "@pile", "@zzz")
    assert folder.told() == ["HRL500 3: there is no clause `zzz`", "HRL500 12: there is no clause `take.tow`"]
    assert [d.help for d in folder.found()] == [
        "declare it with `clause`, or in the table that `source` names",
        "did you mean `take.two`?",
    ]


def test_an_unknown_clause_in_a_part_that_is_taken_away(folder: Folder) -> None:
    folder.change("toy.hrl", "@end", "@ent")
    assert folder.told("quick") == ["HRL500 15: there is no clause `ent`"]


def test_the_part_with_a_variant_counts_only_with_it(folder: Folder) -> None:
    folder.change("book.hrl", "set bottom", "with quick { add const x = 1 @nonsense }\n  set bottom")
    assert not [text for text in folder.told("book") if "HRL500" in text]
    assert folder.told("book", "quick") == ["HRL500 3: there is no clause `nonsense`"]


def test_rules_have_their_own_citations_or_inherit_or_have_none(folder: Folder) -> None:
    rules = folder.coverage().rules
    assert [f"{rule.support}: {rule.title}" for rule in rules] == [
        "own: var `left`",
        "none: start `left`",
        "own: ruling `bottom`",
        "own: action `take`",
        "own: guard in action `take`",
        "inherited: guard in action `take`",
        "inherited: update `left'` in action `take`",
        "own: case `two` in action `take`",
        "inherited: use `again()` in action `take`",
        "none: effect `again`",
        "none: case in effect `again`",
        "none: update `left'` in effect `again`",
        "none: case in effect `again`",
        "none: update `left'` in effect `again`",
        "own: end `over`",
    ]
    within_case = next(rule for rule in rules if rule.kind == "use")
    assert [cite.clause for cite in within_case.inherited] == ["take.two"]


def test_every_kind_of_item_is_a_rule_but_actor_and_interface(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write(
        "toy.hrl",
        """
        game toy {
          param n : 1..3 = 2
          sort Seat = n
          enum Side = left | right
          union Place = out | at(Side)
          range Level = 1..3
          cards Card(side : Side) copies 1
          const k = 1
          ruling r : {a, b} = a "?"
          def d() = 1
          effect e() { for s : Seat { m[s]' = 1 } reveal turn }
          var turn : Seat
          record m[Seat] : Level
          start { turn = Seat(0) ; m[s] = 1 }
          actor turn
          action go() { turn' = next(turn) }
          then { e() }
          after go hook { }
          end stop over when true
          score = 1
          bands { 1 "one" }
          view s : Seat sees { turn ; m[s] }
          invariant i : true
          interface cards { face = side }
        }
        """,
    )
    assert [rule.title for rule in folder.coverage().rules] == [
        "param `n`",
        "sort `Seat`",
        "enum `Side`",
        "union `Place`",
        "range `Level`",
        "cards `Card`",
        "const `k`",
        "ruling `r`",
        "def `d`",
        "effect `e`",
        "loop in effect `e`",
        "update `m'` in effect `e`",
        "reveal in effect `e`",
        "var `turn`",
        "record `m`",
        "start `turn`",
        "start `m`",
        "action `go`",
        "update `turn'` in action `go`",
        "use `e()` in action `go`",
        "after `hook`",
        "end `stop`",
        "score",
        "bands",
        "view",
        "sight in view",
        "sight in view",
        "invariant `i`",
    ]
    assert {rule.support for rule in folder.coverage().rules} == {"none"}
    assert folder.found() == [], "a game without clauses has nothing to cite"


# ---- coverage ------------------------------------------------------------------------------------
def ids(coverage: Coverage) -> dict[str, list[str]]:
    names = ("cited", "out_of_scope", "displaced", "unsaid", "uncited", "unprinted")
    return {name: [c.id for c in getattr(coverage, name)] for name in names if getattr(coverage, name)}


def test_the_clauses_of_a_game(folder: Folder) -> None:
    found = folder.coverage()
    assert ids(found) == {"cited": ["pile", "take", "take.last", "take.two", "end"], "out_of_scope": ["talk"]}
    assert (found.covered, found.clauses, found.is_complete) == (6, 6, False)
    assert [place.title for place in found.citing["take.last"]] == ["ruling `bottom`", "guard in action `take`"]


def test_a_clause_about_a_variant_counts_with_it(folder: Folder) -> None:
    assert "quick.time" in ids(folder.coverage("quick"))["cited"]
    folder.change("quick.hrl", "@quick.time", "@take")
    assert ids(folder.coverage("quick"))["uncited"] == ["quick.time"]
    assert "uncited" not in ids(folder.coverage("toy"))


def test_what_a_variant_takes_away_is_displaced(folder: Folder) -> None:
    found = folder.coverage("quick")
    assert ids(found)["displaced"] == ["end"]
    assert not found.uncited


def test_the_clauses_of_an_edition_are_those_of_its_table(folder: Folder) -> None:
    folder.change("book.toml", '[standing."pile"]\nis = "stated"\nline = "line 1"\n', "")
    folder.change("toy.hrl", "@take.two ", "")
    found = folder.coverage("book")
    assert ids(found) == {"cited": ["take", "take.last", "end"], "uncited": ["take.two"], "unprinted": ["pile"]}
    folder.change("book.toml", 'is = "example"', 'is = "silent"')
    assert ids(folder.coverage("book"))["unsaid"] == ["take.two"]
    assert "quick.time" in ids(folder.coverage("book", "quick"))["cited"]


def test_open_clauses_need_a_ruling(folder: Folder) -> None:
    opened = folder.coverage("book").open
    assert [(item.clause.id, str(item.standing.status), [part.title for part in item.parts]) for item in opened] == [
        ("take", "silent", ["action `take`"]),
        ("end", "lost", ["end `over`"]),
    ]
    with_quick = folder.coverage("book", "quick").open
    assert [item.clause.id for item in with_quick] == ["take", "quick.time"]
    folder.change("book.hrl", "@take.last", "@take.last @take")
    assert [item.clause.id for item in folder.coverage("book").open] == ["end"], "the choice cites it"
    folder.change("toy.hrl", "end over over when left == 0 @end", "invariant none : left < 9 @end")
    assert [item.clause.id for item in folder.coverage("book").open] == [], "a property rests on nothing"


def test_a_setting_inherits_from_what_it_sets(folder: Folder) -> None:
    folder.change("book.hrl", "@take.last", "")
    choice = next(rule for rule in folder.coverage("book").rules if rule.kind == "choice")
    assert (choice.title, choice.support) == ("choice `bottom`", "inherited")


def test_warnings(folder: Folder) -> None:
    folder.change("toy.hrl", "@take.two ", "")
    folder.change("toy.hrl", "effect again() { case left > 5 { left' = 5 } else { left' = 4 } }", "effect again() { }")
    assert folder.told("book") == [
        "HRL501 4: start `left` cites no clause",
        "HRL501 14: effect `again` cites no clause",
        "HRL502 2: nothing cites `take.two`: Two are more than one.",
        "HRL503 7: `take` is silent in `book`, and no ruling covers it",
        "HRL503 15: `end` is lost in `book`, and no ruling covers it",
    ]
    assert {d.severity for d in folder.found("book")} == {"warning"}


def test_citations_of_changes_count(folder: Folder) -> None:
    folder.change("toy.hrl", "@take.two ", "")
    folder.change("quick.hrl", "remove end over", "remove end over @take.two")
    found = folder.coverage("quick")
    assert [place.title for place in found.citing["take.two"]] == ["change"]


def test_an_override_of_a_case_is_counted_once(folder: Folder) -> None:
    folder.change("quick.hrl", "remove end over", "override case take.two { } @take.two")
    assert [place.title for place in folder.coverage("quick").citing["take.two"]] == ["case `two` in action `take`"]


def test_a_book_is_a_plain_value(folder: Folder) -> None:
    assert load_clauses(folder.merged()) == ClauseBook(load_clauses(folder.merged()).clauses, None)

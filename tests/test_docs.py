"""The documentation is true: its rule files load, its mistakes are refused, its commands print what the page shows.

In a page, a block ` ```hrl ` is a whole file, called like the unit in it. ` ```hrl item ` (or `change`, `statement`,
`expression`, `type`) holds fragments for the first game of the page; `error HRL301` behind either says how it is
refused.
Lines that begin with `$` in a ` ```console ` block are run in a folder with the files the page has shown so far.
"""

from __future__ import annotations

import ast as python_ast
import doctest
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from hanabi_formal.api import Game, load
from hanabi_formal.citations.coverage import check_citations
from hanabi_formal.cli.main import cli
from hanabi_formal.compose.merge import merge
from hanabi_formal.compose.parts import item_key
from hanabi_formal.compose.settings import Settings
from hanabi_formal.compose.units import Composition, Unit
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.diagnostics.source import SourceFile
from hanabi_formal.elaborate.declared_types import MAX_CARDS, MAX_TYPE
from hanabi_formal.elaborate.elaborate import MAX_COUNTS
from hanabi_formal.elaborate.resolver import MAX_PLACES
from hanabi_formal.elaborate.symbols import BUILTINS
from hanabi_formal.kernel.build import TRUE
from hanabi_formal.syntax import ast
from hanabi_formal.syntax.keywords import keywords
from hanabi_formal.syntax.parse_tables import load_parser
from hanabi_formal.syntax.parser import parse, tokens

ROOT = Path(__file__).parent.parent
LANGUAGE = ROOT / "docs" / "language.md"
TUTORIAL = ROOT / "docs" / "tutorial.md"
PAGES = (ROOT / "README.md", LANGUAGE, TUTORIAL, ROOT / "docs" / "hanab-live.md")
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
UNIT = re.compile(r"^(?:game|variant|edition) (\w+)", re.MULTILINE)
ERROR = re.compile(r"error (HRL\d+)")
SECONDS = re.compile(r"\b\d+\.\d s\b")
KNOWN = "c : Card, d : Card, p : Player"


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    kind: str
    words: tuple[str, ...]
    text: str

    @property
    def mode(self) -> str:
        """`unit` for a whole file, else the kind of fragment."""
        return self.words[0] if self.words and self.words[0] != "error" else "unit"

    @property
    def code(self) -> str | None:
        found = ERROR.search(" ".join(self.words))
        return found[1] if found else None

    @property
    def file(self) -> str | None:
        """The file that the block shows, if it shows one."""
        if self.kind == "toml" and self.words:
            return self.words[0]
        unit = UNIT.search(self.text) if self.kind == "hrl" and self.mode == "unit" else None
        return f"{unit[1]}.hrl" if unit else None

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks_of(page: Path) -> tuple[Block, ...]:
    text = page.read_text(encoding="utf-8")
    return tuple(
        Block(page, text.count("\n", 0, found.start()) + 1, found[1], tuple(found[2].split()), found[3])
        for found in FENCE.finditer(text)
    )


ALL = tuple(block for page in PAGES for block in blocks_of(page))
RULES = tuple(block for block in ALL if block.kind == "hrl")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(block: Block, desk: Path) -> None:
    if block.file is not None:
        path = desk / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")


def put_all_before(last: Block, desk: Path) -> None:
    """The rule files that the page has shown above a block, and all its tables."""
    for block in blocks_of(last.page):
        if block.kind == "toml" or block.line < last.line:
            put(block, desk)


# ---- rule files --------------------------------------------------------------------------------------
@pytest.mark.parametrize("block", RULES, ids=str)
def test_rules(block: Block, desk: Path) -> None:
    put_all_before(block, desk)
    for game in games(block, desk):
        if block.code is None:
            game()
            continue
        with pytest.raises(Rejected) as caught:
            game()
        assert {diagnostic.code for diagnostic in caught.value.diagnostics} == {block.code}
        assert block.mode == "unit" or f"# {block.code}" in block.text, "a reader does not see what stands at the fence"


def games(block: Block, desk: Path) -> Iterator[Callable[[], None]]:
    """What is to be checked of a block: of expressions and types each by itself."""
    match block.mode:
        case "unit":
            put(block, desk)
            yield lambda: elaborate_fully(load(str(block.file)))
        case "change":
            (desk / "probe.hrl").write_text(wrapped(block), encoding="utf-8")
            yield lambda: elaborate_fully(load("probe.hrl"))
        case "item" | "statement" | "expression" | "type":
            for text in wrapped_each(block):
                yield lambda text=text: elaborate_fully(with_items(host(block.page), text))  # type: ignore[misc]
        case other:
            raise AssertionError(f"{block}: what is `{other}`?")


def elaborate_fully(game: Game) -> None:
    """All there is to check of a text; and what it calls an example is one."""
    for count in game.player_counts or (None,):
        system = game.system(count)
        for example in (p for p in system.properties if p.kind == "example" and not p.params):
            assert example.exprs == (TRUE,), example.name
    errors = [found for found in check_citations(game.merged) if found.severity == "error"]
    if errors:
        raise Rejected(errors)


def host(page: Path) -> Block:
    """The game that fragments of a page belong to."""
    units = (block for block in blocks_of(page) if block.kind == "hrl" and block.mode == "unit")
    return next(block for block in units if re.search("^game ", block.text, re.MULTILINE))


def with_items(block: Block, text: str) -> Game:
    """The host with more items; those it has already, by kind and name, are replaced."""
    base, more = parse(SourceFile("host", block.text)), parse(SourceFile("fragment", text))
    assert isinstance(base, ast.Game)
    assert isinstance(more, ast.Game)
    new = {item_key(item) for item in more.items if not isinstance(item, ast.Start | ast.ClauseItem)}
    kept = [i for i in base.items if isinstance(i, ast.Start | ast.ClauseItem) or item_key(i) not in new]
    game = replace(base, items=(*kept, *more.items))
    return Game(merge(Composition("fragment", "fragment", game, None, (Unit(game, Path()),))), Settings())


def wrapped(block: Block) -> str:
    """A block as a whole unit."""
    match block.mode:
        case "unit":
            return block.text
        case "item":
            return f"game probe {{\n{block.text}}}\n"
        case "change":
            base = UNIT.search(host(block.page).text)
            assert base is not None
            return f"variant probe extends {base[1]} {{\n{block.text}}}\n"
        case _:
            raise AssertionError(block.mode)


def wrapped_each(block: Block) -> list[str]:
    match block.mode:
        case "statement":
            return [f"game probe {{ action probe({KNOWN}) {{\n{block.text}}} }}"]
        case "expression":
            return [f"game probe {{ def probe({KNOWN}) = {text}\n}}" for text in entries(block.text)]
        case "type":
            return [f"game probe {{ def probe(x : {text}) = true }}" for text in entries(block.text)]
        case _:
            return [wrapped(block)]


def entries(text: str) -> list[str]:
    """One for each line, but lines that are indented or close a bracket belong to the one before."""
    found: list[str] = []
    for line in text.splitlines():
        if line[:1] in (" ", "}"):
            found[-1] += f"\n{line}"
        else:
            found.append(line)
    return found


# ---- the whole language ------------------------------------------------------------------------------
def test_the_page_shows_every_rule_and_word_of_the_grammar() -> None:
    parser = load_parser()
    rules = {
        str(rule.alias or rule.options.template_source or rule.origin.name)
        for rule in parser.rules
        if rule.alias or not rule.options.expand1
    }
    rules = {name for name in rules if not name.startswith("__")}
    words = {terminal.name for terminal in parser.terminals} - {"SPACE", "COMMENT"}
    shown_rules: set[str] = set()
    shown_words: set[str] = set()
    for block in blocks_of(LANGUAGE):
        if block.kind == "hrl" and block.code is None:
            for text in wrapped_each(block):
                shown_rules |= {str(node.data) for node in parser.parse(text).iter_subtrees()}
                shown_words |= {token.type for token in tokens(SourceFile("<text>", text))}
    assert rules - shown_rules == set()
    assert words - shown_words == set()


def test_the_page_lists_the_reserved_names_and_the_limits() -> None:
    text = LANGUAGE.read_text(encoding="utf-8")
    reserved = text[text.index("must not be called") : text.index("Items of a game stand")]
    assert set(re.findall(r"`(\w+)`", reserved)) == {*keywords().reserved, *BUILTINS}
    limits = text[text.index("**Limits.**") :]
    for number in (MAX_TYPE, MAX_CARDS, MAX_PLACES, MAX_COUNTS):
        assert f"{number:,}" in limits


# ---- commands ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.deep if page == TUTORIAL else (), id=page.name) for page in PAGES]
)
def test_commands(page: Path, desk: Path, golden: Callable[[Path, str], None]) -> None:
    """The page with every output as it is now is the page. `pytest --accept` puts the present outputs into it."""
    blocks = iter(blocks_of(page))

    def again(found: re.Match[str]) -> str:
        block = next(blocks)
        put(block, desk)
        return f"```console{found[2]}\n{replayed(block.text)}```" if block.kind == "console" else found[0]

    golden(page, FENCE.sub(again, page.read_text(encoding="utf-8")))


def replayed(text: str) -> str:
    """The commands of a block, each with what it prints."""
    shown = []
    last, code = "", 0
    for line in (line for line in text.splitlines() if line.startswith("$ ")):
        if line == "$ echo $?":
            assert "|" not in last, "a shell would tell the exit code of the pipe's end"
            output = f"{code}\n"
        else:
            output, code = run(line.removeprefix("$ "))
        shown.append(f"{line}\n{SECONDS.sub('0.1 s', output)}")
        last = line
    return "".join(shown)


def run(line: str) -> tuple[str, int]:
    """The output of a command, perhaps only its head or tail, and its exit code."""
    command, _, cut = line.partition(" | ")
    program, *args = shlex.split(command)
    assert program == "hanabi-formal", line
    result = CliRunner().invoke(cli, args, catch_exceptions=False)
    lines = result.output.splitlines(keepends=True)
    if cut:
        verb, many = shlex.split(cut)
        lines = lines[: int(many[1:])] if verb == "head" else lines[-int(many[1:]) :]
    return "".join(lines), result.exit_code


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python(page: Path, desk: Path) -> None:
    """Sessions in a page go on from block to block."""
    names: dict[str, object] = {}
    for block in blocks_of(page):
        put(block, desk)
        if block.kind == "pycon":
            test = doctest.DocTestParser().get_doctest(block.text, names, str(block), str(page), block.line)
            runner = doctest.DocTestRunner(verbose=False)
            said: list[str] = []
            runner.run(test, out=said.append, clear_globs=False)
            names = test.globs
            assert not said, "".join(said)


# ---- the program -------------------------------------------------------------------------------------
def module_list() -> str:
    """Every folder of the package and what is in it, by the first sentence of each module."""
    package, lines = ROOT / "hanabi_formal", list[str]()
    for folder in sorted({path.parent for path in package.rglob("*.py") if "data" not in path.parts}):
        shown = folder.relative_to(ROOT).as_posix()
        lines += ["", f"**`{shown}/`** {first_line(folder / '__init__.py')}", ""]
        modules = [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
        lines += [f"- `{path.name}` {first_line(path)}" for path in modules]
    return "\n".join(lines).strip() + "\n"


def first_line(module: Path) -> str:
    docstring = python_ast.get_docstring(python_ast.parse(module.read_text(encoding="utf-8")))
    assert docstring, module
    return docstring.splitlines()[0]


def test_the_page_of_architecture_names_every_module(golden: Callable[[Path, str], None]) -> None:
    """The list at its end is made from the modules themselves."""
    page = ROOT / "ARCHITECTURE.md"
    before, heading, _ = page.read_text(encoding="utf-8").partition("\n## Modules\n")
    golden(page, f"{before}{heading}\n{module_list()}")


# ---- links -------------------------------------------------------------------------------------------
@cache
def headings(page: Path) -> frozenset[str]:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found = (match[1].strip().lower() for match in re.finditer(r"^#+ (.*)$", text, re.MULTILINE))
    return frozenset(re.sub(r"[^\w -]", "", heading).replace(" ", "-") for heading in found)


@pytest.mark.parametrize("page", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith("http"):
            name, _, heading = target.partition("#")
            path = page.parent / name if name else page
            assert path.exists(), target
            assert not heading or heading in headings(path), target

"""What keeps the layers apart: words, imports, start-up, generated source, size."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import hanabi_formal
from hanabi_formal.api import load
from hanabi_formal.resources import root
from hanabi_formal.run.compiler.compile import Compiled
from import_graph import Import, module_paths, reached, spoken

PACKAGE = Path(hanabi_formal.__file__).parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "data" not in path.relative_to(PACKAGE).parts)
NAMES = [path.relative_to(PACKAGE).as_posix() for path in MODULES]

# ---- (a) the layers below the API know no Hanabi -------------------------------------------------
NEUTRAL = (
    "syntax",
    "compose",
    "elaborate",
    "citations",
    "kernel",
    "run",
    "smt",
    "sat",
    "prove",
    "verify",
    "diagnostics",
)
FORBIDDEN = frozenset(
    (
        "hanabi",
        "clue",
        "firework",
        "discard",
        "rainbow",
        "hint",
        "avalanche",
        "misplay",
        "misfit",
        "strike",
        "fuse",
        "bomb",
        "token",
        "suit",
        "multi",
        "teammate",
    )
)
# A lexer has tokens; elsewhere a token is something on the table. Sets have a method `discard`.
ALLOWED = {"syntax": {"token"}}
OWN_NAME = re.compile(r"hanabi[-_ ]formal", re.IGNORECASE)
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def words(text: str) -> Iterator[str]:
    """The words of a text or of an identifier, in the singular and in small letters."""
    for word in WORD.findall(OWN_NAME.sub(" ", text)):
        small = word.lower()
        yield small
        yield small.removesuffix("s")


def neutral_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Identifiers, strings and comments of a module, with their lines."""
    source = path.read_text(encoding="utf-8")
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_method = before == "." and token.string == "discard"
        if token.type in (tokenize.NAME, tokenize.STRING, tokenize.COMMENT) and not is_method:
            yield token.start[0], token.string
        before = token.string


def strange_words(path: Path, allowed: set[str]) -> list[str]:
    found = []
    for line, text in neutral_texts(path):
        for word in sorted(set(words(text)) & FORBIDDEN - allowed):
            found.append(f"{path.name}:{line}: {word} in {text[:60]!r}")
    return found


@pytest.mark.parametrize("name", [name for name in NAMES if name.split("/")[0] in NEUTRAL])
def test_no_word_of_the_game(name: str) -> None:
    assert strange_words(PACKAGE / name, ALLOWED.get(name.split("/")[0], set())) == []


@pytest.mark.parametrize("path", [root() / "grammar" / "hrl.lark", PACKAGE / "diagnostics" / "explain.md"])
def test_no_word_of_the_game_in_texts(path: Path) -> None:
    assert set(words(path.read_text(encoding="utf-8"))) & FORBIDDEN == set()


def test_words_are_found(tmp_path: Path) -> None:
    """The test above would see them, wherever they stand."""
    path = tmp_path / "module.py"
    for text in ("giveHints = 1", "x = 'two fireworks'", '"""Discards."""', "class RainbowSuit: pass", "# a clue"):
        path.write_text(f"{text}\n")
        assert strange_words(path, set()), text
    for text in ("import hanabi_formal", "left.discard(3)", "multiple = refuse(strikethrough=1)"):
        path.write_text(f"{text}\n")
        assert not strange_words(path, set()), text


# ---- (a') what is printed is cleaned in one place ---------------------------------------------------
PRINTING = re.compile(
    r"\bclick\.s?echo\b|(?<!console\.)\bprint\(|\bprint_exception\b|\bsys\.std(out|err)\.(write|buffer)\b"
)
MAY_PRINT = {"cli/terminal.py"}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in MAY_PRINT])
def test_everything_is_printed_through_one_module(name: str) -> None:
    lines = (PACKAGE / name).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if PRINTING.search(line)] == []


# ---- (b) imports go downwards ----------------------------------------------------------------------
READS = {"diagnostics", "kernel", "compose", "elaborate", "run", "roles", "formats", "api", "resources"}
"""What every question needs: rules, and games of them."""
BELOW: dict[str, set[str]] = {
    "resources": set(),
    "reference": set(),
    "diagnostics": set(),
    "parallel": set(),
    "syntax": {"diagnostics", "resources"},
    "kernel": {"diagnostics"},
    "compose": {"diagnostics", "syntax", "resources"},
    "elaborate": {"diagnostics", "syntax", "kernel", "compose"},
    "citations": {"diagnostics", "syntax", "compose", "elaborate"},
    "run": {"diagnostics", "kernel"},
    "smt": {"diagnostics", "kernel"},
    "sat": {"diagnostics", "kernel", "run"},
    "prove": {"diagnostics", "kernel", "run", "smt", "sat", "resources"},
    "roles": {"kernel", "run"},
    "formats": {"diagnostics", "kernel", "run", "roles"},
    "api": {"diagnostics", "kernel", "compose", "elaborate", "run", "formats"},
    "engines": READS,
    "judge": READS | {"sat", "prove", "engines"},
    "winnability": READS | {"sat", "engines", "judge"},
    "replays": READS | {"prove", "engines", "judge", "winnability"},
    "conformance": READS | {"prove", "engines", "replays"},
    "verify": READS | {"prove", "engines"},
    "__init__": {"api"},
    "foreign": set(),
}
BELOW["cli"] = set(BELOW) - {"reference"}
# What others have written is read and shown wherever there is need.
for part in set(BELOW) - {"reference", "resources", "foreign", "__init__"}:
    BELOW[part].add("foreign")
# A trace tells what the Python interface says of a step.
EXCEPTIONS = {("formats/step_text.py", "api")}
# The hand-written engine may be asked by what compares engines, and by nothing that is compared.
MAY_ASK_REFERENCE = {"engines", "winnability"}


def imports(path: Path) -> set[str]:
    """Parts of the package that a module imports, at its top or later."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert path.is_relative_to(PACKAGE / "reference"), f"{path}: relative import"
            assert node.level == 1
    ours = [name.split(".") for name in found if name.split(".")[0] == "hanabi_formal"]
    return {parts[1] if len(parts) > 1 else "__init__" for parts in ours} - {"__version__"}


@pytest.mark.parametrize("name", NAMES)
def test_imports_go_downwards(name: str) -> None:
    layer = name.split("/")[0].removesuffix(".py")
    assert layer in BELOW, f"{layer} has no place among the layers: give it one here and in ARCHITECTURE.md"
    allowed = BELOW[layer] | {layer} | ({"reference"} if layer in MAY_ASK_REFERENCE else set())
    wrong = {part for part in imports(PACKAGE / name) - allowed if (name, part) not in EXCEPTIONS}
    assert wrong == set()


def test_the_layers_have_no_ring() -> None:
    done: set[str] = set()
    left = dict(BELOW)
    while left:
        ready = [layer for layer, below in left.items() if below <= done]
        assert ready, left
        done.update(ready)
        for layer in ready:
            del left[layer]


# ---- (c) the judge is apart from the finder ----------------------------------------------------------
READING = {
    "hanabi_formal",
    "api",
    "resources",
    "foreign",
    "diagnostics",
    "syntax",
    "compose",
    "elaborate",
    "kernel",
    "run",
    "roles",
    "formats",
}
"""Whole packages that evidence cannot be judged without: they read rules and deals, and run games."""
ENGINES = {"engines", "reference"}
ENCODER = {
    "sat",
    "sat.encode",
    "sat.encode.advance",
    "sat.encode.gates",
    "sat.encode.counting",
    "sat.encode.node_values",
    "sat.encode.exclusion",
    "sat.formula",
    "sat.encode.grounding",
    "sat.encode.grouped_actions",
    "sat.encode.nodes",
    "sat.encode.reach",
    "sat.encode.unroll",
}
"""The part that finding and judging share: the rules as clauses. None of it solves any."""
PROVING = {
    "prove",
    "prove.induction",
    "prove.induction.chosen_properties",
    "prove.induction.induction",
    "prove.induction.needed_lemmas",
    "prove.induction.query",
    "prove.induction.initial_state",
    "prove.induction.solver_call",
    "prove.induction.step_goals",
    "prove.obligation",
    "prove.properties",
    "smt",
    "smt.counts",
    "smt.states",
    "smt.step",
    "smt.terms",
    "smt.translate",
}
"""The exception: `judge/arguments/needs.py` proves what a no needs of the rules, by `prove/induction/chosen_properties.py`, and by that alone."""
THE_EXCEPTION: Import = ("judge.arguments.needs", "prove.induction.chosen_properties")
OUTSIDE = {"lark", "z3", "click", "rich"}
"""Packages of others: a parser, the solver that proves needs, and what is printed. None that solves clauses."""
EXECUTES = {"run.compiler.compile: exec", "run.compiler.playout: exec"}
"""The executor runs the Python that it makes of the rules; (e) is about it."""
DYNAMIC = {"__import__", "importlib", "import_module", "exec", "eval"}


def foreign_to_the_judge(package: Path) -> set[str]:
    """What the judge reaches and must not."""
    paths = module_paths(package)
    judge = {name for name in paths if name.split(".")[0] == "judge"}
    assert "judge.evidence" in judge
    known, _ = reached(judge, paths, THE_EXCEPTION)
    everything, others = reached(judge, paths)
    allowed = {name for name in known if name.split(".")[0] in READING | ENGINES | {"judge"}} | ENCODER
    through_the_exception = {name for name in everything if name.split(".")[0] in READING} | PROVING
    dynamic = {f"{name}: {used}" for name in everything for used in spoken(paths[name].read_text("utf-8"))[1] & DYNAMIC}
    return (known - allowed) | (everything - known - through_the_exception) | (others - OUTSIDE) | dynamic - EXECUTES


def test_the_judge_reaches_nothing_that_searches_or_solves() -> None:
    assert foreign_to_the_judge(PACKAGE) == set()


def test_the_judge_is_all_there_is_to_judging() -> None:
    """The lists above name nothing that is not reached: they are as short as they can be."""
    paths = module_paths(PACKAGE)
    everything, _ = reached({name for name in paths if name.split(".")[0] == "judge"}, paths)
    assert everything >= ENCODER | PROVING
    assert {name.split(".")[0] for name in everything} >= READING | ENGINES


@pytest.mark.parametrize(
    ("module", "line", "found"),
    [
        ("judge/refutations/lrat.py", "from hanabi_formal.sat.solvers import Cadical", "sat.solvers"),
        ("judge/refutations/seats.py", "from hanabi_formal.sat.question import IterativeDeepening", "sat.question"),
        ("judge/evidence.py", "def late():\n    from hanabi_formal.winnability import ladder", "winnability.ladder"),
        (
            "judge/arguments/needs.py",
            "def late():\n    import hanabi_formal.prove.search.explorer",
            "prove.search.explorer",
        ),
        (
            "judge/arguments/position.py",
            "from hanabi_formal.prove.induction.chosen_properties import prove_all",
            "prove.induction.chosen_properties",
        ),
        (
            "kernel/types.py",
            "def late():\n    from hanabi_formal.winnability.argument_search import find_argument",
            "winnability.argument_search",
        ),
        ("reference/table.py", "def late():\n    import pysat", "pysat"),
        ("sat/encode/unroll.py", "from hanabi_formal.sat import solvers", "sat.solvers"),
        (
            "prove/induction/chosen_properties.py",
            "from hanabi_formal.prove.induction.invariants import Claimant",
            "prove.search.explorer",
        ),
        ("engines/second_opinion.py", "solver = __import__('pysat')", "engines.second_opinion: __import__"),
    ],
)
def test_an_import_that_the_judge_must_not_have_is_noticed(tmp_path: Path, module: str, line: str, found: str) -> None:
    package = tmp_path / "hanabi_formal"
    for name in NAMES:
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text((PACKAGE / name).read_text("utf-8"), "utf-8")
    with (package / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    assert found in foreign_to_the_judge(package)


# ---- (d) a quick start -----------------------------------------------------------------------------
HEAVY = ("lark", "rich", "z3", "pysat", "numpy")
LIST_HEAVY = f"import sys; print([name for name in {HEAVY!r} if name in sys.modules])"


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()[-1]


def test_import_is_light() -> None:
    assert run_python(f"import hanabi_formal; {LIST_HEAVY}") == "[]"


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_is_light(option: str) -> None:
    code = f"""
import sys
sys.argv = ["hanabi-formal", {option!r}]
from hanabi_formal.cli.main import main
try:
    main()
except SystemExit as left:
    assert not left.code, left.code
{LIST_HEAVY}
"""
    assert run_python(code) == "[]"


def test_playing_needs_no_solver() -> None:
    code = f"import hanabi_formal; hanabi_formal.load('base').start(players=2).legal(); {LIST_HEAVY}"
    assert set(ast.literal_eval(run_python(code))) <= {"lark"}


# ---- (e) nothing of a rule file reaches the generated source -----------------------------------------
MARKED = """game zzmarker0 {
  param players : 2..3
  param zzmarker1 : 1..9 = 4
  sort Zzmarker2 = players
  enum Zzmarker3 = zzmarker4 | zzmarker5
  range Zzmarker6 = 1..5
  cards Zzmarker7(zzmarker8 : Zzmarker3, zzmarker9 : Zzmarker6) copies zzmarker10(zzmarker8)
  def zzmarker10(zzmarker11 : Zzmarker3) = if zzmarker11 == zzmarker4 then 1 else 2
  const zzmarker12 = zzmarker1 + 1
  ruling zzmarker13 : {zzmarker14, zzmarker15} = zzmarker14 "zzmarker16?"
  union Zzmarker17 = zzmarker18 | zzmarker19(Zzmarker2) | zzmarker20(Zzmarker3, Zzmarker6)
  var zzmarker21[Zzmarker7] : Zzmarker17
  var zzmarker22 : 0..zzmarker12
  var zzmarker23 : Zzmarker2
  var zzmarker24[Zzmarker2] : 0..3
  record zzmarker25[Zzmarker7, Zzmarker3] : {zzmarker26, zzmarker27}
  actor zzmarker23
  start {
    zzmarker21[zzmarker28] = if index(zzmarker28) < 6 then zzmarker19(Zzmarker2(index(zzmarker28) / 2)) else zzmarker18
    zzmarker22 = 0  zzmarker23 = Zzmarker2(0)  zzmarker24[zzmarker29] = 0
    zzmarker25[zzmarker30, zzmarker31] = zzmarker26
  }
  effect zzmarker32(zzmarker33 : Zzmarker2) { zzmarker24[zzmarker33]' = zzmarker24[zzmarker33] + 1 }
  action zzmarker34(zzmarker35 : Zzmarker7, zzmarker36 : Zzmarker17) : zzmarker37
    when zzmarker21[zzmarker35] == zzmarker19(zzmarker23) label zzmarker38
    when zzmarker22 < zzmarker12 label zzmarker39
  {
    zzmarker21[zzmarker35]' = zzmarker36
    case zzmarker9[zzmarker35] > 2 label zzmarker40 { zzmarker32(zzmarker23) }
    for zzmarker41 : Zzmarker7 where zzmarker21[zzmarker41] != zzmarker18 {
      zzmarker25[zzmarker41, zzmarker5]' = if zzmarker8[zzmarker41] == zzmarker5 then zzmarker27 else zzmarker26
    }
    zzmarker22' = zzmarker22 + 1
  }
  after zzmarker37 zzmarker42 then { zzmarker23' = next(zzmarker23) }
  end zzmarker43 won when zzmarker22 == zzmarker12 score 3
  end zzmarker44 late lost when exists(zzmarker24[zzmarker45] == 3 for zzmarker45 : Zzmarker2)
  score = count(zzmarker21[zzmarker46] == zzmarker18 for zzmarker46 : Zzmarker7)
  bands { 0..5 "zzmarker47 ' \\\\ # import os \\t {x} %s 'zz' " 6..20 "zzmarker48 ''' zz" }
  view zzmarker49 : Zzmarker2 sees {
    zzmarker21[zzmarker50] for zzmarker50 : Zzmarker7 where zzmarker21[zzmarker50] != zzmarker19(zzmarker49)
  }
  invariant zzmarker51 : zzmarker22 >= 0
  interface zzmarker52 { zzmarker53 = "zzmarker54" }
}
"""


def test_generated_source_has_no_name_of_the_game(tmp_path: Path) -> None:
    folder = tmp_path / "zzmarker60"
    folder.mkdir()
    path = folder / "zzmarker0.hrl"
    path.write_text(MARKED, encoding="utf-8")
    state = load(str(path)).start(players=3, seed=1)
    source = state.compiled.source
    assert len(source) > 1000
    assert "zz" not in source.lower()
    # Numbers, operators, and names that the compiler made: nothing else is in it.
    kinds = {token.type for token in tokenize.generate_tokens(io.StringIO(source).readline)}
    assert tokenize.STRING not in kinds
    assert tokenize.COMMENT not in kinds
    while state.ended is None:
        state = state.step(state.legal()[-1])
    assert any("zzmarker" in text for text in state.bands)


def test_generated_source_does_not_depend_on_names() -> None:
    """Not even on texts that no rule file could hold."""
    system = load("base").system(2)
    assert system.bands is not None
    evil = """"'\n\\'); import os #"""
    renamed = replace(
        system,
        name=evil,
        bands=replace(system.bands, bands=tuple(replace(band, text=evil) for band in system.bands.bands)),
        ends=tuple(replace(end, name=f"{evil}{i}") for i, end in enumerate(system.ends)),
        actions=tuple(replace(action, name=f"{evil}{i}") for i, action in enumerate(system.actions)),
    )
    assert Compiled(renamed).source == Compiled(system).source


@pytest.mark.parametrize("spec", ["base", "rainbow"])
def test_generated_source_has_no_text(spec: str) -> None:
    game = load(spec)
    compiled = game.compiled(game.player_counts[0])
    assert compiled.playout
    source = compiled.source + compiled.playout_source
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    assert {token.type for token in tokens}.isdisjoint({tokenize.STRING, tokenize.COMMENT})
    names = {token.string for token in tokens if token.type == tokenize.NAME}
    assert not FORBIDDEN & {word for name in names for word in words(name)}


# ---- (f) size ----------------------------------------------------------------------------------------
MOST_LINES = 400
# Long because they list the language, kind by kind. Nothing else may join them, and what got shorter leaves the list.
LONG = {"syntax/ast.py"}


def test_modules_are_short() -> None:
    long = {name for name, path in zip(NAMES, MODULES, strict=True) if len(path.read_text().splitlines()) > MOST_LINES}
    assert long == LONG


@pytest.mark.parametrize("name", NAMES)
def test_every_module_says_what_it_is(name: str) -> None:
    docstring = ast.get_docstring(ast.parse((PACKAGE / name).read_text(encoding="utf-8")))
    assert docstring
    assert docstring.splitlines()[0].endswith((".", ":", "?")), docstring


# ---- (g) nothing is recognised by its words ------------------------------------------------------------
TYPED = ("prove", "verify", "cli")
ASKS_FOR_PARTS = {"startswith", "endswith", "removeprefix", "removesuffix", "find", "index", "count", "partition"}
WORDS = re.compile(r"[a-z]{3,}")
SPEAK_OTHERS_LANGUAGE = {"prove/recheck.py", "cli/usage.py"}
"""What cvc5 and click say has no other form than their words."""


def word_joints(source: str) -> list[str]:
    """Places that recognise something by words of a text, or look it up under a text put together of words."""

    def says_words(node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=str(text)):
                return bool(WORDS.search(text))
            case ast.Tuple(elts=several):
                return any(map(says_words, several))
            case ast.JoinedStr(values=parts):
                return any(map(says_words, parts))
        return False

    def is_phrase(node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=str(text)):
                return " " in text.strip() and bool(WORDS.search(text))
        return isinstance(node, ast.JoinedStr) and says_words(node)

    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in ASKS_FOR_PARTS:
                wrong = says_words(first)
            case ast.Call(func=ast.Attribute(attr="get"), args=[first, *_]) | ast.Subscript(slice=first):
                wrong = is_phrase(first)
            case ast.Compare(left=left, comparators=others):
                wrong = any(map(is_phrase, (left, *others)))
            case _:
                wrong = False
        if wrong:
            assert isinstance(node, ast.expr)
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize("name", [name for name in NAMES if name.split("/")[0] in TYPED])
def test_nothing_is_recognised_by_its_words(name: str) -> None:
    found = word_joints((PACKAGE / name).read_text(encoding="utf-8"))
    assert bool(found) == (name in SPEAK_OTHERS_LANGUAGE), found


@pytest.mark.parametrize(
    "line",
    [
        'is_open = result.name.startswith("gives up ")',
        'wanted = name.startswith(("case ", "guard "))',
        'known = games.get(name.removeprefix("against "))',
        'trace = traces.get(f"against {claim.name}")',
        'found[f"bounds of {var}"] = outcome',
        'if name == "distinct writes": pass',
        'twice = "is updated twice" in str(fault)',
        'shown = f"score {score}" in traces',
    ],
)
def test_a_joint_of_words_is_noticed(line: str) -> None:
    assert word_joints(line)


@pytest.mark.parametrize(
    "line", ['option = name.startswith("--")', 'plain = kind == "text"', 'one = found["name"]', 'said = f"case {name}"']
)
def test_names_that_are_no_words_of_a_text_are_none(line: str) -> None:
    assert word_joints(line) == []

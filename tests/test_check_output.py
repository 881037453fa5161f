"""How `check` tells what it found: tables and lines, progress, interrupts, and processes that do not stay."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from click.testing import Result as Answer
from rich.console import Console

from hanabi_formal.cli.main import cli
from hanabi_formal.cli.terminal import Progress
from hanabi_formal.cli.verdicts import gather as proofs
from hanabi_formal.cli.verdicts.table import rows, summary, table_text
from hanabi_formal.kernel.trace import Instance, Trace
from hanabi_formal.parallel import Began, Done, Said, spread
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Result, Verdict

HERE = Path(__file__).parent
PROGRAM = [sys.executable, "-c", "from hanabi_formal.cli.main import main; main()"]
linux = pytest.mark.skipif(sys.platform != "linux", reason="workers elsewhere know nothing of what is patched here")


def found(
    name: str,
    players: int,
    verdict: Verdict,
    method: str,
    clauses: tuple[str, ...] = (),
    detail: str = "",
    seconds: float = 1.0,
    actions: int | None = None,
    expected: Verdict = Verdict.PROVED,
) -> Result:
    one = Obligation(ObligationKind.INVARIANT, (name,), clauses, expected)
    trace = Trace((), (Instance("go", ()),) * actions) if actions else None
    return Result(one, verdict, method, detail, trace, seconds=seconds, players=players)


FOUND = [
    found("kept", 2, Verdict.PROVED, "induction", ("a.one",), seconds=0.2),
    found("kept", 3, Verdict.PROVED, "induction", ("a.one",), seconds=0.3),
    found("known", 2, Verdict.REFUTED, "game", seconds=0.1, actions=7, expected=Verdict.REFUTED),
    found("open", 2, Verdict.UNDECIDED, "search", ("b", "c"), "not inductive under `go` " * 4),
    found("wrong", 3, Verdict.REFUTED, "game", ("d",), actions=4),
]


# ---- tables ------------------------------------------------------------------------------------------
def drawn(width: int, **options: object) -> str:
    return table_text(Console(file=io.StringIO(), width=width, highlight=False, **options), "a[b]", rows(FOUND))  # type: ignore[arg-type]


def test_the_table() -> None:
    lines = [line.rstrip() for line in drawn(100).splitlines()]
    assert lines[0] == "a[b]"
    head = next(line for line in lines if "verdict" in line)
    assert head.split() == ["verdict", "players", "obligation", "method", "time", "game", "clauses"]
    told = [line.split()[0] for line in lines if line.split()[:1] and line.split()[0] in set(Verdict)]
    assert told == ["refuted", "undecided", "proved", "refuted"], "what is not as expected comes first"
    kept = next(line for line in lines if "kept" in line)
    assert kept.split() == ["proved", "2-3", "kept", "induction", "0.5", "s", "a.one"]
    assert next(line for line in lines if "wrong" in line).split()[-2:] == ["4", "d"]
    assert [line.strip() for line in lines if "expected" in line] == ["expected proved!"] * 2 + ["as expected"]


def test_details_are_wrapped() -> None:
    for width in (70, 80, 120):
        text = drawn(width)
        assert max(map(len, text.splitlines())) <= width
        assert text.count("inductive") == 4
        assert "…" not in text


def test_colours_of_the_table() -> None:
    text = drawn(100, force_terminal=True, color_system="standard")
    assert "\x1b[1;31mrefuted" in text
    assert "\x1b[1;33mundecided" in text
    assert "\x1b[32mproved" in text


def test_the_summary() -> None:
    assert summary(FOUND[:3]) == "2 proved, 1 refuted: every verdict is as expected"
    assert summary(FOUND) == "2 proved, 2 refuted, 1 undecided: 1 not as expected, 1 undecided"
    assert summary(FOUND[:1], interrupted=True) == "interrupted, with 1 proved so far"
    assert summary([], interrupted=True) == "interrupted, with nothing so far"


# ---- the whole command, with a prover that answers at once --------------------------------------------
class Quick:
    """Says that `kept` is kept and `wrong` is wrong; with two players, whoever asks for more waits for ever."""

    def __init__(self, compiled: object, players: int, *rest: object) -> None:
        self.players = players

    def results(self) -> Iterator[Result]:
        yield found("kept", self.players, Verdict.PROVED, "induction", ("a.one",), seconds=0.2)
        yield found("wrong", self.players, Verdict.UNDECIDED, "search", (), "no idea", 0.3)
        if self.players == 2:
            time.sleep(10_000)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "FullCheck", Quick)


def check(*args: str) -> Answer:
    return CliRunner().invoke(cli, ["check", "base", *args], catch_exceptions=False)


@linux
@pytest.mark.usefixtures("quick")
def test_lines_in_a_pipe() -> None:
    result = check("--players", "3")
    assert result.exit_code == 3
    assert result.stdout == (
        "base\n"
        "  undecided  3     wrong  search, 0.3 s: no idea  expected proved!\n"
        "  proved     3     kept   induction, 0.2 s  [a.one]\n"
        "\n"
        "1 proved, 1 undecided: 0 not as expected, 1 undecided\n"
    )
    assert result.stderr == "", "no progress where nobody reads it"


@linux
@pytest.mark.usefixtures("quick")
def test_only_what_is_asked_for_is_worked_on() -> None:
    """With two players the prover would never come to an end."""
    result = check("--property", "kept")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1] == "  proved     2-5   kept  induction, 0.8 s  [a.one]"
    answer = json.loads(check("--property", "kept", "--players", "2", "--json").stdout)
    assert set(answer) == {"schema", "spec", "unprinted", "obligations", "diagnostics"}
    (obligation,) = answer["obligations"]
    expected = {
        "name": "kept",
        "players": 2,
        "verdict": "proved",
        "expected": "proved",
        "method": "induction",
        "clauses": ["a.one"],
        "seconds": 0.2,
    }
    assert obligation.items() >= expected.items()
    assert "trace" not in obligation


@linux
@pytest.mark.usefixtures("quick")
def test_an_obligation_that_does_not_exist() -> None:
    result = check("--property", "wrogn", "--players", "3")
    assert result.exit_code == 2
    assert "there is no obligation `wrogn`\n  = help: did you mean `wrong`?" in result.stderr


# ---- processes ---------------------------------------------------------------------------------------
TOY = "game toy { var x : 0..3 start { x = 0 } action up() when x < 3 { x' = x + 1 } end e over when x == 3 score = x }"


@pytest.mark.parametrize("option", ["--proofs", "--smt-dir"])
def test_a_folder_that_cannot_be_written(option: str, tmp_path: Path) -> None:
    """Whatever a worker meets is told as if there were none."""
    (tmp_path / "toy.hrl").write_text(TOY)
    (tmp_path / "file").write_text("")
    words = ["check", str(tmp_path / "toy.hrl"), "--save", option, str(tmp_path / "file" / "inside")]
    answered = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert (answered.exit_code, "error[HRL200]: cannot write" in answered.stderr) == (2, True), answered.output


def test_proofs_of_the_users_own_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not kept among those that are built in, and it is said where they are."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "toy.hrl").write_text(TOY)
    kept = tmp_path / "cache" / "hanabi-formal" / "proofs"
    answered = CliRunner().invoke(cli, ["check", str(tmp_path / "toy.hrl"), "--save"], catch_exceptions=False)
    assert f"kept under {kept}" in answered.stdout
    assert (kept / "toy" / "any.json").is_file()


def count(task: int) -> Iterator[int]:
    if task == 13:
        raise KeyError("thirteen")
    if task == 14:
        os._exit(7)
    yield from range(task)
    if task == 15:
        time.sleep(10_000)


def children() -> set[int]:
    return {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}


def test_answers_come_one_by_one() -> None:
    events = list(spread(count, [2, 0, 3]))
    assert sorted((e.task, e.answer) for e in events if isinstance(e, Said)) == [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]
    assert sorted(e.task for e in events if isinstance(e, Began)) == [0, 2, 3]
    assert sorted(e.task for e in events if isinstance(e, Done)) == [0, 2, 3]


def test_what_stops_a_worker_is_told() -> None:
    with pytest.raises(KeyError) as caught:
        list(spread(count, [13]))
    assert "in count" in caught.value.__notes__[0], "with the place where it happened"
    with pytest.raises(RuntimeError, match="died"):
        list(spread(count, [14]))


@linux
def test_no_worker_stays() -> None:
    before = children()
    events = spread(count, [15, 15])
    while not isinstance(next(events), Said):
        pass
    assert children() > before
    events.close()
    assert children() == before


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def started() -> tuple[subprocess.Popen[str], set[int]]:
    """A real run that has decided something, and its workers."""
    reader, terminal = pty.openpty()
    command = [*PROGRAM, "check", "nl", "--players", "5"]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, text=True)
    os.close(terminal)
    said = b""
    while b" 2 verdicts" not in said:
        said += os.read(reader, 1000)
    assert b"of 5 done" in said
    assert b"nl with 5 players" in said
    return program, set(map(int, Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()))


@linux
def test_control_c_tells_what_is_known_and_leaves_nothing() -> None:
    program, workers = started()
    assert workers
    program.send_signal(signal.SIGINT)
    try:
        out, _ = program.communicate(timeout=60)
    finally:
        program.kill()
    assert program.returncode == 130
    assert out.splitlines()[0] in ("nl", "nl+difficulty"), "whichever was quicker"
    assert re.search("^  proved     5     deck_completes +arithmetic, ", out, re.MULTILINE)
    assert out.splitlines()[-1].startswith("interrupted, with ")
    assert not any(map(alive, workers))


@linux
def test_a_program_that_is_killed_takes_its_workers_along() -> None:
    program, workers = started()
    program.kill()
    program.communicate()
    until = time.monotonic() + 20
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(alive, workers))


@linux
def test_a_table_on_a_terminal() -> None:
    reader, terminal = pty.openpty()
    command = [*PROGRAM, "check", str(HERE / "games" / "solitaire.hrl"), "--property", "twelve"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "90"}
    with subprocess.Popen(command, stdout=terminal, stderr=subprocess.PIPE, env=environment, text=True) as program:
        os.close(terminal)
        said = b""
        while True:
            try:
                said += os.read(reader, 1000)
            except OSError:
                break
        assert (program.wait(), program.stderr and program.stderr.read()) == (0, "")
    assert b"obligation" in said
    assert b"\x1b[32mproved" in said


# ---- progress ----------------------------------------------------------------------------------------
def test_progress() -> None:
    progress = Progress(5, "verdict")
    for name in "abcd":
        progress.began(name)
    progress.counted()
    assert progress.text == "0 of 5 done, 1 verdict, 0 s; now a, b, c, …"
    for name in "abcd":
        progress.done(name)
    progress.counted()
    assert progress.text == "4 of 5 done, 2 verdicts, 0 s"


# ---- combinations that nobody prints -------------------------------------------------------------------
def cited(spec: str, *options: str) -> str:
    return CliRunner().invoke(cli, ["cite", spec, *options]).stdout


def test_unprinted_combinations_are_marked_by_cite() -> None:
    assert cited("nl+timed").splitlines()[1] == "note: unprinted: `nl` does not offer `timed`"
    assert "unprinted:" not in cited("nl+rainbow")
    assert json.loads(cited("nl+timed", "--json"))["unprinted"] == "`nl` does not offer `timed`"
    assert json.loads(cited("nl+rainbow", "--json"))["unprinted"] is None


@linux
@pytest.mark.usefixtures("quick")
def test_unprinted_combinations_are_marked_by_check() -> None:
    asked = ["check", "nl+timed", "--players", "3", "--property", "kept"]
    result = CliRunner().invoke(cli, asked)
    assert result.stdout.splitlines()[-2:] == [
        "note: unprinted: `nl` does not offer `timed`",
        "1 proved: every verdict is as expected",
    ]
    assert json.loads(CliRunner().invoke(cli, [*asked, "--json"]).stdout)["unprinted"] == "`nl` does not offer `timed`"

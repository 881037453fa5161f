"""The command line as its users see it. `pytest --accept` rewrites the answers in the transcripts."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hanabi_formal.cli import check as check_module
from hanabi_formal.cli.common import wants_colour
from hanabi_formal.cli.main import cli

HERE = Path(__file__).parent
BAD = HERE / "bad"
PROGRAM = [sys.executable, "-c", "from hanabi_formal.cli.main import main; main()"]


def run(*args: str) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(cli, args, catch_exceptions=False)


@pytest.mark.parametrize("path", sorted((HERE / "transcripts").glob("*.txt")), ids=lambda path: path.stem)
def test_transcript(path: Path, golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD)
    said = []
    for question in re.findall(r"^\$ hanabi-formal.*$", path.read_text(encoding="utf-8"), re.MULTILINE):
        result = run(*shlex.split(question)[2:])
        said.append(f"{question}\n{result.output}[exit {result.exit_code}]\n")
    golden(path, "\n".join(said))


def test_help_loads_nothing_heavy() -> None:
    program = "import sys; from hanabi_formal.cli.main import cli\ntry: cli.main(['--help'])\nexcept SystemExit: pass\n"
    heavy = "print({'lark', 'rich', 'z3', 'hanabi_formal.syntax.parser', 'hanabi_formal.cli.check'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", program + heavy], capture_output=True, text=True, check=True)
    assert found.stdout.endswith("set()\n")


# ---- what can go wrong besides the input -----------------------------------------------------------
def test_a_fault_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(spec: str) -> None:
        raise KeyError(spec)

    monkeypatch.setattr(check_module, "compose", fail)
    monkeypatch.delenv("HANABI_FORMAL_DEBUG", raising=False)
    result = run("check", "base", "--static")
    assert result.exit_code == 4
    assert result.stderr.count("\n") == 1
    assert "KeyError" in result.stderr
    assert "Traceback" not in result.stderr
    assert "Traceback" in run("--debug", "check", "base", "--static").stderr
    monkeypatch.setenv("HANABI_FORMAL_DEBUG", "1")
    assert "Traceback" in run("check", "base", "--static").stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals of Unix")
def test_a_reader_that_leaves() -> None:
    for command in ("explain --list", "--help", "check nothing --static 2>&1"):
        shell = f"{shlex.join(PROGRAM)} {command} | true; echo ${{PIPESTATUS[0]}}"
        result = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
        assert result.stderr == ""
        assert int(result.stdout) in (0, 2, 141)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_disk_that_is_full() -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [*PROGRAM, "explain", "--list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (result.returncode, result.stderr) == (2, "error: cannot write the output: no space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_nowhere_to_tell_a_mistake() -> None:
    with Path("/dev/full").open("w") as full:
        assert subprocess.run([*PROGRAM, "check", "nothing", "--static"], stderr=full, check=False).returncode == 2


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals of Unix")
@pytest.mark.parametrize("command", ["fmt -", "winnable base - --players 2", "replay base -"])
def test_standard_input_that_is_closed(command: str) -> None:
    result = subprocess.run(
        ["bash", "-c", f"{shlex.join(PROGRAM)} {command} <&-"], capture_output=True, text=True, check=False
    )
    assert (result.returncode, "standard input: it is closed" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    "args",
    [
        ("diff", "base", "--impl", "true", "--time-limit", "inf"),
        ("diff", "base", "--impl", "true", "--time-limit", "nan"),
        ("play", "base", "--deviation", "nan"),
    ],
    ids=" ".join,
)
def test_numbers_that_are_none(args: tuple[str, ...]) -> None:
    result = run(*args)
    assert (result.exit_code, "finite number" in result.stderr or "range" in result.stderr) == (2, True), result.stderr


def test_what_could_not_be_written_is_not_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "x.hrl").write_text("game   x { }")
    monkeypatch.setattr("hanabi_formal.cli.fmt.write_at_once", refuse)
    result = run("fmt", str(tmp_path / "x.hrl"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "permission denied" in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals of Unix")
def test_control_c() -> None:
    """The program waits for the rest of a specification, which never comes."""
    with subprocess.Popen([*PROGRAM, "fmt", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stderr is not None
        program.stdin.write(b" " * 200_000)  # more than a pipe holds, so that it has begun to read
        program.stdin.flush()
        time.sleep(0.2)
        program.send_signal(signal.SIGINT)
        said = program.stderr.read()
    assert (program.returncode, said) == (130, b"\ninterrupted\n")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def refuse(path: Any, *args: Any) -> int:
        if str(path).endswith("secret.hrl"):
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *args)

    (tmp_path / "secret.hrl").write_text("game secret { }")
    monkeypatch.setattr(os, "open", refuse)
    result = run("check", str(tmp_path / "secret.hrl"), "--static")
    assert (result.exit_code, result.stderr.endswith("secret.hrl`: permission denied\n")) == (2, True)


# ---- forms -----------------------------------------------------------------------------------------
def test_json_has_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD)
    result = run("check", "record_in_guard.hrl", "--static", "--json")
    assert (result.exit_code, result.stderr) == (2, "")
    answer = json.loads(result.stdout)
    assert answer["schema"] == 1
    (found,) = answer["diagnostics"]
    assert {"code", "severity", "message", "labels", "help"} == set(found)
    assert found["labels"][0] == {
        "file": "record_in_guard.hrl",
        "line": 2,
        "column": 34,
        "end_line": 2,
        "end_column": 48,
        "text": "read here",
    }


def test_colour_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(Terminal())
    assert not wants_colour(None)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour(Terminal())

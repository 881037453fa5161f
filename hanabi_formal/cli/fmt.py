"""`fmt FILE...`: rule files in their one form, each written at once or not at all."""

from __future__ import annotations

import contextlib
import difflib
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from hanabi_formal.cli.common import Output, output_options
from hanabi_formal.compose.rule_files import MAX_BYTES, read_source
from hanabi_formal.diagnostics.diagnostic import Diagnostic, Rejected, refuse
from hanabi_formal.diagnostics.source import SourceFile
from hanabi_formal.formats.inputs import STANDARD_INPUT as INPUT_NAME
from hanabi_formal.formats.inputs import decoded, opened_bytes
from hanabi_formal.syntax.format import format_text

STANDARD_INPUT = "-"
DIFFERS = 1
BAD_INPUT = 2


@dataclass(frozen=True)
class Formatted:
    """A file before and after. `path` is None for standard input."""

    path: Path | None
    before: SourceFile
    after: str

    @property
    def is_changed(self) -> bool:
        return self.before.text != self.after

    @property
    def diff(self) -> str:
        name = self.before.name
        lines = difflib.unified_diff(list(_lines(self.before.text)), list(_lines(self.after)), name, name)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


@click.command("fmt")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 and name the files that would change.")
@click.option("--diff", "only_diff", is_flag=True, help="Write nothing; show what would change.")
@output_options
def command(files: tuple[str, ...], only_check: bool, only_diff: bool, output: Output) -> None:
    """Write rule files in the one true layout, in place.

    FILE is a path, or `-` to read standard input and write standard output. Lines are neither broken nor joined, and
    comments are kept. A file that is not well-formed is left as it is.
    """
    if STANDARD_INPUT in files and len(files) > 1:
        raise refuse("HRL700", "`-` stands alone: it is standard input, the answer goes to standard output")
    done, faults = _format_all(files)
    is_dry = only_check or only_diff
    if not is_dry:
        failed = {item.before.name: found for item in done if (found := _write(item))}
        faults += [fault for several in failed.values() for fault in several]
        done = [item for item in done if item.before.name not in failed]
    data = {"files": [{"file": item.before.name, "changed": item.is_changed} for item in done], "written": not is_dry}
    if files == (STANDARD_INPUT,) and done:
        data["text"] = done[0].after
    output.diagnostics(faults)
    output.answer(data, _text(done, only_check, only_diff).removesuffix("\n"), faults)
    if faults:
        raise click.exceptions.Exit(BAD_INPUT)
    if only_check and any(item.is_changed for item in done):
        raise click.exceptions.Exit(DIFFERS)


def _format_all(words: Sequence[str]) -> tuple[list[Formatted], list[Diagnostic]]:
    """What could be formatted, and what was wrong with the others."""
    done: list[Formatted] = []
    faults: list[Diagnostic] = []
    for word in dict.fromkeys(words):
        try:
            source = _standard_input() if word == STANDARD_INPUT else read_source(Path(word), word)
            path = None if word == STANDARD_INPUT else Path(word)
            done.append(Formatted(path, source, format_text(source.text, source.name)))
        except Rejected as problem:
            faults += problem.diagnostics
    return done, faults


def _standard_input() -> SourceFile:
    with opened_bytes(STANDARD_INPUT) as opened:
        data = opened.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise refuse("HRL106", f"standard input has more than {MAX_BYTES:,} bytes; no rule file is that long")
    return SourceFile(INPUT_NAME, decoded(data, INPUT_NAME))


def _text(done: Sequence[Formatted], only_check: bool, only_diff: bool) -> str:
    changed = [item for item in done if item.is_changed]
    if only_diff:
        return "".join(item.diff for item in changed)
    if not only_check and any(item.path is None for item in done):
        return done[0].after
    verb = "would change" if only_check else "formatted"
    same = len(done) - len(changed)
    lines = [f"{verb} {item.before.name}" for item in changed]
    if same:
        lines.append(f"{same} file{'s are' if same > 1 else ' is'} well written already")
    return "\n".join(lines)


def _lines(text: str) -> Iterator[str]:
    """The lines with their ends; only `\\n` ends a line here, as in the language."""
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        yield text[at:end]
        at = end


def _write(item: Formatted) -> tuple[Diagnostic, ...]:
    if item.path is None or not item.is_changed:
        return ()
    try:
        write_at_once(item.path, item.after)
    except OSError as error:
        reason = (error.strerror or "it failed").lower()
        return refuse("HRL200", f"cannot write `{item.before.name}`: {reason}").diagnostics
    return ()


def write_at_once(path: Path, text: str) -> None:
    """Put a new text in the place of a file, with its mode; whoever reads meanwhile sees the old one or the new."""
    target = path.resolve()
    known = target.stat()
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(text.encode())
        with contextlib.suppress(OSError):
            os.chown(name, known.st_uid, known.st_gid)
        Path(name).chmod(stat.S_IMODE(known.st_mode))
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise

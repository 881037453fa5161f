"""The user's cache folder, with anything at all in it: no code runs, nothing false is believed, nothing is said."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import lark
import pytest
from click.testing import CliRunner

from hanabi_formal.api import load as load_rules
from hanabi_formal.cli.main import cli
from hanabi_formal.formats.hanab_live import go_random
from hanabi_formal.formats.hanab_live.go_random import computed_words, fixed_words
from hanabi_formal.prove import archive
from hanabi_formal.prove.search.goals import NOTHING
from hanabi_formal.resources import grammar_text, parser_tables
from hanabi_formal.syntax import parse_tables as tables
from hanabi_formal.syntax import parser
from hanabi_formal.syntax.parse_tables import load_parser

SEED = "p3v0s17"
COMMANDS = (["check", "base", "--static"], ["deal", "--seed", SEED])


def said(args: list[str]) -> str:
    """What a command answers in a process that has read no cache yet."""
    fixed_words.cache_clear()
    getattr(load_parser, "cache_clear", lambda: None)()
    getattr(getattr(parser, "_parser", None), "cache_clear", lambda: None)()
    found = CliRunner().invoke(cli, args)
    assert (found.exit_code, found.stderr) == (0, "")
    return found.stdout


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder as the program leaves it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for args in COMMANDS:
        said(args)
    yield tmp_path / "hanabi-formal"
    fixed_words.cache_clear()


class Evil:
    """Unpickled, it makes a folder."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (self.path,)


def test_no_code_is_run_from_the_cache(cache: Path, tmp_path: Path) -> None:
    expected = {str(args): said(args) for args in COMMANDS}
    key = hashlib.sha256(f"{lark.__version__}\n{grammar_text()}".encode()).hexdigest()[:16]
    for path in [*cache.iterdir(), cache / f"grammar-{key}.pickle"]:
        path.write_bytes(pickle.dumps(Evil(tmp_path / "code was run")))
    for args in COMMANDS:
        assert said(args) == expected[str(args)]
    assert not (tmp_path / "code was run").exists()


def test_a_forged_table_deals_no_other_deck(cache: Path) -> None:
    """A digest that lies beside the data is as easily forged as the data."""
    expected = said(COMMANDS[1])
    for path in cache.iterdir():
        data = path.read_bytes()
        words = data[-go_random._FORMAT.size :]
        forged = bytes(byte ^ 0xFF for byte in words)
        path.write_bytes(hashlib.sha256(forged).digest() + forged if len(data) > len(words) else forged)
    assert said(COMMANDS[1]) == expected


def test_the_words_are_known_by_their_digest() -> None:
    packed = struct.pack("<607Q", *computed_words())
    assert hashlib.sha256(packed).hexdigest() == go_random.DIGEST


def test_nothing_but_words_is_kept(cache: Path) -> None:
    """Whoever adds a cache adds it here, and says what becomes of one that somebody else has written."""
    assert sorted(path.name for path in cache.iterdir()) == [go_random.FILE_NAME]


# ---- anything in the place of a file -------------------------------------------------------------------
def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 34)  # of which the disk holds nothing


PLACES: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: None,
    "empty": Path.touch,
    "folder": Path.mkdir,
    "full folder": lambda path: (path / "below").mkdir(parents=True),
    "pipe": _pipe,
    "loop": _loop,
    "device": _endless,
    "deep": lambda path: path.write_text("[" * 100_000),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(5000)),
    "huge": _huge,
}


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.sampled(2)
def test_anything_may_lie_in_the_place_of_a_file(kind: str, cache: Path) -> None:
    expected = {str(args): said(args) for args in COMMANDS}
    for path in list(cache.iterdir()):
        path.unlink()
        PLACES[kind](path)
    for args in COMMANDS:
        assert said(args) == expected[str(args)]


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.sampled(2)
def test_anything_may_lie_in_the_place_of_the_folder(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {str(args): said(args) for args in COMMANDS}
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    PLACES[kind](tmp_path / "hanabi-formal")
    for args in COMMANDS:
        assert said(args) == expected[str(args)]


def test_a_full_disk_costs_time_only(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = said(COMMANDS[1])
    for path in cache.iterdir():
        path.unlink()

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert said(COMMANDS[1]) == expected
    assert list(cache.iterdir()) == []


def test_a_thousand_corrupted_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, words = random.Random(13), computed_words()
    good = go_random._FORMAT.pack(*words)
    monkeypatch.setattr(go_random, "computed_words", lambda: words)
    for _ in range(1000):
        data = bytearray(good)
        match chance.randrange(4):
            case 0:
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            case 1:
                del data[chance.randrange(len(data)) :]
            case 2:
                data[chance.randrange(len(data)) :] = chance.randbytes(chance.randrange(9000))
            case 3:
                data = bytearray(hashlib.sha256(data).digest() + data)
        (tmp_path / go_random.FILE_NAME).write_bytes(data)
        fixed_words.cache_clear()
        assert fixed_words(tmp_path) == words
        assert (tmp_path / go_random.FILE_NAME).read_bytes() == good


# ---- kept proofs ---------------------------------------------------------------------------------------
def test_kept_proofs_of_any_content_are_passed_over(tmp_path: Path) -> None:
    system = load_rules("base").system(2)
    path = archive.proof_path(tmp_path, system, 2)
    good = archive.save(system, [])
    chance = random.Random(7)
    contents = [
        b"[" * 100_000,
        b'{"games": 5}',
        b'{"games": {"deal": 1}}',
        b'{"games": [[[]], 3, {"deal": "9"}]}',
        b"\xff\xfe",
        b'{"games": [{"actions": "play", "deal": "' + b"1 " * 50 + b'"}]}',
        b'{"games": ' + b"9" * 9000 + b"}",
        b"NaN",
        good.replace('"weights": {}', '"weights": 7').encode(),
        good.replace('"games": []', '"games": [1]').encode(),
        good.replace('"needs": []', '"needs": [{}]').encode(),
    ]
    for _ in range(300):
        data = bytearray(good.encode())
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        contents.append(bytes(data))
    path.parent.mkdir(parents=True)
    for content in contents:
        path.write_bytes(content)
        assert archive.load(path, system).games == {}
        assert list(archive.games_of_others(tmp_path, system, 2)) == []
    for kind, place in PLACES.items():
        path.unlink()
        place(path)
        assert archive.load(path, system) == NOTHING, kind
        assert list(archive.games_of_others(tmp_path, system, 2)) == []
        if path.is_dir():
            path.rename(tmp_path / kind)
        path.unlink(missing_ok=True)
        path.touch()


# ---- the parser's tables, which are the program's own --------------------------------------------------
def test_the_tables_are_those_of_the_grammar() -> None:
    """If not: `python -m hanabi_formal.syntax.parse_tables`."""
    kept = tables._kept(parser_tables(), grammar_text())
    assert kept is not None
    assert kept == json.loads(json.dumps(tables.tables(grammar_text())))
    assert tables.as_text(kept) == parser_tables().read_text(encoding="utf-8")


def test_tables_of_another_grammar_are_not_used(tmp_path: Path) -> None:
    assert tables._kept(parser_tables(), grammar_text() + "\n") is None
    for text in ("", "[]", "{}", '{"of": 1}', "[[["):
        (tmp_path / "tables").write_text(text)
        assert tables._kept(tmp_path / "tables", grammar_text()) is None
    assert tables._kept(tmp_path / "none", grammar_text()) is None


def test_another_lark_builds_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = load_parser().parse((parser_tables().parent.parent / "spec" / "base.hrl").read_text(encoding="utf-8"))
    monkeypatch.setattr(lark, "__version__", "1.99.0")
    load_parser.cache_clear()
    assert tables._kept(parser_tables(), grammar_text()) is None
    assert (
        load_parser().parse((parser_tables().parent.parent / "spec" / "base.hrl").read_text(encoding="utf-8"))
        == expected
    )
    load_parser.cache_clear()

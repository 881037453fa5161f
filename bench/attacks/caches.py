"""Whatever may lie in the folder where the program keeps tables: forged, cut off, nested, of another type, special.

The same questions are asked with an empty folder and with a forged one: every answer must be the same, and nothing that
lies there may be run.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import pickle
import shutil
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from attacks import mutate
from attacks.grounds import Ground, grounds
from attacks.harness import Case, WrongAcceptance
from attacks.limits import own_cache, unlimited
from attacks.program import Refused, judged, needs, needs_are_remembered, rules_hash, verb
from hanabi_formal.api import load
from hanabi_formal.formats.deals import faces_of, open_deal
from hanabi_formal.formats.faces import show_deal
from hanabi_formal.formats.hanab_live import go_random
from hanabi_formal.prove import archive
from hanabi_formal.resources import cache_folder

GAME = """game made {
  sort Player = 2
  var turn : Player
  var n : 0..4
  actor turn
  start { turn = Player(0)  n = 0 }
  action add(twice : Bool) when n < 3 { n' = if twice then n + 2 else n + 1 } then { turn' = next(turn) }
  end full over when n > 2
  score = n
  invariant small : n <= 4
  invariant smaller : n <= 3
  reachable four : n == 4
  terminates rising decreasing [4 - n]
}
"""
PROOFS = "proofs/made/any.json"
NAMES = ("needs.json", "go-random-1.bin", "go-random-2.bin", PROOFS)
"""What the program keeps, or has kept."""
READERS = {
    "seed": "hanabi_formal.formats.hanab_live.go_random",
    "needs": "hanabi_formal.judge.arguments.needs",
    "proofs": "hanabi_formal.prove.archive",
}
DEALS = 30
SPARSE = 3 << 30
Question = Callable[[], Any]


@dataclass(frozen=True)
class _Runs:
    """Unpickled, it leaves a file behind."""

    path: str

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(self.path),)


class Attack:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "forged"
        self.ran = folder / "ran"
        self.file = folder / "made.hrl"
        self.file.write_text(GAME, encoding="utf-8")
        go_random.computed_words = cache(go_random.computed_words)
        needs_are_remembered(lambda game: f"{game.merged.composition.spec} {game.settings}", {})
        known = {ground.name: ground for ground in grounds(folder)}
        self.tiny, self.deceiving = known["tiny"], known["shows_all"]
        self.questions: dict[str, tuple[Question, float]] = {
            "seed": (self._seed, 6),
            "needs": (self._needs, 4),
            "proofs": (self._proofs, 6),
            "grammar": (self._grammar, 0.4),
            "check": (self._check, 0.04),
        }
        self.answers: dict[str, Any] = {}
        self.kept: dict[str, bytes] = {}
        with unlimited():
            self._ask_honestly()

    def _ask_honestly(self) -> None:
        own_cache(self.cache)
        for name, (question, _) in self.questions.items():
            self.answers[name] = question()
        verb("check", str(self.file), "--save", "--json")
        home = self.cache / "hanabi-formal"
        found = sorted(path for path in home.rglob("*") if path.is_file()) if home.exists() else []
        self.kept = {path.relative_to(home).as_posix(): path.read_bytes() for path in found}

    def case(self, number: int, random: Random) -> Case:
        names, weights = list(self.questions), [weight for _, weight in self.questions.values()]
        about = random.choices(names, weights)[0]
        files = {
            "seed": ["go-random-1.bin", "go-random-2.bin"],
            "needs": ["needs.json"],
            "proofs": [PROOFS],
            "grammar": [name for name in self.kept if name.startswith("grammar")] or ["grammar.pickle"],
            "check": [PROOFS],
        }[about]
        name = random.choice(files if random.random() < 0.9 else sorted({*NAMES, *self.kept}))
        how, put = self._forged(random, name)
        return Case(f"{about}, {how}", [about, name, how], lambda: self._asked(about, name, put))

    # ---- asked -------------------------------------------------------------------------------------------
    def _asked(self, about: str, name: str, put: Callable[[Path], None]) -> bool:
        shutil.rmtree(self.cache, ignore_errors=True)
        path = own_cache(self.cache) / name
        path.parent.mkdir(parents=True)
        put(path)
        _forget(about)
        try:
            answer = self.questions[about][0]()
        finally:
            shutil.rmtree(self.cache, ignore_errors=True)
            if self.ran.exists():
                self.ran.unlink()
                raise WrongAcceptance(f"code in `{name}` was run")
        if answer != self.answers[about]:
            right = self.answers[about]
            raise WrongAcceptance(f"`{name}` changes what is said of {about}: {answer!s:.900}, not {right!s:.900}")
        return True

    def _seed(self) -> str:
        system = self.tiny_system
        return show_deal(faces_of(open_deal("p2v0s17"), system, cache_folder()), system)

    @property
    def tiny_system(self) -> Any:
        return _base().system(2)

    def _needs(self) -> list[str]:
        """Whether the noes of one game are believed of another, in which every deal can be won."""
        seed = next(seed for seed in range(DEALS) if self.tiny.honest(seed)["answer"] == "unwinnable")
        told = []
        for ground in (self.tiny, self.deceiving):
            said = {key: self.tiny.honest(seed)[key] for key in ("answer", "goal", "certificate")}
            claim = {**said, "rules": _rules_hash(ground)}
            try:
                told += [str(each.answer) for each in judged(ground.game, ground.players, ground.faces(seed), claim)]
            except Refused:
                told.append("refused")
        return told

    def _proofs(self) -> list[str]:
        """What is remembered is advice: it is read without harm, and games in it are replayed by whoever uses them."""
        system = _made(self.file).system()
        home = cache_folder()
        assert home is not None
        archive.load(archive.proof_path(home / "proofs", system, None), system)
        list(archive.games_of_others(home / "proofs", system, None))
        return []

    def _grammar(self) -> str:
        return repr(load(str(self.file)).system())

    def _check(self) -> Any:
        answered = verb("check", str(self.file), "--json")
        found = json.loads(answered.out)
        return answered.code, sorted((one.get("name"), one.get("verdict")) for one in _verdicts(found))

    # ---- forged ------------------------------------------------------------------------------------------
    def _forged(self, random: Random, name: str) -> tuple[str, Callable[[Path], None]]:
        honest = self.kept.get(name, b'{"schema": 1, "proved": {}}')
        match random.randrange(12):
            case 0 | 1 | 2:
                data = mutate.octets(random, honest)
                return "bytes", lambda path: _write(path, data)
            case 3 | 4 | 5 if name.endswith(".json"):
                changed = json.dumps(mutate.data(random, json.loads(honest))).encode()
                return "data", lambda path: _write(path, changed)
            case 6 | 7:
                made = self._to_order(random, name)
                return "made to order", lambda path: _write(path, made)
            case 8:
                deep = mutate.deep_text(random).encode()
                return "deep", lambda path: _write(path, deep)
            case 9:
                return "special file", random.choice((_folder, _fifo, _loop, _endless, _sparse))
            case 10:
                run = pickle.dumps(_Runs(str(self.ran)))
                return "pickle", lambda path: _write(path, run)
        text = random.choice((b"", b"null", b"[]", b"{}", b'{"schema":1}', b'{"schema":1,"proved":[]}', b"\xff"))
        return "short", lambda path: _write(path, text)

    def _to_order(self, random: Random, name: str) -> bytes:
        """What looks as if it were the program's own, and says what is not so."""
        if name.startswith("go-random"):
            words = struct.pack("<607Q", *(random.getrandbits(64) for _ in range(607)))
            return random.choice((hashlib.sha256(words).digest() + words, words))
        if name.startswith("grammar"):
            return base64.b64encode(pickle.dumps({"data": {}, "memo": {}}))
        if name == PROOFS:
            data = json.loads(self.kept.get(name, b"{}"))
            return json.dumps({**data, "lemmas": ["smaller"], "weights": {"n": -1}, "rankings": ["rising"]}).encode()
        return json.dumps({"schema": 1, "proved": _claimed_needs(self.deceiving)}).encode()


@cache
def _base() -> Any:
    with unlimited():
        return load("base")


@cache
def _made(path: Path) -> Any:
    with unlimited():
        return load(str(path))


_RULES: dict[str, str] = {}
_CLAIMS: dict[str, dict[str, Any]] = {}


def _rules_hash(ground: Ground) -> str:
    if ground.name not in _RULES:
        _RULES[ground.name] = rules_hash(ground.game, ground.players)
    return _RULES[ground.name]


def _claimed_needs(ground: Ground) -> dict[str, Any]:
    """That rules have all that noes need, under the keys by which it is looked up."""
    if ground.name not in _CLAIMS:
        _CLAIMS[ground.name] = _claims(ground)
    return _CLAIMS[ground.name]


def _claims(ground: Ground) -> dict[str, Any]:
    system = ground.game.system(ground.players)
    return {
        needs.key_of(system, need, 1): {"spec": ground.name, "players": ground.players, "need": need}
        for need in needs.NEEDS
    }


def _verdicts(data: Any) -> list[dict[str, Any]]:
    """All parts of an answer that are verdicts, wherever they stand."""
    found: list[dict[str, Any]] = []
    if isinstance(data, dict):
        found += [data] if "verdict" in data and "name" in data else []
        found += [one for value in data.values() for one in _verdicts(value)]
    elif isinstance(data, list):
        found += [one for value in data for one in _verdicts(value)]
    return found


def _forget(about: str) -> None:
    """What was read from the folder before is read again, by the modules that answer the question."""
    ours = [name for name in sys.modules if name.startswith(READERS.get(about, "hanabi_formal."))]
    for module in map(sys.modules.__getitem__, ours):
        for value in list(vars(module).values()):
            own = hasattr(value, "cache_clear") and getattr(value, "__module__", "") == module.__name__
            if own and value is not go_random.computed_words:
                value.cache_clear()


# ---- files of every kind -----------------------------------------------------------------------------------
def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _folder(path: Path) -> None:
    path.mkdir()


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _sparse(path: Path) -> None:
    with path.open("wb") as made:
        made.truncate(SPARSE)

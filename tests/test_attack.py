"""The standing attack (`bench/attack.py`): a little of it on every run, and that it would see what it looks for."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest
from attack import SHARES, State, attack_on, attacked, batches, table
from attacks import evidence, proofs, protocol
from attacks.crew import Batch, Crew, run_batch
from attacks.harness import (
    ACCEPTED,
    DISAGREEMENT,
    HANG,
    MEMORY,
    REFUSED,
    TRACEBACK,
    WRONG,
    Attack,
    Case,
    Differs,
    make,
    run,
)
from attacks.program import Accepted, Refused, needs

from hanabi_formal.conformance.one_game import Bench
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.diagnostics.source import SourceFile, Span
from hanabi_formal.formats.games import open_games
from hanabi_formal.formats.hanab_live import go_random
from hanabi_formal.formats.hanab_live.links import read_link

BENCH = Path(__file__).resolve().parent.parent / "bench"
SEED = "0"
FEW = {"rules": 150, "deals": 400, "games": 120, "evidence": 120, "proofs": 800, "caches": 120, "protocol": 300}
EXPENSIVE = {"games", "evidence", "caches"}


@pytest.fixture(autouse=True)
def _nothing_stays_changed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Attacks remember what is slow to compute; and the user's own cache is left alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(needs, "prove_need", needs.prove_need)
    monkeypatch.setattr(go_random, "computed_words", go_random.computed_words)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.deep if kind in EXPENSIVE else ()) for kind in SHARES]
)
def test_a_little_of_every_kind_finds_nothing(kind: str, tmp_path: Path) -> None:
    done = run_batch(attack_on(kind, tmp_path), Batch(kind, 0, 0, FEW[kind]), SEED)
    assert done.failures == []
    outcomes = {outcome for counts in done.counts.values() for outcome in counts}
    assert outcomes == {ACCEPTED, REFUSED} or (kind == "caches" and outcomes == {ACCEPTED})


def test_the_same_number_makes_the_same_input(tmp_path: Path) -> None:
    for kind in ("rules", "deals", "games", "proofs", "protocol"):
        attack = attack_on(kind, tmp_path)
        assert [make(attack, kind, SEED, number).given for number in range(30)] == [
            make(attack, kind, SEED, number).given for number in range(30)
        ]


# ---- it bites --------------------------------------------------------------------------------------------
@pytest.mark.deep
def test_a_judge_that_accepts_everything_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is said of deals is believed; some of it is false."""

    def believing(game: object, players: object, faces: object, data: dict[str, object]) -> Iterator[object]:
        if data.get("answer") in ("winnable", "unwinnable") and type(data.get("goal")) is int:
            yield Accepted(str(data["answer"]), int(str(data["goal"])), 6, ())
        else:
            raise Refused("it says nothing")

    monkeypatch.setattr(evidence, "judged", believing)
    done = run_batch(attack_on("evidence", tmp_path), Batch("evidence", 0, 0, 40), SEED)
    assert sum(failure["outcome"] == WRONG for failure in done.failures) > 3


def test_a_checker_that_accepts_every_proof_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "check_proof", lambda clauses, text: 1)
    attack = attack_on("proofs", tmp_path)
    outcomes = {run(make(attack, "proofs", SEED, number)).outcome for number in range(100)}
    assert WRONG in outcomes


def test_a_checker_that_refuses_every_proof_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(clauses: object, text: object) -> int:
        raise Refused("no")

    monkeypatch.setattr(proofs, "check_proof", refusing)
    attack = attack_on("proofs", tmp_path)
    assert not {run(make(attack, "proofs", SEED, number)).outcome for number in range(100)} & {ACCEPTED, WRONG}


def test_a_comparison_that_sees_no_difference_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bench, "play", lambda *args: iter(()))
    monkeypatch.setattr(protocol, "_differs", lambda one, other: False)
    attack = attack_on("protocol", tmp_path)
    assert WRONG in {run(make(attack, "protocol", SEED, number)).outcome for number in range(60)}


class Made:
    """An attack whose cases are given."""

    def __init__(self, *cases: Case) -> None:
        self.cases = cases

    def case(self, number: int, random: Random) -> Case:
        return self.cases[number]


def forever() -> bool:
    while True:
        pass


def swallowing() -> bool:
    """A program that catches whatever it can."""
    while True:
        try:
            forever()
        except Exception:
            continue


def waiting() -> bool:
    time.sleep(3600)
    return True


def greedy() -> bool:
    return len(b"x" * (5 << 30)) > 0


def broken() -> bool:
    raise ValueError("this is told to nobody")


def too_deep() -> bool:
    return too_deep()


def differing() -> bool:
    raise Differs("one says this, the other that")


@pytest.mark.parametrize(
    ("ask", "outcome"),
    [
        (forever, HANG),
        (swallowing, HANG),
        (waiting, HANG),
        (greedy, MEMORY),
        (broken, TRACEBACK),
        (too_deep, TRACEBACK),
        (differing, DISAGREEMENT),
        (lambda: True, ACCEPTED),
        (lambda: False, REFUSED),
    ],
)
def test_what_becomes_of_an_input(ask: object, outcome: str) -> None:
    result = run(Case("made", None, ask), seconds=0.2)  # type: ignore[arg-type]
    assert result.outcome == outcome


def test_failures_are_counted_and_kept(tmp_path: Path) -> None:
    attack: Attack = Made(Case("a", "one", lambda: True), Case("a", "two", broken), Case("b", "three", lambda: False))
    done = run_batch(attack, Batch("deals", 0, 0, 3), SEED)
    assert done.counts == {"a": {ACCEPTED: 1, TRACEBACK: 1}, "b": {REFUSED: 1}}
    assert [(one["number"], one["given"]) for one in done.failures] == [(1, "two")]
    state = State(tmp_path / "state.json", SEED)
    state.add(Batch("deals", 0, 0, 3), done)
    again = State(tmp_path / "state.json", SEED)
    assert again.failures() == 1
    assert "| deals | 3 | 1 | 1 | 1 | 0 | 0 | 0 | 0 |" in table(again)
    assert (tmp_path / "state.failures" / "deals-1.json").exists()
    with pytest.raises(SystemExit):
        State(tmp_path / "state.json", "another seed")


# ---- a run -----------------------------------------------------------------------------------------------
def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    state = State(tmp_path / "state.json", SEED)
    attacked(["proofs"], 300, state, 1)
    assert batches(["proofs"], 300, state) == []
    assert sum(batch.end - batch.start for batch in batches(["proofs"], 800, state)) == 550
    assert state.failures() == 0


def test_what_takes_its_process_with_it_is_counted() -> None:
    """A process that is killed has its input counted; the rest of the batch is done by another."""

    def kill(process: BaseProcess, at: Any) -> None:
        while at.value < 10:
            time.sleep(0.01)
        process.kill()

    with Crew(1, SEED) as crew:
        member = crew.members[0]
        Thread(target=kill, args=(member.process, member.at), daemon=True).start()
        [(batch, done)] = crew.work([Batch("proofs", 0, 0, 4000)])
    [(number, outcome)] = batch.lost
    assert (number >= 10, outcome) == (True, TRACEBACK)
    assert [(one["number"], one["outcome"]) for one in done.failures] == [(number, TRACEBACK)]
    assert sum(sum(counts.values()) for counts in done.counts.values()) == 4000


def test_a_replay_shows_the_input() -> None:
    told = subprocess.run(
        [sys.executable, str(BENCH / "attack.py"), "--replay", "proofs:7"], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0
    assert told.stdout.startswith("proofs:7 ")


# ---- what it has found ---------------------------------------------------------------------------------------
def test_a_link_without_players_is_no_game() -> None:
    text = "https://hanab.live/replay-json/,-drefdaospn,00,0"
    with pytest.raises(Rejected, match="three parts"):
        read_link(Span(SourceFile("<game>", text), 0, len(text)))


def test_a_deep_first_line_is_no_game() -> None:
    with pytest.raises(Rejected):
        open_games('{"a":' * 100_000 + "\n{}")

"""Proofs for other people's checkers: written as they want them, accepted by one that is not ours, and no checker believed unseen."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from dratify_checker import is_accepted
from hanabi_formal.api import Game, load
from hanabi_formal.cli.main import cli
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.judge.arguments.position import reader
from hanabi_formal.judge.certificate import Unsolvable
from hanabi_formal.judge.evidence import Accepted, judge
from hanabi_formal.judge.refutations.cnf import ClauseBuilder
from hanabi_formal.judge.refutations.dimacs import Standard, standard
from hanabi_formal.judge.refutations.lrat import Refused, check, unpack
from hanabi_formal.judge.refutations.other_checkers import TRIALS, ExternalChecker, Unusable
from hanabi_formal.judge.refutations.refutation import Refutation, refute
from hanabi_formal.judge.refutations.seats import Seats
from hanabi_formal.sat.formula import cnf
from hanabi_formal.sat.solvers import Cadical
from hanabi_formal.sat.trimming import packed, trimmed
from hanabi_formal.winnability.deal_report import DealReport
from hanabi_formal.winnability.ladder import LadderEngine
from hanabi_formal.winnability.oracle import Oracle

pytestmark = pytest.mark.usefixtures("proved_once")

HERE = Path(__file__).parent
DRATIFY = f"{sys.executable} {HERE / 'dratify_checker.py'}"
SMALL = ("--set", "Suit=red,blue", "--set", "Rank=1..3")
LOST = 0
"""A seed of the small deck; there are too few draws to win any deal of it."""


def run(*args: str, input: str | None = None) -> Result:
    return CliRunner().invoke(cli, args, catch_exceptions=False, input=input)


@cache
def small_game() -> Game:
    return load("base", cuts={"Suit": ("red", "blue"), "Rank": ("1", "2", "3")})


@cache
def evidence(engine: LadderEngine, seed: int = LOST) -> dict[str, Any]:
    oracle = Oracle(small_game(), engine)
    asked = oracle.ask(2, shuffled(small_game().system(2), seed), name=f"seed {seed}")
    data: dict[str, Any] = json.loads(json.dumps(DealReport(oracle, asked).evidence()))
    return data


@cache
def won() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(run("winnable", "base", "p3v0s17", "--json").stdout)
    return data


def accepted(engine: LadderEngine) -> Accepted:
    return judge(small_game(), 2, shuffled(small_game().system(2), LOST), evidence(engine))


def refutation(clauses: list[list[int]]) -> Refutation:
    """By the solver, as a certificate would carry it."""
    formula = ClauseBuilder(max((abs(literal) for clause in clauses for literal in clause), default=0), clauses)
    solver = Cadical(clauses, traced=True)
    try:
        assert solver.solve(100_000) is False
        steps = trimmed(solver.trace(), len(clauses))
    finally:
        solver.close()
    return refute(Unsolvable("seats", 0, formula.digest, packed(steps)), formula, dict)


# ---- strict DIMACS, plain LRAT -------------------------------------------------------------------------
def parsed(cnf_text: str) -> list[list[int]]:
    """Strictly: a header with the right numbers, no empty clause, no literal twice, nothing that is true anyway."""
    head, *lines = cnf_text.splitlines()
    letter, kind, variables, many = head.split()
    clauses = [list(map(int, line.split())) for line in lines]
    assert (letter, kind, int(many)) == ("p", "cnf", len(clauses))
    for clause in clauses:
        assert len(clause) > 1
        assert clause[-1] == 0
        assert 0 not in clause[:-1]
        assert len({abs(literal) for literal in clause}) == len(clause)
        assert max(map(abs, clause)) <= int(variables)
    return [clause[:-1] for clause in clauses]


def assert_standard(found: Standard) -> None:
    """By reading it again: numbers that follow, hints that exist and are not deleted, no RAT; and both checkers agree."""
    clauses = parsed(found.cnf)
    there = set(range(1, len(clauses) + 1))
    added, kept = len(clauses), []
    for line in found.lrat.splitlines():
        number, *words = line.split()
        if words[0] == "d":
            gone = set(map(int, words[1:-1]))
            assert int(number) == added
            assert gone <= there
            there -= gone
            continue
        kept.append(line)
        assert int(number) == added + 1
        hints = list(map(int, words[words.index("0") + 1 : -1]))
        assert set(hints) <= there  # none is negative
        added += 1
        there.add(added)
    assert kept[-1].split()[1] == "0"
    assert check(clauses, "".join(f"{line}\n" for line in kept)) == found.steps == len(kept)
    assert is_accepted(found.cnf, found.lrat)


@pytest.mark.parametrize("engine", ["clauses", "sat"])
def test_a_proof_about_a_deal_is_accepted_by_a_checker_that_is_not_ours(engine: LadderEngine) -> None:
    found = accepted(engine).refutation
    assert found is not None
    assert found.steps > 10
    assert_standard(standard(found))


UNSATISFIABLE = [[1, 2], [-1, 2], [1, -2], [-1, -2, 3], [-3, -1], [3, -2, -1]]


def test_clauses_that_are_true_anyway_are_left_out_and_the_proof_renumbered() -> None:
    clauses = [[7, -7], *UNSATISFIABLE[:2], [1, 4, -1], [2, 2, -1], *UNSATISFIABLE[2:], [5, -5, 6]]
    found = standard(refutation(clauses))
    assert found.clauses == len(clauses) - 3
    assert found.numbers == (2, 3, 5, 6, 7, 8, 9)
    assert_standard(found)


def test_an_empty_clause_is_written_as_two_that_no_strict_formula_lacks() -> None:
    """The solver writes no proof where there is nothing to prove; a checker is given one nevertheless."""
    formula = ClauseBuilder(3, [[1, 2], [], [3, -3]])
    found = refute(Unsolvable("unrolled", 0, formula.digest, packed("")), formula, dict)
    assert found.steps == 0
    written = standard(found)
    assert parsed(written.cnf) == [[1, 2], [4], [-4]]
    assert_standard(written)


def literals(most: int) -> st.SearchStrategy[int]:
    return st.integers(1, most).flatmap(lambda variable: st.sampled_from((variable, -variable)))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_we_accept_is_accepted_by_a_checker_that_is_not_ours(data: st.DataObject) -> None:
    """Random formulas, with clauses that are true anyway and literals twice, made unsatisfiable."""
    clauses = data.draw(st.lists(st.lists(literals(6), min_size=1, max_size=4), min_size=2, max_size=12))
    core = data.draw(st.permutations(UNSATISFIABLE))
    at = data.draw(st.lists(st.integers(0, len(clauses)), min_size=len(core), max_size=len(core)))
    for place, clause in zip(at, core, strict=True):
        clauses.insert(place, list(clause))
    assert_standard(standard(refutation(clauses)))


def test_steps_that_are_true_anyway_are_left_out() -> None:
    formula = ClauseBuilder(3, UNSATISFIABLE)
    text = "7 2 0 1 2 0\n8 3 -3 2 0 7 0\n9 1 0 7 3 0\n20 3 0 9 7 4 0\n21 0 9 20 5 0\n"
    found = standard(refute(Unsolvable("seats", 0, formula.digest, packed(text)), formula, dict))
    assert found.steps == 4
    assert_standard(found)


def test_hints_behind_the_contradiction_are_refused() -> None:
    text = "7 2 0 1 2 0\n8 1 0 7 3 0\n9 3 0 8 7 4 0\n10 0 8 9 5 {}0\n"
    assert check(UNSATISFIABLE, text.format("")) == 4
    with pytest.raises(Refused, match="hints follow"):
        check(UNSATISFIABLE, text.format("1 "))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_clauses_about_seats_are_strict_as_they_are_made(players: int) -> None:
    """A verified checker refuses formulas in which a clause is true anyway."""
    for spec in ("base", "avalanche"):
        where = reader(load(spec), players)
        assert where is not None
        position = where.start(shuffled(where.system, players))
        for tokens in (False, True):
            for clause in Seats(position, position.suits * position.ranks, tokens).cnf.clauses:
                assert clause
                assert len({abs(literal) for literal in clause}) == len(clause)


def test_clauses_of_the_rules_unrolled_are_strict_as_they_are_made() -> None:
    system = small_game().system(2)
    faces = shuffled(system, LOST)
    for clause in cnf(system, faces, small_game().start(2, faces).spelt_out, 6, 8).clauses:
        assert clause
        assert len({abs(literal) for literal in clause}) == len(clause)


# ---- corrupted proofs ----------------------------------------------------------------------------------
def corrupted(text: str, rng: Random) -> str:
    lines = text.splitlines()
    place = rng.randrange(len(lines))
    words = lines[place].split()
    match rng.randrange(3):
        case 0:
            del lines[place]
        case 1:
            which = rng.randrange(1, len(words) - 1)
            words[which] = str(rng.choice((-1, 1)) * rng.randint(1, 400))
            lines[place] = " ".join(words)
        case _:
            del words[rng.randrange(1, len(words) - 1)]
            lines[place] = " ".join(words)
    return "".join(f"{line}\n" for line in lines)


def test_no_corrupted_proof_is_accepted_by_us_alone() -> None:
    """Of what is corrupted we refuse nearly everything; the rest is still a proof, as the other checker says, too."""
    found = accepted("clauses").refutation
    assert found is not None
    rng = Random(7)
    refused = 0
    for _ in range(150):
        text = corrupted(found.proof, rng)
        try:
            check(found.clauses, text)
        except Refused:
            refused += 1
        else:
            assert is_accepted(standard(found).cnf, text)
    assert refused > 130


# ---- who is a checker ------------------------------------------------------------------------------------
def test_a_checker_that_is_not_ours_passes_the_examination() -> None:
    ExternalChecker(DRATIFY).examine()


def test_our_own_checker_would_pass_the_examination() -> None:
    for trial in TRIALS:
        clauses = [list(map(int, line.split()))[:-1] for line in trial.cnf.splitlines()[1:]]
        steps = "".join(f"{line}\n" for line in trial.lrat.splitlines() if " d " not in line)
        try:
            check(clauses, steps)
        except Refused:
            assert not trial.right, trial.name
        else:
            assert trial.right, trial.name


def script(tmp_path: Path, text: str) -> str:
    path = tmp_path / "checker"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


sh = pytest.mark.skipif(os.name != "posix", reason="a script of the shell")
YES = "echo 's VERIFIED UNSAT'"


@sh
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (YES, "accepts a proof about a formula that can be met"),
        (f'test -s "$2" && {YES}', "accepts a proof about a formula that can be met"),
        (f'tail -n 1 "$2" | grep -q "^[0-9]* 0" && {YES}', "accepts a proof about a formula that can be met"),
        (
            f'case "$(tail -n 1 "$2")" in *" 0 0"|*77*) exit;; *" 0 "*) {YES};; esac',
            "accepts a proof about a formula that can be met",
        ),
        ("exit 0", "does not accept a right proof: it says `nothing`"),
        ("echo 's NOT VERIFIED'", "does not accept a right proof: it says `s NOT VERIFIED`"),
        (f"{YES}; exit 1", "does not accept a right proof"),
        ("echo 'not s VERIFIED UNSAT at all'", "does not accept a right proof"),
        ("kill -SEGV $$", "ended by signal 11"),
        ("sleep 60", "no end within 1 s"),
        ("printf 's VERIFIED\\033[2J'", r"says `s VERIFIED\x1b[2J`"),
    ],
)
def test_who_is_no_checker_is_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(Unusable) as refused:
        ExternalChecker(script(tmp_path, text), seconds=1).examine()
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("/no/such/program", "cannot be started"),
        ("", "empty"),
        ("'open", "cannot be read"),
        (str(HERE), "cannot be started"),
    ],
)
def test_a_command_that_is_none(command: str, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        ExternalChecker(command).examine()


def test_where_the_files_go() -> None:
    cnf_path, lrat = Path("a b.cnf"), Path("c.lrat")
    assert ExternalChecker("check -q").arguments(cnf_path, lrat) == ["check", "-q", "a b.cnf", "c.lrat"]
    assert ExternalChecker("check --proof={lrat} {cnf} -x").arguments(cnf_path, lrat) == [
        "check",
        "--proof=c.lrat",
        "a b.cnf",
        "-x",
    ]


# ---- the command line ------------------------------------------------------------------------------------
def written(tmp_path: Path, data: dict[str, Any]) -> tuple[str, str, str]:
    path = tmp_path / "evidence.json"
    path.write_text(json.dumps(data))
    return "base", data["deck"], str(path)


def test_export_and_checker(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    told = run("certify", *written(tmp_path, evidence("clauses")), "--export", str(folder), "--checker", DRATIFY)
    assert told.exit_code == 0, told.output
    assert "the other checker accepts the proof, too: s VERIFIED UNSAT" in told.stdout
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "deal-6.cnf", "deal-6.json", "deal-6.lrat"]
    note = json.loads((folder / "deal-6.json").read_text("utf-8"))
    made = evidence("clauses")
    assert {key: note[key] for key in ("spec", "players", "settings", "rules", "deck", "goal")} == {
        key: made[key] for key in ("spec", "players", "settings", "rules", "deck", "goal")
    }
    assert (note["kind"], note["digest"], note["needs"]) == ("seats", made["certificate"]["clauses"], "turns")
    head = (folder / "deal-6.cnf").read_text("ascii").split("\n")[0]
    assert head == f"p cnf {note['formula']['variables']} {note['formula']['clauses']}"
    assert note["variables"]["1"] == "true"
    assert any("r3 is played" in words for words in note["variables"].values())
    assert "DIMACS" in (folder / "README.md").read_text("utf-8")


def test_the_note_names_the_actions_of_the_rules_unrolled(tmp_path: Path) -> None:
    told = run("certify", *written(tmp_path, evidence("sat")), "--export", str(tmp_path))
    assert told.exit_code == 0
    note = json.loads((tmp_path / "deal-6.json").read_text("utf-8"))
    assert (note["kind"], note["needs"]) == ("unrolled", None)
    assert any(words.startswith("step 0: play(Card(0)") or "discard(" in words for words in note["variables"].values())


@pytest.mark.parametrize("data", [lambda: evidence("ladder"), won], ids=["an argument", "a line"])
def test_where_there_is_nothing_to_check(tmp_path: Path, data: Callable[[], dict[str, Any]]) -> None:
    """Arguments and lines are no proofs about clauses."""
    told = run("certify", *written(tmp_path, data()), "--export", str(tmp_path / "none"))
    assert told.exit_code == 0
    assert "nothing for the other checker" in told.stdout
    assert not (tmp_path / "none").exists()


@sh
@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (
            "echo 's NOT VERIFIED'",
            1,
            "refused: our checker accepts the proof, and the other does not; it says: s NOT VERIFIED",
        ),
        ("sleep 60", 3, "it came to no end within 2 s"),
        ("kill -SEGV $$", 3, "it was ended by signal 11"),
    ],
)
def test_what_the_other_checker_may_say(tmp_path: Path, text: str, code: int, said: str) -> None:
    """It does well in the examination, and then otherwise."""
    honest = f'case "$1" in *trial*) exec {DRATIFY} "$1" "$2";; esac'
    command = script(tmp_path, f"{honest}\n{text}")
    told = run("certify", *written(tmp_path, evidence("clauses")), "--checker", command, "--checker-seconds", "2")
    assert (told.exit_code, said in told.stdout) == (code, True), told.output


def test_a_bad_checker_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    told = run("certify", *written(tmp_path, evidence("clauses")), "--checker", "/no/such/program")
    assert told.exit_code == 2
    assert "is no checker to rely on: it cannot be started: no such file or directory" in told.stderr
    told = run("certify", *written(tmp_path, evidence("clauses")), "--checker-says", "yes")
    assert (told.exit_code, "there is none" in told.stderr) == (2, True)


@sh
def test_another_line_of_acceptance(tmp_path: Path) -> None:
    command = script(tmp_path, f'{DRATIFY} "$1" "$2" | sed "s/^s VERIFIED UNSAT/all is well/"')
    args = ("certify", *written(tmp_path, evidence("clauses")), "--checker", command)
    assert run(*args).exit_code == 2
    assert run(*args, "--checker-says", "all is well").exit_code == 0


# ---- many at once ----------------------------------------------------------------------------------------
def lines(*several: dict[str, Any] | str) -> str:
    return "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in several)


def test_many_answers_are_told_in_their_order_and_the_highest_code_counts(tmp_path: Path) -> None:
    several = [{**evidence("ladder", seed), "id": f"deal {seed}"} for seed in range(7)]
    several.insert(2, {**won(), "id": "a deal that can be won"})
    path = tmp_path / "answers.jsonl"
    path.write_text(lines(*several))
    told = run("certify", "base", "--deals", str(path))
    assert told.exit_code == 0, told.output
    *each, summary = told.stdout.splitlines()
    assert [line.split("  ")[0] for line in each] == [one["id"] for one in several]
    assert summary == "accepted 8"
    several[5]["answer"] = "winnable"
    path.write_text(lines(*several[:4], "", *several[4:]))
    told = run("certify", "base", "--deals", str(path), "--deals", str(path), "--json")
    assert told.exit_code == 1
    data = [json.loads(line) for line in told.stdout.splitlines()]
    assert [one["line"] for one in data] == [1, 2, 3, 4, 6, 7, 8, 9] * 2
    assert [one["accepted"] for one in data[:8]] == [one["accepted"] for one in data[8:]]
    assert [one["line"] for one in data[:8] if not one["accepted"]] == [7]
    assert "the line does not end the game" in data[5]["reason"]


def test_a_line_that_cannot_be_read_is_told_with_its_place(tmp_path: Path) -> None:
    good = evidence("clauses")
    text = lines(good, '{"deck": ', {**good, "deck": "r1 r9"}, {**good, "players": 77}, "[]", {"players": 2}, good)
    told = run("certify", "base", "--deals", "-", input=text)
    assert told.exit_code == 2
    assert told.stdout.splitlines()[-1] == "accepted 2  unreadable 5"
    for place in ("<standard input>:2:", "<standard input>, line 3:", "<standard input>:4:", "<standard input>:5:"):
        assert place in told.stderr, told.stderr
    assert run("certify", "base", "--deals", str(tmp_path / "nothing")).exit_code == 2
    assert run("certify", "base", "--deals", "-", input="\n").exit_code == 2
    assert run("certify", "base", good["deck"], "x", "--deals", "-").exit_code == 2
    assert run("certify", "base", good["deck"]).exit_code == 2


def test_many_are_what_winnable_writes(tmp_path: Path) -> None:
    deals = [{"id": seed, "players": 2, "deck": evidence("ladder", seed)["deck"]} for seed in range(4)]
    (tmp_path / "deals.jsonl").write_text(lines(*deals))
    asked = run("winnable", "base", *SMALL, "--deals", str(tmp_path / "deals.jsonl"), "--engine", "clauses", "--json")
    (tmp_path / "answers.jsonl").write_text(asked.stdout)
    folder = tmp_path / "proofs"
    told = run(
        "certify", "base", "--deals", str(tmp_path / "answers.jsonl"), "--export", str(folder), "--checker", DRATIFY
    )
    assert told.exit_code == 0, told.output
    proofs = len(list(folder.glob("*.lrat")))
    assert proofs > 0
    assert told.stdout.splitlines()[-2:] == [
        "accepted 4",
        f"solver's proofs {proofs}, accepted by the other checker {proofs}",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="processes as Linux has them")
@pytest.mark.deep
def test_control_c_tells_what_is_known_and_ends_the_checker(tmp_path: Path) -> None:
    """The second answer is never confirmed; the first is told, and the third, if anybody came to it."""
    command = script(
        tmp_path,
        f"""case "$1" in
      *trial*) exec {DRATIFY} "$1" "$2";;
      *answer-2-*) echo $$ > {tmp_path}/slow; sleep 54321;;
      *answer-3-*) {DRATIFY} "$1" "$2"; touch {tmp_path}/third;;
      *) exec {DRATIFY} "$1" "$2";; esac""",
    )
    path = tmp_path / "answers.jsonl"
    path.write_text(lines(*({**evidence("clauses"), "id": f"number {place}"} for place in range(1, 4))))
    start = "from hanabi_formal.cli.main import main; main()"
    program = [sys.executable, "-c", start, "certify", "base", "--deals", str(path), "--checker", command]
    several = (os.cpu_count() or 1) > 1
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        for awaited in ("slow", "third") if several else ("slow",):
            for _ in range(600):
                if (tmp_path / awaited).exists():
                    break
                time.sleep(0.1)
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        assert running.returncode == 130
    assert [line.split("  ")[0] for line in out.splitlines()[: 1 + several]] == ["number 1", "number 3"][: 1 + several]
    assert f"interrupted: {1 + several} of 3 answers are judged" in err
    slow = Path(f"/proc/{(tmp_path / 'slow').read_text().strip()}/stat")
    assert not slow.exists() or slow.read_text().rpartition(")")[2].split()[0] == "Z"  # ended, though nobody asked how


# ---- a verified checker ------------------------------------------------------------------------------------
@pytest.mark.packages
@pytest.mark.skipif(shutil.which("cake_lpr") is None, reason="cake_lpr is not installed")
@pytest.mark.parametrize("engine", ["clauses", "sat"])
def test_a_verified_checker_accepts_what_we_do(tmp_path: Path, engine: LadderEngine) -> None:
    checker = ExternalChecker("cake_lpr")
    checker.examine()
    told = run("certify", *written(tmp_path, evidence(engine)), "--checker", "cake_lpr", "--export", str(tmp_path))
    assert (told.exit_code, "s VERIFIED UNSAT" in told.stdout) == (0, True), told.output
    text = (tmp_path / "deal-6.lrat").read_text("ascii")
    rng = Random(3)
    agreed = 0
    clauses = parsed((tmp_path / "deal-6.cnf").read_text("ascii"))
    for _ in range(40):
        plain = "".join(f"{line}\n" for line in text.splitlines() if " d " not in line)
        changed = corrupted(plain, rng)
        (tmp_path / "changed.lrat").write_text(changed)
        theirs = checker.check(tmp_path / "deal-6.cnf", tmp_path / "changed.lrat").accepted
        try:
            check(clauses, changed)
        except Refused:
            agreed += not theirs
        else:
            assert theirs
            agreed += 1
    assert agreed > 30


def test_what_a_certificate_carries_is_what_is_exported() -> None:
    found = accepted("clauses").refutation
    assert found is not None
    assert found.proof == unpack(evidence("clauses")["certificate"]["lrat"])

"""A second solver confirms what was proved, from the text of each question and nothing else."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path

import pytest
import z3
from click.testing import CliRunner
from click.testing import Result as Answered

import hanabi_formal
from hanabi_formal.cli.main import cli
from hanabi_formal.compose.settings import Settings
from hanabi_formal.engines.disagreement import Disagreement
from hanabi_formal.prove import recheck
from hanabi_formal.prove.induction.invariants import Claimant
from hanabi_formal.prove.induction.solver_call import ask, serving
from hanabi_formal.prove.obligation import Obligation, ObligationKind, Result, Verdict
from hanabi_formal.prove.recheck import Cvc5, QuestionRecorder, SecondAnswer, SmtQuestion, SolverAnswer, portable
from hanabi_formal.verify.second_solver import (
    CheckedSystem,
    Recheck,
    SecondSolver,
    SolversDisagree,
    confirmation,
    question_name,
)

BOUNDS = Obligation.of(ObligationKind.BOUNDS, "x")
SOLITAIRE = "tests/games/solitaire.hrl"
BASE = CheckedSystem("base", 2, Settings({}, {}, {}))
linux = pytest.mark.skipif(sys.platform != "linux", reason="workers elsewhere know nothing of what is patched here")


def script(*asserted: str) -> str:
    facts = "".join(f"(assert {fact})\n" for fact in asserted)
    return f"(set-logic QF_UFNIA)\n(declare-fun x () Int)\n(declare-fun y () Int)\n{facts}(check-sat)\n"


def invariant(name: str) -> Obligation:
    return Obligation.of(ObligationKind.INVARIANT, name)


def proved(name: str, method: str = "induction") -> Result:
    return Result(invariant(name), Verdict.PROVED, method, players=2)


def check(*args: str) -> Answered:
    return CliRunner().invoke(cli, ["check", *args])


# ---- the solver ------------------------------------------------------------------------------------
def test_its_three_answers() -> None:
    solver = Cvc5()
    assert solver.ask(script("(< x y)", "(< y x)")).answer is SolverAnswer.CONFIRMED
    assert solver.ask(script("(< x y)")).answer is SolverAnswer.REFUTED
    hard = script("(= (* x x x) (+ (* 2 y y y) 4))", "(> x 100)", "(> y 100)")
    assert Cvc5(resources=200).ask(hard) == SecondAnswer(
        SolverAnswer.OPEN, "its budget is spent", Cvc5(200).ask(hard).used
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (script("(< x z)"), "it cannot read the question: Symbol 'z' not declared as a variable"),
        (script("(< x"), "it cannot read the question"),
        ("(set-logic NONSENSE)\n(check-sat)\n", "it cannot read the question"),
        (script().replace("(check-sat)", ""), "the text asks nothing"),
    ],
)
def test_what_it_cannot_read_is_not_confirmed(text: str, why: str) -> None:
    second = Cvc5().ask(text)
    assert second.answer is SolverAnswer.OPEN
    assert second.detail.startswith(why)


def test_what_only_z3_understands_is_written_so_that_all_do() -> None:
    recorder = QuestionRecorder()
    x = z3.Int("x")
    assert ask([z3.Or(x < 3, z3.Or())], z3.And(x < 4, z3.And()), listener=recorder).proved
    (question,) = recorder.questions
    assert question.text.startswith("(set-logic QF_UFNIA)\n(declare-fun x () Int)\n")
    assert Cvc5().ask(question.text).answer is SolverAnswer.CONFIRMED
    assert portable("(assert (and band or))\n") == "(set-logic QF_UFNIA)\n(assert (and band false))\n"


# ---- questions -------------------------------------------------------------------------------------
def test_a_question_knows_what_it_serves() -> None:
    recorder = QuestionRecorder()
    a, b, c, d = map(invariant, "abcd")
    recorder("one", (a, b), "after go")
    other = serving(recorder, c)
    assert other is not None
    other("two", (d,), "at the start")
    assert serving(None, c) is None
    assert [question.number for question in recorder.about(b)] == [1]
    assert [(question.number, question.where) for question in recorder.about(c)] == [(2, "at the start")]
    assert recorder.about(d) == []
    assert question_name(recorder.questions[0]) == "001-after_go-a_and_1_more.smt2"
    assert question_name(SmtQuestion(12, (BOUNDS,), "", "")) == "012-bounds_of_x.smt2"


def test_every_step_has_its_question() -> None:
    recorder = QuestionRecorder()
    compiled = hanabi_formal.load(SOLITAIRE).compiled(None)
    claims = list(Claimant(compiled, recorder).claims())
    actions = [action.name for action in compiled.system.actions]
    for claim in claims:
        if claim.outcome.proved and claim.obligation.kind is ObligationKind.BOUNDS:
            where = [question.where for question in recorder.about(claim.obligation)]
            assert sorted(w for w in where if w in {f"after {a}" for a in actions}) == sorted(
                f"after {a}" for a in actions
            )
    for claim in claims:
        assert not claim.outcome.proved or recorder.about(claim.obligation), claim.obligation
    solver = Cvc5()
    for question in recorder.questions:
        assert question.serves
        assert solver.ask(question.text).answer is SolverAnswer.CONFIRMED, question


# ---- the base game -----------------------------------------------------------------------------------
def induction_steps(players: int) -> QuestionRecorder:
    recorder = QuestionRecorder()
    claims = list(Claimant(hanabi_formal.load("base").compiled(players), recorder).claims())
    assert all(claim.outcome.proved for claim in claims)
    assert all(recorder.about(claim.obligation) for claim in claims)
    return recorder


@pytest.mark.parametrize("players", [2, *(pytest.param(players, marks=pytest.mark.slow) for players in (3, 4, 5))])
def test_every_induction_step_of_the_base_game_is_confirmed(players: int) -> None:
    recorder = induction_steps(players)
    solver = Cvc5()
    seconds = {question.number: solver.ask(question.text) for question in recorder.questions}
    assert len(seconds) > 20
    assert {second.answer for second in seconds.values()} == {SolverAnswer.CONFIRMED}
    assert max(second.used for second in seconds.values()) < recheck.RESOURCES / 5, "there is room to spare"


def test_a_fault_in_a_text_is_noticed() -> None:
    """The same questions without what is claimed: nothing contradicts the assumptions alone."""
    recorder = QuestionRecorder()
    list(Claimant(hanabi_formal.load(SOLITAIRE).compiled(None), recorder).claims())
    solver = Cvc5()
    for question in recorder.questions:
        if question.where.startswith("after ") and "at once" not in question.where:
            claim = question.text.rindex("(assert")
            assert solver.ask(f"{question.text[:claim]}(check-sat)\n").answer is SolverAnswer.REFUTED


# ---- the command line --------------------------------------------------------------------------------
def test_an_obligation_on_the_command_line(tmp_path: Path) -> None:
    answered = check(
        "base", "--players", "2", "--property", "hand_sizes", "--recheck", "cvc5", "--smt-dir", str(tmp_path)
    )
    assert answered.exit_code == 0, answered.output
    assert answered.output.splitlines()[-1].startswith("cvc5 confirms 1 of 1 proved obligations, ")
    files = sorted(tmp_path.rglob("*.smt2"))
    many = int(answered.output.splitlines()[-1].split(", ")[1].split()[0])
    assert len(files) == many >= 3
    for path in files:
        assert path.parent == tmp_path / "base-2"
        text = path.read_text(encoding="utf-8")
        assert text.startswith("; hanabi-formal check base --players 2\n;\n; Question ")
        assert "\n;   hand_sizes\n" in text
        solver = z3.Solver()
        solver.from_string(text)
        assert solver.check() == z3.unsat
    assert any("after_play" in path.name for path in files)


def test_files_without_a_second_solver(tmp_path: Path) -> None:
    answered = check(SOLITAIRE, "--property", "too_high", "--smt-dir", str(tmp_path))
    assert answered.exit_code == 0
    assert "cvc5" not in answered.output
    assert list(tmp_path.rglob("*too_high*.smt2"))


def test_in_json() -> None:
    answered = check(SOLITAIRE, "--property", "too_high", "--recheck", "cvc5", "--json")
    (obligation,) = json.loads(answered.stdout)["obligations"]
    assert obligation["rechecked"] == "cvc5"
    assert "unconfirmed" not in obligation
    answered = check(SOLITAIRE, "--property", "twelve", "--recheck", "cvc5", "--json")
    (obligation,) = json.loads(answered.stdout)["obligations"]
    assert "rechecked" not in obligation, "arithmetic is no question for a solver"


@linux
def test_unconfirmed_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cvc5, "ask", lambda self, text: SecondAnswer(SolverAnswer.OPEN, "its budget is spent"))
    asked = (SOLITAIRE, "--property", "too_high", "--recheck", "cvc5")
    answered = check(*asked)
    assert answered.exit_code == 3
    *_, reason, last = answered.output.splitlines()
    assert reason.startswith(f"cvc5 does not confirm `too_high` of {SOLITAIRE}: question ")
    assert reason.endswith(": its budget is spent")
    assert last == "cvc5 confirms 0 of 1 proved obligations, 1 question"
    (obligation,) = json.loads(check(*asked, "--json").stdout)["obligations"]
    assert obligation["rechecked"] is None
    assert obligation["unconfirmed"].endswith("its budget is spent")


@linux
def test_solvers_that_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cvc5, "ask", lambda self, text: SecondAnswer(SolverAnswer.REFUTED))
    asked = (SOLITAIRE, "--property", "too_high", "--recheck", "cvc5")
    answered = check(*asked)
    assert answered.exit_code == 4
    assert "error: our solvers disagree: whether the question is satisfiable\n  Z3 " in answered.stderr
    assert f"its text:    hanabi-formal check {SOLITAIRE} --property too_high --smt-dir DIR" in answered.stderr
    told = json.loads(check(*asked, "--json").stdout)["disagreement"]
    assert list(told["answers"].values()) == ["unsat", "sat"]
    assert told["obligations"] == ["too_high"]
    assert "(check-sat)" in told["text"]


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(recheck, "import_module", missing)
    answered = check("base", "--players", "2", "--recheck", "cvc5")
    assert answered.exit_code == 2
    assert "`--recheck cvc5` needs the Python package `cvc5`, which is not installed" in answered.stderr
    assert "pip install 'hanabi-formal[cvc5]'" in answered.stderr
    assert check("base", "--recheck", "other").exit_code == 2


# ---- one result at a time ------------------------------------------------------------------------------
def test_each_question_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(self: Cvc5, text: str) -> SecondAnswer:
        asked.append(text)
        return SecondAnswer(SolverAnswer.CONFIRMED)

    monkeypatch.setattr(Cvc5, "ask", counted)
    second = SecondSolver(BASE, "cvc5", None)
    assert second.recorder is not None
    second.recorder("(assert false)\n(check-sat)\n", (invariant("a"), invariant("b")), "after go")
    second.recorder("(assert (< 1 0))\n(check-sat)\n", (invariant("b"),), "after stay")
    assert second.of(proved("a")) == Recheck("cvc5", (1,))
    assert second.of(proved("b")) == Recheck("cvc5", (1, 2))
    assert len(asked) == 2


def test_what_left_no_question_is_not_confirmed() -> None:
    second = SecondSolver(BASE, "cvc5", None)
    assert second.of(proved("a")) == Recheck("cvc5", (), "no question is on record")
    assert second.of(proved("a", "arithmetic")) is None
    assert second.of(Result(invariant("a"), Verdict.REACHED, "game")) is None


def test_what_was_refuted_by_a_proof_is_rechecked_too() -> None:
    never = Obligation.of(ObligationKind.END, "never")
    second = SecondSolver(BASE, "cvc5", None)
    assert second.recorder is not None
    second.recorder("(assert false)\n(check-sat)\n", (never,), "after go")
    assert second.of(Result(never, Verdict.REFUTED, "induction")) == Recheck("cvc5", (1,))
    assert second.of(Result(never, Verdict.UNDECIDED, "induction")) is None


def test_nothing_is_recorded_unasked() -> None:
    second = SecondSolver(BASE, None, None)
    assert second.recorder is None
    assert second.of(proved("a")) is None


def test_the_summary_counts_questions_of_different_systems_apart() -> None:
    found = [
        ("base", proved("a"), Recheck("cvc5", (1, 2))),
        ("base", proved("b"), Recheck("cvc5", (2,))),
        ("nl", proved("a"), Recheck("cvc5", (1,))),
    ]
    assert confirmation(found, 3) == ["cvc5 confirms 3 of 3 proved obligations, 3 questions"]
    assert confirmation(found, 5) == [
        "cvc5 confirms 3 of 3 proved obligations, 3 questions; 2 more by arithmetic or from the text"
    ]
    assert confirmation([], 2) == []


def test_a_disagreement_survives_the_journey_from_a_worker() -> None:
    subject = CheckedSystem(
        "mine/a.hrl+b", 3, Settings({"players": 3, "size": 4}, {"open": "yes"}, {"Suit": ("red", "blue")})
    )
    question = SmtQuestion(1, (BOUNDS,), "after go", "text")
    problem = SolversDisagree({"Z3": "unsat", "cvc5": "sat"}, subject, question)
    copy = pickle.loads(pickle.dumps(problem))
    assert (str(copy), copy.data) == (str(problem), problem.data)
    assert isinstance(copy, SolversDisagree)
    assert issubclass(SolversDisagree, Disagreement), "told by the same way out of the program"
    assert copy.command == (
        "hanabi-formal check mine/a.hrl+b --players 3 --set size=4 --ruling open=yes --set Suit=red,blue"
        " --property 'bounds of x' --smt-dir DIR"
    )
    assert subject.folder == "a+b-3"

"""Solver's proofs about lost deals, given to somebody else's checker; and corrupted ones, to that and to ours.

    python bench/checkers.py COMMAND --keep FOLDER [--known FILE] [--others 100] [--corrupted 100] [--effort N]

COMMAND is a checker as `certify --checker` takes it (`cake_lpr`). FILE has known deals, a JSON object a line with
`players`, `deck` and `answer`; all that are `unwinnable` are asked about. The others are random deals of several
specifications, whole ones and games that had begun, until there are as many proofs, shared out among all kinds of
clauses. What is found is kept in FOLDER, so that a run that was stopped goes on where it was; one table is printed.

A corrupted proof differs from an accepted one in one place. If both checkers accept it, it is still a proof. If they
differ, it is kept and told.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from hanabi_formal.api import Game, State, load
from hanabi_formal.formats.deals import parse_deal, shuffled
from hanabi_formal.formats.storage import write_atomically
from hanabi_formal.judge.arguments.position import Position, PositionReader, reader
from hanabi_formal.judge.evidence import judge
from hanabi_formal.judge.refutations.export import About, Exported, export
from hanabi_formal.judge.refutations.lrat import Refused, check
from hanabi_formal.judge.refutations.other_checkers import CheckerVerdict, ExternalChecker
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.winnability.answer import LadderBudget
from hanabi_formal.winnability.deal_report import DealReport
from hanabi_formal.winnability.ladder import LadderEngine
from hanabi_formal.winnability.oracle import Oracle

SPEC_OF = {50: "base", 55: "avalanche"}
KINDS = ("seats", "spending", "tokens", "unrolled")
SOURCES: tuple[tuple[str, dict[str, str], LadderEngine], ...] = (
    ("base", {}, "clauses"),
    ("avalanche", {}, "clauses"),
    ("rainbow", {}, "clauses"),
    ("nl", {}, "clauses"),
    ("fi", {}, "clauses"),
    ("hanab_live", {}, "clauses"),
    ("base", {"discard_at_full": "allowed"}, "clauses"),
    ("base", {"take_token": "may"}, "clauses"),
    ("base", {}, "sat"),
    ("nl+rainbow", {}, "sat"),
)
MOST_STEPS = 60_000
"""Longer proofs are left to the known deals, and those of one step to nobody."""


@dataclass(frozen=True)
class Question:
    """A deal, or a game of it that had begun, to be denied with a solver's proof."""

    key: str
    spec: str
    rulings: tuple[tuple[str, str], ...]
    players: int
    faces: tuple[int, ...]
    before: tuple[Instance, ...]
    engine: LadderEngine


@cache
def oracle(spec: str, rulings: tuple[tuple[str, str], ...], engine: LadderEngine, effort: int) -> Oracle:
    usual = LadderBudget(widths=(10,), wider=())
    budget = LadderBudget((10,), (), usual.conflicts * effort, usual.general_conflicts * effort)
    return Oracle(load(spec, rulings=dict(rulings)), engine, budget)


def known_questions(path: Path) -> Iterator[Question]:
    for line in path.read_text("utf-8").splitlines():
        data = json.loads(line)
        if data["answer"] == "unwinnable":
            spec = SPEC_OF[len(data["deck"].split())]
            faces = parse_deal(data["deck"], load_game(spec).system(data["players"]))
            yield Question(str(data["id"]), spec, (), data["players"], tuple(faces), (), "clauses")


@cache
def load_game(spec: str) -> Game:
    return load(spec)


def other_questions() -> Iterator[Question]:
    """Without end: random deals; of most of them a game that was begun with little skill."""
    seed = 0
    while True:
        for spec, chosen, engine in SOURCES:
            seed += 1
            rng = Random(seed)
            players = rng.randint(2, 5)
            rulings = tuple(chosen.items())
            game = oracle(spec, rulings, engine, 1).game
            faces = tuple(shuffled(game.system(players), seed))
            where = reader(game, players)
            assert where is not None
            whole = engine == "clauses" and seed % 8 == 0
            before = () if whole else tuple(begun(game.start(players, faces), where, rng, engine))
            yield Question(f"{spec}-{players}p-{seed}", spec, rulings, players, faces, before, engine)


def begun(state: State, where: PositionReader, rng: Random, engine: LadderEngine) -> Iterator[Instance]:
    """Hints while there are tokens, cards that fit, and no card let go that is needed, until there is hardly time left.

    For the rules unrolled, nearly to the last card.
    """
    spare, most = rng.randint(0, 2), where.start(state.dealt[0]).suits * 5
    while state.ended is None:
        position = where.read(state)
        left = len(position.faces) - position.drawn
        if left <= 2 or (engine == "clauses" and sum(position.heights) + left + position.players - most <= spare):
            return
        legal = [action for action in state.legal() if action.name in ("play", "discard", "hint")]
        options = [action for action in legal if action.name == "hint"]
        if not options or rng.random() < 0.4:
            fits = [a for a in legal if a.name == "play" and state.step(a).score > state.score]
            options = fits or [a for a in legal if a.name == "discard" and may_go(position, a.args[0])] or options
        if not options:
            return
        action = rng.choice(options)
        state = state.step(action)
        if state.ended is None:
            yield action


def may_go(position: Position, card: int) -> bool:
    """Is the card played already, or is there another like it?"""
    face = position.faces[card]
    return position.is_played(face) or len(position.copies[face]) > 1


class Study:
    def __init__(self, checker: ExternalChecker, folder: Path, effort: int) -> None:
        self.checker = checker
        self.folder = folder
        self.effort = effort
        self.path = folder / "results.jsonl"
        self.results: dict[str, dict[str, Any]] = {}
        if self.path.exists():
            for line in self.path.read_text("utf-8").splitlines():
                found = json.loads(line)
                if found["group"] != "known" or "accepted" in found:  # what was undecided may be asked with more effort
                    self.results[found["key"]] = found

    def note(self, **found: Any) -> dict[str, Any]:
        self.results[found["key"]] = found
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(found) + "\n")
        shown = {name: value for name, value in found.items() if name not in ("key", "group") and value != ""}
        print(f"{found['group']:9}  {found['key']:32}  " + "  ".join(f"{n} {v}" for n, v in shown.items()), flush=True)
        return found

    # ---- proofs ----------------------------------------------------------------------------------
    def proof(self, group: str, question: Question) -> dict[str, Any]:
        """Found, accepted by us, and given to the other checker."""
        if question.key in self.results:
            return self.results[question.key]
        asked = oracle(question.spec, question.rulings, question.engine, self.effort)
        began = time.perf_counter()
        answer = asked.ask(question.players, question.faces, question.before, name=question.key)
        found = time.perf_counter()
        about = {
            "key": question.key,
            "group": group,
            "spec": question.spec,
            "players": question.players,
            "kind": answer.answer.method,
            "verdict": answer.answer.verdict,
        }
        if answer.answer.verdict != "unwinnable":
            return self.note(**about)
        evidence = json.loads(json.dumps(DealReport(asked, answer).evidence()))
        started = time.perf_counter()
        accepted = judge(asked.game, question.players, question.faces, evidence)
        judged = time.perf_counter()
        assert accepted.refutation is not None
        steps = accepted.refutation.steps
        if group == "other" and (not 1 < steps < MOST_STEPS or self.full(answer.answer.method)):
            return self.note(**{**about, "group": "left out"}, steps=steps)
        subject = About(asked.game, question.players, question.faces, evidence.get("after", ()))
        files = export(self.folder / "proofs", question.key, subject, accepted, accepted.refutation)
        verdict = self.checker.check(files.cnf, files.lrat)
        return self.note(
            **about,
            clauses=len(accepted.refutation.clauses),
            steps=steps,
            accepted=verdict.accepted,
            said=verdict.said if not verdict.accepted else "",
            found=round(found - began, 2),
            ours=round(judged - started, 2),
            theirs=round(verdict.seconds, 2),
        )

    def full(self, kind: str) -> bool:
        """Are there enough of this kind?"""
        return sum(1 for one in self.proofs("other") if one["kind"] == kind) >= self.quota

    quota = 25

    def proofs(self, *groups: str) -> list[dict[str, Any]]:
        return [found for found in self.results.values() if found["group"] in groups and "accepted" in found]

    def others(self, many: int) -> None:
        self.quota = -(-many // len(KINDS))
        for question in other_questions():
            if len(self.proofs("other")) >= many:
                return
            if not (question.engine == "sat" and self.full("unrolled")):
                self.proof("other", question)

    # ---- corrupted proofs ------------------------------------------------------------------------
    def corrupt(self, many: int) -> None:
        """One corruption after the other, until so many were refused by both."""
        sources = sorted(found["key"] for found in self.proofs("known", "other") if found["steps"] <= MOST_STEPS)
        seed = 0
        while sources and self.refused_by_both() < many:
            seed += 1
            rng = Random(seed)
            key = f"corrupted-{seed}"
            if key not in self.results:
                self.corrupted(key, rng.choice(sources), rng)

    def refused_by_both(self) -> int:
        corrupted = (one for one in self.results.values() if one["group"] == "corrupted")
        return sum(1 for one in corrupted if not one["ours"] and not one["theirs"])

    def corrupted(self, key: str, source: str, rng: Random) -> None:
        proofs = self.folder / "proofs"
        clauses = (proofs / f"{source}.cnf").read_text("ascii").splitlines()[1:]
        steps = (proofs / f"{source}.lrat").read_text("ascii").splitlines()
        name, corruption = rng.choice(CORRUPTIONS)
        corruption(clauses, steps, rng)
        variables = max(abs(int(word)) for clause in clauses for word in clause.split())
        files = Exported(self.folder / "corrupted.cnf", self.folder / "corrupted.lrat")
        write_atomically(files.cnf, "\n".join([f"p cnf {variables} {len(clauses)}", *clauses, ""]))
        write_atomically(files.lrat, "".join(f"{step}\n" for step in steps))
        ours, said = self.by_us(clauses, steps)
        theirs: CheckerVerdict = self.checker.check(files.cnf, files.lrat)
        if ours != theirs.accepted:
            for path in (files.cnf, files.lrat):
                path.rename(self.folder / f"{key}{path.suffix}")
        self.note(
            key=key,
            group="corrupted",
            of=source,
            how=name,
            ours=ours,
            theirs=theirs.accepted,
            said=f"{said} / {theirs.said}" if ours != theirs.accepted else "",
        )

    @staticmethod
    def by_us(clauses: Sequence[str], steps: Sequence[str]) -> tuple[bool, str]:
        """Our checker knows no deletions: it keeps all clauses."""
        literals = [[int(word) for word in clause.split()[:-1]] for clause in clauses]
        try:
            check(literals, "".join(f"{step}\n" for step in steps if " d " not in step))
        except Refused as refused:
            return False, str(refused)
        return True, "accepted"


# ---- how to corrupt ------------------------------------------------------------------------------------
Corruption = Callable[[list[str], list[str], Random], None]


def place_of(steps: list[str], rng: Random) -> int:
    return rng.choice([place for place, step in enumerate(steps) if " d " not in step])


def parts(step: str) -> tuple[str, list[str], list[str]]:
    number, *words = step.split()
    middle = words.index("0")
    return number, words[:middle], words[middle + 1 : -1]


def joined(number: str, literals: Sequence[str], hints: Sequence[str]) -> str:
    return " ".join([number, *literals, "0", *hints, "0"])


def without_a_step(clauses: list[str], steps: list[str], rng: Random) -> None:
    del steps[place_of(steps, rng)]


def without_a_hint(clauses: list[str], steps: list[str], rng: Random) -> None:
    place = place_of(steps, rng)
    number, literals, hints = parts(steps[place])
    del hints[rng.randrange(len(hints))]
    steps[place] = joined(number, literals, hints)


def another_hint(clauses: list[str], steps: list[str], rng: Random) -> None:
    place = place_of(steps, rng)
    number, literals, hints = parts(steps[place])
    hints[rng.randrange(len(hints))] = str(rng.randint(1, int(number) - 1))
    steps[place] = joined(number, literals, hints)


def a_literal_less(clauses: list[str], steps: list[str], rng: Random) -> None:
    place = rng.choice([place for place, step in enumerate(steps) if " d " not in step and parts(step)[1]])
    number, literals, hints = parts(steps[place])
    del literals[rng.randrange(len(literals))]
    steps[place] = joined(number, literals, hints)


def a_literal_turned(clauses: list[str], steps: list[str], rng: Random) -> None:
    place = rng.choice([place for place, step in enumerate(steps) if " d " not in step and parts(step)[1]])
    number, literals, hints = parts(steps[place])
    which = rng.randrange(len(literals))
    literals[which] = str(-int(literals[which]))
    steps[place] = joined(number, literals, hints)


def cut_off(clauses: list[str], steps: list[str], rng: Random) -> None:
    del steps[place_of(steps, rng) :]


def a_weaker_clause(clauses: list[str], steps: list[str], rng: Random) -> None:
    """The formula says less: one of the clauses that the proof uses has a literal more, a new one."""
    used = {int(hint) for step in steps if " d " not in step for hint in parts(step)[2]}
    number = rng.choice([one for one in sorted(used) if one <= len(clauses)])
    new = max(abs(int(word)) for clause in clauses for word in clause.split()) + 1
    clauses[number - 1] = f"{new} {clauses[number - 1]}"


def a_clause_turned(clauses: list[str], steps: list[str], rng: Random) -> None:
    used = {int(hint) for step in steps if " d " not in step for hint in parts(step)[2]}
    number = rng.choice([one for one in sorted(used) if one <= len(clauses)])
    words = clauses[number - 1].split()
    which = rng.randrange(len(words) - 1)
    words[which] = str(-int(words[which]))
    clauses[number - 1] = " ".join(words)


CORRUPTIONS: tuple[tuple[str, Corruption], ...] = (
    ("a step less", without_a_step),
    ("a hint less", without_a_hint),
    ("another hint", another_hint),
    ("a literal less", a_literal_less),
    ("a literal turned", a_literal_turned),
    ("cut off", cut_off),
    ("a weaker clause", a_weaker_clause),
    ("a clause turned", a_clause_turned),
)


# ---- the table -----------------------------------------------------------------------------------------
def table(study: Study) -> Iterator[str]:
    yield "| proofs | accepted by us | by the other checker | steps, median and most | seconds of ours, of theirs |"
    yield "|---|---|---|---|---|"
    proofs = study.proofs("known", "other")
    rows = [("known lost deals", [p for p in proofs if p["group"] == "known"])]
    rows += [(f"others, {kind}", [p for p in proofs if p["group"] == "other" and p["kind"] == kind]) for kind in KINDS]
    for name, several in rows:
        if several:
            steps = sorted(p["steps"] for p in several)
            taken = f"{sum(p['ours'] for p in several):.1f}, {sum(p['theirs'] for p in several):.1f}"
            yield (
                f"| {name} | {len(several)} | {sum(p['accepted'] for p in several)} |"
                f" {steps[len(steps) // 2]:,}, {steps[-1]:,} | {taken} |"
            )
    missing = [one["key"] for one in study.results.values() if one["group"] == "known" and "accepted" not in one]
    yield f"known deals without a solver's proof: {', '.join(missing) or 'none'}"
    specs = Counter(f"{p['spec']}" for p in proofs)
    counts = Counter(p["players"] for p in proofs)
    yield "of " + ", ".join(f"{spec} {many}" for spec, many in specs.most_common())
    yield "players " + ", ".join(f"{players}: {many}" for players, many in sorted(counts.items()))
    yield ""
    yield "| corrupted | refused by both | still a proof | only ours refuses | only the other refuses |"
    yield "|---|---|---|---|---|"
    corrupted = [one for one in study.results.values() if one["group"] == "corrupted"]
    for how in (*(name for name, _ in CORRUPTIONS), "all"):
        several = [one for one in corrupted if how in (one["how"], "all")]
        said = Counter((one["ours"], one["theirs"]) for one in several)
        cells = (said[False, False], said[True, True], said[False, True], said[True, False])
        yield f"| {how} | {' | '.join(map(str, cells))} |"
    for one in corrupted:
        if one["ours"] != one["theirs"]:
            yield f"{one['key']}, {one['how']}, of {one['of']}: {one['said']}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checker", metavar="COMMAND")
    parser.add_argument("--keep", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--known", type=Path, metavar="FILE")
    parser.add_argument("--others", type=int, default=100)
    parser.add_argument("--corrupted", type=int, default=100)
    parser.add_argument("--effort", type=int, default=1, help="times the usual number of conflicts")
    args = parser.parse_args()
    checker = ExternalChecker(args.checker)
    checker.examine()
    study = Study(checker, args.keep, args.effort)
    for question in known_questions(args.known) if args.known is not None else ():
        study.proof("known", question)
    study.others(args.others)
    study.corrupt(args.corrupted)
    print("\n".join(table(study)))


if __name__ == "__main__":
    main()

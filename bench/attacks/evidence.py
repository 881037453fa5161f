"""Evidence about deals: honest, tampered, borrowed from other deals and other rules, and made to order.

What is true of a deal is known from every game there is of it (`grounds.py`). Evidence that a deal cannot be won is
wrong if some game has the points; a line is played once more by the interpreter alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from attacks import mutate
from attacks.forged import forged_argument, forged_clauses
from attacks.grounds import UNKNOWN, Action, Ground, grounds
from attacks.harness import Case, Differs, WrongAcceptance
from attacks.program import Accepted, Refused, judged, needs_are_remembered, rules_hash, verb
from hanabi_formal.api import Game
from hanabi_formal.formats.hanab_live.recorder import ActionRecorder
from hanabi_formal.formats.hanab_live.records import ActionKind, RecordedAction
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.run.faults import Fault, IllegalAction

DEALS, WHOLE_DEALS, SOLVED_DEALS = 24, 12, 6
FEW_GROUNDS, NUMBERS_A_GROUND = 2, 400
"""A short run knows few games, because what each of them needs is proved once in a process."""
KINDS = ("argument", "displays", "few", "seats", "spending", "tokens", "unrolled")


class Attack:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.grounds = grounds(folder)
        self._hashes: dict[str, str] = {}
        needs_are_remembered(self._named, {})

    def _named(self, game: Game) -> str:
        return f"{game.merged.composition.spec} {game.settings}"

    def case(self, number: int, random: Random) -> Case:
        known = self.grounds[: FEW_GROUNDS + number // NUMBERS_A_GROUND]
        ground = random.choice(known)
        seed = _some_deal(random, ground)
        make = random.choices(
            (
                self._honest,
                self._tampered,
                self._of_another_deal,
                self._of_other_rules,
                self._argued,
                self._solved,
                self._line,
                self._best,
                self._begun,
                self._told,
                self._command_line,
            ),
            (2, 12, 6, 8, 10, 6, 6, 4, 4, 1, 0.05),
        )[0]
        if make == self._solved:  # a proof takes long to make, so there are fewer of them
            seed %= SOLVED_DEALS
        how, data = make(random, ground, seed, known)
        if how == "command line":
            return Case(how, [ground.name, seed, data], lambda: self._certified(ground, seed, data))
        return Case(how, [ground.name, seed, data], lambda: self._judged(ground, seed, data, how == "honest"))

    # ---- made --------------------------------------------------------------------------------------------
    def _honest(self, random: Random, ground: Ground, seed: int, known: list[Ground]) -> tuple[str, Any]:
        return "honest", ground.honest(seed)

    def _tampered(self, random: Random, ground: Ground, seed: int, known: list[Ground]) -> tuple[str, Any]:
        return "tampered", mutate.data(random, ground.honest(seed))

    def _of_another_deal(self, random: Random, ground: Ground, seed: int, known: list[Ground]) -> tuple[str, Any]:
        other = ground.honest(_some_deal(random, ground))
        return "of another deal", {key: value for key, value in other.items() if key != "deck"}

    def _of_other_rules(self, random: Random, ground: Ground, seed: int, known: list[Ground]) -> tuple[str, Any]:
        """What is right under other rules about the very same cards."""
        other = random.choice(known)
        found = dict(other.honest(seed))
        found |= random.choice(({"rules": None}, {"rules": self._hash(ground)}, {}))
        if found.get("rules") is None:
            del found["rules"]
        if random.random() < 0.5:
            found.pop("deck")
        return "of other rules", found

    def _argued(self, random: Random, ground: Ground, seed: int, known: list[Ground]) -> tuple[str, Any]:
        goal, certificate = forged_argument(random, ground, seed)
        return "argued", self._claim(ground, goal, certificate)

    def _solved(self, random: Random, ground: Ground, seed: int, known: list[Ground]) -> tuple[str, Any]:
        """A solver's proof about almost the same position, goal or horizon; sometimes with the digest of this one."""
        if not ground.cuts:
            return self._tampered(random, ground, seed, known)
        goal, certificate = forged_clauses(random, ground, seed)
        if random.random() < 0.2:
            certificate = {**certificate, "kind": random.choice(KINDS)}
        return "solved", self._claim(ground, goal, certificate)

    def _line(self, random: Random, ground: Ground, seed: int, known: list[Ground]) -> tuple[str, Any]:
        """A line with actions changed, or of another deal, said to have more than it has."""
        found = dict(ground.honest(seed))
        best = found.get("best")
        line = found.get("line") or (best.get("line") if isinstance(best, dict) else None) or []
        changed = mutate.data(random, line) if random.random() < 0.8 else line
        claim = {"answer": "winnable", "line": changed, "goal": found["goal"] - random.choice((0, 0, 1, 2, -1))}
        return "line", claim if random.random() < 0.9 else {**claim, "goal": random.choice(mutate.ODD_VALUES)}

    def _best(self, random: Random, ground: Ground, seed: int, known: list[Ground]) -> tuple[str, Any]:
        """Another deal's best score, or what is beyond it, under this one's maximum."""
        found, other = dict(ground.honest(seed)), ground.honest(_some_deal(random, ground))
        if "best" in other:
            best = dict(other["best"])
            if random.random() < 0.5:
                best["goal"] = best["goal"] + random.choice((-1, 1))
            if random.random() < 0.3:
                best["beyond"] = random.choice((found.get("best", {}).get("beyond"), found, None, best))
            found["best"] = best
        return "best", found

    def _begun(self, random: Random, ground: Ground, seed: int, known: list[Ground]) -> tuple[str, Any]:
        """About a game that had begun: some actions of a line, then what is right of the whole deal, or another's."""
        found = dict(ground.honest(random.choice((seed, _some_deal(random, ground)))))
        mine = ground.honest(seed)
        best = mine.get("best")
        line = mine.get("line") or (best.get("line") if isinstance(best, dict) else None) or []
        after = list(line[: random.randrange(len(line) + 1)])
        if random.random() < 0.3:
            after = mutate.data(random, after)
        found |= {"after": after}
        found.pop("deck", None)
        if random.random() < 0.5:
            goal, certificate = forged_argument(random, ground, seed)
            found |= self._claim(ground, goal, certificate)
        return "begun", found

    def _told(self, random: Random, ground: Ground, seed: int, known: list[Ground]) -> tuple[str, Any]:
        return "told", random.choice((*mutate.ODD_VALUES, {"answer": random.choice(mutate.ODD_VALUES)}))

    def _command_line(self, random: Random, ground: Ground, seed: int, known: list[Ground]) -> tuple[str, Any]:
        text = json.dumps(ground.honest(seed))
        return "command line", random.choice((text, mutate.text(random, text), mutate.deep_text(random)))

    def _claim(self, ground: Ground, goal: int, certificate: Any) -> dict[str, Any]:
        return {"rules": self._hash(ground), "answer": "unwinnable", "goal": goal, "certificate": certificate}

    def _hash(self, ground: Ground) -> str:
        if ground.name not in self._hashes:
            self._hashes[ground.name] = rules_hash(ground.game, ground.players)
        return self._hashes[ground.name]

    # ---- judged ------------------------------------------------------------------------------------------
    def _judged(self, ground: Ground, seed: int, data: Any, honest: bool) -> bool:
        if not isinstance(data, Mapping):
            return False
        many = 0
        try:
            for accepted in judged(ground.game, ground.players, ground.faces(seed), data):
                many += 1
                self._is_true(ground, seed, data, accepted)
        except Refused as refused:
            if honest and data.get("answer") != "undecided" and not _is_open(data):
                raise Differs(f"what the program itself said is refused: {refused}") from None
            if not many:
                raise
        return True

    def _is_true(self, ground: Ground, seed: int, data: Mapping[str, Any], accepted: Any) -> None:
        before = _actions(ground, data.get("after", []))
        best = ground.best(seed, before)
        told = f"{accepted} of {ground.name}, deal {seed}"
        if accepted.answer == "winnable":
            line = data.get("line") if accepted.goal == data.get("goal", accepted.maximum) else None
            if line is not None and data.get("answer") == "winnable":
                self._is_played(ground, seed, [*before, *_actions(ground, line)], accepted.goal)
            if best is None or (best != UNKNOWN and best < accepted.goal):
                raise WrongAcceptance(f"{told}: no game has more than {best}")
        elif best is not None and best >= accepted.goal:
            raise WrongAcceptance(f"{told}: there is a game with {best} points")

    @staticmethod
    def _is_played(ground: Ground, seed: int, actions: list[Action], goal: int) -> None:
        interpreter, faces = ground.game.compiled(ground.players).interpreter, ground.faces(seed)
        state = interpreter.start(faces)
        try:
            for name, args in actions:
                state = interpreter.step(state, faces, Instance(name, args)).after
        except (IllegalAction, Fault) as problem:
            raise WrongAcceptance(f"the interpreter does not play the line: {problem}") from None
        if not state.end or interpreter.score(state, faces) < goal:
            raise WrongAcceptance(f"the interpreter's game has not ended with {goal} points")

    def _certified(self, ground: Ground, seed: int, text: str) -> bool:
        """The whole command, with a file."""
        path = self.folder / "evidence.json"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        sets = [f"{name}={','.join(values)}" for name, values in ground.cuts.items()]
        sets += [f"{name}={value}" for name, value in ground.params.items()]
        rulings = [f"{name}={value}" for name, value in ground.rulings.items()]
        args = ["certify", ground.spec, ground.game.start(ground.players, ground.faces(seed)).deal, str(path), "--json"]
        args += ["--players", str(ground.players), *(word for one in sets for word in ("--set", one))]
        answered = verb(*args, *(word for one in rulings for word in ("--ruling", one)))
        if answered.code == 0:
            found = json.loads(answered.out)
            if found["settings"] == ground.game.settings.with_params(players=ground.players).data:
                for each in found["answers"]:
                    accepted = Accepted(each["answer"], each["goal"], each["maximum"], (), each["after"])
                    self._is_true(ground, seed, json.loads(text), accepted)
        return answered.code == 0


def _some_deal(random: Random, ground: Ground) -> int:
    return random.randrange(DEALS if ground.cuts else WHOLE_DEALS)


def _is_open(data: Mapping[str, Any]) -> bool:
    best = data.get("best")
    return isinstance(best, Mapping) and best.get("answer") == "undecided"


def _actions(ground: Ground, listed: Any) -> list[Action]:
    """Actions of evidence that was accepted."""
    recorder = ActionRecorder(ground.game.system(ground.players))
    found: list[Action] = []
    for data in listed:
        if "type" in data:
            taken = recorder.played(RecordedAction(ActionKind(data["type"]), data["target"], data["value"]))
            assert taken is not None
            found.append(taken)
        else:
            found.append(Instance(data["action"], tuple(data["args"])))
    return found

"""Proofs that clauses cannot be met: right ones, tampered ones, ones of what can be met, and packed texts.

Formulas are so small that all assignments can be tried, each assignment a bit of one long number. A proof that is
accepted must be of clauses that cannot be met, and every step of it must follow by unit propagation from what is
before it, by a checker written here that looks at no hints.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

from attacks import mutate
from attacks.harness import Case, Differs, WrongAcceptance
from attacks.program import check_proof, solver_proof, unpack_proof

Clauses = list[list[int]]
MOST_VARIABLES = 7
POOL = 3000
BOMB = 1 << 23
SIGNS = ("+1", "1_0", "\u0661", "0x1", "1.0", "--1", "d", "c", "-0", "9" * 5000, "1e3", "\x00", "∞", "l", "")


class Attack:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def case(self, number: int, random: Random) -> Case:
        make = random.choices(
            (self._honest, self._tampered, self._of_another, self._made_up, self._packed), (1, 8, 6, 6, 3)
        )[0]
        return make(random)

    def _honest(self, random: Random) -> Case:
        clauses, proof = unsolvable(random.randrange(POOL))

        def ask() -> bool:
            if not accepted(clauses, proof):
                raise Differs("the proof of the solver is refused")
            return True

        return Case("honest", [clauses, proof], ask)

    def _tampered(self, random: Random) -> Case:
        clauses, proof = unsolvable(random.randrange(POOL))
        changed = _tampered(random, proof, len(clauses))
        return Case("tampered", [clauses, changed], lambda: accepted(clauses, changed))

    def _of_another(self, random: Random) -> Case:
        """The formula is weakened, or another altogether; most can be met."""
        clauses, proof = unsolvable(random.randrange(POOL))
        others = [list(clause) for clause in clauses]
        for _ in range(random.randrange(1, 3)):
            at = random.randrange(len(others))
            match random.randrange(4):
                case 0:
                    others[at] = [*others[at], random.choice((-1, 1)) * random.randrange(1, MOST_VARIABLES + 2)]
                case 1:
                    others[at] = [-literal for literal in others[at]]
                case 2:
                    others[at] = random.choice(others)
                case _:
                    others = others[:at] + others[at + 1 :] or [[1]]
        changed = _tampered(random, proof, len(others)) if random.random() < 0.5 else proof
        return Case("of another formula", [others, changed], lambda: accepted(others, changed))

    def _made_up(self, random: Random) -> Case:
        """Steps at random, some of them made to order against careless checkers."""
        clauses = formula(random)
        lines = [_made_up_line(random, len(clauses), number) for number in range(random.randrange(1, 6))]
        text = random.choice(("\n", "\n", "\n\n", "\r\n", "\x0c", " ")).join(lines)
        return Case("made up", [clauses, text], lambda: accepted(clauses, text))

    def _packed(self, random: Random) -> Case:
        clauses, proof = unsolvable(random.randrange(POOL))
        packed = base64.b64encode(zlib.compress(proof.encode())).decode()
        match random.randrange(6):
            case 0:
                packed = mutate.text(random, packed)
            case 1:
                packed = base64.b64encode(mutate.octets(random, zlib.compress(proof.encode()))).decode()
            case 2:
                packed = base64.b64encode(zlib.compress(proof.encode()) * 2).decode()
            case 3 if random.random() < 0.01:
                packed = base64.b64encode(zlib.compress(random.choice((b"1 ", b"\n", b"0")) * BOMB)).decode()
            case 4:
                changed = _tampered(random, proof, len(clauses))
                packed = base64.b64encode(zlib.compress(changed.encode("utf-8", "surrogatepass"))).decode()

        def ask() -> bool:
            return accepted(clauses, unpack_proof(packed))

        return Case("packed", [clauses, packed[:20_000]], ask)


def accepted(clauses: Clauses, proof: str) -> bool:
    """Whether the program accepts it; raises if that is wrong."""
    check_proof(clauses, proof)
    truths = table(clauses)
    if truths[0]:
        raise WrongAcceptance(f"these clauses can be met, by assignment {truths[0] & -truths[0]:b}")
    if any(not clause for clause in clauses):
        return True
    known = [list(clause) for clause in clauses]
    for step in _steps(proof):
        if not _follows_by_propagation(known, step):
            raise WrongAcceptance(f"the step {step} does not follow by unit propagation")
        known.append(step)
        if not step:
            return True
    raise WrongAcceptance("the proof has no empty clause")


def _steps(proof: str) -> Iterator[list[int]]:
    """The clauses that a proof adds: between its number and the first 0 of a line."""
    for line in proof.split("\n"):
        numbers = [int(word) for word in line.split()]
        yield numbers[1 : numbers.index(0)]


def _follows_by_propagation(known: Sequence[Sequence[int]], clause: Sequence[int]) -> bool:
    true = {-literal for literal in clause}
    if any(-literal in true for literal in true):
        return True
    while True:
        forced = None
        for other in known:
            if any(literal in true for literal in other):
                continue
            left = {literal for literal in other if -literal not in true}
            if not left:
                return True
            if len(left) == 1:
                forced = left.pop()
                break
        if forced is None:
            return False
        true.add(forced)


def table(clauses: Clauses) -> tuple[int, int]:
    """Which assignments meet all clauses, as bits; and how many variables there are."""
    variables = sorted({abs(literal) for clause in clauses for literal in clause})
    all_of_them = (1 << (1 << len(variables))) - 1
    truth: dict[int, int] = {}
    for place, variable in enumerate(variables):
        period = 1 << place
        block = ((1 << period) - 1) << period
        truth[variable] = sum(block << (2 * period * n) for n in range((1 << len(variables)) // (2 * period)))
        truth[-variable] = all_of_them & ~truth[variable]
    met = all_of_them
    for clause in clauses:
        some = 0
        for literal in clause:
            some |= truth[literal]
        met &= some
    return met, len(variables)


def formula(random: Random) -> Clauses:
    variables = random.randrange(2, MOST_VARIABLES + 1)
    many = random.randrange(2, 5 * variables)
    return [
        [random.choice((-1, 1)) * random.randrange(1, variables + 1) for _ in range(random.choice((1, 2, 2, 3, 3)))]
        for _ in range(many)
    ]


@lru_cache(maxsize=POOL)
def unsolvable(number: int) -> tuple[Clauses, str]:
    """A formula that cannot be met, and the proof that a solver gives."""
    random = Random(f"unsolvable {number}")
    while True:
        clauses = formula(random)
        if not table(clauses)[0]:
            return clauses, solver_proof(clauses)


def _tampered(random: Random, proof: str, clauses: int) -> str:
    lines = [line.split() for line in proof.splitlines()] or [["1", "0", "0"]]
    for _ in range(random.choice((1, 1, 2, 3))):
        at = random.randrange(len(lines))
        line = lines[at]
        place = random.randrange(len(line)) if line else 0
        match random.randrange(8):
            case 0:
                lines[at : at + 1] = [] if len(lines) > 1 else [line]
            case 1 | 2 | 3 if line:
                line[place] = str(random.randrange(-MOST_VARIABLES - 2, clauses + len(lines) + 2))
            case 4 if line:
                del line[place]
            case 5:
                line.insert(place, str(random.randrange(-MOST_VARIABLES, clauses + 3)))
            case 6:
                lines.insert(random.randrange(len(lines) + 1), list(line))
            case _ if line:
                line[place] = random.choice(SIGNS)
    return "\n".join(" ".join(line) for line in lines)


def _made_up_line(random: Random, clauses: int, number: int) -> str:
    """A number, literals, 0, hints, 0; numbers that are taken, hints at itself or at later ones, deletions, RAT."""
    mine = clauses + 1 + number
    named = random.choice((mine, mine, mine, mine, mine + 5, clauses, 1, 0, -mine))
    signed = [random.choice((-1, 1)) * random.randrange(1, MOST_VARIABLES + 1) for _ in range(2)]
    literals = signed[: random.choice((0, 0, 1, 2))]
    some = random.randrange(1, clauses + 1)
    hints = [
        random.choice((some, random.randrange(1, clauses + 1), mine, mine + 1, mine - 1, -some))
        for _ in range(random.randrange(5))
    ]
    match random.randrange(12):
        case 0:
            return f"{named} d {' '.join(map(str, hints))} 0"
        case 1:
            return f"{named} {' '.join(map(str, [*literals, *hints]))} 0"
        case 2:
            return random.choice(SIGNS)
    return " ".join(map(str, [named, *literals, 0, *hints, 0]))

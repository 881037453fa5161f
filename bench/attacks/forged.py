"""Certificates made to order: arguments in the right form at random, solvers' proofs about almost the same thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from attacks.grounds import Ground
from attacks.limits import unlimited
from attacks.program import roles, solver_proof
from hanabi_formal.judge.arguments.displays import displays
from hanabi_formal.judge.arguments.position import Position, reader
from hanabi_formal.judge.refutations.seats import Seats, can_be_seated
from hanabi_formal.run.interpret import Interpreter
from hanabi_formal.sat.formula import cnf
from hanabi_formal.sat.trimming import packed

Cards = Mapping[int, tuple[int, ...]]
MOST_BRANCHES = 3
HORIZONS = (3, 9, 16)
PERTURBED = ("tokens", "mistakes", "hands", "turn")
_KEPT: dict[tuple[Any, ...], tuple[str, str] | None] = {}
_DIGESTS: dict[tuple[Any, ...], str | None] = {}


def position_of(ground: Ground, seed: int) -> Position | None:
    found = reader(ground.game, ground.players)
    return found.start(ground.faces(seed)) if found is not None else None


# ---- arguments -------------------------------------------------------------------------------------------
def forged_argument(random: Random, ground: Ground, seed: int) -> tuple[int, Any]:
    """A goal, and an argument or one against each display; right in form, seldom in fact."""
    maximum = roles.maximum_of(ground.game.system(ground.players)) or 0
    position = position_of(ground, seed)
    if position is None:
        return maximum, {"kind": "argument", "argument": {"turns": 2}}
    goal = maximum
    if random.random() < 0.2:
        return random.choice((goal, goal - 1)), {"kind": "few"}
    if random.random() < 0.3 and ground.cuts:
        goal = maximum - random.randrange(3)
        against = [
            [list(display), _argument(random, position, _copies(position), 0)] for display in displays(position, goal)
        ]
        return goal, {"kind": "displays", "displays": against[: random.choice((len(against), len(against) - 1, 0))]}
    return goal, {"kind": "argument", "argument": _argument(random, position, _copies(position), 0)}


def _copies(position: Position) -> Cards:
    return {face: position.copies[face] for face in position.missing()}


def _argument(random: Random, position: Position, cards: Cards, depth: int) -> dict[str, Any]:
    last = len(position.faces) - 1
    since = random.randrange(max(0, position.drawn - 2), last + 2)
    match random.randrange(6):
        case 0:
            return {"turns": since}
        case 1:
            return {"last round": since}
        case 2 if depth == 0:
            return {"lost": random.randrange(-1, position.suits * position.ranks + 1)}
    card = random.randrange(position.drawn - 1, last + 2)
    held, least = _held(position, cards, card, since)
    for _ in range(8):  # mostly one that is full, or lacks one card of it
        if least > position.room - (random.random() < 0.3):
            break
        card, since = random.randrange(position.drawn, last + 1), random.randrange(position.drawn - 1, last + 1)
        held, least = _held(position, cards, card, since)
    found: dict[str, Any] = {"room": card, "since": since}
    later = [face for face in held if max(cards[face]) >= card]
    if random.random() < 0.2:
        later = [face for face in later if random.random() < 0.7]
    if later and depth < MOST_BRANCHES:
        branches, known = [], dict(cards)
        for face in later:
            below = {**known, face: tuple(copy for copy in cards[face] if copy >= card)}
            branches.append([face, _argument(random, position, below, depth + 1)])
            known[face] = tuple(copy for copy in cards[face] if copy < card)
        found["unless later"] = branches
    return found


def _held(position: Position, cards: Cards, card: int, since: int) -> tuple[list[int], int]:
    """The faces that hands hold when a card is drawn, and how many of those must still be there."""
    earliest: dict[int, int] = {}
    for face, copies in cards.items():
        below = earliest.get(face - 1, position.drawn - 1) if face % position.ranks else position.drawn - 1
        earliest[face] = max(below, min(copies, default=len(position.faces)))
    held = [face for face, copies in cards.items() if copies and min(copies) < card and earliest[face] >= since]
    return held, len(held) - (card - since) + 1


# ---- clauses ---------------------------------------------------------------------------------------------
def forged_clauses(random: Random, ground: Ground, seed: int) -> tuple[int, dict[str, Any]]:
    """A goal, and a proof that clauses cannot be met: this deal's, or those of something a little different."""
    maximum = roles.maximum_of(ground.game.system(ground.players)) or 0
    goal = maximum - random.choice((0, 0, 0, 1, 2))
    kind = random.choices(("seats", "tokens", "spending", "unrolled"), (3, 3, 3, 1))[0]
    horizon = random.choice(HORIZONS)
    change = random.choice(("none", "none", "deal", "goal", *(() if kind == "unrolled" else PERTURBED)))
    with unlimited():
        found = _proof(ground, seed, goal, kind, change, horizon)
        if found is None:  # it can be met: a proof of anything will have to do
            found = _proof(ground, seed, maximum + 1, "seats", "goal", 0) or ("0" * 64, packed("1 0 1 0\n"))
        digest, steps = found
        if random.random() < 0.4:
            place = ground.name, seed, goal, kind, horizon
            if place not in _DIGESTS:
                _DIGESTS[place] = _digest(ground, seed, goal, kind, horizon)
            digest = _DIGESTS[place] or digest
    if kind == "unrolled" and random.random() < 0.3:
        horizon += random.choice((-1, 1))
    return goal, {"kind": kind, "horizon": horizon, "clauses": digest, "lrat": steps}


def _digest(ground: Ground, seed: int, goal: int, kind: str, horizon: int) -> str | None:
    """Of the clauses that the judge will make."""
    if kind == "unrolled":
        system, faces = ground.game.system(ground.players), ground.faces(seed)
        return cnf(system, faces, Interpreter(system).start(faces), goal, horizon).digest
    position = position_of(ground, seed)
    if position is None or not can_be_seated(position):
        return None
    return Seats(position, goal, tokens=kind != "seats", at_full=kind == "spending").cnf.digest


def _proof(ground: Ground, seed: int, goal: int, kind: str, change: str, horizon: int) -> tuple[str, str] | None:
    place = ground.name, seed, goal, kind, change, horizon if kind == "unrolled" else 0
    if place not in _KEPT:
        try:
            _KEPT[place] = _made(ground, seed, goal, kind, change, horizon)
        except ValueError:
            _KEPT[place] = None
    return _KEPT[place]


def _made(ground: Ground, seed: int, goal: int, kind: str, change: str, horizon: int) -> tuple[str, str] | None:
    if kind == "unrolled":
        system = ground.game.system(ground.players)
        faces = ground.faces(seed + (change == "deal"))
        formula = cnf(system, faces, Interpreter(system).start(faces), goal + (change == "goal"), horizon)
        clauses = [list(clause) for clause in formula.clauses]
        return formula.digest, packed(solver_proof(clauses))
    position = position_of(ground, seed + (change == "deal"))
    if position is None or not can_be_seated(position):
        return None
    match change:
        case "tokens":
            position = replace(position, tokens=0)
        case "mistakes":
            position = replace(position, mistakes=1)
        case "hands":
            position = replace(position, hand_size=max(1, position.hand_size - 1))
        case "turn":
            position = replace(position, turn=(position.turn + 1) % position.players)
    made = Seats(position, goal + (change == "goal"), tokens=kind != "seats", at_full=kind == "spending").cnf
    return made.digest, packed(solver_proof(made.clauses))

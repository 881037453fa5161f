"""Random games against the proofs: whatever is proved of one, no game, no step and no deal of it shows otherwise.

The oracle is the interpreter. Most questions are put so that the right answer is no: a solver that says yes to one of
them was told something untrue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from random import Random

import pytest

from executor_laws import write_game
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.kernel.build import conj, disj, equal, ite, negate
from hanabi_formal.kernel.expr import Attr, Ended, Expr, Get, Lit, Local, Quant, locals_in, walk
from hanabi_formal.kernel.printer import Printer
from hanabi_formal.kernel.rewrite import prime
from hanabi_formal.kernel.system import Init, Property, System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.kernel.types import BOOL, IntType, Type, type_values
from hanabi_formal.prove.induction.induction import Induction
from hanabi_formal.prove.induction.initial_state import AtStart, holds_at_start
from hanabi_formal.prove.induction.invariants import Claimant
from hanabi_formal.prove.induction.solver_call import ProofOutcome
from hanabi_formal.prove.induction.step_goals import DISTINCT, EXISTENCE, Claims, bounds_of
from hanabi_formal.prove.knowledge.paired_games import ALIKE, KNOWN
from hanabi_formal.prove.knowledge.self_composition import Information
from hanabi_formal.prove.obligation import Obligation, ObligationKind
from hanabi_formal.prove.properties import condition_of
from hanabi_formal.prove.search.made_deals import deal_with
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.faults import Fault, FaultKind
from hanabi_formal.run.interpret import Interpreter, Snapshot
from hanabi_formal.run.readings import Values
from hanabi_formal.smt.translate import Beyond
from random_rules import random_rules

Faces = tuple[int, ...]
Tally = Counter[str]
Question = Callable[[Information], ProofOutcome]
TRIES = 40
MOST = 16
"""How many conditions of a game are asked at its start."""


@dataclass(frozen=True)
class Taken:
    """A step that is possible: from a state that may never be reached, with all that the interpreter says of it."""

    faces: Faces
    before: Snapshot
    action: str
    args: tuple[int, ...]
    after: Snapshot


class Play:
    """One random game, and states, deals and steps of it at random."""

    def __init__(self, seed: int, compiled: Compiled) -> None:
        self.seed = seed
        self.compiled = compiled
        self.system = compiled.system
        self.interpreter = Interpreter(compiled.system)
        self.random = Random(seed)

    def deal(self) -> Faces:
        return tuple(shuffled(self.system, self.random.randrange(10**6)))

    def state(self) -> dict[str, int | tuple[int, ...]]:
        """A value of its type for every variable. Maps have few different values, so that conditions are often met."""
        values: dict[str, int | tuple[int, ...]] = {}
        for var in self.system.variables:
            pool = [self.random.choice(type_values(var.type)) for _ in range(self.random.choice((1, 1, 2, 3)))]
            many = len(list(product(*map(type_values, var.index))))
            values[var.name] = tuple(self.random.choices(pool, k=many)) if var.index else pool[0]
        return values

    def ended(self, values: Values, faces: Faces) -> bool:
        scene = self.interpreter.scene(Snapshot(values), faces)
        return any(self.interpreter.evaluate(end.condition, scene) for end in self.system.ends)

    def legal(self, snapshot: Snapshot, faces: Faces, name: str, args: tuple[int, ...]) -> bool:
        return self.interpreter.failing_guard(snapshot, faces, self.system.action(name), args) is None

    def move(self) -> Instance:
        action = self.random.choice(self.system.actions)
        return Instance(action.name, tuple(self.random.choice(type_values(param.type)) for param in action.params))

    def before(self) -> Iterator[tuple[Faces, Snapshot, str, tuple[int, ...]]]:
        """A state that goes on, and an action that is legal there, if one is found."""
        for _ in range(TRIES):
            faces, values = self.deal(), self.state()
            name, args = self.move()
            if not self.ended(values, faces) and self.legal(Snapshot(values), faces, name, args):
                yield faces, Snapshot(values), name, args
                return

    def game(self) -> Iterator[tuple[Faces, Snapshot, Snapshot | None]]:
        """A whole game from the start: each state, and the one that comes after it."""
        faces = self.deal()
        here = self.interpreter.start(faces)
        while legal := self.interpreter.legal(here, faces):
            after = self.interpreter.step(here, faces, self.random.choice(legal)).after
            yield faces, here, after
            here = after
        yield faces, here, None


def plays(seeds: range, folder: Path, properties: int = 8) -> Iterator[Play]:
    """The games that are well-formed; few are not."""
    for seed in seeds:
        try:
            yield Play(seed, write_game(folder, random_rules(seed, properties)).compiled())
        except Rejected:
            continue


def looked_at(found: Iterable[Play], look: Callable[[Play, int, Tally], None], many: int) -> Tally:
    """What comes of looking at each of them, so many times."""
    tally: Tally = Counter()
    for play in found:
        tally["games"] += 1
        look(play, many, tally)
    return tally


def told(play: Play, what: str, *exprs: Expr) -> str:
    shown = " and ".join(Printer().expr(expr) for expr in exprs)
    return f"seed {play.seed}: {what}: {shown}"


# ---- steps -----------------------------------------------------------------------------------------
def constant(value: int, kind: Type) -> Lit:
    return Lit(value, IntType(value, value) if isinstance(kind, IntType) else kind)


def places(index: tuple[Type, ...]) -> Iterator[tuple[Lit, ...]]:
    for values in product(*map(type_values, index)):
        yield tuple(constant(value, kind) for value, kind in zip(values, index, strict=True))


def described(system: System, values: Values, faces: Faces) -> Iterator[Expr]:
    """Conditions that only this state meets, with this deal."""
    for var in system.variables:
        held = values[var.name]
        flat = (held,) if isinstance(held, int) else held
        gets = [Get(var.name, at, var.type) for at in places(var.index)]
        yield conj(*(equal(get, constant(value, var.type)) for get, value in zip(gets, flat, strict=True)))
    assert system.deck is not None
    for number, (name, kind) in enumerate(system.deck.attributes):
        cards = [Attr(name, Lit(card, system.deck.sort), kind) for card in range(len(faces))]
        values_of = [constant(system.deck.faces[face][number], kind) for face in faces]
        yield conj(*map(equal, cards, values_of))


def begun_at(system: System, values: Values) -> tuple[Init, ...]:
    """Inits that make this state the first, whatever the deal."""
    found = []
    for var in system.variables:
        held = values[var.name]
        flat = (held,) if isinstance(held, int) else held
        binders = tuple(Local(f"at{number}", kind) for number, kind in enumerate(var.index))
        value: Expr = constant(flat[0], var.type)
        for at, here in zip(places(var.index), flat, strict=True):
            value = ite(conj(*map(equal, binders, at)), constant(here, var.type), value)
        found.append(Init(var.name, binders, value))
    return tuple(found)


def only(system: System, taken: Taken) -> System:
    """The system in which this state is the first and this step the only one."""
    action = system.action(taken.action)
    fixed = [equal(param, constant(value, param.type)) for param, value in zip(action.params, taken.args, strict=True)]
    guards = (*action.guards, *(replace(action.guards[0], condition=condition) for condition in fixed))
    return replace(system, inits=begun_at(system, taken.before.values), actions=(replace(action, guards=guards),))


def conditions(system: System) -> list[Expr]:
    """Conditions and numbers that the properties speak of: whole ones, and parts that stand by themselves."""
    wholes = [conj(*prop.exprs) for prop in system.properties if prop.kind in ("invariant", "unreachable")]
    parts = [
        node
        for expr in wholes
        for node in walk(expr)
        if not locals_in(node) and not isinstance(node, Lit) and (node.type == BOOL or isinstance(node.type, IntType))
    ]
    return list(dict.fromkeys(parts))


def unless_over(expr: Expr) -> Expr:
    """The same about steps; an ended game, which stays as it is, is let off. A `forall` stays outside."""
    if isinstance(expr, Quant) and expr.kind == "forall":
        return replace(expr, body=unless_over(expr.body))
    return disj(Ended(-1), prime(expr))


def refuted_by(play: Play, taken: Taken) -> tuple[dict[str, Expr], dict[str, Expr], tuple[Expr, ...]]:
    """Invariants and conditions on steps that the step breaks, and what holds before it."""
    evaluate, known = play.interpreter.evaluate, []
    invariants: dict[str, Expr] = {}
    steps: dict[str, Expr] = {}
    first, second = (play.interpreter.scene(s, taken.faces) for s in (taken.before, taken.after))
    for number, expr in enumerate(conditions(play.system)):
        try:
            old, new = evaluate(expr, first), evaluate(expr, second)
        except Fault:
            continue
        was = equal(expr, constant(old, expr.type)) if expr.type != BOOL else expr if old else negate(expr)
        now = equal(expr, constant(new, expr.type)) if expr.type != BOOL else expr if new else negate(expr)
        known.append(was)
        steps[f"{'changed' if old != new else 'kept'} {number}"] = unless_over(negate(now))
        if old != new:
            invariants[f"invariant {number}"] = was
    return invariants, steps, tuple(known)


def some_of(random: Random, claims: dict[str, Expr], many: int) -> dict[str, Expr]:
    """Some of the claims, those about what changes before others."""
    names = sorted(random.sample(sorted(claims), len(claims)), key=lambda name: name.startswith("kept"))
    return {name: claims[name] for name in names[:many]}


def proved_wrongly(play: Play, taken: Taken, tally: Tally, many: int) -> None:
    """A step, and induction with all that is true before it: nothing false after it may be proved."""
    invariants, steps, known = refuted_by(play, taken)
    state = tuple(described(play.system, taken.before.values, taken.faces))
    lemmas = (*state, *(known if play.random.random() < 0.7 else ()))
    induction = Induction(only(play.system, taken), lemmas)
    invariants, steps = (some_of(play.random, claims, many) for claims in (invariants, steps))
    for name, expr in (invariants | steps).items():
        one = Obligation.of(ObligationKind.INVARIANT if name in invariants else ObligationKind.STEP, name)
        claims = Claims({one: expr} if name in invariants else {}, {one: expr} if name in steps else {})
        try:
            outcome = induction.prove(claims)[one]
        except Beyond:
            tally["beyond"] += 1
            continue
        tally["steps asked"] += 1
        tally[outcome.detail] += 1
        assert not outcome.proved, told(play, f"{taken.action}{taken.args} breaks what is proved", expr)


def structure(play: Play, taken: Taken, fault: str, tally: Tally) -> None:
    """A step that has no meaning: one of the obligations that exclude this is not proved."""
    state = tuple(described(play.system, taken.before.values, taken.faces))
    try:
        outcomes = Induction(only(play.system, taken), state).prove(Claims(structure=True))
    except Beyond:
        return
    tally["faults asked"] += 1
    assert not all(outcome.proved for outcome in outcomes.values()), f"seed {play.seed}: {fault}"


def real_steps(seeds: range, folder: Path, steps: int, many: int) -> Tally:
    tally: Tally = Counter()
    for play in plays(seeds, folder):
        tally["games"] += 1
        for faces, before, name, args in (found for _ in range(steps) for found in play.before()):
            try:
                after = play.interpreter.step(before, faces, Instance(name, args)).after
            except Fault as fault:
                structure(play, Taken(faces, before, name, args, before), str(fault), tally)
            else:
                proved_wrongly(play, Taken(faces, before, name, args, after), tally, many)
    return tally


def test_no_step_breaks_what_follows_from_the_state_before_it(tmp_path: Path) -> None:
    assert real_steps(range(15, 31), tmp_path, 2, 3)["steps asked"] > 100


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(4))
def test_no_step_of_many_more_does(batch: int, tmp_path: Path) -> None:
    tally = real_steps(range(1000 + 30 * batch, 1030 + 30 * batch), tmp_path, 4, 4)
    assert tally["steps asked"] > 400


# ---- games -----------------------------------------------------------------------------------------
def falls(play: Play, prop: Property, faces: Faces, before: Snapshot, after: Snapshot) -> bool:
    evaluate, scene = play.interpreter.evaluate, play.interpreter.scene
    lower = [evaluate(part, scene(after, faces)) for part in prop.exprs]
    return after.end > 0 or lower < [evaluate(part, scene(before, faces)) for part in prop.exprs]


def holds(play: Play, prop: Property, faces: Faces, here: Snapshot, after: Snapshot | None) -> bool:
    """Whether a game keeps to a property in a state, and in the step from it. An ended game stays as it is."""
    interpreter = play.interpreter
    match prop.kind:
        case "invariant" | "unreachable":
            return bool(interpreter.evaluate(condition_of(prop), interpreter.scene(here, faces)))
        case "deadlock_free":
            return after is not None or here.end > 0
        case "terminates":
            return after is None or falls(play, prop, faces, here, after)
    following = after or (here if here.end else None)
    if following is None:
        return True
    return bool(interpreter.evaluate(conj(*prop.exprs), interpreter.across(here, following, faces)))


def owed_by(fault: Fault) -> Obligation:
    """The obligation that a fault breaks."""
    match fault.kind:
        case FaultKind.OUT_OF_BOUNDS:
            return bounds_of(fault.variable or "")
        case FaultKind.WRITTEN_TWICE:
            return DISTINCT
        case FaultKind.NOT_THERE:
            return EXISTENCE


def broken_claims(play: Play, games: int, tally: Tally) -> None:
    claims = {claim.obligation for claim in Claimant(play.compiled, None).claims() if claim.outcome.proved}
    kept = [prop for prop in play.system.properties if Obligation.declared(prop) in claims]
    tally["proved"] += len(kept)
    tally["structure proved"] += len(claims) - len(kept)
    for _ in range(games):
        try:
            for faces, here, after in play.game():
                for prop in kept:
                    broken = told(play, f"`{prop.name}` is proved, and a game breaks it", *prop.exprs)
                    assert holds(play, prop, faces, here, after), broken
                tally["states"] += 1
        except Fault as fault:
            tally["faults"] += 1
            if owed_by(fault) in claims:
                pytest.fail(f"seed {play.seed}: {owed_by(fault).name} is proved, and in a game {fault}")


@pytest.fixture(autouse=True)
def no_early_refutations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that refute something spare the solver the question, and us its answer."""
    monkeypatch.setattr("hanabi_formal.prove.induction.invariants.FEW_GAMES", 0)


def claims_and_games(seeds: range, folder: Path, games: int) -> Tally:
    return looked_at(plays(seeds, folder), broken_claims, games)


def test_no_game_breaks_what_is_proved(tmp_path: Path) -> None:
    assert claims_and_games(range(100, 110), tmp_path, 6)["proved"] > 25


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(4))
def test_no_game_of_many_more_does(batch: int, tmp_path: Path) -> None:
    assert claims_and_games(range(2000 + 40 * batch, 2040 + 40 * batch), tmp_path, 20)["proved"] > 80


# ---- the start -------------------------------------------------------------------------------------
def first_states(play: Play, deals: int, tally: Tally) -> None:
    interpreter = play.interpreter
    started = []
    for faces in (play.deal() for _ in range(deals)):
        try:
            started.append(interpreter.scene(interpreter.start(faces), faces))
        except Fault:
            tally["faults"] += 1
    asked = [expr for expr in conditions(play.system) if expr.type == BOOL]
    for expr in play.random.sample(asked, min(MOST, len(asked))):
        try:
            seen = {bool(interpreter.evaluate(expr, scene)) for scene in started}
            known, outcome = AtStart(play.system).holds(expr), holds_at_start(play.system, expr)
            ordered = deal_with(play.system, expr)
            dealt = ordered.faces
            begun = None if dealt is None else interpreter.scene(interpreter.start(dealt), dealt)
        except (Fault, Beyond):
            continue
        tally.update({"asked": 1, "known": known is not None, "proved": outcome.proved, "dealt": begun is not None})
        tally["impossible"] += ordered.impossible
        assert known is None or seen <= {known}, told(play, f"said to be {known} at the start", expr)
        assert not outcome.proved or seen <= {True}, told(play, "proved of the start", expr)
        assert not ordered.impossible or seen <= {False}, told(play, "no deal is said to begin with", expr)
        assert begun is None or interpreter.evaluate(expr, begun), told(play, f"{dealt} is said to begin with", expr)


def starts(seeds: range, folder: Path, deals: int) -> Tally:
    return looked_at(plays(seeds, folder, properties=16), first_states, deals)


def test_first_states_are_as_they_are_said_to_be(tmp_path: Path) -> None:
    tally = starts(range(202, 214), tmp_path, 12)
    assert tally["known"] > 50
    assert tally["proved"] > 25
    assert tally["dealt"] > 25


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(4))
def test_many_more_first_states_are(batch: int, tmp_path: Path) -> None:
    assert starts(range(3000 + 50 * batch, 3050 + 50 * batch), tmp_path, 30)["known"] > 200


# ---- what seats know -------------------------------------------------------------------------------
@dataclass(frozen=True)
class Side:
    """One of two games that look alike to a seat."""

    play: Play
    faces: Faces
    snapshot: Snapshot

    def sees(self, seat: int) -> list[tuple[int, tuple[int, ...], int]]:
        seen = self.play.interpreter.view(self.snapshot, self.faces, seat)
        return [(id(fact.expr), fact.binding, fact.value) for fact in seen]

    def told(self, seat: int, name: str, args: tuple[int, ...]) -> tuple[Side, frozenset[object]]:
        """The state after an action, and what that revealed."""
        step = self.play.interpreter.step(self.snapshot, self.faces, Instance(name, args))
        heard = ((id(f.expr), f.binding, f.value) for to, f in step.revealed if to is None or to == seat)
        return replace(self, snapshot=step.after), frozenset(heard)

    def said(self, prop: Property, args: tuple[int, ...]) -> frozenset[object]:
        """What the property says that the action reveals."""
        assert prop.told is not None
        interpreter = self.play.interpreter
        scene = interpreter.scene(self.snapshot, self.faces)
        scene.locals.update((param.name, value) for param, value in zip(prop.params, args, strict=True))
        return frozenset(
            (binding, *(interpreter.evaluate(fact, scene) for fact in prop.exprs))
            for binding in interpreter.bindings(prop.told.binders, scene)
            if interpreter.evaluate(prop.told.where, scene)
        )


def twin(play: Play, side: Side) -> Side:
    """Another deal, and other values of some variables: mostly of those that no seat sees."""
    assert play.system.view is not None
    shown = {n.var for s in play.system.view.sights for f in s.facts for n in walk(f) if isinstance(n, Get)}
    fresh = play.state()
    other = {name: fresh[name] for name in side.snapshot.values if name not in shown and play.random.random() < 0.5}
    faces = list(side.faces)
    for _ in range(play.random.randrange(3)):
        one, two = play.random.sample(range(len(faces)), 2)
        faces[one], faces[two] = faces[two], faces[one]
    return Side(play, tuple(faces), Snapshot({**side.snapshot.values, **other}))


def unlike(a: Side, b: Side, seat: int, name: str, args: tuple[int, ...]) -> Iterator[Obligation]:
    """What one action shows to be false, in two games that look alike to a seat."""
    play = a.play
    legal = [play.legal(side.snapshot, side.faces, name, args) for side in (a, b)]
    actor = play.system.actor
    if actor is not None and a.snapshot.values[actor] == b.snapshot.values[actor] == seat and legal[0] != legal[1]:
        yield KNOWN
    if not all(legal):
        return
    (next_a, told_a), (next_b, told_b) = (side.told(seat, name, args) for side in (a, b))
    if next_a.snapshot.end != next_b.snapshot.end:
        return
    if told_a == told_b and next_a.sees(seat) != next_b.sees(seat):
        yield ALIKE
    for prop in play.system.properties:
        if prop.told is not None and prop.told.action == name:
            same = a.said(prop, args) == b.said(prop, args)
            if same != (told_a == told_b):
                yield Obligation.declared(prop)


def questions(system: System) -> dict[Obligation, Question]:
    found: dict[Obligation, Question] = {ALIKE: Information.stays_alike, KNOWN: Information.legal_is_known}
    for prop in system.properties:
        if prop.kind == "reveals":
            found[Obligation.declared(prop)] = partial(Information.reveals, prop=prop)
    return found


def twins(play: Play, pairs: int, tally: Tally) -> None:
    information = Information(play.system, ())
    proved = set()
    for one, question in questions(play.system).items():
        try:
            outcome = question(information)
        except Beyond:
            continue
        proved |= {one} if outcome.proved else set()
        tally[f"{one.kind}: {outcome.proved}"] += 1
    for faces, before, name, args in (found for _ in range(pairs if proved else 0) for found in play.before()):
        a = Side(play, faces, before)
        b, seat = twin(play, a), play.random.randrange(2)
        if a.sees(seat) != b.sees(seat) or play.ended(b.snapshot.values, b.faces):
            continue
        tally["pairs"] += 1
        try:
            shown = set(unlike(a, b, seat, name, args))
        except Fault:
            continue
        tally["unlike"] += len(shown)
        assert not shown & proved, f"seed {play.seed}: seat {seat}, {name}{args}: {shown & proved}"


def knowledge(seeds: range, folder: Path, pairs: int) -> Tally:
    return looked_at(plays(seeds, folder, properties=0), twins, pairs)


def test_no_two_games_show_that_a_seat_knows_otherwise(tmp_path: Path) -> None:
    tally = knowledge(range(308, 322), tmp_path, 80)
    assert tally[f"{ALIKE.kind}: True"] > 4
    assert tally["pairs"] > 100


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(4))
def test_no_two_games_of_many_more_show_that(batch: int, tmp_path: Path) -> None:
    assert knowledge(range(4000 + 50 * batch, 4050 + 50 * batch), tmp_path, 150)[f"{ALIKE.kind}: True"] > 15

"""What a seat knows, by self-composition: two copies of the game that look alike to it, and the same action in both.

Two states are alike to a seat if its view shows the same of both; the deals may differ in what it does not see. All see
that the game ended, and how. Three things are asked.

- If an action reveals the same to a seat in both, they are alike to it afterwards: it learns nothing unsaid.
- What the player to act may do is the same in both: no rule asks for what that player cannot see.
- What an action is said to reveal (`reveals`) is all it reveals, and all of that is revealed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import z3

from hanabi_formal.kernel.build import FALSE, TRUE, conj
from hanabi_formal.kernel.expr import Expr, Local
from hanabi_formal.kernel.rewrite import guarded
from hanabi_formal.kernel.system import Action, Block, Property, Reveal, System, View
from hanabi_formal.kernel.types import Type, type_values
from hanabi_formal.prove.induction.query import Query, distinct
from hanabi_formal.prove.induction.solver_call import PROVED, ProofListener, ProofOutcome, ask
from hanabi_formal.prove.properties import possible_actions, said_of_facts
from hanabi_formal.smt.states import TermState, in_type, term_sort
from hanabi_formal.smt.step import Transition
from hanabi_formal.smt.terms import Term, all_of, implies, no, same
from hanabi_formal.smt.translate import Scene, is_large

AtOnce = tuple[bool, bool]
WHICH_ENDS: dict[AtOnce, str] = {
    (True, True): ", which ends the game at once",
    (False, False): "",
    (True, False): ", which ends one at once",
}
"""Whether a step ends each of the two at once. Which of them it ends is all the same."""


@dataclass(frozen=True)
class Disclosure:
    """Facts that become known where `condition` holds, for each value of the binders."""

    binders: tuple[Local, ...]
    condition: Expr
    facts: tuple[Expr, ...]
    scene: Scene
    seat: Local | None = None


class SelfComposition:
    """Two copies of the game side by side, with a seat to which they are alike."""

    def __init__(self, system: System, lemmas: tuple[Expr, ...], view: View, listener: ProofListener | None) -> None:
        self.system = system
        self.view = view
        self.listener = listener
        self.copies = (Query(system, lemmas, True, copy="_a"), Query(system, lemmas, True, copy="_b"))
        self.seat = z3.Const("seat", term_sort(view.seat.type))
        self.assumed: list[Term] = [in_type(self.seat, view.seat.type)]
        self.any: dict[Type, list[Term]] = {}
        self.where = ""

    # ---- what is assumed -------------------------------------------------------------------------
    def step(self, action: Action) -> tuple[Transition, Transition]:
        self.where = f"after {action.name}"
        a, b = (copy.step(action) for copy in self.copies)
        return a, b

    def end_alike(self, steps: tuple[Transition, Transition], at_once: AtOnce) -> tuple[TermState, TermState]:
        """The game ends alike in both, or in neither; the states after the step."""
        self.where += WHICH_ENDS[at_once]
        states, ends = [], []
        for step, copy, over in zip(steps, self.copies, at_once, strict=True):
            copy.assumed.append(step.over_at_once if over else no(step.over_at_once))
            states.append(step.middle if over else step.after)
            ends.append(copy.stepper.end_term(states[-1], late=not over))
        self.assumed.append(same(*ends))
        return states[0], states[1]

    def sights(self, states: tuple[TermState, TermState]) -> Iterator[tuple[Disclosure, Disclosure]]:
        """What the seat sees of both."""
        for sight in self.view.sights:
            a, b = (
                Disclosure(sight.binders, sight.where, sight.facts, Scene(state, {self.view.seat.name: self.seat}))
                for state in states
            )
            yield a, b

    def revealed(
        self, action: Action, steps: tuple[Transition, Transition], at_once: AtOnce
    ) -> list[tuple[Disclosure, Disclosure]]:
        """What an action reveals in both, part by part; a game that is over at once has no second part."""
        both = []
        for step, copy, over in zip(steps, self.copies, at_once, strict=True):
            args = {param.name: term for param, (_, term) in zip(action.params, copy.args, strict=True)}
            found = list(_reveals(action.first, Scene(copy.state, args), TRUE))
            found += _reveals(action.second, Scene(step.middle, args), FALSE if over else TRUE)
            both.append(found)
        return list(zip(*both, strict=True))

    def alike(self, pairs: Iterable[tuple[Disclosure, Disclosure]], places: list[Term]) -> Iterator[Term]:
        """Every pair tells the same, at all values that matter."""
        for a, b in pairs:
            for terms in product(*(self._values(binder.type, places) for binder in a.binders)):
                exist = [in_type(t, binder.type) for t, binder in zip(terms, a.binders, strict=True)]
                yield implies(all_of(*exist), self._same(a, b, terms))

    def alike_anywhere(self, pairs: Iterable[tuple[Disclosure, Disclosure]]) -> list[Term]:
        """The same as a goal: at arbitrary values."""
        return [self._same(a, b, self._any([binder.type for binder in a.binders])) for a, b in pairs]

    def _same(self, a: Disclosure, b: Disclosure, terms: tuple[Term, ...]) -> Term:
        shown = [self._told(one, copy, terms) for one, copy in zip((a, b), self.copies, strict=True)]
        (when_a, facts_a), (when_b, facts_b) = shown
        equal = [same(x, y) for x, y in zip(facts_a, facts_b, strict=True)]
        return all_of(same(when_a, when_b), implies(when_a, all_of(*equal)))

    def _told(self, told: Disclosure, copy: Query, terms: tuple[Term, ...]) -> tuple[Term, list[Term]]:
        names = {binder.name: term for binder, term in zip(told.binders, terms, strict=True)}
        if told.seat is not None:
            names[told.seat.name] = self.seat
        scene = told.scene.bind(names)
        translate = copy.translator.expr
        return translate(told.condition, scene), [translate(fact, scene) for fact in told.facts]

    def _any(self, kinds: list[Type]) -> tuple[Term, ...]:
        """An arbitrary value of each; two of one type may be different."""
        found = []
        for number, kind in enumerate(kinds):
            several = self.any.setdefault(kind, [])
            if kinds[:number].count(kind) == len(several):
                term = z3.Const(f"fact{sum(map(len, self.any.values()))}", term_sort(kind))
                several.append(term)
                self.assumed.append(in_type(term, kind))
                for copy in self.copies if is_large(kind) else ():
                    copy.places.append(term)
            found.append(several[kinds[:number].count(kind)])
        return tuple(found)

    def _values(self, kind: Type, places: list[Term]) -> list[Term]:
        if is_large(kind):
            return places
        around = [term for type_, term in self.copies[0].args if type_ == kind]
        around += self.any.get(kind, [])
        if around:
            return distinct(around)
        return [self.copies[0].translator.value(value, Local("", kind)) for value in type_values(kind)]

    # ---- answers ---------------------------------------------------------------------------------
    def prove(self, alike: list[tuple[Disclosure, Disclosure]], goals: list[Term]) -> ProofOutcome:
        """Do the goals follow, given that all pairs are alike?

        Counts of what is alike are equal: if they differ, some individual is counted in one copy and not in the other.
        """
        a, b = self.copies
        facts = [*a.facts(), *b.facts(), *self.assumed]
        places = distinct([*a.places, *b.places])
        unlike: list[Term] = []
        for number, (one, other) in enumerate(zip(a.counts.applied, b.counts.applied, strict=False)):
            if one.shape.key != other.shape.key:
                continue
            which = z3.Int(f"unlike{number}")
            unlike.append(which)
            equal = [same(x, y) for x, y in zip(one.params, other.params, strict=True)]
            here = [q.counts.holds(c.shape, c.params, which, c.state) for q, c in ((a, one), (b, other))]
            differ = all_of(in_type(which, one.shape.binder.type), no(same(*here)))
            facts.append(implies(all_of(no(same(one.term, other.term)), *equal), differ))
        facts += self.alike(alike, places + unlike)
        listener = None if self.listener is None else partial(self.listener, where=self.where)
        return ask(facts, all_of(*goals), listener=listener)


def _reveals(block: Block, scene: Scene, condition: Expr) -> Iterator[Disclosure]:
    """What a block reveals, with the conditions under which it does."""
    for statement, conditions, binders in guarded(block, (condition,)):
        match statement:
            case Reveal(facts, own, where, seat, allowed):
                yield Disclosure((*binders, *own), conj(*conditions, where, allowed), facts, scene, seat)


class Information:
    """The questions about what seats know, for one system with a view."""

    def __init__(self, system: System, lemmas: tuple[Expr, ...], listener: ProofListener | None = None) -> None:
        assert system.view is not None
        self.system = system
        self.view = system.view
        self.lemmas = lemmas
        self.listener = listener
        self.actions = possible_actions(system)

    def _copies(self) -> SelfComposition:
        return SelfComposition(self.system, self.lemmas, self.view, self.listener)

    def _before(self, pair: SelfComposition) -> list[tuple[Disclosure, Disclosure]]:
        return list(pair.sights((pair.copies[0].state, pair.copies[1].state)))

    def stays_alike(self) -> ProofOutcome:
        """An action that reveals the same to a seat in both leaves them alike to it."""
        for action, at_once in product(self.actions, WHICH_ENDS):
            pair = self._copies()
            steps = pair.step(action)
            after = pair.end_alike(steps, at_once)
            goals = pair.alike_anywhere(pair.sights(after))
            told = pair.revealed(action, steps, at_once)
            outcome = pair.prove([*self._before(pair), *told], goals)
            if not outcome.proved:
                return outcome.under(action.name)
        return PROVED

    def legal_is_known(self) -> ProofOutcome:
        """If the player to act may do something in one, so in the other."""
        assert self.system.actor is not None
        for action in self.actions:
            pair = self._copies()
            pair.where = f"before {action.name}"
            goals = []
            for copy in pair.copies:
                args = copy.arguments(action)
                copy.assumed += copy.stepper.no_end(copy.state)
                guards = [copy.translator.expr(guard.condition, Scene(copy.state, args)) for guard in action.guards]
                pair.assumed.append(same(copy.state.read(self.system.actor, ()), pair.seat))
                goals.append(all_of(*guards))
            outcome = pair.prove(self._before(pair), [same(*goals)])
            if not outcome.proved:
                return outcome.under(action.name)
        return PROVED

    def reveals(self, prop: Property) -> ProofOutcome:
        """What an action reveals to a seat is the same in both exactly if what it is said to reveal is."""
        assert prop.told is not None
        action = self.system.action(prop.told.action)
        meaning = said_of_facts(self.system, prop)
        for at_once, exactly in product(WHICH_ENDS, (True, False)):
            pair = self._copies()
            steps = pair.step(action)
            pair.end_alike(steps, at_once)
            names = {local.name: term for local, (_, term) in zip(prop.params, pair.copies[0].args, strict=True)}
            said = prop.told
            one, other = (
                Disclosure(said.binders, said.where, prop.exprs, Scene(copy.state, names, end=z3.IntVal(0)))
                for copy in pair.copies
            )
            claimed = [(one, other)]
            actual = pair.revealed(action, steps, at_once)
            given, wanted = (claimed, actual) if exactly else (actual, claimed)
            goals = pair.alike_anywhere(wanted)
            for copy, told in zip(pair.copies, (one, other), strict=True) if meaning != TRUE else ():
                goals += copy.goals(meaning, told.scene)
            outcome = pair.prove([*self._before(pair), *given], goals)
            if not outcome.proved:
                what = "reveals more" if exactly else "reveals less"
                return ProofOutcome(False, f"it {what}, or that cannot be excluded ({outcome.detail})")
        return PROVED

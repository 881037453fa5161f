"""One question to a fresh solver: what is assumed of a state and maybe of a step, and a goal.

A goal about all values of a type is asked of an arbitrary one, the same for all goals of the query. What is assumed of
all values is then assumed of the values that matter: the arbitrary ones and those that the step speaks of. Where a goal
speaks of every value of a type one by one, the assumptions are written out for that type too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import z3

from hanabi_formal.kernel.expr import Cast, Expr, Local, Op, Quant, locals_in, walk
from hanabi_formal.kernel.system import Action, Block, System, expressions_in
from hanabi_formal.kernel.types import Type, type_size, type_values
from hanabi_formal.prove.induction.solver_call import RESOURCES, ProofListener, ProofOutcome, ask, new_solver
from hanabi_formal.prove.obligation import Obligation
from hanabi_formal.smt.counts import AbstractCounts
from hanabi_formal.smt.states import Unknown, in_type, term_sort
from hanabi_formal.smt.step import Stepper, Transition
from hanabi_formal.smt.terms import Term, all_of, implies
from hanabi_formal.smt.translate import Scene, Translator, is_large

FEW = 3
"""Types with so few values are always written out."""


@dataclass(eq=False)
class Query:
    """Made for one question; `places` are the individuals that matter to it."""

    system: System
    hypotheses: tuple[Expr, ...]
    arbitrary: bool = False
    listener: ProofListener | None = None
    resources: int = RESOURCES
    thorough: bool = False
    copy: str = ""

    def __post_init__(self) -> None:
        self.counts = AbstractCounts(copy=self.copy)
        self.translator = Translator(self.system, self.counts, self.copy)
        self.counts.translator = self.translator
        self.stepper = Stepper(self.system, self.translator)
        self.state = Unknown(self.system, f"0{self.copy}")
        self.end: Term = z3.IntVal(0)  # the game goes on, unless someone says otherwise
        self.places: list[Term] = []
        self.assumed: list[Term] = []
        self.args: list[tuple[Type, Term]] = []
        self.where = ""
        self._goals: list[Term] = []
        self._arbitrary: dict[Type, list[Term]] = {}
        self._enumerated: set[Type] = set()

    # ---- what is asked about ---------------------------------------------------------------------
    def arguments(self, action: Action) -> dict[str, Term]:
        found = {}
        for param in action.params:
            term = z3.Const(param.name.replace("$", "_"), term_sort(param.type))
            self.assumed.append(in_type(term, param.type))
            if is_large(param.type):
                self.places.append(term)
            self.args.append((param.type, term))
            found[param.name] = term
        return found

    def step(self, action: Action) -> Transition:
        """Assume that the action is taken; the individuals it names by number are places that matter."""
        args = self.arguments(action)
        transition = self.stepper.transition(action, args, self.state)
        self.assumed += transition.guards
        self.assumed += self.stepper.no_end(self.state)
        middle = Scene(transition.middle, args)
        for block, scene in ((action.first, Scene(self.state, args)), (action.second, middle)):
            self.places += named_individuals(self.translator, block, scene)
        return transition

    def stand_still(self) -> Scene:
        """Assume that the game has ended; it stays as it is."""
        self.end = z3.Int("end")
        self.assumed += [self.end > 0, self.end <= len(self.system.ends)]
        return Scene(self.state, after=self.state, end=self.end, end_after=self.end)

    def goals(self, expr: Expr, scene: Scene) -> Iterator[Term]:
        """The parts of a goal; one about all individuals is asked of an arbitrary one."""
        if isinstance(expr, Op) and expr.op == "and":
            for arg in expr.args:
                yield from self.goals(arg, scene)
            return
        if isinstance(expr, Quant) and expr.kind == "forall":
            some = [b for b in expr.binders if self._is_arbitrary(b.type)]
            if some:
                taken = list(scene.locals.values())
                names = dict(zip((b.name for b in some), self.any_values([b.type for b in some], taken), strict=True))
                rest = tuple(binder for binder in expr.binders if binder.name not in names)
                body = Quant("forall", rest, expr.body, expr.type) if rest else expr.body
                yield from self.goals(body, scene.bind(names))
                return
        self._enumerated |= inner_types(expr)
        yield self.translator.expr(expr, scene)

    def _is_arbitrary(self, kind: Type) -> bool:
        return is_large(kind) or (self.arbitrary and type_size(kind) > FEW)

    def any_values(self, kinds: Sequence[Type], taken: Sequence[Term] = ()) -> tuple[Term, ...]:
        """An arbitrary value of each: two of one type may be different, and so may those that are taken."""
        used = {term.get_id() for term in taken}
        found: list[Term] = []
        for kind in kinds:
            several = self._arbitrary.setdefault(kind, [])
            free = next((term for term in several if term.get_id() not in used), None)
            if free is None:
                free = self._new_value(kind)
                several.append(free)
            used.add(free.get_id())
            found.append(free)
        return tuple(found)

    def _new_value(self, kind: Type) -> Term:
        term = z3.Const(f"any{sum(map(len, self._arbitrary.values()))}", term_sort(kind))
        self.assumed.append(in_type(term, kind))
        if is_large(kind):
            self.places.append(term)
        return term

    # ---- answers ---------------------------------------------------------------------------------
    def prove(self, goals: list[Term], serves: Sequence[Obligation] = (), apart: bool = True) -> list[ProofOutcome]:
        """Is each goal true whenever the hypotheses are? All are tried together, and one by one only if that fails.

        `serves` are the obligations that the goals are parts of, in the same order. If they are not to be taken apart,
        all fail when one does.
        """
        self._goals = goals
        facts = self.facts()
        together = ask(facts, z3.And(*goals), self.resources, self._told(serves))
        if together.proved or len(goals) == 1 or not apart:
            return [together] * len(goals)
        return [ask(facts, g, self.resources // 4, self._told(serves[n : n + 1])) for n, g in enumerate(goals)]

    def prove_one(
        self, obligation: Obligation, expr: Expr, scene: Scene
    ) -> tuple[dict[Obligation, ProofOutcome], Query]:
        """Whether one condition holds there; with the question, for whoever asks which hypotheses it needed."""
        return {obligation: self.prove([z3.And(*self.goals(expr, scene))], [obligation])[0]}, self

    def _told(self, serves: Sequence[Obligation]) -> Callable[[str], None] | None:
        return None if self.listener is None else partial(self.listener, serves=tuple(serves), where=self.where)

    def core(self) -> frozenset[Expr]:
        """The unsat core: the hypotheses that the solver used in the last proof; all of them if it cannot say."""
        solver = new_solver(self.resources)
        used = {hypothesis: z3.Bool(f"used{number}") for number, hypothesis in enumerate(self.hypotheses)}
        for owner, fact in self._facts():
            solver.add(fact if owner is None else implies(used[owner], fact))
        solver.add(z3.Not(z3.And(*self._goals)))
        if solver.check(*used.values()) != z3.unsat:
            return frozenset(self.hypotheses)
        core = {str(literal) for literal in solver.unsat_core()}
        return frozenset(hypothesis for hypothesis, literal in used.items() if str(literal) in core)

    def facts(self) -> list[Term]:
        """Everything assumed, at every place that matters."""
        return [fact for _, fact in self._facts()]

    def _facts(self) -> list[tuple[Expr | None, Term]]:
        """Each with the hypothesis that it comes from, if it comes from one."""
        facts: list[tuple[Expr | None, Term]] = [(None, fact) for fact in self.assumed]
        places = distinct(self.places)
        found: list[Term] = []
        done = 0
        for again in range(2 if self.thorough else 1):
            done, known, fresh = self._count_facts(places, done)
            facts += [(None, fact) for fact in known]
            found += fresh
            for hypothesis in self.hypotheses:
                instances = self._instances(hypothesis, fresh if again else places + fresh)
                facts += [(hypothesis, fact) for fact in instances]
        _, known, fresh = self._count_facts(places, done)
        found += fresh
        for place in (*places, *found):
            known += self._typed(place)
        known += [in_type(self.state.read(var.name, ()), var.type) for var in self.system.variables if not var.index]
        return [*facts, *((None, fact) for fact in known)]

    def _count_facts(self, places: list[Term], done: int) -> tuple[int, list[Term], list[Term]]:
        """How many counts there are now; what is known of those that came up since, and their witnesses."""
        many = len(self.counts.applied)
        return many, *self.counts.instances(places, done)

    def _typed(self, place: Term) -> list[Term]:
        """Reads of maps and attributes at a place lie within their types."""
        deck = self.system.deck
        facts = [
            in_type(self.state.read(var.name, (place,)), var.type)
            for var in self.system.variables
            if len(var.index) == 1 and is_large(var.index[0])
        ]
        if deck is not None:
            facts += [in_type(self.translator.attribute(name, place), kind) for name, kind in deck.attributes]
        return facts

    def _instances(self, hypothesis: Expr, places: list[Term]) -> list[Term]:
        """A hypothesis in the state before; one about all values, of each value that matters."""
        if isinstance(hypothesis, Op) and hypothesis.op == "and":
            return [fact for arg in hypothesis.args for fact in self._instances(arg, places)]
        here = Scene(self.state, end=self.end)
        if not isinstance(hypothesis, Quant) or hypothesis.kind != "forall":
            return [self.translator.expr(hypothesis, here)]
        found = []
        for terms in product(*(self._values(binder.type, places) for binder in hypothesis.binders)):
            names = {binder.name: term for binder, term in zip(hypothesis.binders, terms, strict=True)}
            exist = [in_type(names[b.name], b.type) for b in hypothesis.binders if not z3.is_int_value(names[b.name])]
            found.append(implies(all_of(*exist), self.translator.expr(hypothesis.body, here.bind(names))))
        return found

    def _values(self, kind: Type, places: list[Term]) -> list[Term]:
        """Where a hypothesis about all values of a type is used."""
        if is_large(kind):
            return places
        every = [self.translator.value(value, Local("", kind)) for value in type_values(kind)]
        if kind not in self._arbitrary:
            return every
        around = [*self._arbitrary[kind], *(term for type_, term in self.args if type_ == kind)]
        around += [self.state.read(var.name, ()) for var in self.system.variables if not var.index and var.type == kind]
        deck = self.system.deck
        if deck is not None:
            attributes = [name for name, type_ in deck.attributes if type_ == kind]
            around += [self.translator.attribute(name, place) for name in attributes for place in self.places]
        return distinct(around + every if kind in self._enumerated else around)


def inner_types(expr: Expr) -> frozenset[Type]:
    kinds = {binder.type for node in walk(expr) if isinstance(node, Quant) for binder in node.binders}
    return frozenset(kind for kind in kinds if not is_large(kind) and type_size(kind) > FEW)


def written_out_types(expr: Expr) -> frozenset[Type]:
    """The small types whose every value a goal speaks of, once its outer `forall`s are asked of arbitrary values."""
    return frozenset().union(*map(inner_types, _without_outer(expr)))


def counts_inside(expr: Expr) -> bool:
    """Is there a quantifier besides the outer `forall`s?"""
    return any(isinstance(node, Quant) for part in _without_outer(expr) for node in walk(part))


def _without_outer(expr: Expr) -> Iterator[Expr]:
    """The parts of a goal, without its outer `forall`s."""
    match expr:
        case Op("and", args):
            for arg in args:
                yield from _without_outer(arg)
        case Quant("forall", _, body):
            yield from _without_outer(body)
        case _:
            yield expr


def named_individuals(translator: Translator, block: Block, scene: Scene) -> list[Term]:
    """The individuals that a block speaks of by number."""
    return [
        translator.expr(node, scene)
        for expr in expressions_in(block)
        for node in walk(expr)
        if isinstance(node, Cast) and is_large(node.type) and locals_in(node) <= scene.locals.keys()
    ]


def distinct(terms: list[Term]) -> list[Term]:
    found: dict[int, Term] = {}
    for term in terms:
        found.setdefault(term.get_id(), term)
    return list(found.values())

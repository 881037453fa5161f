"""The solver's terms, evaluated at states of deep games, say what the executor says."""

from __future__ import annotations

import os
from itertools import product
from random import Random

import pytest
import z3

import hanabi_formal
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.kernel.types import type_values
from hanabi_formal.run.drivers import skilled_driver
from hanabi_formal.run.interpret import position
from hanabi_formal.smt.ground import GroundStep, number_of

STEPS = int(os.environ.get("HANABI_FORMAL_STEPS", "8"))  # 1250 makes 10,000 steps in all
SPECS = [
    ("base", 2),
    ("expert", 5),
    ("nl+difficulty", 3),
    pytest.param("nl+rainbow", 3, marks=pytest.mark.slow),
    pytest.param("en+timed", 4, marks=pytest.mark.slow),
    pytest.param("sv+avalanche", 2, marks=pytest.mark.slow),
    pytest.param("hanab_live", 6, marks=pytest.mark.slow),
    pytest.param("expert+timed+rainbow", 4, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("spec", "players"), SPECS, ids=lambda value: str(value))
def test_terms_agree_with_the_executor(spec: str, players: int) -> None:
    """Legality of legal and of illegal actions, the next state, the end and the score, at every step of whole games."""
    compiled = hanabi_formal.load(spec).compiled(players)
    system, interpreter = compiled.system, compiled.interpreter
    random = Random(f"{spec} {players}")
    done = 0
    game = 0
    while done < STEPS:
        game += 1
        faces = shuffled(system, f"{spec} {game}")
        dealt = compiled.deal(list(faces))
        driver = skilled_driver(compiled, game, deviation=0.15)
        state = compiled.start(dealt)
        while compiled.legal(dealt, state) and done < STEPS:
            done += 1
            snapshot = compiled.snapshot(state)
            ground = GroundStep(system, faces, snapshot)
            legal = {(i.action, i.args) for i in (compiled.decode(state, c) for c in compiled.legal(dealt, state))}
            for action in random.sample(system.actions, min(2, len(system.actions))):
                args = tuple(random.choice(type_values(param.type)) for param in action.params)
                assert ground.is_legal(action, args) == ((action.name, args) in legal), (action.name, args)
            code = driver(dealt, state)
            instance = compiled.decode(state, code)
            action = system.action(instance.action)
            assert ground.is_legal(action, instance.args)
            state = compiled.step(dealt, state, code)
            _, after, end = ground.transition(action, instance.args)
            assert end == compiled.ended(state)
            assert ground.score(after, end) == compiled.score(dealt, state)
            expected = interpreter.step(snapshot, faces, instance.action, instance.args)
            places = {(change.var, change.index) for change in expected.changes}
            for variable in system.variables:
                many = list(product(*(type_values(kind) for kind in variable.index)))
                places |= {(variable.name, index) for index in random.sample(many, min(3, len(many)))}
            for name, index in places:
                wanted = expected.after.values[name]
                if isinstance(wanted, tuple):
                    wanted = wanted[position(system.variable(name).index, index)]
                assert number_of(after.read(name, tuple(map(z3.IntVal, index)))) == wanted, (name, index)
    assert done == STEPS

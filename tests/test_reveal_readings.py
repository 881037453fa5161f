"""What is revealed in a loop has one reading: the interpreter, two copies of the game and two games agree on it.

`for x : T { reveal f(x) }` tells f(x) of each x, as `reveal f(x) for x : T` does: whoever is told knows of which x.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hanabi_formal
from hanabi_formal.kernel.system import Property, System
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.prove.knowledge.paired_games import TwinGames
from hanabi_formal.prove.knowledge.self_composition import Information
from hanabi_formal.prove.obligation import Obligation
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.run.interpret import Interpreter, Snapshot

GAME = """game told {{
  sort Player = 2
  enum Suit = red | black
  range Rank = 1..2
  cards Card(suit : Suit, rank : Rank) copies 1
  var n : 0..2
  var turn : Player
  actor turn
  start {{ n = 0 ; turn = Player(0) }}
  action tell(c : Card) {{ n' = n + 1 ; turn' = next(turn) ; {body} }}
  end done over when n == 2
  score = n
  view p : Player sees {{ n, turn ; suit[d], rank[d] for d : Card where index(d) == index(p) }}
  reveals said : tell(c) : {said}
}}
"""


def compiled_game(folder: Path, body: str, said: str) -> Compiled:
    path = folder / "told.hrl"
    path.write_text(GAME.format(body=body, said=said), encoding="utf-8")
    return hanabi_formal.load(str(path)).compiled(None)


def property_of(system: System) -> Property:
    return next(prop for prop in system.properties if prop.name == "said")


def proved_by_two_copies(compiled: Compiled) -> bool:
    return Information(compiled.system, ()).reveals(property_of(compiled.system)).proved


def refuted_by_two_games(compiled: Compiled) -> bool:
    prop = property_of(compiled.system)
    said = Obligation.declared(prop)
    return said in TwinGames(compiled, {said: prop}).search(frozenset([said]))


# ---- everything there is, one state and one deal after the other --------------------------------------
Told = frozenset[object]


def told_to(interpreter: Interpreter, state: Snapshot, faces: tuple[int, ...], card: int, seat: int) -> Told:
    step = interpreter.step(state, faces, Instance("tell", (card,)))
    return frozenset((id(f.expr), f.binding, f.value) for to, f in step.revealed if to in (None, seat))


def is_exact(compiled: Compiled) -> bool:
    """Any two deals that look alike to a seat are told the same exactly if what is said to be told is the same."""
    system, interpreter = compiled.system, compiled.interpreter
    prop = property_of(system)
    assert prop.told is not None
    deals = list(permutations(range(4)))
    for turn in range(2):
        # n is 0 or 1 before an action, and whose turn it is follows; nothing else changes.
        state = Snapshot({"n": turn, "turn": turn})
        for seat in range(2):
            for card in range(4):
                groups: dict[object, set[tuple[Told, Told]]] = {}
                for faces in deals:
                    scene = interpreter.scene(state, faces)
                    scene.locals[prop.params[0].name] = card
                    said = frozenset(
                        (binding, *(interpreter.evaluate(fact, scene) for fact in prop.exprs))
                        for binding in interpreter.bindings(prop.told.binders, scene)
                        if interpreter.evaluate(prop.told.where, scene)
                    )
                    seen = interpreter.view(state, faces, seat)
                    told = told_to(interpreter, state, faces, card, seat)
                    groups.setdefault(seen, set()).add((told, said))
                for pairs in groups.values():
                    if not len(pairs) == len({told for told, _ in pairs}) == len({said for _, said in pairs}):
                        return False
    return True


LOOPS = {
    "players": ("for q : Player { reveal rank[Card(index(q) + 2)] }", "rank[Card(index(q) + 2)] for q : Player"),
    "cards": ("for d : Card where index(d) > 1 { reveal rank[d] }", "rank[d] for d : Card where index(d) > 1"),
    "a loop in a loop": (
        "for r : Rank { for q : Player { reveal rank[Card(index(q) + 2)] == r } }",
        "rank[Card(index(q) + 2)] == r for r : Rank, q : Player",
    ),
    "a case in a loop": (
        "for q : Player { case q == turn { reveal rank[Card(2)] } else { reveal suit[Card(3)] } }",
        "rank[Card(2)], suit[Card(3)]",
    ),
    "an effect of the card": (
        "for q : Player where index(c) > 1 { reveal suit[c] to p : Player where p == q }",
        "suit[d] for d : Card where d == c and index(c) > 1",
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_what_is_told_in_a_loop_is_told_of_each(name: str, tmp_path: Path) -> None:
    """All three say that this is exactly what is told."""
    compiled = compiled_game(tmp_path, *LOOPS[name])
    assert is_exact(compiled)
    assert not refuted_by_two_games(compiled)
    assert proved_by_two_copies(compiled)


def test_which_values_there_are_is_less_than_who_has_which(tmp_path: Path) -> None:
    """Were a loop to tell values without saying whose, this would be all it tells."""
    which = "exists(rank[Card(index(q) + 2)] == r for q : Player) for r : Rank"
    compiled = compiled_game(tmp_path, LOOPS["players"][0], which)
    assert not is_exact(compiled)
    assert not proved_by_two_copies(compiled)
    assert refuted_by_two_games(compiled)


# ---- loops at random against the same without loops ----------------------------------------------------
@dataclass(frozen=True)
class Tell:
    """One `reveal` with all that stands around it: names with their types, and conditions.

    A condition needs a `for` to stand in, so there is always a first name, of one value.
    """

    fact: str
    names: tuple[tuple[str, str], ...] = ()
    conditions: tuple[str, ...] = ()
    to: str = ""

    @property
    def text(self) -> str:
        where = " and ".join(f"({condition})" for condition in self.conditions)
        names = ", ".join(f"{name} : {kind}" for name, kind in (("k0", "0..0"), *self.names))
        return f"reveal {self.fact} for {names}{f' where {where}' if where else ''}{self.to}"


@dataclass
class Written:
    """The text of a block, and the same told plainly."""

    text: str = ""
    plain: list[Tell] = field(default_factory=list)


CONDITIONS = ("index({p}) == 0", "{p} == turn", "n == 0", "index(c) > 1", "n + index({p}) > 1")


@st.composite
def blocks(draw: st.DrawFn) -> Written:
    count = 0

    def names_of(kind: str, names: tuple[tuple[str, str], ...]) -> list[str]:
        return [name for name, known in names if known == kind]

    def card(names: tuple[tuple[str, str], ...]) -> str:
        people = [f"Card(index({name}) + 2)" for name in names_of("Player", names)]
        return draw(st.sampled_from([*names_of("Card", names), *people, "c", "Card(3)"]))

    def condition(names: tuple[tuple[str, str], ...]) -> str:
        return draw(st.sampled_from(CONDITIONS)).format(p=draw(st.sampled_from([*names_of("Player", names), "turn"])))

    def block(names: tuple[tuple[str, str], ...], conditions: tuple[str, ...], depth: int) -> str:
        nonlocal count
        lines = []
        for _ in range(draw(st.integers(1, 2))):
            kind = draw(st.sampled_from(["reveal", "for", "case"] if depth < 2 else ["reveal"]))
            count += 1
            if kind == "reveal":
                fact = draw(st.sampled_from(["rank[{}]", "suit[{}]", "rank[{}] == 1"])).format(card(names))
                to = draw(st.sampled_from(["", f" to s{count} : Player where s{count} != turn"]))
                lines.append(f"reveal {fact}{to}")
                found.plain.append(Tell(fact, names, conditions, to))
            elif kind == "for":
                # Many cards at once are told of by plain reveals only.
                loops = ["Player", "Rank"] if depth else ["Player", "Rank", "Card"]
                over, name = draw(st.sampled_from(loops)), f"k{count}"
                more = ((name, over),)
                test = condition((*names, *more))
                inside = block((*names, *more), (*conditions, test), 2 if over == "Card" else depth + 1)
                lines.append(f"for {name} : {over} where {test} {{ {inside} }}")
            else:
                test = condition(names)
                yes = block(names, (*conditions, test), depth + 1)
                no = block(names, (*conditions, f"not ({test})"), depth + 1)
                lines.append(f"case {test} {{ {yes} }} else {{ {no} }}")
        return " ; ".join(lines)

    found = Written()
    found.text = block((), (), 0)
    return found


SAID = ("rank[d] for d : Card where index(d) > 1", "suit[c]", "rank[Card(2)], rank[Card(3)]", "n")


@given(blocks(), st.sampled_from(SAID))
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_loops_tell_what_they_tell_without_them(tmp_path: Path, written: Written, said: str) -> None:
    looped = compiled_game(tmp_path, written.text, said)
    plain = compiled_game(tmp_path, " ; ".join(tell.text for tell in written.plain), said)
    for faces in list(permutations(range(4)))[::5]:
        for turn in range(2):
            state = Snapshot({"n": turn, "turn": turn})
            for card in range(4):
                one, other = (
                    side.interpreter.step(state, faces, Instance("tell", (card,))).revealed for side in (looped, plain)
                )
                assert Counter((to, f.binding, f.value) for to, f in one) == Counter(
                    (to, f.binding[1:], f.value) for to, f in other
                )
    exact = is_exact(looped)
    assert exact == is_exact(plain)
    proved = [proved_by_two_copies(side) for side in (looped, plain)]
    assert proved[0] == proved[1]
    assert exact or not proved[0]
    assert not exact or not any(map(refuted_by_two_games, (looped, plain)))

"""Counts kept from step to step: one more or one less, wherever no more than one of the counted changes at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hanabi_formal.sat.encode.advance import Conjunction, GuardedWrite
from hanabi_formal.sat.encode.exclusion import Exclusions
from hanabi_formal.sat.encode.gates import FALSE, TRUE, Cnf, Value
from hanabi_formal.sat.encode.grounding import Grounder
from hanabi_formal.sat.encode.node_values import Evaluator
from hanabi_formal.sat.encode.nodes import GroundNode

FEWEST = 3
MOST_CHANGES = 80


class Counting:
    """Counts each of whose conditions looks at one place of the state."""

    def __init__(self, grounder: Grounder, cnf: Cnf) -> None:
        self._grounder = grounder
        self._cnf = cnf
        self._kept = [
            node
            for node in grounder.nodes
            if node.kind == "count"
            and len(node.args) >= FEWEST
            and all(arg.reads is not None and len(arg.reads) == 1 for arg in node.args)
        ]
        self._most = {node.number: len(node.args) for node in self._kept}
        self._at: dict[int, list[tuple[int, GroundNode]]] = {}
        for node in self._kept:
            for arg in node.args:
                assert arg.reads is not None
                for entry in arg.reads:
                    self._at.setdefault(entry, []).append((node.number, arg))
        self._with_constant: dict[tuple[int, int], int] = {}

    def completed(self, counts: Mapping[int, Value], state: Sequence[Value]) -> dict[int, Value]:
        """All counts; those that could not be kept are counted anew."""
        evaluator = Evaluator(self._grounder, self._cnf, state.__getitem__)
        return {
            node.number: counts[node.number] if node.number in counts else evaluator.value(node) for node in self._kept
        }

    def _with(self, body: GroundNode, value: Value) -> int:
        """The condition, if its place has that value."""
        if not isinstance(value, int):
            return Evaluator(self._grounder, self._cnf, lambda _: value).truth(body)
        key = (body.number, value)
        if key not in self._with_constant:
            self._with_constant[key] = Evaluator(self._grounder, self._cnf, lambda _: value).truth(body)
        return self._with_constant[key]

    def after(
        self,
        counts: Mapping[int, Value],
        writers: Mapping[int, list[GuardedWrite]],
        first: Mapping[int, list[GuardedWrite]] | None,
        start: Evaluator,
        now: Evaluator,
        known: Exclusions,
    ) -> dict[int, list[GuardedWrite] | None]:
        """What is written to each count; None if more than one of its conditions may change.

        In the second part, `first` is what the first one wrote: a place it left alone is as it was at the start.
        """
        changes: dict[int, dict[int, list[Conjunction]]] = {}
        found: dict[int, list[GuardedWrite] | None] = {number: [] for number in counts}
        shifted: dict[tuple[int, int], Value] = {}
        for entry in sorted(writers):
            for number, body in self._at.get(entry, ()):
                if found.get(number) is None:
                    continue
                for writer in writers[entry]:
                    conjunction = (writer.move, *writer.conditions)
                    earlier = first.get(entry, ()) if first is not None else ()
                    alone = all(known.exclusive(conjunction, (w.move, *w.conditions)) for w in earlier)
                    old = (start if alone else now).truth(body)
                    for conditions, by in self._change(conjunction, old, self._with(body, writer.value), known):
                        changes.setdefault(number, {}).setdefault(writer.move, []).append((writer.move, *conditions))
                        value = self._shift(number, counts[number], conditions, by, shifted)
                        several = found[number]
                        assert several is not None
                        several.append(GuardedWrite(writer.move, conditions, value))
        for number, by_move in changes.items():
            if any(not self._exclusive(several, known) for several in by_move.values()):
                found[number] = None
        return found

    def _change(self, conjunction: Conjunction, old: int, new: int, known: Exclusions) -> list[tuple[Conjunction, int]]:
        """One more or one less, each with its conditions."""
        facts = known.facts(conjunction)
        old, new = (known.settled(conjunction, facts, literal) for literal in (old, new))
        found = []
        for by, (gone, come) in ((1, (-old, new)), (-1, (old, -new))):
            if gone != FALSE and come != FALSE and gone != -come:
                more = tuple(literal for literal in (gone, come) if literal != TRUE)
                found.append(((*conjunction[1:], *more), by))
        return found

    def _shift(
        self, number: int, count: Value, conditions: Conjunction, by: int, shifted: dict[tuple[int, int], Value]
    ) -> Value:
        if isinstance(count, int):
            return count + by
        for key, literal in count.items():
            if key is not None and literal in conditions:
                return key + by
        if (number, by) not in shifted:
            keys = {key: key + by for key in count if key is not None and 0 <= key + by <= self._most[number]}
            shifted[number, by] = {new: count[key] for key, new in keys.items()}
        return shifted[number, by]

    def _exclusive(self, several: list[Conjunction], known: Exclusions) -> bool:
        if len(several) > MOST_CHANGES:
            return False
        return all(
            any(-literal in one for literal in other) or known.exclusive(one, other)
            for place, one in enumerate(several)
            for other in several[:place]
        )

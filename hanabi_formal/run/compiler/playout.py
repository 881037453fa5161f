"""A whole game at random as one function: the state in local names, every turn in place, no state made on the way."""

from __future__ import annotations

from collections.abc import Sequence

from hanabi_formal.run.compiler.action_variants import Variant
from hanabi_formal.run.compiler.blocks import RARELY, BlockEmitter
from hanabi_formal.run.compiler.choices import Choices, halving, indented
from hanabi_formal.run.compiler.emit import Emitter
from hanabi_formal.run.compiler.functions import Functions
from hanabi_formal.run.compiler.layout import Planes
from hanabi_formal.run.compiler.steps import Steps, option_lines

MOST_STEPS = 1_000_000


class InPlace(BlockEmitter):
    """Members are lists here, which are changed instead of being made anew; and there is no state to go back to, so
    that whoever comes from an unusual place is looked for in all places."""

    def _leave_somewhere(self, kept: Planes, var: str, bit: str, card: str, indent: int) -> None:
        planes = self._noting(lambda: [self.emitter.slot(slot) for slot in kept.slots])
        for value, plane in enumerate(planes):
            word = "if" if value == 0 else "elif" if value < len(planes) - 1 else "else"
            self._line(indent, "else:" if word == "else" else f"{word} {plane} & {bit}:")
            if value == 0:
                self._leave(kept, var, value, bit, card, None, indent + 1)
            else:
                self._leave_rarely(kept, var, value, bit, card, indent + 1)

    def _leave_rarely(self, kept: Planes, var: str, value: int, bit: str, card: str, indent: int) -> None:
        """So rare that other steps must not pay for it: options and ends are looked at only if it happens."""
        known, written = (var, value) in self.dirty, set(self.written)
        self._line(indent, f"{RARELY} = 1")
        self._leave(kept, var, value, bit, card, None, indent)
        if not known and (var, value) in self.dirty:
            self.dirty.discard((var, value))
            self.lines += option_lines(kept, value, self.emitter, None, indent)[0]
        self.rare |= self.written - written
        self.written = written

    def _taking_out(self, members: str, card: str, position: str | None) -> str:
        return f"{members}.remove({card})" if position is None else f"del {members}[{position}]"

    def _putting_in(self, members: str, card: str, is_last: str) -> str:
        return f"{members}.append({card}) if {is_last} else insort({members}, {card})"


class Playouts:
    """Made of the same pieces as `pick` and the steps. `usual` says how many members values mostly have."""

    def __init__(self, functions: Functions, choices: Choices, variants: list[Variant], usual: dict[str, int]) -> None:
        self.functions = functions
        self.choices = choices
        self.steps = Steps(functions, InPlace)
        self.numbers = {(variant.number, variant.actor): place for place, variant in enumerate(variants)}
        self.usual = usual

    def playout(self, turn: str, groups: dict[int, list[Variant]]) -> list[str]:
        """The function. `turn` is the slot that says whose turn it is, `groups` are the variants of each actor."""
        emitter = self.functions.emitter()
        turns = {actor: self._turn(variants, emitter) for actor, variants in groups.items()}
        taken, made = self._state()
        return [
            f"def playout(D, s, u, most={MOST_STEPS}, note=None):",
            "    if s[-1]: return s",
            *(f"    {name} = D[{name[1:]}]" for name in sorted(emitter.dealt)),
            *indented(taken),
            "    for _ in repeat(None, most):",
            *indented(self._by_number(turn, list(groups), turns, max(groups) + 1), 2),
            "        if end: break",
            f"    return {made}",
        ]

    def _state(self) -> tuple[list[str], str]:
        """Source that takes the state apart, and of the state put together."""
        members = {
            slot
            for kept in self.functions.layout.kept.values()
            if isinstance(kept, Planes)
            for slot in kept.members.values()
        }
        cells, taken, made = [], [], []
        for number, cell in enumerate(self.functions.layout.cells):
            if isinstance(cell, str):
                cells.append(cell)
                made.append(cell)
            else:
                cells.append(f"g{number}")
                taken.append(f"{', '.join(cell)}, = g{number}")
                made.append(f"({', '.join(f'tuple({slot})' if slot in members else slot for slot in cell)},)")
        return (
            [f"{', '.join(cells)}, = s", *taken, *(f"{slot} = list({slot})" for slot in sorted(members))],
            f"({', '.join(made)},)",
        )

    def _turn(self, variants: list[Variant], emitter: Emitter) -> list[str]:
        """Count what is legal, choose, step. `e0`, `e1` and so on are where the numbers of each fragment end."""
        found = self.choices.fragments(variants, emitter)
        if not found.always and not found.sometimes:
            return ["break"]
        lines: list[str] = []
        names: list[str] = []
        for test, fragments in [("", found.always), *found.sometimes]:
            before, counting = len(names), []
            for fragment in fragments:
                place = len(names)
                # What a slot holds needs no other name.
                names.append(fragment.text if fragment.text.isidentifier() else f"p{place}")
                if names[-1] != fragment.text:
                    counting.append(f"p{place} = {fragment.text}")
                counting.append(f"e{place} = " + (f"e{place - 1} + " if place else "") + f"len({names[-1]})")
            if test:
                none = [f"e{place}" for place in range(before, len(names))] + [f"e{before - 1}" if before else "0"]
                counting = [f"if {test}:", *indented(counting), f"else: {' = '.join(none)}"]
            lines += counting
        last = len(names) - 1
        lines += [f"if not e{last}: break", f"i = floor(u() * e{last})"]
        for place, name in enumerate(names):
            word = "else" if place == last else f"{'elif' if place else 'if'} i < e{place}"
            lines.append(f"{word}: k = {name}[{f'i - e{place - 1}' if place else 'i'}]" if last else f"k = {name}[i]")
        bodies = {self.functions.codes.base[variant.number]: self._step(variant, emitter) for variant in variants}
        return [*lines, "if note: note(k)", *self._by_number("k", sorted(bodies), bodies, self.functions.codes.total)]

    def _step(self, variant: Variant, emitter: Emitter) -> list[str]:
        """The variant's step whose number is in `k`."""
        base = self.functions.codes.base[variant.number]
        body, _ = self.steps.body(self.numbers[variant.number, variant.actor], variant, emitter, self.usual)
        return [*([f"k -= {base}"] if base else []), *(line[4:] for line in body)]

    def _by_number(self, value: str, starts: Sequence[int], bodies: dict[int, list[str]], most: int) -> list[str]:
        """What belongs to the last of the starts that is not above a number.

        Python is slow to compare where what may be jumped over is long; to look up the answer is several times faster.
        """

        def below(bound: int) -> str:
            return f"{self.functions.constant('Q', tuple(i < bound for i in range(most)))}[{value}]"

        return halving(below, starts, bodies)

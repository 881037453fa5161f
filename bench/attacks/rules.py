"""Rule files: texts changed at random, parts of one put into another, pairs one edit apart, and games known by heart.

A file that is accepted is played by both engines, which must agree; what `check` proves of a small game must be so in
every game there is; two files with one identity must be one game; a file in the one layout must mean what it meant.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path
from random import Random
from typing import Any

from lark import Lark
from lark.exceptions import LarkError

from attacks import TESTS, mutate
from attacks.counters import counters
from attacks.grounds import CHANGES, TINY
from attacks.harness import Case, Differs, WrongAcceptance
from attacks.program import identity, verb
from hanabi_formal.api import Game, load
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.resources import grammar_text, spec_folder
from hanabi_formal.run.faults import Fault, IllegalAction
from hanabi_formal.syntax.format import format_text
from random_rules import random_rules
from small_games import GAMES

RANDOM_GAMES = 12
STEPS = 6
MOST_LEGAL = 400
WORDS = (
    "v0",
    "v1",
    "v2",
    "x1",
    "n",
    "turn",
    "c",
    "p",
    "score",
    "ended",
    "place",
    "first",
    "last",
    "index",
    "size",
    "Card",
    "true",
    "red",
    "hand",
    "pile",
    "base",
    "made",
    "_",
    "v2_",
    "need_display",
)


class Attack:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        beside = folder / "bad"  # rules that others extend
        shutil.copytree(TESTS / "bad", beside, dirs_exist_ok=True)
        self.file, self.other = beside / "made.hrl", beside / "other.hrl"
        self.toys = [f"game made {{\n{text}\n}}\n" for text in GAMES.values()]
        self.toys += [
            path.read_text("utf-8")
            for path in sorted((TESTS / "games").glob("*.hrl"))
            if "extends" not in path.read_text("utf-8")
        ]
        self.toys += [random_rules(seed, 3) for seed in range(RANDOM_GAMES)]
        self.bad = [path.read_text("utf-8", "replace") for path in sorted((TESTS / "bad").glob("*.hrl"))]
        self.built_in = [path.read_text("utf-8") for path in sorted(spec_folder().glob("*.hrl"))]
        self.variants = [text for text in self.built_in if not text.lstrip("#").count("\ngame ")] + [TINY]
        self.variants += [
            f'variant changed extends base {{\n  clause @changed "ours"\n  {" ".join(lines)}\n}}\n'
            for lines in CHANGES.values()
        ]

    @cached_property
    def parts(self) -> dict[str, list[str]]:
        """Texts by the rule of the grammar that they follow."""
        found: dict[str, dict[str, None]] = {}
        for text in self.toys:
            for rule, start, end in _places(text):
                found.setdefault(rule, {})[text[start:end]] = None
        return {rule: list(texts) for rule, texts in found.items()}

    def case(self, number: int, random: Random) -> Case:
        make = random.choices(
            (
                self._spliced,
                self._changed,
                self._bad,
                self._variant,
                self._built_in,
                self._pair,
                self._known,
                self._command_line,
            ),
            (10, 10, 8, 0.7, 0.5, 6, 0.5, 0.5),
        )[0]
        return make(random)

    # ---- texts -------------------------------------------------------------------------------------------
    def _spliced(self, random: Random) -> Case:
        """Well-formed, mostly: a part replaced by another of the same kind."""
        text = random.choice(self.toys)
        for _ in range(random.choice((1, 1, 2, 3))):
            places = _places(text)
            if places:
                place = random.choice(places)
                text = text[: place[1]] + self._another(random, text, place) + text[place[2] :]
        return Case("spliced", text, lambda: self._loaded(text, random))

    def _another(self, random: Random, text: str, place: tuple[str, int, int]) -> str:
        """A part of the same kind, mostly from the same text, where its names mean something."""
        own = [text[start:end] for rule, start, end in _places(text) if rule == place[0]]
        return random.choice(own if random.random() < 0.85 else self.parts.get(place[0], own))

    def _changed(self, random: Random) -> Case:
        text = random.choice(self.toys)
        if random.random() < 0.3:
            names = sorted(set(re.findall(r"[A-Za-z_]\w*", text)))
            text = re.sub(rf"\b{random.choice(names)}\b", random.choice(WORDS), text)
        else:
            text = mutate.text(random, text, self.toys)
        return Case("changed", text, lambda: self._loaded(text, random))

    def _bad(self, random: Random) -> Case:
        text = mutate.text(random, random.choice(self.bad), self.bad)
        return Case("bad", text, lambda: self._static(text, random))

    def _variant(self, random: Random) -> Case:
        text = mutate.text(random, random.choice(self.variants), self.variants)
        return Case("variant", text, lambda: self._static(text, random))

    def _built_in(self, random: Random) -> Case:
        text = mutate.text(random, random.choice(self.built_in), self.built_in)
        return Case("built-in", text, lambda: self._static(text, random))

    def _command_line(self, random: Random) -> Case:
        text = random.choice(random.choice((self.toys, self.bad)))
        text = mutate.text(random, text, self.toys) if random.random() < 0.7 else text
        words = random.choice(
            (
                ["check", "--static"],
                ["check", "--static", "--json"],
                ["fmt", "--check"],
                ["cite"],
                ["play", "--seed", "1"],
                ["check", "--static", "--format", "editor"],
            )
        )

        def ask() -> bool:
            _written(self.file, text)
            return verb(words[0], str(self.file), *words[1:]).code == 0

        return Case("command line", [words, text], ask)

    def _static(self, text: str, random: Random) -> bool:
        _written(self.file, text)
        game = load(str(self.file))
        for count in game.player_counts[:1] or (None,):
            game.system(count)
        self._formatted(text)
        return True

    def _loaded(self, text: str, random: Random) -> bool:
        _written(self.file, text)
        game = load(str(self.file))
        system = game.system()
        self._formatted(text)
        if len(system.actions) < 20:
            self._played(game, random)
        return True

    def _formatted(self, text: str) -> None:
        once = format_text(text)
        if format_text(once) != once:
            raise Differs("a file in the one layout is laid out otherwise")

    def _played(self, game: Game, random: Random) -> None:
        """Some steps by the executor and the interpreter; where rules break down, both must see it."""
        system = game.system()
        seed = random.randrange(1000)
        faces = shuffled(system, seed) if system.deck is not None else ()
        try:
            compiled = game.compiled()
            snapshot = compiled.interpreter.start(faces)
        except Fault:
            return
        dealt = compiled.deal(list(faces))
        state = compiled.start(dealt)
        for _ in range(STEPS):
            if dict(compiled.snapshot(state).values) != dict(snapshot.values) or compiled.ended(state) != snapshot.end:
                raise Differs(f"executor {compiled.snapshot(state)}, interpreter {snapshot}")
            try:
                legal = set(compiled.interpreter.legal(snapshot, faces))
            except Fault:
                return
            codes = list(compiled.legal(dealt, state))
            if {compiled.decode(state, code) for code in codes} != legal:
                raise Differs("executor and interpreter differ about what is legal")
            if not codes or len(codes) > MOST_LEGAL:
                return
            code = random.choice(codes)
            taken = compiled.decode(state, code)
            after = _unless_broken(compiled.step, dealt, state, code)
            told = _unless_broken(compiled.interpreter.step, snapshot, faces, taken)
            if (after is None) != (told is None):
                raise Differs(f"{taken}: executor {after}, interpreter {told}")
            if after is None or told is None:
                return
            state, snapshot = after, told.after

    # ---- identity ------------------------------------------------------------------------------------------
    def _pair(self, random: Random) -> Case:
        """Two files, one edit apart. If they have one identity, they behave alike."""
        first = random.choice(self.toys)
        places = [place for place in _places(first) if place[0] in SMALL_PARTS] or _places(first)
        names = sorted(set(re.findall(r"\b[a-z]\w*\b", first)))
        if random.random() < 0.4:
            old = random.choice(names)
            first = re.sub(rf"\b{old}\b", random.choice(WORDS[:6]), first)
            names = sorted(set(re.findall(r"\b[a-z]\w*\b", first)))
            place = random.choice(list(re.finditer(r"\b[a-z]\w*\b", first)))
            second = first[: place.start()] + random.choice(names) + first[place.end() :]
        else:
            place_of = random.choice(places)
            second = first[: place_of[1]] + self._another(random, first, place_of) + first[place_of[2] :]

        def ask() -> bool:
            _written(self.file, first)
            _written(self.other, second)
            one, two = load(str(self.file)), load(str(self.other))
            same = identity(one.system()) == identity(two.system())
            if same and _behaviour(one) != _behaviour(two):
                raise WrongAcceptance("two games that behave differently have one identity")
            return not same

        return Case("pair", [first, second], ask)

    # ---- what is proved ----------------------------------------------------------------------------------
    def _known(self, random: Random) -> Case:
        made = counters(random)
        text = made.rules()

        def ask() -> bool:
            truths = made.truths()
            _written(self.file, text)
            answered = verb("check", str(self.file), "--json", "--games", "20")
            found = {one["name"]: one["verdict"] for one in json.loads(answered.out).get("obligations", ())}
            for name, is_so in (truths or {}).items():
                verdict = found.get(name)
                if verdict in (("refuted",) if is_so else ("proved", "reached")):
                    raise WrongAcceptance(f"`{name}` is {verdict}, and every game says {is_so}")
            return answered.code == 0

        return Case("known by heart", text, ask)


SMALL_PARTS = frozenset(("name", "int", "binary", "unary", "read", "primed", "index", "bool", "binder"))


def _written(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))


def _unless_broken(work: Callable[..., Any], *args: Any) -> Any:
    try:
        return work(*args)
    except (Fault, IllegalAction):
        return None


@lru_cache
def _lark() -> Lark:
    return Lark(
        grammar_text(),
        start="unit",
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=False,
    )


@lru_cache(maxsize=400)
def _places(text: str) -> list[tuple[str, int, int]]:
    """Where which rule of the grammar is followed; nothing for a text that does not parse."""
    try:
        tree = _lark().parse(text)
    except LarkError:
        return []
    return [
        (str(node.data), node.meta.start_pos, node.meta.end_pos)
        for node in tree.iter_subtrees()
        if not node.meta.empty and node is not tree
    ]


def _behaviour(game: Game) -> list[Any]:
    """What a few games of fixed chance look like, in numbers alone."""
    system = game.system()
    told: list[Any] = []
    for seed in range(3):
        random = Random(seed)
        faces = shuffled(system, seed) if system.deck is not None else ()
        interpreter = game.compiled().interpreter
        try:
            state = interpreter.start(faces)
            for _ in range(STEPS):
                legal = interpreter.legal(state, faces)
                places = {action.name: place for place, action in enumerate(system.actions)}
                told.append((list(state.values.values()), state.end, sorted((places[n], args) for n, args in legal)))
                if not legal:
                    break
                name, args = legal[int(random.random() * len(legal))]
                state = interpreter.step(state, faces, Instance(name, args)).after
        except (Fault, IllegalAction) as problem:
            told.append(type(problem).__name__)
    return told

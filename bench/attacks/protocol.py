"""What an implementation says when it is compared with the rules: the truth, a lie in one field, or nonsense.

The implementation is the rules themselves behind the protocol, with one answer changed. It is known what that answer
should have been: a lie about anything that is compared must be found, and the truth in other words must not be
taken for a difference.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from attacks import mutate
from attacks.harness import Case, Differs, WrongAcceptance
from attacks.program import Spoken
from hanabi_formal.api import Game, load
from hanabi_formal.conformance.difference import GameKind, Nonconformance
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.messages import ALWAYS, Failed, Setup, Unsupported
from hanabi_formal.conformance.one_game import ATTEMPTS, Bench
from hanabi_formal.conformance.process.wire import answer_data, answer_from
from hanabi_formal.conformance.styles import STYLES, StyledPlayer
from rules_engine import RulesEngine

NUMBERS = ("pile", "blue", "red", "turn", "score")
TABLES = (
    ("base", 2, ("red", "blue"), "3"),
    ("base", 3, ("red", "green", "blue"), "3"),
    ("base", 2, (), ""),
    ("rainbow", 2, ("red", "multi"), "4"),
    ("nl", 2, ("red", "blue"), "3"),
)
MOST_MOVES = 14
ALWAYS_KNOWN = {"protocol": 1, "name": "spoken"}
TRUTH = "the truth"
LIES_ABOUT_MOVES = (
    {"type": "play", "slot": 9},
    {"type": "hint", "to": 0, "value": 1},
    {"type": "discard", "slot": 0},
    {"type": "play", "slot": True},
)
Change = Callable[[bytes], bytes]


@lru_cache
def bench(number: int) -> tuple[Game, int, Menu]:
    spec, players, suits, top = TABLES[number]
    cuts = {"Suit": suits, "Rank": tuple(str(rank + 1) for rank in range(int(top)))} if suits else {}
    game = load(spec, cuts=cuts)
    return game, players, Menu(game, players, ALWAYS)


@lru_cache
def engine(number: int, lists: bool) -> RulesEngine:
    """The rules as an implementation; one for all games, which begin anew."""
    game, _, menu = bench(number)
    found = RulesEngine(game, lists)
    found.knows = ALWAYS
    found.sit(menu.setup)
    return found


class Liar:
    """Speaks the protocol for an honest engine; the answer with that number is changed on its way."""

    def __init__(self, honest: RulesEngine, setup: Setup, when: int, change: Change) -> None:
        self.engine = honest
        self.setup = setup
        self.when, self.change = when, change
        self.answers = 0
        self.said: tuple[bytes, bytes] | None = None

    def talk(self, line: bytes) -> bytes:
        message = json.loads(line)
        if message["type"] == "hello":
            return json.dumps(ALWAYS_KNOWN).encode() + b"\n"
        if message["type"] == "start":
            answer = self.engine.start(tuple(message["deck"]))
        else:
            moves = [n for n, move in enumerate(self.setup.moves) if move.data(self.setup.suits) == message["action"]]
            answer = self.engine.act(moves[0])
        honest = json.dumps(answer_data(answer, self.setup)).encode() + b"\n"
        self.answers += 1
        if self.answers - 1 != self.when:
            return honest
        self.said = honest, self.change(honest)
        return self.said[1]


class Attack:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def case(self, number: int, random: Random) -> Case:
        how, change = random.choices(
            (
                ("a field", lambda line: _written(_one_field(random, json.loads(line)))),
                ("data", lambda line: _written(mutate.data(random, json.loads(line)))),
                ("text", lambda line: mutate.text(random, line.decode()).encode("utf-8", "surrogatepass")),
                ("bytes", lambda line: mutate.octets(random, line)),
                ("junk", lambda line: _junk(random)),
                (TRUTH, lambda line: _written(_reworded(random, json.loads(line)))),
            ),
            (8, 5, 3, 2, 1, 3),
        )[0]
        table = random.choice((0, 0, 0, 1, 1, 2, 3, 4))
        lists = random.random() < 0.5
        when = random.choice((0, *range(MOST_MOVES)))
        seed = random.randrange(10**9)
        if random.random() < 0.5:
            return self._one_answer(how, change, table, lists, when, seed)
        given = table, lists, when, seed
        return Case(f"game, {how}", given, lambda: self._game(how, change, *given))

    # ---- one answer by itself --------------------------------------------------------------------------
    def _one_answer(self, how: str, change: Change, table: int, lists: bool, when: int, seed: int) -> Case:
        """Read and compared without a game around it."""
        menu = bench(table)[2]
        honest = _honest_answer(table, lists, when % 6, seed % 50)
        changed = change(honest)

        def ask() -> bool:
            child = Spoken(lambda line: changed if b'"start"' in line else _written(ALWAYS_KNOWN))
            child._setup = menu.setup
            try:
                answer = child.start(())
            except Failed:
                _must_differ(how, honest, changed, menu.setup, False)
                return False
            except Unsupported:
                return False
            truth = answer_from(json.loads(honest), menu.setup)
            agrees = not _differs(answer.seen, truth.seen) and answer.legal in (None, truth.legal)
            _must_differ(how, honest, changed, menu.setup, agrees and answer.refused is None)
            return agrees

        return Case(f"answer, {how}", [table, honest.decode(), changed.hex()], ask)

    # ---- a whole game ----------------------------------------------------------------------------------
    def _game(self, how: str, change: Change, table: int, lists: bool, when: int, seed: int) -> bool:
        menu = bench(table)[2]
        liar = Liar(engine(table, lists), menu.setup, when, change)
        child = Spoken(liar.talk)
        played = Bench(GameKind(menu.players), menu, child)
        child._setup = menu.setup
        player = StyledPlayer(menu, str(seed))
        found: list[Nonconformance] = []
        chooser = player.chooser(STYLES[seed % len(STYLES)])
        try:
            found = list(islice(played.play(player.deal(), chooser, 0 if lists else ATTEMPTS), 50))
        except Unsupported:
            return False
        if liar.said is None:
            if found:
                raise Differs(f"the rules differ from themselves: {found[0]}")
            return True
        honest, changed = liar.said
        _must_differ(how, honest, changed, menu.setup, not found)
        return not found


def _must_differ(how: str, honest: bytes, changed: bytes, setup: Setup, agrees: bool) -> None:
    """Whether the answer was taken as it is: a lie is not the truth, the truth is no lie."""
    if agrees and _is_lie(honest, changed, setup):
        raise WrongAcceptance(f"it should say {honest!r}, says {changed!r}, and is said to agree")
    if not agrees and how == TRUTH:
        raise Differs(f"{changed!r} is as true as {honest!r}, and is said to differ")


def _is_lie(honest: bytes, changed: bytes, setup: Setup) -> bool:
    """By the words of docs/protocol.md, read once more; what they leave open is none."""
    if changed.count(b"\n") != 1 or not changed.endswith(b"\n"):
        return False
    try:
        said, truth = json.loads(changed), json.loads(honest)
    except (ValueError, RecursionError):
        return False
    if not isinstance(said, dict) or not isinstance(said.get("state"), dict):
        return False
    if ("refused" in said) != ("refused" in truth) or said.get("refused", "") is None:
        return False
    state, right = said["state"], truth["state"]
    for name in (*NUMBERS, "ended", "hands", "discards", "fireworks"):
        if name not in state or state[name] is None:
            continue
        if name == "turn" and right["ended"]:
            continue
        value, wanted = state[name], right.get(name)
        if name == "discards" and isinstance(value, list) and all(isinstance(card, str) for card in value):
            value, wanted = sorted(value), sorted(wanted)
        if name == "fireworks" and isinstance(value, dict):
            value = {letter: value.get(letter, 0) for letter in setup.letters}
        if value != wanted or (type(value) is not type(wanted)):
            return True
    told = state.get("legal")
    return told is not None and "legal" in right and not _same_moves(told, right["legal"])


def _same_moves(said: Any, right: list[dict[str, Any]]) -> bool:
    if not isinstance(said, list) or not all(isinstance(move, dict) for move in said):
        return False
    plain = [{key: value for key, value in move.items() if key != "card"} for move in said]
    return all(move in right for move in plain) and all(move in plain for move in right)


def _differs(one: Any, other: Any) -> bool:
    both = zip(one, other, strict=True)
    return any(mine is not None and theirs is not None and mine != theirs for mine, theirs in both)


@lru_cache(maxsize=2000)
def _honest_answer(table: int, lists: bool, moves: int, seed: int) -> bytes:
    menu, playing = bench(table)[2], engine(table, lists)
    random = Random(f"honest {seed}")
    answer = playing.start(menu.names(random.sample(menu.some_deal, len(menu.some_deal))))
    for _ in range(moves):
        legal = sorted(menu.legal(playing.dealt, playing.state))
        if not legal:
            break
        answer = playing.act(random.choice(legal))
    return _written(answer_data(answer, menu.setup))


# ---- lies ------------------------------------------------------------------------------------------------
def _written(data: Any) -> bytes:
    return json.dumps(data).encode() + b"\n"


def _one_field(random: Random, data: dict[str, Any]) -> dict[str, Any]:
    """A lie that is in order: a number one more or less, a card exchanged, an action that is not legal listed."""
    state = data["state"]
    name = random.choice(sorted(state))
    value = state[name]
    match value:
        case bool():
            state[name] = not value
        case int():
            state[name] = value + random.choice((-1, 1))
        case dict():
            key = random.choice(sorted(value))
            value[key] += random.choice((-1, 1))
        case list() if name == "legal" and value:
            if random.random() < 0.5:
                value.remove(random.choice(value))
            else:
                value.append(random.choice(LIES_ABOUT_MOVES))
        case list() if name == "hands":
            hand = random.choice(value)
            if len(hand) > 1 and random.random() < 0.5:
                hand[0], hand[1] = hand[1], hand[0]
            else:
                hand.append("r1")
        case list():
            value.append(random.choice(("r1", "b3", "x9")))
    return data


def _reworded(random: Random, data: dict[str, Any]) -> dict[str, Any]:
    """The same in other words: fields left out, lists in another order."""
    state = data["state"]
    for name in random.sample(sorted(state), random.randrange(len(state))):
        if name == "discards" or name == "legal":
            random.shuffle(state[name])
        else:
            del state[name]
    return data


def _junk(random: Random) -> bytes:
    return random.choice(
        (
            b"",
            b"\n",
            b"null\n",
            b"[]\n",
            b"{}\n",
            b'{"state": {}}\n',
            b'{"state": null}\n',
            b"{}\n{}\n",
            b"\xff\n",
            b'{"refused": 1}\n',
            b'{"unsupported": null}\n',
            b'{"unsupported": "\\u001b"}\n',
            b'{"refused": "\\u001b"}\n',
            mutate.deep_text(random).encode() + b"\n",
            b'{"state": {"blue": 1' + b"0" * 5000 + b"}}\n",
            b'{"state": {"hands": [[[]]]}}\n',
            b'{"state": {"legal": [{"type": []}]}}\n',
            b'{"state":{"score":NaN}}\n',
            b'{"state":{"fireworks":{"r":true}}}\n',
            b'{"state":{"turn":1e0}}\n',
            b'{"state":{"score":1},"state":{}}\n',
        )
    )

"""What a no about a deal needs of the rules: what is proved, what clauses say, and rules that have something else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from decided import OURS, TINY, deals, oracle, small_game, written
from exhaustive import best_score
from hanabi_formal.api import Game, State, load
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.formats.deals import parse_deal, shuffled
from hanabi_formal.judge.arguments.argument import Turns
from hanabi_formal.judge.arguments.kept_needs import KeptNeeds, kept_needs
from hanabi_formal.judge.arguments.needs import (
    CARDS,
    NEEDS,
    TOKENS,
    TURNS,
    RuleNeeds,
    key_of,
    need_path,
    prove_need,
    tried_of,
)
from hanabi_formal.judge.arguments.position import Position, PositionReader, reader
from hanabi_formal.judge.certificate import Reasoned, TooFew, Unsolvable
from hanabi_formal.judge.evidence import judge, judge_all, rules_hash
from hanabi_formal.judge.refutations.lrat import Refused
from hanabi_formal.judge.refutations.seats import Seats
from hanabi_formal.kernel.depends import restrict
from hanabi_formal.kernel.trace import Instance
from hanabi_formal.resources import proofs_folder, spec_folder
from hanabi_formal.run.compiler.compile import Compiled
from hanabi_formal.sat.solvers import Cadical
from hanabi_formal.winnability.answer import LadderBudget
from hanabi_formal.winnability.beginnings import Beginnings
from hanabi_formal.winnability.deal_report import DealReport
from hanabi_formal.winnability.evidence_data import as_data
from hanabi_formal.winnability.oracle import AnsweredDeal, Oracle
from hanabi_formal.winnability.plan import plannable

pytestmark = pytest.mark.usefixtures("proved_once")


# ---- what a no needs -----------------------------------------------------------------------------------
def test_needs_of_the_base_game_are_proved() -> None:
    assert prove_need(load("base"), 2, TOKENS, 5) == ""


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("spec", ["base", "rainbow", "hanab_live"])
def test_needs_are_proved(spec: str, players: int) -> None:
    assert prove_need(load(spec), players, TOKENS, 5 if players <= 3 else 4) == ""


def built_in() -> list[tuple[str, int]]:
    names = sorted(path.name for path in proofs_folder().iterdir() if path.is_dir())
    return [(name, count) for name in (*names, "hanab_live", "hanab_live+expert") for count in load(name).player_counts]


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.deep)])
def test_needs_of_all_that_is_built_in_are_kept(every: int) -> None:
    """So that nobody waits for a proof. If this fails: `python bench/prove_needs.py`."""
    for spec, players in built_in()[::every]:
        game = load(spec)
        found = reader(game, players)
        assert found is not None
        needs = RuleNeeds(game, players, found.start(shuffled(found.system, 0)).hand_size)
        for need in reversed(NEEDS) if found.has_last_round else (CARDS,):
            standing = needs.known(need)
            tried = kept_needs().tried.get(key_of(found.system, need, needs.dealt))
            if standing is None and tried is not None and tried.missing:
                continue  # it failed of the same rules with other properties, and may be tried again with these
            if standing is None or standing.met:
                break
        assert standing is not None, (spec, players, need)
        assert standing.met, (spec, players)


@pytest.mark.slow
def test_what_is_kept_is_proved_again() -> None:
    for spec, players in built_in():
        game = load(spec)
        dealt = 3 if players == 6 else 5 if players <= 3 else 4
        known = {need: kept_needs().tried.get(key_of(game.system(players), need, dealt)) for need in reversed(NEEDS)}
        need = next(need for need, tried in known.items() if tried is not None and not tried.missing)
        assert prove_need(game, players, need, dealt) == "", (spec, players, need)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "rulings", "missing"),
    [
        ("timed", {}, "need_play_gains"),
        ("base", {"take_token": "may"}, "need_play_gains"),
        ("base", {"discard_at_full": "allowed"}, "need_discard_gains"),
    ],
)
def test_tokens_that_are_not_always_counted_alike(spec: str, rulings: dict[str, str], missing: str) -> None:
    game = load(spec, rulings=rulings)
    assert missing in prove_need(game, 2, TOKENS, 5)
    assert RuleNeeds(game, 2, 5).standing(TURNS).met


def test_a_wrong_size_of_hands_is_not_proved() -> None:
    assert "need_room" in prove_need(load("base"), 2, CARDS, 4)


def test_rules_that_fail_a_need_lose_the_shortcut_only(tmp_path: Path) -> None:
    """Cards come back from the discards, so that no card is ever lost for good."""
    again = tmp_path / "again.hrl"
    again.write_text(
        "variant again extends base {\n"
        '  clause @again.back "a card that does not fit goes back under the hand of the next player"\n'
        "  override effect misfit(c) {\n"
        "    place[c]' = hand(next(turn))\n"
        "    red_spent' = min(red_spent + 1, red_tokens)\n"
        "  }  @again.back\n"
        "}\n"
    )
    cuts = {"Suit": ["red"], "Rank": ["1", "2"]}
    game = load(f"{TINY}+{again}", params={"red_tokens": 3}, cuts=cuts)
    assert not RuleNeeds(game, 2, 2).standing(TURNS).met
    plain = Compiled(restrict(game.system(2)))
    for seed in range(4):
        faces = shuffled(game.system(2), seed)
        dealt = plain.deal(list(faces))
        asked = Oracle(game).ask(2, faces, best=True)
        assert asked.reached.goal == best_score(plain, dealt, plain.start(dealt))


def test_expert_arguments_are_about_room_only() -> None:
    """A deal that is lost for want of turns can be won where there is no last round."""
    _, data, faces = next(each for each in deals(OURS) if each[1]["id"] == "flag-novar5-4p-2798")
    asked = oracle("expert").ask(4, faces)
    assert data["answer"] == "unwinnable"
    assert asked.answer.verdict == "winnable"


# ---- tokens counted --------------------------------------------------------------------------------------
def counted(game: Game, players: int, seed: int, best: bool = False) -> tuple[Oracle, AnsweredDeal]:
    """A deal decided without searches, and the judge's consent to what is said of it."""
    found = Oracle(game, budget=LadderBudget(widths=(), wider=()))
    faces = shuffled(game.system(players), seed)
    asked = found.ask(players, faces, best=best)
    data = written(found, asked)
    list(judge_all(game, players, faces, data))
    return found, asked


def test_a_deal_that_is_lost_for_want_of_tokens() -> None:
    game = small_game("base", "red,blue", 4, {})
    found, asked = counted(game, 2, LOST_FOR_TOKENS)
    assert asked.answer.method == "tokens"
    data = written(found, asked)
    for change in ({"kind": "seats"}, {"clauses": "0" * 64}, {"lrat": data["certificate"]["lrat"][:40]}):
        wrong = {**data, "certificate": {**data["certificate"], **change}}
        with pytest.raises(Refused):
            judge(game, 2, asked.faces, wrong)
    may = small_game("base", "red,blue", 4, {"take_token": "may"})
    with pytest.raises(Refused, match="do not have what it needs"):
        judge(may, 2, asked.faces, {key: value for key, value in data.items() if key != "rules"})


@pytest.mark.deep
def test_fewer_points_are_denied_by_tokens_too() -> None:
    _, asked = counted(small_game("base", "red,blue", 4, {}), 2, FEWER_FOR_TOKENS, best=True)
    assert asked.beyond is not None
    assert (asked.beyond.method, asked.beyond.goal < 8) == ("tokens", True)


LOST_FOR_TOKENS, FEWER_FOR_TOKENS = 10, 4
STRICT = ("base", 2), ("base", 5), ("rainbow", 3), ("hanab_live", 4)
LAX = ("nl", 2), ("nl", 5), ("nl+rainbow", 3)
"""Where tokens may be left, and cards discarded though all of them are there."""


@pytest.mark.parametrize("ruling", [{"take_token": "may"}, {"discard_at_full": "allowed"}], ids=str)
@pytest.mark.sampled(1)
def test_where_tokens_may_be_left_what_is_spent_decides(ruling: dict[str, str]) -> None:
    game = small_game("base", "red,blue", 4, ruling)
    plain = Compiled(restrict(game.system(2)))
    for seed in (LOST_FOR_TOKENS, FEWER_FOR_TOKENS):
        _, asked = counted(game, 2, seed, best=True)
        assert asked.beyond is not None
        assert asked.beyond.method == "spending"
        dealt = plain.deal(list(asked.faces))
        assert asked.reached.goal == best_score(plain, dealt, plain.start(dealt))
        claim = {"rules": rules_hash(game, 2), "goal": asked.beyond.goal, "answer": "unwinnable"}
        assert asked.beyond.certificate is not None
        proof = as_data(asked.beyond.certificate)
        judge(game, 2, asked.faces, {**claim, "certificate": proof})
        for kind in ("seats", "tokens", "unrolled"):
            with pytest.raises(Refused):
                judge(game, 2, asked.faces, {**claim, "certificate": {**proof, "kind": kind}})


@pytest.mark.deep
def test_where_cards_are_not_replaced_few_can_be_played() -> None:
    game = small_game("dutch_layout", "red,blue", 3, {})
    plain = Compiled(restrict(game.system(2)))
    for seed in range(3):
        faces = shuffled(game.system(2), seed)
        found = Oracle(game)
        asked = found.ask(2, faces, best=True)
        dealt = plain.deal(list(faces))
        assert asked.reached.goal == best_score(plain, dealt, plain.start(dealt))
        assert isinstance(asked.answer.certificate, TooFew | Reasoned)
        list(judge_all(game, 2, faces, written(found, asked)))
    said = {"answer": "unwinnable", "certificate": {"kind": "few"}}
    with pytest.raises(Refused, match="in hands or played"):
        judge(game, 2, faces, {**said, "goal": 2})
    with pytest.raises(Refused, match="do not have what it needs"):
        judge(small_game("base", "red,blue", 3, {}), 2, faces, said)


@cache
def begun_games(kinds: tuple[tuple[str, int], ...]) -> list[tuple[PositionReader, list[State]]]:
    """Games of every kind, from some moment on."""
    found = []
    for spec, players in kinds:
        game = load(spec)
        where = reader(game, players)
        assert where is not None
        for seed in range(12):
            state = game.start(players, seed=seed)
            states, rng = [state], Random(seed)
            while state.ended is None:
                state = state.step(chosen(state, rng, skilled=seed % 3 > 0))
                states.append(state)
            found += [(where, states[begin:]) for begin in sorted(rng.sample(range(len(states) - 1), 2))]
    return found


def refuted_by_games(
    clauses: Callable[[Position, int], Seats], kinds: tuple[tuple[str, int], ...] = STRICT
) -> Counter[str]:
    """How often what a game did is no solution, though it made as many points; by how it ended."""
    refuted = Counter[str]()
    for where, states in begun_games(kinds):
        end = states[-1].ended
        assert end is not None
        seats = clauses(where.read(states[0]), sum(where.read(states[-1]).heights))
        done = [[literal] for literal in what_was_done(seats, where, states)]
        solver = Cadical([*seats.cnf.clauses, *done])
        refuted[end.name] += not solver.solve(10_000)
        solver.close()
    return refuted


def test_clauses_about_tokens_are_true_of_games() -> None:
    refuted = refuted_by_games(lambda position, goal: Seats(position, goal, tokens=True))
    assert {"strikes", "perfect", "last_round"} <= refuted.keys()
    assert refuted.total() == 0


@pytest.mark.deep
def test_clauses_about_spending_are_true_of_games() -> None:
    """The stricter ones are not, of the same games."""
    refuted = refuted_by_games(lambda position, goal: Seats(position, goal, tokens=True, at_full=True), LAX)
    assert {"strikes", "perfect", "last_round"} <= refuted.keys()
    assert refuted.total() == 0
    assert refuted_by_games(lambda position, goal: Seats(position, goal, tokens=True), LAX).total() > 0


def few_hints(position: Position, goal: int) -> Seats:
    seats = Seats(position, goal, tokens=True)
    assert seats.tokens is not None
    for hints in seats.tokens.hints:
        for many in hints[position.players :]:
            seats.cnf.add(-many)
    return seats


@pytest.mark.parametrize(
    "clauses",
    [
        few_hints,
        lambda position, goal: plannable(position, goal, to_the_end=True),
        lambda position, goal: Seats(replace(position, mistakes=1), goal, tokens=True),
        lambda position, goal: Seats(replace(position, tokens=0), goal, tokens=True),
        lambda position, goal: Seats(position, goal + 1, tokens=True),
    ],
    ids=["hints are few", "no game is over early", "no mistakes", "no tokens", "a point more"],
)
@pytest.mark.sampled(1)
def test_clauses_that_say_too_much_are_found(clauses: Callable[[Position, int], Seats]) -> None:
    assert refuted_by_games(clauses).total() > 0


class Narrow(Position):
    """All hands together have places for a card less than the hands one by one."""

    @property
    def room(self) -> int:
        return super().room - 1


@pytest.mark.parametrize(("spec", "seed"), [("avalanche", 122), ("avalanche", 143), ("base", 488), ("base", 725)])
def test_all_hands_together_have_places_for_exactly_so_many(spec: str, seed: int) -> None:
    """Deals that are won only if at some moment every card in every hand is one that is to be played."""
    where = reader(oracle(spec).game, 2)
    assert where is not None
    faces = shuffled(where.system, seed)
    asked = oracle(spec).ask(2, faces)
    assert asked.answer.verdict == "winnable"  # by a line, which was played
    position = where.start(faces)
    narrow = Narrow(**{field.name: getattr(position, field.name) for field in fields(position)})
    for place, solvable in ((position, True), (narrow, False)):
        solver = Cadical(Seats(place, position.suits * position.ranks).cnf.clauses)
        assert solver.solve(100_000) is solvable
        solver.close()


def chosen(state: State, rng: Random, skilled: bool) -> Instance:
    """A card that fits rather than anything else, if the players are skilled."""
    legal = [action for action in state.legal() if action.name in ("play", "discard", "hint")]
    fitting = [a for a in legal if a.name == "play" and state.step(a).score > state.score]
    if skilled and rng.random() < 0.97:
        return rng.choice(fitting or [a for a in legal if a.name != "play"] or legal)
    return rng.choice(legal)


def what_was_done(seats: Seats, where: PositionReader, states: Sequence[State]) -> Iterator[int]:
    """Who put down which card, when it was played, and how many hints came before; then that the game was over."""
    assert seats.tokens is not None
    step = hints = 0
    for before, after in pairwise(map(where.read, states)):
        gone = [c for c in before.seat_of if c not in after.seat_of]
        if not gone and before.drawn < len(before.faces):
            hints += 1
            continue
        if step < seats.draws:
            yield seats.tokens.hints[step][hints]
            yield seats.acts[step][before.turn]
            yield -seats.tokens.over[step]
        played = bool(gone) and sum(after.heights) > sum(before.heights)
        yield seats.is_play[step] if played else -seats.is_play[step]
        if played:
            yield seats.used[gone[0]]
            yield seats.plays[before.faces[gone[0]]][step]
        elif step < seats.draws:
            yield seats.tokens.discards[step] if after.mistakes == before.mistakes else -seats.tokens.discards[step]
        step, hints = step + 1, 0
    if step <= seats.draws:
        yield seats.tokens.over[step]


# ---- rules that mean something else by the same words ----------------------------------------------------
def changed(folder: Path, *changes: str, cuts: dict[str, list[str]] | None = None, small: bool = True) -> Game:
    path = folder / "changed.hrl"
    lines = "\n".join(f"  {change}" for change in changes)
    path.write_text(f'variant changed extends base {{\n  clause @changed "a rule of our own"\n{lines}\n}}\n')
    cuts = cuts or {"Suit": ["red", "blue"], "Rank": ["1", "2", "3"]}
    return load(f"{TINY}+{path}" if small else str(path), params={"red_tokens": 2}, cuts=cuts)


def interface(maximum: str, **others: str) -> str:
    """The interface of the base game with another maximum, and other entries."""
    block = (spec_folder() / "base.hrl").read_text("utf-8").partition("interface cards {")[2].partition("}")[0]
    entries = dict(line.strip().split(" = ", 1) for line in block.strip().splitlines())
    entries |= {"maximum": maximum, **others}
    return f"override interface cards {{ {' ; '.join(f'{key} = {value}' for key, value in entries.items())} }}"


DOUBLE = "2 * sum(height(s) for s : Suit)"
ARGUED = {"answer": "unwinnable", "goal": 6, "certificate": as_data(Reasoned(Turns(2)))}
SEATED = {"answer": "unwinnable", "goal": 5, "certificate": as_data(Unsolvable("seats", 1, "", ""))}


@pytest.mark.deep
def test_all_faces_are_not_the_points_of_all_rules(tmp_path: Path) -> None:
    """Where cards count double, half the maximum is as many points as there are faces."""
    game = changed(tmp_path, f"override score = {DOUBLE} @changed", interface("2 * size(Suit) * size(Rank)"))
    faces = shuffled(game.system(2), 105)
    asked = Oracle(game).ask(2, faces, best=True)
    assert (asked.reached.verdict, asked.reached.goal) == ("winnable", 10)
    with pytest.raises(Refused, match="about all faces"):
        judge(game, 2, faces, ARGUED)
    with pytest.raises(Refused, match="score otherwise"):
        judge(game, 2, faces, SEATED)


def test_fewer_points_than_the_maximum_are_cards_only_where_rules_say_so(tmp_path: Path) -> None:
    game = changed(tmp_path, f"override score = if perfect() then 6 else min(5, {DOUBLE}) @changed")
    with pytest.raises(Refused, match="score otherwise"):
        judge(game, 2, shuffled(game.system(2), 0), SEATED)


@pytest.mark.parametrize(
    "change",
    [
        "override union Place = pile | hand(Player) | fireworks | discards | table @changed",
        "override cards Card(rank : Rank, suit : Suit) copies copies(suit, rank) @changed",
        "override sort Player = players + 1 @changed",
    ],
)
def test_other_places_decks_and_players_have_no_positions(change: str, tmp_path: Path) -> None:
    game = changed(tmp_path, change)
    assert reader(game, 2) is None
    with pytest.raises((Refused, Rejected), match=r"no places and turns|not told apart by suit and rank"):
        judge(game, 2, shuffled(game.system(2), 0), ARGUED)


def test_words_of_the_needs_cannot_be_changed(tmp_path: Path) -> None:
    """They speak of variables and places alone. Where nobody holds the later cards, those never leave the hands."""
    game = changed(tmp_path, "override def held(c, p) = place[c] == hand(p) and index(c) < 3 @changed")
    assert prove_need(game, 2, CARDS, 1) == ""
    hidden = (
        "override def height(s) = count(place[c] == fireworks and suit[c] == s and rank[c] > 1 for c : Card) @changed"
    )
    assert "need_from_below" in prove_need(changed(tmp_path, hidden), 2, CARDS, 1)
    assert "speak of" in prove_need(load(f"base+{need_path(TURNS)}"), 2, TURNS, 5)


def test_deals_need_not_begin_alike(tmp_path: Path) -> None:
    game = changed(tmp_path, "override start { turn = Player(if suit[Card(0)] == red then 0 else 1) @changed }")
    found = reader(game, 2)
    assert found is not None
    beginnings = Beginnings(found)
    for seed in range(6):
        first = game.start(2, shuffled(game.system(2), seed))
        assert beginnings.read(first) == found.read(first)


def test_goals_beyond_the_maximum() -> None:
    found, data, faces = next(deals(OURS))
    for goal in (-1, 26, 10**40):
        with pytest.raises(Refused, match="its goal"):
            judge(found.game, data["players"], faces, {"answer": "unwinnable", "goal": goal, "certificate": None})


# Rules for which counting tokens as the clauses do would deny a deal that can be won.
CREDIT = ("override var blue_left : -2..blue_max @changed", "override when hint.token blue_left > -2 @changed")
FREE_HINTS = (
    "override action hint(p, about) : move @changed when p != turn label mate @changed"
    " { blue_left' = max(0, blue_left - 1) @changed }",
)
RANKS = (
    "override range Rank = 1..2 @changed",
    "override cards Card(suit : Suit, rank : 1..3) copies (if rank == 3 then 1 else if rank == 1 then 3 else 2) @changed",
    "override def complete(s) = height(s) == 3 @changed",
    interface("size(Suit) * 3"),
    "add invariant tall : forall(height(s) <= 3 for s : Suit) @changed",
)
TWIST = "with tokens { remove property need_hint_costs @changed }"


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        pytest.param(CREDIT, "need_no_debt", marks=pytest.mark.deep),
        pytest.param(FREE_HINTS, "need_hint_costs", marks=pytest.mark.deep),
        ((*FREE_HINTS, TWIST), "these rules speak of `tokens`"),
        (RANKS, "other suits or ranks"),
    ],
    ids=["credit", "free hints", "needs changed", "other ranks"],
)
def test_tokens_that_are_counted_otherwise(changes: tuple[str, ...], missing: str, tmp_path: Path) -> None:
    cuts = {"Suit": ["red", "blue"], **({} if changes is RANKS else {"Rank": ["1", "2", "3"]})}
    game = changed(tmp_path, *changes, cuts=cuts)
    assert missing in prove_need(game, 2, TOKENS, 1)
    plain = Compiled(restrict(game.system(2)))
    for deck in ("r3 r2 b1 b1 r1 b2 b1 r1 r2 r1 b2 b3", "b1 b1 r3 r2 b2 b1 b2 r1 r2 r1 r1 b3"):
        faces = parse_deal(deck, game.system(2))
        dealt = plain.deal(list(faces))
        asked = Oracle(game).ask(2, faces, best=True)
        assert asked.reached.goal == best_score(plain, dealt, plain.start(dealt))


SLOW = (
    "override def fits(c) = rank[c] == tops(suit[c]) + 1 @changed",
    "add def tops(s : Suit) = count(place[c] == fireworks and suit[c] == s and rank[c] >= 1 for c : Card) @changed",
)


@pytest.mark.deep
def test_a_lemma_helps_though_the_proof_failed_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed is kept in the package, but not for rules of which more is stated."""
    failed = KeptNeeds(dict(tried_of(changed(tmp_path, *SLOW), 2, CARDS, 1, "nothing is known")))
    monkeypatch.setattr("hanabi_formal.judge.arguments.needs.kept_needs", lambda: failed)
    assert RuleNeeds(changed(tmp_path, *SLOW), 2, 1).standing(CARDS).detail == "nothing is known"
    more = changed(tmp_path, *SLOW, "add invariant lemma : forall(tops(s) == height(s) for s : Suit) @changed")
    assert RuleNeeds(more, 2, 1).standing(CARDS).detail != "nothing is known"


@pytest.mark.deep
def test_advice_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With lemmas that do not help, or are none, the same is proved, and the same is not."""
    for lemmas in ((), ("no_such_lemma",), ("need_room",)):
        advice = dict.fromkeys(kept_needs().advice[CARDS], lemmas)
        wrong = KeptNeeds({}, {CARDS: advice})
        monkeypatch.setattr("hanabi_formal.judge.arguments.needs.kept_needs", lambda wrong=wrong: wrong)
        assert prove_need(load("expert"), 2, CARDS, 5) == ""
        assert "need_room" in prove_need(load("expert"), 2, CARDS, 4)


def test_a_forged_cache_proves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the user's folder says of these rules, in any form that was ever read there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    game = changed(tmp_path, *FREE_HINTS)
    system = game.system(2)
    folder = tmp_path / "hanabi-formal"
    folder.mkdir()
    entries = {key_of(system, need, 1): {"spec": game.name, "players": 2, "need": need} for need in NEEDS}
    for name in ("needs.json", "proofs/needs.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        for schema in (1, 2):
            (folder / name).write_text(
                json.dumps({"schema": schema, "proved": entries, "tried": entries, "advice": {}})
            )
            needs = RuleNeeds(game, 2, 1)
            assert {need: needs.known(need) for need in NEEDS} == dict.fromkeys(NEEDS)
    assert not needs.standing(TOKENS).met


@pytest.mark.parametrize(
    "change",
    [
        ("override const hand_size = 0 @changed", "override start { place[c] = pile @changed }"),
        (
            "override end last_round over when turns_left == 0 and blue_left == 0 @changed",
            "override after move countdown { case drawn == size(Card) label last_round { turns_left' = max(0, turns_left - 1) @changed } } @changed",
        ),
    ],
    ids=["no hands", "no turns left"],
)
def test_nothing_to_be_seated(change: tuple[str, ...], tmp_path: Path) -> None:
    game = changed(tmp_path, *change, small="hand_size" not in change[0])
    plain = Compiled(restrict(game.system(2)))
    faces = shuffled(game.system(2), 3)
    dealt = plain.deal(list(faces))
    asked = Oracle(game).ask(2, faces, best=True)
    assert asked.reached.verdict != "winnable" or asked.reached.goal == best_score(plain, dealt, plain.start(dealt))


# ---- best scores of odd rules ------------------------------------------------------------------------------
NEVER = [f"strengthen action {action} when blue_left > 99 label never @changed" for action in ("play", "discard")]
ONE_MORE = interface("size(Suit) * size(Rank) + 1")
NO_RED_THREE = [
    "override def copies(s, r) = if s == red and r == 3 then 0 else 2 @changed",
    "remove property deck_completes @changed",
    "remove property box @changed",
]


@pytest.mark.parametrize(
    ("changes", "seed", "best", "told"),
    [
        (NEVER, 0, ("unwinnable", 0), "All games that the rules allow were followed"),
        ([ONE_MORE], 2, ("winnable", 5), "6 points are all cards."),
        (NO_RED_THREE, 0, ("winnable", 5), "There is no r3."),
    ],
    ids=["no game ends", "more points than cards", "a face without cards"],
)
@pytest.mark.sampled(2)
def test_best_scores_of_odd_rules(
    changes: list[str], seed: int, best: tuple[str, int], told: str, tmp_path: Path
) -> None:
    game = changed(tmp_path, *changes)
    found, faces = Oracle(game), shuffled(game.system(2), seed)
    asked = found.ask(2, faces, best=True)
    assert (asked.reached.verdict, asked.reached.goal) == best
    assert DealReport(found, asked).explanation()[0].startswith(told)
    accepted = list(judge_all(game, 2, faces, written(found, asked)))
    assert (accepted[0].answer, accepted[0].goal) == ("unwinnable", accepted[0].maximum)


@pytest.mark.deep
def test_what_is_known_stands_beside_what_is_undecided() -> None:
    """The budget is spent on the best score: that the maximum is out of reach is shown all the same."""
    game = small_game("base", "red,blue", 4, {})
    found = Oracle(game, budget=LadderBudget(widths=(), wider=(), conflicts=1, general_conflicts=1))
    for seed in range(40):
        asked = found.ask(2, shuffled(game.system(2), seed), best=True)
        if asked.best is not None and asked.best.verdict == "undecided":
            break
    accepted = list(judge_all(game, 2, asked.faces, written(found, asked)))
    assert (accepted[0].goal, accepted[-1].goal) == (8, asked.reached.goal + 1)
    assert {each.answer for each in accepted} == {"unwinnable"}

"""A rule changed on purpose, in either engine, is found: each within a stated number of games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from hanabi_formal import reference as ref
from hanabi_formal.reference import actions, ends, moves
from hanabi_formal.reference.rules import MULTI, Rules
from hanabi_formal.reference.table import Table

from .driver import games_until_found
from .setups import Setup


@dataclass(frozen=True)
class Changed:
    """A change of the rules as a rule file, and the game that must show it."""

    name: str
    text: str
    spec: str = "base"
    players: int = 3
    rulings: tuple[tuple[str, str], ...] = ()
    within: int = 20


HOPELESS = (("hopeless", "stops"),)
IN_SPEC = [
    Changed(
        "bonus for a 4 too",
        """
        override case play.fit {
          place[c]' = fireworks @play.fit
          case take and rank[c] >= last(Rank) - 1 label bonus { gain(1) @fireworks.bonus }
        } @play.fit""",
    ),
    Changed("no bonus", "remove case play.bonus @fireworks.bonus"),
    Changed(
        "the bonus taken even when declined",
        """
        override case play.fit {
          place[c]' = fireworks @play.fit
          case rank[c] == last(Rank) label bonus { gain(1) @fireworks.bonus }
        } @play.fit""",
        "nl",
    ),
    Changed("four cards each", "override const hand_size = 4 @setup.deal"),
    Changed(
        "two cards drawn",
        """
        override effect draw(p) {
          case drawn < size(Card) label card { place[Card(drawn)]' = hand(p) @discard.draw }
          case drawn < size(Card) - 1 label more { place[Card(drawn + 1)]' = hand(p) @discard.draw }
          drawn' = min(drawn + 2, size(Card)) @discard.draw
        } @discard.draw""",
    ),
    Changed("a discard at full", "remove when discard.full @discard.full"),
    Changed("no token for a discard", "remove case discard.token @discard.gain"),
    Changed("a turn skipped", "override after move next_turn then { turn' = next(next(turn)) } @turn.next"),
    Changed("the second seat begins", "override start { turn = Player(1) @setup.first }"),
    Changed("the second red token loses", "override end strikes lost when red_spent == 2 score lost_score() @end.red"),
    Changed("a lost game keeps its points", "override def lost_score() = score @end.red.score"),
    Changed(
        "perfect without white",
        """
        override def perfect() = forall(s == white or complete(s) for s : Suit) @end.perfect""",
        within=60,
    ),
    Changed("perfect stops in the last round too", "override end perfect won when perfect() @end.perfect", "no"),
    Changed(
        "a value hint touches higher cards",
        """
        override def touches(c, about) = match about { colour(s) : suit[c] == s ; value(r) : rank[c] >= r } @hint.kind""",
    ),
    Changed(
        "a colour hint misses the rainbow",
        """
        override def touches(c, about) = match about { colour(s) : suit[c] == s ; value(r) : rank[c] == r } @hint.kind""",
        "nl+rainbow",
    ),
    Changed(
        "a hint that is not kept for cards it does not touch",
        """
        override action hint(p, about) : move
          when p != turn label mate @hint.mate
          when blue_left > 0 label token @hint.cost
        {
          blue_left' = blue_left - 1 @hint.cost
          for c : Card where held(c, p) and touches(c, about) { told[c, about]' = yes } @hint.complete
        } @turn.one""",
    ),
    Changed("a hint to oneself", "override when hint.mate true @hint.mate"),
    Changed("the last blue token is kept", "override when hint.token blue_left > 1 @hint.cost"),
    Changed(
        "one's own cards are seen",
        """
        override view p : Player sees {
          drawn, turn, blue_left, red_spent, turns_left ;
          place[c] for c : Card ;
          suit[c], rank[c] for c : Card where place[c] != pile ;
          told[c, about] for c : Card, about : Clue
        } @setup.hidden""",
    ),
    Changed("no last round", "remove after countdown @end.last\nremove end last_round @end.last"),
    Changed("a turn less in the last round", "override end last_round over when turns_left == 1 @end.last"),
    Changed(
        "the last round begins a card early",
        """
        override after move countdown {
          case drawn >= size(Card) - 1 label last_round { turns_left' = max(turns_left - 1, 0) @end.last }
        } @end.last""",
    ),
    Changed(
        "a hopeless game stops before the draw",
        """
        override end hopeless over when hopeless == stops and not exists(can_grow(s) for s : Suit) @advice.dead""",
        rulings=HOPELESS,
    ),
    Changed(
        "hopeless counts hands that will not act again",
        """
        override def gone(s, r) =
          forall(place[c] == discards for c : Card where suit[c] == s and rank[c] == r) @advice.dead""",
        rulings=HOPELESS,
        within=40,
    ),
    Changed(
        "indispensable only looks at the pile",
        """
        override def indispensable(c) =
          rank[c] > height(suit[c])
          and not exists(place[d] == pile and suit[d] == suit[c] and rank[d] == rank[c] for d : Card) @expert.indispensable""",
        "base+expert",
    ),
    Changed(
        "indispensable though its firework has it",
        """
        override def indispensable(c) =
          not exists(d != c and in_play(d) and suit[d] == suit[c] and rank[d] == rank[c] for d : Card) @expert.indispensable""",
        "base+expert",
    ),
    Changed(
        "a wrong announcement costs nothing",
        "override case announce.wrong { place[c]' = discards @timed.wrong } @timed.wrong",
        "base+timed",
    ),
    Changed(
        "one token for an announced 5", "override case announce.two { gain(1) @timed.right } @timed.right", "base+timed"
    ),
    Changed(
        "a multicoloured card announced as anything",
        "set announce_multi = any_colour @timed.announce",
        "base+timed+avalanche",
    ),
    Changed(
        "two sets of multicoloured cards",
        """
        override def copies(s, r) = if r == last(Rank) then 1 else if r == first(Rank) then 3 else 2 @parts.cards""",
        "base+avalanche",
    ),
    Changed("passing when one could act", "override when pass.unable true @turn.one", rulings=(("stuck", "skipped"),)),
    Changed(
        "a band a point too long",
        """
        override bands when rated { 0..6 "poor" 7..25 "good" } @score.bands""",
    ),
]


def spec_name(changed: Changed) -> str:
    return "changed" + str(IN_SPEC.index(changed))


@pytest.mark.parametrize("changed", IN_SPEC, ids=lambda changed: changed.name.replace(" ", "_"))
def test_a_changed_specification_is_found(changed: Changed, tmp_path: Path) -> None:
    variants = [word for word in changed.spec.split("+") if word not in ref.EDITIONS]
    bases = ", ".join(variants or ["base"])
    path = tmp_path / f"{spec_name(changed)}.hrl"
    path.write_text(f"variant {spec_name(changed)} extends {bases} {{\n{changed.text}\n}}\n", encoding="utf-8")
    setup = Setup(f"{changed.spec}+{path}", changed.players, changed.rulings)
    found = games_until_found(setup, changed.within)
    assert found is not None, f"not found in {changed.within} games"


# ---- the reference engine --------------------------------------------------------------------------
Patch = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Patched:
    """A change of the reference engine, and the game that must show it."""

    name: str
    patch: Patch
    spec: str = "base"
    players: int = 3
    rulings: tuple[tuple[str, str], ...] = ()
    within: int = 20


def swap(module: Any, name: str, make: Callable[[Any], Any]) -> Patch:
    """Replace a function or property by what `make` makes of it."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        old = getattr(module, name)
        new = make(old.fget if isinstance(old, property) else old)
        monkeypatch.setattr(module, name, property(new) if isinstance(old, property) else new)

    return patch


def on_rules(**changes: Any) -> Callable[[Any], Any]:
    """The function as it is under other rules."""
    return lambda old: lambda table, *args: old(replace(table, rules=replace(table.rules, **changes)), *args)


def hint_touching_only(table: Table, mate: int, clue: ref.Clue) -> moves.Moved:
    table.blue -= 1
    table.told |= {(card, clue, True) for card in table.hands[mate] if table.touches(clue, table.deck[card])}
    return False, None


def free_hint(hint: Callable[..., moves.Moved]) -> Callable[..., moves.Moved]:
    def hint_and_keep(table: Table, mate: int, clue: ref.Clue) -> moves.Moved:
        table.blue += 1
        return hint(table, mate, clue)

    return hint_and_keep


def uncapped(table: Table, tokens: int, take: bool) -> None:
    table.blue += tokens * take


IN_REFERENCE = [
    Patched("the second red token loses", swap(ends, "strikes_allowed", lambda _: lambda table: 2)),
    Patched("no cap on blue tokens", swap(moves, "return_tokens", lambda _: uncapped)),
    Patched(
        "tokens cannot be declined",
        swap(moves, "return_tokens", lambda old: lambda table, tokens, take: old(table, tokens, True)),
        "nl",
    ),
    Patched(
        "no draw in hand of the last card",
        swap(moves, "draw", lambda old: lambda table: old(table) if table.pile_size > 1 else None),
    ),
    Patched(
        "any card but a lower one fits",
        swap(Table, "fits", lambda _: lambda table, face: face.value > table.height(face.suit)),
    ),
    Patched(
        "colours touch no rainbow",
        swap(
            Table,
            "touches",
            lambda old: (
                lambda table, clue, face: face.suit == clue[1] if clue[0] == "colour" else old(table, clue, face)
            ),
        ),
        "nl+rainbow",
    ),
    Patched(
        "perfect with one firework less",
        swap(ends, "is_perfect", lambda _: lambda table: table.complete >= len(table.rules.suits) - 1),
    ),
    Patched(
        "perfect stops in the last round too",
        swap(
            moves, "end_at_once", lambda old: lambda table, lost, was_last_round: old(table, lost, was_last_round=False)
        ),
        "en",
    ),
    Patched(
        "indispensable though others hold it",
        swap(
            ends,
            "was_indispensable",
            lambda _: lambda table, card: table.height(table.deck[card].suit) < table.deck[card].value,
        ),
        "base+expert",
    ),
    Patched(
        "nothing is indispensable",
        swap(ends, "was_indispensable", lambda _: lambda table, card: False),
        "base+expert",
        within=40,
    ),
    Patched("only what is touched is told", swap(moves, "hint", lambda _: hint_touching_only)),
    Patched("hints are free", swap(moves, "hint", free_hint)),
    Patched(
        "one sees one's own cards",
        swap(
            ref,
            "view",
            lambda old: (
                lambda table, seat: replace(old(table, seat), faces=old(table, (seat + 1) % table.rules.players).faces)
            ),
        ),
    ),
    Patched(
        "the pile is open",
        swap(
            ref,
            "view",
            lambda old: (
                lambda table, seat: replace(
                    old(table, seat), faces=(*old(table, seat).faces[: table.drawn], *table.deck[table.drawn :])
                )
            ),
        ),
    ),
    Patched("hints to oneself", swap(Table, "mates", lambda _: lambda table, seat: iter(range(table.rules.players)))),
    Patched("hints that touch nothing", swap(actions, "hints", on_rules(empty_hint="allowed")), "en"),
    Patched("a discard at full", swap(actions, "choices", on_rules(discard_at_full="allowed"))),
    Patched(
        "no token for a discard", swap(moves, "discard", lambda old: lambda table, card, take: old(table, card, False))
    ),
    Patched("a lost game keeps its points", swap(ref, "score", lambda _: lambda table: table.points)),
    Patched(
        "a band longer than printed",
        swap(ref, "band", lambda old: lambda table: tuple(text.replace("..", "..1") for text in old(table))),
    ),
    Patched(
        "the last round begins a card early",
        swap(Table, "in_last_round", lambda _: lambda table: not table.rules.expert and table.pile_size <= 1),
    ),
    Patched(
        "everyone acts again",
        swap(Table, "has_turn_left", lambda _: lambda table, seat: True),
        rulings=HOPELESS,
        within=40,
    ),
    Patched("hopeless games go on", swap(moves, "end_between_turns", on_rules(hopeless="plays_on")), rulings=HOPELESS),
    Patched(
        "any announcement of the sixth colour is right",
        swap(
            moves,
            "is_right",
            lambda old: lambda rules, announced, face: face.suit == MULTI or old(rules, announced, face),
        ),
        "base+timed+avalanche",
    ),
    Patched(
        "a wrong announcement that fits is laid",
        swap(moves, "is_right", lambda _: lambda rules, announced, face: True),
        "base+timed",
    ),
    Patched(
        "the sixth colour is named",
        swap(
            Rules,
            "clues",
            lambda _: property(
                lambda rules: (
                    *(("colour", suit) for suit in rules.suits),
                    *(("value", n) for n in range(1, rules.top + 1)),
                )
            ),
        ),
        "nl+rainbow",
    ),
    Patched("four cards each", swap(Rules, "hand_size", lambda _: lambda rules: 4)),
]


@pytest.mark.parametrize("patched", IN_REFERENCE, ids=lambda patched: patched.name.replace(" ", "_"))
def test_a_changed_reference_engine_is_found(patched: Patched, monkeypatch: pytest.MonkeyPatch) -> None:
    patched.patch(monkeypatch)
    found = games_until_found(Setup(patched.spec, patched.players, patched.rulings), patched.within)
    assert found is not None, f"not found in {patched.within} games"


def test_nothing_is_found_where_nothing_is_changed() -> None:
    for spec in ("base", "nl", "base+expert", "base+timed+avalanche"):
        assert games_until_found(Setup(spec, 3), 20) is None


def test_there_are_enough() -> None:
    assert len(IN_SPEC) >= 20
    assert len(IN_REFERENCE) >= 20

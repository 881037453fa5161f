"""The instruments themselves: nothing is left uncompared, cases are counted as the interpreter names them, seeds repeat."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from .correspondence import Correspondence, Mismatch
from .driver import PLAIN, Driver, report
from .setups import OFFERS, PRINTED, Setup


def test_the_printed_compositions_are_what_the_editions_offer() -> None:
    for edition, offered in OFFERS.items():
        tree = Setup(edition).game().merged.composition.edition
        assert tree is not None
        assert {ident.text for ident in tree.offers} == set(offered)
    assert len(PRINTED) == 19


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("add var extra : Bool @turn.one\nadd start { extra = false }", "variables that are not compared"),
        ("add action wait() { } @turn.one", "actions that are not compared"),
        ("add end tired over when blue_left == 0 @turn.one before strikes", "ends that only one engine knows"),
        ("add value black to Suit @parts.colours", "the cards of the game"),
    ],
)
def test_what_only_the_specification_has_is_not_passed_over(text: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "more.hrl"
    path.write_text(f"variant more extends base {{\n{text}\n}}\n", encoding="utf-8")
    with pytest.raises(Mismatch, match=what):
        Correspondence(Setup(f"base+{path}", 2))


@pytest.mark.parametrize("spec", ["nl+difficulty", "en+timed", "sv+expert", "hanab_live"])
def test_cases_are_counted_as_the_interpreter_names_them(spec: str) -> None:
    driver = Driver(Setup(spec, 3))
    assert driver.counted is not None
    for seed in (2, 4):
        duel = driver.play(seed)
        interpreter = driver.pair.compiled.interpreter
        snapshot, faces = interpreter.start(tuple(duel.dealt[0])), tuple(duel.dealt[0])
        labels: Counter[str] = Counter()
        for action in duel.actions:
            instance = driver.pair.instance(action)
            step = interpreter.step(snapshot, faces, instance)
            snapshot = step.after
            labels.update(f"{instance.name}: {label}" for label in step.labels)
            labels[instance.name] += 1
        counted: Counter[str] = Counter()
        for name, many in driver.counted.tell(duel.dealt, duel.codes).items():
            action_name, *path = name.split(" > ")
            counted[f"{action_name}: {path[-1]}" if path else action_name] += many
        assert +counted == +labels
        assert snapshot.end == driver.pair.compiled.ended(duel.state)


def test_a_seed_gives_the_same_game_again() -> None:
    games = [Driver(Setup("nl", 4), PLAIN).play(5) for _ in range(2)]
    assert games[0].actions == games[1].actions
    assert games[0].deck == games[1].deck


def test_the_table_for_people() -> None:
    text = report("no", [Driver(Setup("no", players)).run(3) for players in (2, 3)])
    assert text.startswith("no (2, 3 players): 6 games without a difference")
    assert "never: the rulebooks play on" in text

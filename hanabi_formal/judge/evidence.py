"""Evidence about a deal judged: a line is played by all engines, a certificate checked by what found nothing.

Nothing in this package searches, and nothing that searches is imported. Clauses are made again from the rules by the
encoder that the solver used too (`refutations/seats.py`, `sat/formula.py`): the one part that finding and judging
share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hanabi_formal.api import Game
from hanabi_formal.formats.faces import show_deal
from hanabi_formal.judge.certificate import from_data
from hanabi_formal.judge.lines import Lines
from hanabi_formal.judge.refutations.lrat import Refused
from hanabi_formal.judge.refutations.refutation import Refutation
from hanabi_formal.judge.unwinnable import Certificates
from hanabi_formal.kernel.canonical import rules_identity
from hanabi_formal.roles.entries import maximum_of

ABOUT = {"rules", "after", "deck", "players", "settings", "spec", "best"}
"""What evidence says once, of all its parts."""


@dataclass(frozen=True)
class Accepted:
    """What the evidence shows, and how that was checked; `after` so many actions of a game that had begun.

    If it was a proof about clauses, `refutation` has both.
    """

    answer: str
    goal: int
    maximum: int
    checked: tuple[str, ...]
    after: int = 0
    refutation: Refutation | None = field(default=None, repr=False, compare=False)


def rules_hash(game: Game, players: int | None) -> str:
    return rules_identity(game.system(players))


def judge(game: Game, players: int | None, faces: Sequence[int], evidence: object, afresh: bool = False) -> Accepted:
    """Accepts, or raises `Refused` with the reason. `Disagreement` if our engines differ about a line.

    With `afresh`, what the rules must be like for an argument to hold is proved again, whoever proved it before.
    """
    if not isinstance(evidence, Mapping):
        raise Refused("evidence is an object, as `winnable --json` writes it")
    _check_subject(game, players, faces, evidence)
    maximum = maximum_of(game.system(players))
    goal = evidence.get("goal", maximum)
    if not isinstance(goal, int) or isinstance(goal, bool) or maximum is None or not 0 <= goal <= maximum:
        raise Refused("its goal is no number of points that these rules give")
    lines = Lines(game, players, tuple(faces))
    before = lines.read(evidence, "after")
    state = lines.follow(before)
    match evidence.get("answer"):
        case "winnable":
            checked = lines.accept([*before, *lines.read(evidence, "line")], goal)
            return Accepted("winnable", goal, maximum, checked, len(before))
        case "unwinnable":
            certificate = from_data(evidence.get("certificate"))
            found = Certificates(game, players, tuple(faces), afresh).accept(certificate, state, goal)
            return Accepted("unwinnable", goal, maximum, found.checked, len(before), found.refutation)
        case "undecided":
            raise Refused("it decides nothing: its answer is `undecided`")
    raise Refused("its answer is neither `winnable` nor `unwinnable`")


def _check_subject(game: Game, players: int | None, faces: Sequence[int], evidence: Mapping[str, Any]) -> None:
    """Is it about these rules and this deal, as far as it says?"""
    if evidence.get("players", players) != players:
        raise Refused("it is about another number of players")
    deck = evidence.get("deck")
    if deck is not None and deck != show_deal(faces, game.system(players)):
        raise Refused("it is about another deal")
    if evidence.get("rules") not in (None, rules_hash(game, players)):
        spec = evidence.get("spec")
        named = f", {ascii(spec)[:60]}," if isinstance(spec, str) and spec != game.name else ""
        raise Refused(f"it is about other rules{named} than `{game.name}` with these settings")


def judge_all(
    game: Game, players: int | None, faces: Sequence[int], evidence: Mapping[str, Any], afresh: bool = False
) -> Iterator[Accepted]:
    """The same for evidence that may say something of the best score as well: that it can be had, and not one more.

    Where the best score is undecided, what is shown of one point more stands nevertheless.
    """
    first = judge(game, players, faces, evidence, afresh)
    yield first
    if "best" not in evidence:
        return
    best = evidence["best"]
    about = {key: evidence[key] for key in ("rules", "after") if key in evidence}
    if not isinstance(best, Mapping) or ABOUT & best.keys() or type(best.get("goal")) is not int:
        raise Refused("`best` is no evidence about fewer points")
    goal = best["goal"]
    if best.get("answer") != "undecided":
        accepted = judge(game, players, faces, {**about, **best}, afresh)
        yield accepted
        if (accepted.answer, goal) == ("unwinnable", 0):
            return  # no game ends
        if accepted.answer != "winnable":
            raise Refused("`best` does not say that so many points can be had")
    more = best.get("beyond")
    if more is None and (first.answer, first.goal) == ("unwinnable", goal + 1):
        return
    if not isinstance(more, Mapping) or ABOUT & more.keys():
        raise Refused("`beyond` is no evidence about one point more")
    if (more.get("answer"), more.get("goal")) != ("unwinnable", goal + 1):
        raise Refused("`beyond` does not say that one point more is out of reach")
    yield judge(game, players, faces, {**about, **more}, afresh)

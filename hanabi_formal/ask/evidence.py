"""Evidence about a deal judged: a line is played by all engines, a certificate checked by what found nothing.

Nothing here searches, and nothing that searches is imported. Clauses are made again from the rules by the encoder that
the solver used too (`certify/seats.py`, `sat/`): the one part that finding and judging share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hanabi_formal.api import Game, State
from hanabi_formal.ask.second_opinion import second_opinion
from hanabi_formal.certify.argument import Judge, leaves, needs_turns
from hanabi_formal.certify.certificate import Certificate, Outnumbered, Reasoned, TooFew, Unsolvable, from_data
from hanabi_formal.certify.displays import accept, too_few
from hanabi_formal.certify.lrat import Refused, check, most_clauses, unpack
from hanabi_formal.certify.needs import CARDS, FEW, SPENDING, TOKENS, TURNS, Needs, maximum_of, scores_cards
from hanabi_formal.certify.position import Position, reader
from hanabi_formal.certify.seats import Seats, can_be_seated
from hanabi_formal.diagnostics.diagnostic import counted
from hanabi_formal.formats.faces import show_deal
from hanabi_formal.formats.recorder import Recorder
from hanabi_formal.formats.records import Kind, RecordedAction
from hanabi_formal.kernel.meaning import meaning_hash
from hanabi_formal.run.faults import Fault, IllegalAction
from hanabi_formal.sat.formula import TooLarge, cnf

Action = tuple[str, tuple[int, ...]]
MOST_ACTIONS = 2000
DIGEST = re.compile(r"[0-9a-f]{64}")
ABOUT = {"rules", "after", "deck", "players", "settings", "spec", "best"}
"""What evidence says once, of all its parts."""


@dataclass(frozen=True)
class Accepted:
    """What the evidence shows, and how that was checked; `after` so many actions of a game that had begun."""

    answer: str
    goal: int
    maximum: int
    checked: tuple[str, ...]
    after: int = 0


def action_data(recorder: Recorder, action: Action) -> dict[str, Any]:
    """As hanab.live writes it; what it cannot say is written as the rules name it."""
    found = recorder.recorded(*action)
    return found.data() if found is not None else {"action": action[0], "args": list(action[1])}


def rules_hash(game: Game, players: int | None) -> str:
    return meaning_hash([game.system(players)], properties=False)


def judge(
    game: Game, players: int | None, faces: Sequence[int], evidence: object, afresh: bool = False
) -> Accepted:
    """Accepts, or raises `Refused` with the reason. `Disagreement` if our engines differ about a line.

    With `afresh`, what the rules must be like for an argument to hold is proved again, whoever proved it before.
    """
    if not isinstance(evidence, Mapping):
        raise Refused("evidence is an object, as `winnable --json` writes it")
    return _Judgement(game, players, tuple(faces), evidence, afresh).accept()


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


class _Judgement:
    def __init__(
        self, game: Game, players: int | None, faces: tuple[int, ...], evidence: Mapping[str, Any], afresh: bool
    ) -> None:
        self.afresh = afresh
        self.game = game
        self.players = players
        self.faces = faces
        self.evidence = evidence
        self.system = game.system(players)
        self.recorder = Recorder(self.system)

    def accept(self) -> Accepted:
        self._subject()
        maximum = maximum_of(self.system)
        goal = self.evidence.get("goal", maximum)
        if not isinstance(goal, int) or isinstance(goal, bool) or maximum is None or not 0 <= goal <= maximum:
            raise Refused("its goal is no number of points that these rules give")
        before = self._actions("after")
        state = self._follow(before)
        match self.evidence.get("answer"):
            case "winnable":
                return self._line(before, goal, maximum)
            case "unwinnable":
                certificate = from_data(self.evidence.get("certificate"))
                return Accepted("unwinnable", goal, maximum, self._certificate(certificate, state, goal), len(before))
            case "undecided":
                raise Refused("it decides nothing: its answer is `undecided`")
        raise Refused("its answer is neither `winnable` nor `unwinnable`")

    def _subject(self) -> None:
        """Is it about these rules and this deal, as far as it says?"""
        about = self.evidence
        if about.get("players", self.players) != self.players:
            raise Refused("it is about another number of players")
        deck = about.get("deck")
        if deck is not None and deck != show_deal(self.faces, self.system):
            raise Refused("it is about another deal")
        if about.get("rules") not in (None, rules_hash(self.game, self.players)):
            spec = about.get("spec")
            named = f", {ascii(spec)[:60]}," if isinstance(spec, str) and spec != self.game.name else ""
            raise Refused(f"it is about other rules{named} than `{self.game.name}` with these settings")

    # ---- lines -----------------------------------------------------------------------------------
    def _actions(self, key: str) -> list[Action]:
        listed = self.evidence.get(key, [])
        if not isinstance(listed, list) or len(listed) > MOST_ACTIONS:
            raise Refused(f"`{key}` is no list of actions")
        return [self._action(data, f"`{key}`, action {number}") for number, data in enumerate(listed, 1)]

    def _action(self, data: object, where: str) -> Action:
        match data:
            case {"type": int(kind), "target": int(target), "value": int(value)} if kind in list(Kind):
                found = self.recorder.played(RecordedAction(Kind(kind), target, value))
                if found is not None:
                    return found
            case {"action": str(name), "args": list(args)} if all(type(arg) is int for arg in args):
                if any(action.name == name for action in self.system.actions):
                    return name, tuple(args)
        raise Refused(f"{where}: there is no such action in these rules")

    def _follow(self, actions: Sequence[Action]) -> State:
        state = self.game.start(self.players, self.faces)
        for number, (name, args) in enumerate(actions, 1):
            try:
                state = state.step(state.action(name, *args))
            except (IllegalAction, Fault) as problem:
                raise Refused(f"action {number} is not legal: {problem}") from None
        return state

    def _line(self, before: list[Action], goal: int, maximum: int) -> Accepted:
        actions = [*before, *self._actions("line")]
        state = self._follow(actions)
        if state.ended is None:
            raise Refused("the line does not end the game")
        if state.score < goal:
            raise Refused(f"the line ends with {state.score} points, not with {goal}")
        opinion = second_opinion(self.game, self.players, self.faces, actions)
        by = f"{', '.join(opinion.replayed)} play all {len(actions)} actions, to {state.score} points"
        checked = (by,) if opinion.unknown is None else (by, f"reference: {opinion.unknown}")
        return Accepted("winnable", goal, maximum, checked, len(before))

    # ---- certificates ----------------------------------------------------------------------------
    def _certificate(self, certificate: Certificate, state: State, goal: int) -> tuple[str, ...]:
        match certificate:
            case Unsolvable(kind="unrolled"):
                return self._unrolled(certificate, state, goal)
        found = reader(self.game, self.players)
        if found is None:
            raise Refused("these rules have no places and turns that it could speak of")
        position = found.read(state)
        if state.ended is not None:
            raise Refused("the game is over; an argument about what may still come shows nothing")
        needs = Needs(self.game, self.players, position.hand_size, self.afresh)
        match certificate:
            case Reasoned(argument):
                if goal != position.suits * position.ranks or goal != maximum_of(self.system):
                    raise Refused("an argument is about all faces, and the goal is not")
                need = TURNS if needs_turns(argument) else CARDS
            case Outnumbered(arguments):
                self._check_counts_cards()
                need = TURNS if any(needs_turns(argument) for _, argument in arguments) else CARDS
            case Unsolvable(kind):
                if goal != maximum_of(self.system):
                    self._check_counts_cards()
                need = kind if kind in (SPENDING, TOKENS) else TURNS
            case TooFew():
                if goal != maximum_of(self.system):
                    self._check_counts_cards()
                need = FEW
        standing = needs.standing(need)
        if not standing.met:
            raise Refused(f"these rules do not have what it needs ({need}): {standing.detail}")
        met = f"the rules have what it needs ({need}: {standing.detail})"
        match certificate:
            case Reasoned(argument):
                Judge(position).accept(argument)
                many = sum(1 for _ in leaves(argument))
                return met, f"the argument holds ({counted(many, 'leaf')})"
            case Outnumbered(arguments):
                against = dict(arguments)
                many = accept(position, goal, against)
                if not against:
                    return met, f"there are too few cards left for {goal} on the fireworks"
                held = f"{counted(len(against), 'display')} of {goal} cards, and an argument against each"
                return met, f"{held} ({counted(many, 'leaf')})"
            case TooFew():
                too_few(position, self._cards_for(goal, position))
                return met, "there are too few cards in hands"
            case Unsolvable() if not can_be_seated(position):
                raise Refused("there are no hands, or no turns to come, that it could speak of")
            case Unsolvable():
                clauses = Seats(position, goal, tokens=need != TURNS, at_full=need == SPENDING).cnf
                return met, self._checked(certificate, clauses.digest, clauses.clauses)

    def _cards_for(self, goal: int, position: Position) -> int:
        """How many cards that many points are. The maximum is all faces: that is part of every need."""
        return position.suits * position.ranks if goal == maximum_of(self.system) else goal

    def _check_counts_cards(self) -> None:
        if not scores_cards(self.system):
            raise Refused("it counts cards on fireworks, and these rules score otherwise")

    def _unrolled(self, certificate: Unsolvable, state: State, goal: int) -> tuple[str, ...]:
        if not 0 <= certificate.horizon <= MOST_ACTIONS:
            raise Refused("its horizon is no number of steps")
        if not DIGEST.fullmatch(certificate.digest):
            raise Refused("it does not say which clauses it is about")
        most = most_clauses(unpack(certificate.steps))
        try:
            formula = cnf(self.system, self.faces, state.spelt_out, goal, certificate.horizon, most)
        except TooLarge:
            raise Refused(f"so many steps are more than {most:,} clauses, and its proof is not about as many") from None
        return (self._checked(certificate, formula.digest, formula.clauses),)

    @staticmethod
    def _checked(certificate: Unsolvable, digest: str, clauses: Sequence[Sequence[int]]) -> str:
        if digest != certificate.digest:
            raise Refused("its clauses are not those that follow from these rules and this deal")
        steps = check(clauses, unpack(certificate.steps))
        return f"{len(clauses)} clauses, made again, cannot be met ({steps} steps checked)"

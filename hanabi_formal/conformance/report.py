"""What a trial found, in text, as data, and as a file for each difference that can be replayed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hanabi_formal.api import Game, State
from hanabi_formal.conformance.difference import WORDS, Nonconformance, differing
from hanabi_formal.conformance.menu import Menu
from hanabi_formal.conformance.messages import Implementation, Seen
from hanabi_formal.conformance.rulings.infer import Inferred
from hanabi_formal.conformance.trial import Findings, Group
from hanabi_formal.foreign.text import clean_line
from hanabi_formal.formats.step_text import action_text

RULES = "rules"
NOTHING = "(no answer)"


@dataclass(frozen=True)
class Reporter:
    """For one game and one implementation: knows the names of moves in every kind of game that was played."""

    game: Game
    implementation: Implementation

    # ---- games -----------------------------------------------------------------------------------------
    def actions(self, found: Nonconformance) -> tuple[list[str], list[str]]:
        """The moves that were made and those that were tried, as lines of a game."""
        kind = found.played.kind
        menu = Menu(kind.cut(self.game), kind.players, self.implementation.knows)
        state = menu.game.start(kind.players, menu.deal(found.played.deck)[0])
        made = []
        for number, move in enumerate(found.played.moves, 1):
            made.append(_line(menu, state, number, move))
            state = state.step(menu.action(state.packed, move))
        tried = [_line(menu, state, len(made) + 1, move) for move in found.played.tried]
        return made, tried

    def file(self, number: int, group: Group) -> str:
        """A game that `replay` reads; what it shows stands in remarks."""
        found = group.shortest
        made, tried = self.actions(found)
        kind = found.played.kind
        cuts = {**self.game.settings.cuts, **dict(kind.cuts)}
        again = [f"--players {kind.players}", *(f"--set {name}={','.join(values)}" for name, values in cuts.items())]
        params = self.game.settings.params.items()
        again += [f"--set {name}={value}" for name, value in params if name != "players"]
        again += [f"--ruling {name}={value}" for name, value in self.game.settings.rulings.items()]
        remarks = [
            f"difference {number} of {self.implementation.name}: {found.what}{_clauses(found.clauses)}",
            *self._explained(group),
            *_side_by_side(found, self.implementation),
            f"hanabi-formal replay {self.game.name} {file_name(number, group)} {' '.join(again)}",
        ]
        body = [f"{self.game.name}, {kind.players} players", f"deal  {' '.join(found.played.deck)}", *made]
        if tried:
            body += ["# tried at this point:", *tried]
        return "\n".join(map(clean_line, [*(f"# {line}" for line in remarks), *body])) + "\n"

    # ---- text ------------------------------------------------------------------------------------------
    def lines(self, findings: Findings, files: Sequence[str] = ()) -> Iterator[str]:
        name = findings.name
        counts = [_many(findings.games, "game"), f"{_many(findings.states, 'state')} compared"]
        counts += [f"{_many(findings.refusals, 'illegal move')} tried"] if findings.refusals else []
        yield f"{self.game.name} against {name}: {', '.join(counts)}"
        for number, group in enumerate(findings.groups, 1):
            yield ""
            yield from self._group(number, group, files[number - 1] if files else "")
        if findings.groups:
            yield ""
        yield from _coverage(findings)
        if findings.untold:
            yield f"note: it never tells {', '.join(WORDS[name] for name in findings.untold)}: not compared"
        for kind, why in _several(findings):
            yield f"note: not compared, {kind}: {why}"
        if findings.stopped:
            yield f"note: stopped {findings.stopped}"
        yield _conclusion(findings)

    def _group(self, number: int, group: Group, file: str) -> Iterator[str]:
        found = group.shortest
        times = "once" if group.many == 1 else f"{group.many} times"
        yield f"{number}. {found.what}{_clauses(found.clauses)}  ({times})"
        for line in self._explained(group):
            yield f"   {line}"
        made, tried = self.actions(found)
        yield f"   the shortest game found, {found.played.kind}, {_many(len(found.played), 'action')}:"
        yield f"     deal  {' '.join(found.played.deck)}"
        for line in made:
            yield f"     {line}"
        for line in tried:
            yield f"     {line}   (tried)"
        for line in _side_by_side(found, self.implementation):
            yield f"     {line}"
        if file:
            yield f"   file: {file}"

    @staticmethod
    def _explained(group: Group) -> list[str]:
        return [f"agrees under `{other}`" for other in group.explained]

    # ---- data ------------------------------------------------------------------------------------------
    def data(self, findings: Findings, files: Sequence[str] = ()) -> dict[str, Any]:
        missing = findings.missing
        return {
            "spec": self.game.name,
            "implementation": findings.name,
            "agrees": findings.agrees,
            "games": findings.games,
            "states": findings.states,
            "illegal_moves_tried": findings.refusals,
            "rulings": dict(self.game.system(self.game.player_counts[0]).rulings),
            "coverage": {
                "exercised": len(findings.coverage) - len(missing),
                "of": len(findings.coverage),
                "missing": [
                    {"players": i.players, "part": i.order.name, "clauses": list(i.order.clauses)} for i in missing
                ],
            },
            "not_compared": [{"kind": str(kind), "why": why} for kind, why in findings.unsupported.items()],
            "not_told": list(findings.untold),
            "stopped": findings.stopped or None,
            "differences": [
                {**self._group_data(group), "file": files[number] if files else None}
                for number, group in enumerate(findings.groups)
            ],
        }

    def _group_data(self, group: Group) -> dict[str, Any]:
        found = group.shortest
        made, tried = self.actions(found)
        return {
            "cause": list(found.cause),
            "what": found.what,
            "clauses": list(found.clauses),
            "times": group.many,
            "agrees_under": [dict(other.choice) for other in group.explained],
            "players": found.played.kind.players,
            "cuts": {name: list(values) for name, values in found.played.kind.cuts},
            "deal": " ".join(found.played.deck),
            "actions": [line.split(None, 3)[-1] for line in made],
            "tried": [line.split(None, 3)[-1] for line in tried],
            "length": len(found.played),
            "ours": found.ours.told,
            "theirs": None if found.theirs is None else found.theirs.told,
            "detail": found.detail or None,
        }


def _line(menu: Menu, state: State, number: int, move: int) -> str:
    action = menu.instance(state.packed, move)
    if action is None:
        return f"# {menu.moves[move]}"
    return f"{number:3}  seat {state.actor}  {action_text(state, action)}"


def file_name(number: int, group: Group) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", " ".join(group.shortest.cause).lower()).strip("-")[:50].strip("-")
    return f"{number:02}-{words}.txt"


def _clauses(clauses: Sequence[str]) -> str:
    return f" [{' '.join(clauses)}]" if clauses else ""


def _side_by_side(found: Nonconformance, implementation: Implementation) -> Iterator[str]:
    """What both say of what differs; of what is legal, who says so, and what it depends on most."""
    if found.theirs is None:
        detail = f": {found.detail}".replace("\n", "; ") if found.detail else ""
        yield f"{implementation.name}: {found.cause[0]}{detail}"
        return
    names = differing(found.ours, found.theirs)
    if found.cause[0] in ("allows", "refuses"):
        words = ("forbid", "allows") if found.cause[0] == "allows" else ("allow", "refuses")
        yield f"the rules {words[0]} it, {implementation.name} {words[1]} it"
        if not names:
            names = ["blue", "turn"]
    width = max(len(RULES), *(len(_shown(found.ours, name)) for name in names))
    yield f"{'':26}  {RULES:{width}}  {implementation.name}"
    for name in names:
        yield f"{WORDS[name]:26}  {_shown(found.ours, name):{width}}  {_shown(found.theirs, name)}"


def _shown(seen: Seen, name: str) -> str:
    value = getattr(seen, name)
    if value is None:
        return "nobody's" if name == "turn" else NOTHING
    match name:
        case "hands":
            return " | ".join(map(" ".join, value))
        case "discards":
            return " ".join(value) or "none"
        case "fireworks":
            return " ".join(map(str, value))
        case "ended":
            return "yes" if value else "no"
    return str(value)


def _coverage(findings: Findings) -> Iterator[str]:
    if not findings.coverage:
        return
    missing, whole = findings.missing, len(findings.coverage)
    done = whole - len(missing)
    players = sorted({item.players for item in findings.coverage})
    yield (
        f"guards, ends and cases exercised: {done} of {whole} ({100 * done // whole} %), "
        f"with {', '.join(map(str, players))} players"
    )
    for name in dict.fromkeys(item.order.name for item in missing):
        those = [item for item in missing if item.order.name == name]
        if unsaid := next((item.unsaid for item in those if item.unsaid), ""):
            why = f"it has no action for `{unsaid}`"
        else:
            found = any(item.order.trace is not None for item in those)
            why = "the two part before it" if found else "no game was found"
        yield f"  not exercised: {name} ({why}; {_many(len(those), 'number')} of players)"


def _conclusion(findings: Findings) -> str:
    if findings.groups:
        return f"{_many(len(findings.groups), 'cause')} of differences"
    if not findings.states:
        return "nothing was compared"
    return "no difference" if findings.is_whole else "no difference in what could be compared"


def _many(many: int, word: str) -> str:
    return f"{many:,} {word}{'' if many == 1 else 's'}"


def _several(findings: Findings) -> list[tuple[str, str]]:
    """Kinds of games that were refused for one reason are told together."""
    reasons: dict[str, list[str]] = {}
    for kind, why in findings.unsupported.items():
        reasons.setdefault(why, []).append(str(kind))
    return [
        (kinds[0] if len(kinds) == 1 else f"{len(kinds)} kinds such as {kinds[0]}", why)
        for why, kinds in reasons.items()
    ]


# ---- inference -----------------------------------------------------------------------------------------
def inferred_lines(inferred: Inferred) -> Iterator[str]:
    yield f"{inferred.name}, in {_many(inferred.games, 'game')}:"
    for name, value in inferred.rulings.items():
        alike = inferred.open.get(name)
        note = f"   (or {', '.join(alike)}: {_why(inferred, name)})" if alike else ""
        yield f"  {name:22} {value}{note or ('   (as given)' if name in inferred.given else '')}"
    if not inferred.is_product:
        yield f"not all combinations of these are left, only {len(inferred.alike)}:"
        for choice in inferred.alike:
            yield "  " + ", ".join(f"{name}: {choice[name]}" for name in inferred.open)
    if inferred.left:
        yield f"no combination of rulings explains {len(inferred.left)} of its differences:"
        for group in inferred.left:
            yield f"  {group.shortest.what}{_clauses(group.shortest.clauses)}"


def _why(inferred: Inferred, name: str) -> str:
    if name in inferred.same:
        return "the rules are the same"
    if name in inferred.unsaid:
        return "it has no action that would show it"
    return "no game found tells them apart"


def inferred_data(inferred: Inferred) -> dict[str, Any]:
    return {
        "implementation": inferred.name,
        "games": inferred.games,
        "games_looked_at": inferred.looked_at,
        "rulings": inferred.rulings,
        "not_told_apart": {name: list(values) for name, values in inferred.open.items()},
        "why_not": {name: _why(inferred, name) for name in inferred.open},
        "as_given": list(inferred.given),
        "combinations": [{name: choice[name] for name in inferred.open} for choice in inferred.alike],
        "unexplained": [{"cause": list(g.shortest.cause), "what": g.shortest.what} for g in inferred.left],
    }

"""Recorded games made ready for replay: rules as the record's options say, actions in the words of the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hanabi_formal.api import Game
from hanabi_formal.compose.merge import merge
from hanabi_formal.compose.settings import Settings
from hanabi_formal.compose.units import compose
from hanabi_formal.diagnostics.diagnostic import refuse
from hanabi_formal.formats.game_text import ActionReader, TextGame
from hanabi_formal.formats.games import faces_in
from hanabi_formal.formats.hanab_live.deck_numbers import as_record
from hanabi_formal.formats.hanab_live.recorder import ActionRecorder
from hanabi_formal.formats.hanab_live.records import ActionKind, GameRecord, RecordedAction
from hanabi_formal.kernel.system import System
from hanabi_formal.replays.outcome import Claimed, Replayed, Replayer
from hanabi_formal.roles.actions import ABANDON, DECK_PLAY
from hanabi_formal.roles.entries import number_variable

# Options that are rulings here, if the rules have them; one that is a variant; and those that nothing here can follow.
RULINGS = {"emptyClues": ("empty_hint", "allowed"), "deckPlays": ("deck_plays", "on")}
ALL_OR_NOTHING, EXPERT = "allOrNothing", "expert"
STRANGE = ("oneExtraCard", "oneLessCard", "detrimentalCharacters")
ENDED_BY_HAND = 4
WORDS = {
    ActionKind.PLAY: "play card {target}",
    ActionKind.DISCARD: "discard card {target}",
    ActionKind.COLOUR_HINT: "hint to seat {target} about suit {value}",
    ActionKind.VALUE_HINT: "hint to seat {target} about rank {value}",
    ActionKind.ENDED: "somebody ended the game",
    ActionKind.VOTED: "the players voted to end the game",
}


class Library:
    """Rules and their replayers, as games ask for them; `folder` is where slow tables may be kept."""

    def __init__(self, spec: str, settings: Settings, folder: Path | None = None) -> None:
        self.spec = spec
        self.settings = settings
        self.folder = folder
        self._replayers: dict[tuple[str, tuple[tuple[str, str], ...], int | None], Replayer] = {}
        self.game = Game(merge(compose(spec)), settings)

    def replay(self, content: GameRecord | TextGame) -> Replayed:
        replayer = self._replayer(content)
        system = replayer.game.system(replayer.players)
        faces = faces_in(content, system, self.folder)
        claims = _of_record(content, system) if isinstance(content, GameRecord) else _of_text(content, system, faces)
        return replayer.replay(faces, claims)

    def _replayer(self, content: GameRecord | TextGame) -> Replayer:
        options = content.options if isinstance(content, GameRecord) else {}
        for name in STRANGE:
            if options.get(name):
                place = content.places.get("options") if isinstance(content, GameRecord) else None
                raise refuse(
                    "HRL600",
                    f"the game was played with the option `{name}`, which nothing here can follow",
                    *(() if place is None else (place,)),
                )
        variants = self.game.merged.composition.variants
        spec = f"{self.spec}+{EXPERT}" if options.get(ALL_OR_NOTHING) and EXPERT not in variants else self.spec
        known = {name for kind, name in self.game.merged.items if kind == "ruling"}
        agreed = tuple(
            ruling
            for option, ruling in RULINGS.items()
            if options.get(option) and ruling[0] in known and ruling[0] not in self.settings.rulings
        )
        players = self._players(content)
        key = spec, agreed, players
        if key not in self._replayers:
            settings = replace(self.settings, rulings={**self.settings.rulings, **dict(agreed)})
            self._replayers[key] = Replayer(Game(merge(compose(spec)), settings), players)
        return self._replayers[key]

    def _players(self, content: GameRecord | TextGame) -> int | None:
        allowed = self.game.player_counts
        if not allowed:
            return None
        if content.players is None:
            return self.settings.params.get("players", allowed[0])
        if content.players not in allowed:
            place = content.places.get("players") if isinstance(content, GameRecord) else content.span
            raise refuse(
                "HRL600",
                f"the game has {content.players} players; `{self.game.name}` is for {', '.join(map(str, allowed))}",
                *(() if place is None else (place,)),
                help="choose a SPEC for as many",
            )
        return content.players


def _of_record(record: GameRecord, system: System) -> Iterator[Claimed]:
    recorder = ActionRecorder(system, record)
    deck_play, abandon = (recorder.actions.made(role) for role in (DECK_PLAY, ABANDON))
    drawn = _cards_dealt(system)
    for action in record.actions:
        taken = recorder.played(action)
        if action.kind is ActionKind.PLAY and action.target == drawn and deck_play is not None:
            taken = deck_play
        elif action.kind in (ActionKind.ENDED, ActionKind.VOTED):
            taken = abandon
        drawn += action.kind in (ActionKind.PLAY, ActionKind.DISCARD)
        words = WORDS[action.kind].format(target=action.target, value=action.value)
        yield Claimed(taken, words, action.span)


def _cards_dealt(system: System) -> int:
    drawn = number_variable(system, "drawn")
    init = next((init for init in system.inits if init.var == drawn), None)
    return getattr(init.value, "value", -1) if init is not None else -1


def _of_text(content: TextGame, system: System, faces: Sequence[int]) -> Iterator[Claimed]:
    reader = ActionReader(system, faces)
    for written in content.actions:
        yield Claimed(reader.action(written), "", written.span)


# ---- written again -----------------------------------------------------------------------------------
def exported(replayed: Replayed) -> dict[str, Any]:
    """The legal part of a game, in the form of hanab.live."""
    system = replayed.game.system(replayed.players)
    recorder = ActionRecorder(system)
    actions = []
    for turn in replayed.turns:
        told = turn.told
        found, role = recorder.recorded(told.action), recorder.actions.role_of(told.action)
        drawn = number_variable(system, "drawn")
        if found is None and role == DECK_PLAY and drawn is not None:
            found = RecordedAction(ActionKind.PLAY, told.before.value(drawn))
        elif found is None and role == ABANDON:
            found = RecordedAction(ActionKind.ENDED, told.actor or 0, ENDED_BY_HAND)
        if found is None:
            raise refuse("HRL601", f"hanab.live has no action `{told.action}`", help="write the game as text instead")
        actions.append(found)
    record = as_record(replayed.faces, system, actions)
    chosen = dict(system.rulings)
    for option, (ruling, value) in RULINGS.items():
        if chosen.get(ruling) == value:
            record["options"][option] = True
    if EXPERT in replayed.game.merged.composition.variants:
        record["options"][ALL_OR_NOTHING] = True
    return record

"""Evidence as data, for whoever judges it: `judge/certificate.py` reads what is written here."""

from __future__ import annotations

from typing import Any

from hanabi_formal.formats.hanab_live.recorder import Recorder
from hanabi_formal.judge.arguments.argument import Argument, LastRound, Lost, Room, Turns
from hanabi_formal.judge.certificate import Certificate, Outnumbered, Reasoned, TooFew, Unsolvable
from hanabi_formal.kernel.trace import Instance


def action_data(recorder: Recorder, action: Instance) -> dict[str, Any]:
    """As hanab.live writes it; what it cannot say is written as the rules name it."""
    found = recorder.recorded(action)
    return found.data() if found is not None else {"action": action[0], "args": list(action[1])}


def as_data(certificate: Certificate) -> dict[str, Any]:
    match certificate:
        case Reasoned(argument):
            return {"kind": "argument", "argument": _argument_data(argument)}
        case Outnumbered(arguments):
            listed = [[list(display), _argument_data(argument)] for display, argument in arguments]
            return {"kind": "displays", "displays": listed}
        case TooFew():
            return {"kind": "few"}
        case Unsolvable(kind, horizon, digest, steps):
            return {"kind": kind, "horizon": horizon, "clauses": digest, "lrat": steps}


def _argument_data(argument: Argument) -> dict[str, Any]:
    match argument:
        case Lost(face):
            return {"lost": face}
        case Turns(since):
            return {"turns": since}
        case LastRound(since):
            return {"last round": since}
        case Room(card, since, later):
            data: dict[str, Any] = {"room": card, "since": since}
            if later:
                data["unless later"] = [[face, _argument_data(branch)] for face, branch in later]
            return data

"""`python -m hanabi_formal.conformance.serve NAME`: an adapter that speaks the protocol, in a process of its own.

It needs the package that it drives, and nothing of ours but the adapter.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import Any, TextIO

from hanabi_formal.conformance.messages import PROTOCOL, Implementation, Setup, Unsupported
from hanabi_formal.conformance.process.wire import answer_data, setup_from

# Where each adapter is, what it is called, and what to install for it.
ADAPTERS = {
    "open_spiel": ("open_spiel", "OpenSpiel", "open_spiel"),
    "hanabi_learning_environment": ("learning_environment", "LearningEnvironment", "hanabi-learning-environment"),
    "jaxmarl": ("jaxmarl", "JaxMarl", "jaxmarl"),
    "textarena": ("textarena", "TextArena", "textarena"),
}


def adapter(name: str) -> Implementation:
    """`ImportError` if the package is not installed."""
    module, kind, _ = ADAPTERS[name]
    made: Implementation = getattr(import_module(f"hanabi_formal.conformance.adapters.{module}"), kind)()
    return made


def own_output() -> TextIO:
    """Whatever a package prints goes to standard error from now on: what was standard output is for answers."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return out


def serve(implementation: Implementation, out: TextIO) -> None:
    setup: Setup | None = None
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, Any]
        if message["type"] == "hello":
            actions = sorted(implementation.knows - {"take"})
            answer = {"protocol": PROTOCOL, "name": implementation.name, "actions": actions}
        elif message["type"] == "start":
            try:
                new = setup_from(message)
                if new != setup:
                    implementation.sit(new)
                    setup = new
                answer = answer_data(implementation.start(tuple(message["deck"])), setup)
            except Unsupported as problem:
                setup = None
                answer = {"unsupported": str(problem)}
        else:
            assert setup is not None
            numbers = [n for n, move in enumerate(setup.moves) if move.data(setup.colours) == message["action"]]
            answer = (
                answer_data(implementation.act(numbers[0]), setup) if numbers else {"refused": "there is no such move"}
            )
        out.write(json.dumps(answer) + "\n")
        out.flush()


if __name__ == "__main__":
    answers = own_output()
    serve(adapter(sys.argv[1]), answers)

"""Every game there is from a state, by the executor: the measure for what is cleverer. Only for small games."""

from __future__ import annotations

from hanabi_formal.run.compiler.compile import Compiled, Dealt, PackedState


class TooMany(Exception):
    """More states than allowed."""


def best_score(compiled: Compiled, dealt: Dealt, state: PackedState, most_states: int = 1_000_000) -> int | None:
    """The best score that a game from the state can end with; None if none ends.

    Looks at each state once, so it also answers for games that can go round in circles.
    """
    seen = {state}
    waiting = [state]
    best: int | None = None
    while waiting:
        now = waiting.pop()
        if compiled.ended(now):
            score = compiled.score(dealt, now)
            best = score if best is None else max(best, score)
            continue
        for code in compiled.legal(dealt, now):
            after = compiled.step(dealt, now, code)
            if after not in seen:
                if len(seen) >= most_states:
                    raise TooMany(f"more than {most_states} states")
                seen.add(after)
                waiting.append(after)
    return best

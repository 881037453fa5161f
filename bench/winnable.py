"""What `winnable` costs a deal, evidence included, as a ratio to one random full-length game of open_spiel.

    python bench/winnable.py [--deals N] [--players 2,3,4,5] [--specs base,avalanche] [--keep FOLDER] [--z3 N] [--best]

Random deals, all decided in this process on one core. The peer plays random legal games with 100 lives, chance nodes
sampled, in turns with the deals, so that both have the same machine. Times are of this process, and the unit is the
median of its games, so that others on the machine matter less. Every piece of
evidence is also checked by what `certify` uses, of the lines (which two engines have played) one in --check; that is
not part of the cost. Undecided deals are kept as files, with what was tried. With --z3, so many deals are also asked of
Z3, plainly unrolled; with --best, the best score of each deal that cannot be won is asked for as well.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from hanabi_formal.api import load
from hanabi_formal.formats.deals import shuffled
from hanabi_formal.formats.storage import write_atomically
from hanabi_formal.judge.certificate import Outnumbered, Reasoned, TooFew
from hanabi_formal.judge.evidence import judge, judge_all
from hanabi_formal.winnability.answer import DealAnswer, LadderBudget
from hanabi_formal.winnability.deal_report import DealReport
from hanabi_formal.winnability.oracle import Oracle

GAMES_A_ROUND = 5
DEALS_A_ROUND = 5


class Peer:
    """open_spiel, random legal play to the end of the deck."""

    def __init__(self, players: int) -> None:
        import pyspiel

        self.game: Any = pyspiel.load_game("hanabi", {"players": players, "max_life_tokens": 100})
        self.random = random.Random(players)

    def play(self) -> None:
        state, rng = self.game.new_initial_state(), self.random
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(rng.choices([one for one, _ in outcomes], [chance for _, chance in outcomes])[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))

    def seconds(self) -> float:
        began = time.process_time()
        self.play()
        return time.process_time() - began


def in_own_terms(answer: DealAnswer | None) -> bool:
    return answer is not None and isinstance(answer.certificate, Reasoned | Outnumbered | TooFew)


@dataclass
class Best:
    """What the best scores of lost deals cost, maximum included."""

    costs: list[float] = field(default_factory=list)
    own_terms: int = 0
    open: int = 0

    def ask(self, oracle: Oracle, players: int, faces: Sequence[int]) -> None:
        began = time.process_time()
        asked = oracle.ask(players, faces, best=True)
        self.costs.append(time.process_time() - began)
        self.own_terms += in_own_terms(asked.beyond)
        if asked.reached.verdict != "winnable":
            self.open += 1
            return
        for _ in judge_all(oracle.game, players, faces, json.loads(json.dumps(DealReport(oracle, asked).evidence()))):
            pass

    def told(self, one: float) -> str:
        ratios = sorted(cost / one for cost in self.costs)
        if not ratios:
            return ""
        return (
            f"best: {self.open} open, {100 * self.own_terms / len(ratios):.1f} % own terms, "
            f"median {ratios[len(ratios) // 2]:.1f}, 95 % {ratios[len(ratios) * 95 // 100]:.0f}  "
        )


def study(spec: str, players: int, options: argparse.Namespace) -> str:
    game = load(spec)
    oracle, peer = Oracle(game), Peer(players)
    system = game.system(players)
    oracle.ask(players, shuffled(system, 0))  # what is prepared once
    peer.play()
    costs, games, methods, verdicts = [], [], Counter[str](), Counter[str]()
    own_terms = 0
    best = Best()
    for start in range(options.seed, options.seed + options.deals, DEALS_A_ROUND):
        games += [peer.seconds() for _ in range(GAMES_A_ROUND)]
        for seed in range(start, min(start + DEALS_A_ROUND, options.seed + options.deals)):
            faces = shuffled(system, seed)
            began = time.process_time()
            asked = oracle.ask(players, faces, name=seed)
            costs.append(time.process_time() - began)
            verdicts[asked.answer.verdict] += 1
            methods[asked.answer.method] += 1
            own_terms += in_own_terms(asked.answer)
            if options.best and asked.answer.verdict == "unwinnable":
                best.ask(oracle, players, faces)
            data = json.loads(json.dumps(DealReport(oracle, asked).evidence()))
            if asked.answer.verdict == "undecided":
                kept = Path(options.keep) / f"{spec}-{players}p-{seed}.json"
                write_atomically(kept, json.dumps({**data, "tried": asked.answer.tried}, indent=1) + "\n")
            elif asked.answer.verdict == "unwinnable" or seed % options.check == 0:
                judge(game, players, faces, data)
    one = median(games)
    costs.sort()
    ratios = [cost / one for cost in costs]
    lost = verdicts["unwinnable"]
    plain = z3_ratio(spec, players, options, one) if options.z3 else ""
    shown = ", ".join(f"{name} {many}" for name, many in methods.most_common())
    return (
        f"{spec:<10} {players}  {verdicts['winnable']:>5} {lost:>5} {verdicts['undecided']:>4}  "
        f"{100 * own_terms / lost if lost else 100:5.1f} %  {ratios[len(ratios) // 2]:7.2f} "
        f"{ratios[len(ratios) * 95 // 100]:8.1f} {ratios[-1]:9.0f}  {plain}{best.told(one)}{shown}"
    )


def z3_ratio(spec: str, players: int, options: argparse.Namespace, one: float) -> str:
    oracle = Oracle(load(spec), "z3", LadderBudget(general_conflicts=options.z3_conflicts))
    costs = []
    for seed in range(options.z3):
        faces = shuffled(oracle.game.system(players), options.seed + seed)
        began = time.process_time()
        verdict = oracle.ask(players, faces).answer.verdict
        costs.append((time.process_time() - began, verdict))
    cost, verdict = sorted(costs)[len(costs) // 2]
    return f"z3 {cost / one:.0f} ({verdict})  "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=200)
    parser.add_argument("--players", default="2,3,4,5")
    parser.add_argument("--specs", default="base,avalanche")
    parser.add_argument("--seed", type=int, default=1_000_000)
    parser.add_argument("--keep", default="undecided")
    parser.add_argument("--check", type=int, default=1)
    parser.add_argument("--best", action="store_true")
    parser.add_argument("--z3", type=int, default=0)
    parser.add_argument("--z3-conflicts", type=int, default=20_000)
    options = parser.parse_args()
    print("spec       p   wins  lost open  own terms   median      95 %      most  by")
    for spec in options.specs.split(","):
        for players in map(int, options.players.split(",")):
            print(study(spec, players, options), flush=True)


if __name__ == "__main__":
    main()

"""open_spiel: the game `hanabi` of `pyspiel`, in process. Cards are dealt at its chance nodes."""

from __future__ import annotations

from typing import Any

from hanabi_formal.conformance.adapters.learning_moves import (
    OPTIONS,
    Numbering,
    card_pairs,
    card_texts,
    check_cards,
    sizes,
)
from hanabi_formal.conformance.messages import ALWAYS, Reply, Seen, Setup, Unsupported


class OpenSpiel:
    name = "open_spiel"
    knows = ALWAYS

    def __init__(self) -> None:
        import pyspiel

        self._pyspiel = pyspiel
        self._games: dict[tuple[int, ...], Any] = {}
        self._state: Any = None

    def sit(self, setup: Setup) -> None:
        check_cards(setup)
        key = sizes(setup)
        if key not in self._games:
            wanted = {**dict(zip(OPTIONS, key, strict=True)), "observation_type": "minimal"}
            try:
                self._games[key] = self._pyspiel.load_game("hanabi", wanted)
            except self._pyspiel.SpielError as problem:
                raise Unsupported(str(problem)) from None
        self._game = self._games[key]
        self._dealt = setup.players * setup.hand_size
        self._lives = setup.red_tokens
        self._numbering = Numbering(setup)
        self._card = {text: suit * len(setup.ranks) + rank for text, (suit, rank) in card_pairs(setup).items()}
        self._text = card_texts(setup)

    def start(self, deck: tuple[str, ...]) -> Reply:
        self._deck = [self._card[card] for card in deck]
        self._next = self._dealt
        self._state = self._game.new_initial_state()
        apply = self._state.apply_action
        for card in self._deck[: self._dealt]:
            apply(card)
        return self._answer()

    def act(self, move: int) -> Reply:
        state = self._state
        action = self._numbering.theirs[self._actor][move] if self._actor >= 0 else None
        if action is None or action not in self._legal:
            return self._answer()._replace(refused="it is not among its legal actions")
        state.apply_action(action)
        if state.is_chance_node():
            state.apply_action(self._deck[self._next])
            self._next += 1
        return self._answer()

    def _answer(self) -> Reply:
        state = self._state
        lines = str(state).split("\n")
        text = self._text
        hands: list[tuple[str, ...]] = []
        hand: list[str] = []
        at = 4
        line = lines[at]
        while not line.startswith("Deck"):
            if line == "-----":
                hands.append(tuple(hand))
                hand = []
            elif line != "Cur player":
                hand.append(text[line[:2]])
            at += 1
            line = lines[at]
        hands.append(tuple(hand))
        over = state.is_terminal()
        self._actor = actor = state.current_player()
        self._legal = state.legal_actions()
        ours = self._numbering.ours[actor] if not over else {}
        discards = [text[word] for word in lines[at + 1][10:].split()]
        discards.sort()
        seen = Seen(
            tuple(hands),
            tuple([int(word[1:]) for word in lines[2][11:].split()]),
            tuple(discards),
            int(line[11:]),
            int(lines[1][13:]),
            self._lives - int(lines[0][13:]),
            None if over else actor,
            int(state.player_return(0)),
            over,
        )
        return Reply(seen, frozenset([ours[action] for action in self._legal]))

    def close(self) -> None:
        self._state = None

"""What is settled before the deal: the parts, the variants, and a choice wherever the print leaves one."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Literal, get_args

SUITS = ("red", "yellow", "green", "blue", "white", "multi")
MULTI = "multi"
BLUE_TOKENS = 8

Clue = tuple[Literal["colour"], str] | tuple[Literal["value"], int]


@dataclass(frozen=True)
class Rules:
    """One game's rules. The first value of each ruling is its default: what is printed, or mostly printed."""

    players: int
    suits: tuple[str, ...] = SUITS[:5]
    top: int = 5
    red_tokens: int = 3
    extra_blue: int = 0
    expert: bool = False
    timed: bool = False
    rainbow: bool = False
    house: bool = False
    hand: int | None = None  # cards dealt to each player, where not the printed number
    edition: str | None = None  # decides the scale of bands, nothing else

    empty_hint: Literal["allowed", "refused"] = "allowed"
    discard_at_full: Literal["refused", "allowed"] = "refused"
    take_token: Literal["must", "may"] = "must"
    loss_score: Literal["zero", "sum"] = "zero"
    perfect_in_last_round: Literal["stops", "plays_on"] = "stops"
    fit: Literal["continues", "literal"] = "continues"
    draw_after_fit: Literal["yes", "no"] = "yes"
    draw_on_end: Literal["no", "yes"] = "no"
    stuck: Literal["unruled", "lost", "skipped"] = "unruled"
    misfit_is_discard: Literal["yes", "no"] = "yes"
    announced_but_misfit: Literal["misfit", "misfit_and_token"] = "misfit"
    announce_multi: Literal["own_colour", "any_colour", "refused"] = "own_colour"
    red_limit: Literal["all_given", "third"] = "all_given"
    all_or_five: Literal["all", "five"] = "all"
    hopeless: Literal["plays_on", "stops"] = "plays_on"
    deck_plays: Literal["off", "on"] = "off"

    def __post_init__(self) -> None:
        faults = [text for wrong, text in self._checks() if wrong]
        if faults:
            raise ValueError("; ".join(faults))

    def _checks(self) -> list[tuple[bool, str]]:
        seats = 6 if self.house else 5
        checks = [
            (not 2 <= self.players <= seats, f"players: 2 to {seats}, not {self.players}"),
            (not self.suits, "suits: at least one"),
            (len(set(self.suits)) < len(self.suits), f"suits: {self.suits} repeats one"),
            (not set(self.suits) <= set(SUITS), f"suits: {self.suits} has one that is not in {SUITS}"),
            (not 1 <= self.top <= 5, f"top: 1 to 5, not {self.top}"),
            (not 1 <= self.red_tokens <= 127, f"red_tokens: 1 to 127, not {self.red_tokens}"),
            (not 0 <= self.extra_blue <= 8, f"extra_blue: 0 to 8, not {self.extra_blue}"),
            (self.hand is not None and self.hand < 1, f"hand: at least 1, not {self.hand}"),
            (self.rainbow and MULTI not in self.suits, "rainbow: needs the suit multi"),
            (self.deck_plays == "on" and not self.house, "deck_plays: a house rule only"),
        ]
        for name, values in RULINGS.items():
            value = getattr(self, name)
            checks.append((value not in values, f"{name}: one of {values}, not {value!r}"))
        return checks

    @property
    def hand_size(self) -> int:
        """setup.deal: five cards for 2 or 3 players, four for 4 or 5. The site deals three for six seats."""
        if self.hand is not None:
            return self.hand
        return {2: 5, 3: 5, 4: 4, 5: 4, 6: 3}[self.players]

    @cached_property
    def blue_max(self) -> int:
        return BLUE_TOKENS + self.extra_blue

    @cached_property
    def takes(self) -> tuple[bool, ...]:
        """Whether tokens that are returned are taken: a choice only under take_token: may."""
        return (True, False) if self.take_token == "may" else (True,)

    @cached_property
    def clues(self) -> tuple[Clue, ...]:
        """What a hint may name. In the rainbow game the sixth colour is never named."""
        colours = [suit for suit in self.suits if not (self.rainbow and suit == MULTI)]
        values = range(1, self.top + 1)
        return (*(("colour", suit) for suit in colours), *(("value", value) for value in values))

    @property
    def announceable(self) -> tuple[str, ...]:
        """timed: the colours that may be announced."""
        if self.announce_multi == "refused":
            return tuple(suit for suit in self.suits if suit != MULTI)
        return self.suits

    def copies(self, suit: str, value: int) -> int:
        """parts.cards: 1,1,1,2,2,3,3,4,4,5 per colour; of the multicoloured cards one each."""
        if suit == MULTI or value == self.top:
            return 1
        return 3 if value == 1 else 2


RULINGS: dict[str, tuple[str, ...]] = {
    field.name: get_args(field.type) for field in fields(Rules) if isinstance(field.default, str)
}
"""Every ruling with its values, the default first."""

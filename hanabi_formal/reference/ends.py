"""How a game ends, and what it is then worth."""

from typing import Literal

from .actions import anyone_could_act, could_act
from .decks import Face
from .editions import bands
from .table import End, Table

Outcome = Literal["won", "over", "lost"]

OUTCOMES: dict[End, Outcome] = {
    "abandoned": "lost",
    "strikes": "lost",
    "indispensable": "lost",
    "perfect": "won",
    "last_round": "over",
    "hopeless": "over",
    "stuck": "lost",
}


def end_at_once(table: Table, lost_card: int | None, was_last_round: bool) -> End | None:
    """The ends an action can bring about before anything is drawn, the first that holds.

    `lost_card` is the card that the action discarded, if any; `was_last_round` says whether the pile was
    already empty when the player began.
    """
    if table.red >= strikes_allowed(table):
        return "strikes"
    if table.rules.expert and lost_card is not None and was_indispensable(table, lost_card):
        return "indispensable"
    if is_perfect(table) and not (was_last_round and table.rules.perfect_in_last_round == "plays_on"):
        return "perfect"
    if table.in_last_round and table.turns_left == 0:
        return "last_round"
    return None


def end_between_turns(table: Table) -> End | None:
    """The ends that are seen when the next player is to act."""
    if table.rules.hopeless == "stops" and is_hopeless(table):
        return "hopeless"
    if is_stuck(table):
        return "stuck"
    return None


def strikes_allowed(table: Table) -> int:
    """end.red: the number of red tokens that loses the game."""
    return 3 if table.rules.red_limit == "third" else table.rules.red_tokens


def is_perfect(table: Table) -> bool:
    """end.perfect. Four editions speak of five fireworks even where there is a sixth."""
    wanted = len(table.rules.suits)
    if table.rules.all_or_five == "five":
        wanted = min(5, wanted)
    return table.complete >= wanted


def was_indispensable(table: Table, card: int) -> bool:
    """expert: the firework still needs this face, and every copy of it is discarded."""
    face = table.deck[card]
    needed = table.height(face.suit) < face.value
    copies = [other for other, other_face in enumerate(table.deck) if other_face == face]
    return needed and table.discards.issuperset(copies)


def is_hopeless(table: Table) -> bool:
    """hopeless: no firework can grow, being complete or having lost every copy of its next card."""
    within_reach = reachable_faces(table)
    return all(
        len(firework) == table.rules.top or Face(suit, len(firework) + 1) not in within_reach
        for suit, firework in zip(table.rules.suits, table.fireworks, strict=True)
    )


def reachable_faces(table: Table) -> set[Face]:
    """The faces in the pile, and in the hands of those who will act again."""
    faces = set(table.deck[table.drawn :])
    for seat, hand in enumerate(table.hands):
        if table.has_turn_left(seat):
            faces.update(table.deck[card] for card in hand)
    return faces


def is_stuck(table: Table) -> bool:
    """stuck: whether a player without a legal action ends the game. `unruled`, the print does not say."""
    match table.rules.stuck:
        case "unruled":
            return False
        case "lost":
            return not could_act(table, table.turn)
        case "skipped":
            return not anyone_could_act(table)


def outcome(table: Table) -> Outcome | None:
    return None if table.end is None else OUTCOMES[table.end]


def score(table: Table) -> int:
    """score.sum; a lost game scores nothing unless loss_score says sum. Before the end: the sum so far."""
    if table.end == "abandoned":
        return 0
    if outcome(table) == "lost" and table.rules.loss_score == "zero":
        return 0
    return table.points


def band(table: Table) -> tuple[str, ...]:
    """score.bands: the bands an ended game's score lies in; the print has overlaps and gaps."""
    if table.end is None or table.rules.expert:
        return ()
    points = score(table)
    matching = [(low, high) for low, high in bands(table.rules) if low <= points <= high]
    return tuple(f"{low}..{high}" if low < high else str(low) for low, high in matching)

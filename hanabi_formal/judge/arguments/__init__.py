"""Arguments in the game's own terms that a deal cannot be won, and what they need of the rules."""

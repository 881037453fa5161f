"""The specification and the hand-written engine, held to each other."""

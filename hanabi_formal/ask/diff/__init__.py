"""Other implementations, held to the rules."""

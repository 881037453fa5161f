"""Questions about Hanabi that more than one engine answers."""

"""What the parts of a game are to Hanabi, as its interface declares them."""

"""One state at a time: the interpreter, and the executor compiled for a game."""

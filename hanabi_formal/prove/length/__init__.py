"""How long games are: ranking functions that bound it, and long games."""

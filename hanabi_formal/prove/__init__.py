"""What is true of every game: obligations, and how each is shown."""

"""Is this deal winnable? A ladder of searches and arguments, each rung dearer than the one before."""

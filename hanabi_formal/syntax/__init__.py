"""Text to tree, and back to one layout."""

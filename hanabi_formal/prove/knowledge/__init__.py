"""What seats know: by self-composition, and by pairs of games."""

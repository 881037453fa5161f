"""A game with its deal, unrolled to clauses: complete for every System, whatever its rules."""

"""Clauses that every won game meets, and proofs that they cannot be met."""

"""Proofs by induction over steps: invariants, rankings, and what every game owes."""

"""Verdicts of `check`, for people and for programs."""

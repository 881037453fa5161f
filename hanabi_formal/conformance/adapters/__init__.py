"""Packages from elsewhere, each driven as it is, with a forced deck."""

"""The meeting point: finite types, expressions, and a game as a System."""

"""Any state and any deal: a System as terms for a solver."""

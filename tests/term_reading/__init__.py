"""Terms of a System as quick Python functions, to compare the solver's reading with `run`."""

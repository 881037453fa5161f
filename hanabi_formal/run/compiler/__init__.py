"""A System compiled to Python functions made for it."""

"""Which rulings an implementation follows, and which would explain a difference."""

"""What checks evidence. It shares nothing with what finds it."""

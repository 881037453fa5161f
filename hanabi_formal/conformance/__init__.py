"""Does an implementation follow the rules? Games played side by side."""

"""Tree to System: names, types, changes of variants, citations."""

"""A merged game to the kernel's System: names resolved, types agreed, definitions expanded."""

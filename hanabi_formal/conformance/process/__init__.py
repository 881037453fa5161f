"""An implementation in a process of its own: pipes, a guard, and the protocol's JSON."""

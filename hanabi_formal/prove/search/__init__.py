"""Games that reach something, found by playing: witnesses and counterexamples."""

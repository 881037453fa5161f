"""Which rule rests on which clause of which rulebook, both ways."""

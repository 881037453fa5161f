"""Evidence that `certify` was given, one piece or many."""

"""Whether anything in the rules is without effect: cases, guards, premises, ends, bands, examples."""

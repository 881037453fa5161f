"""The judge of evidence. Nothing here searches or solves, and nothing that does is imported."""

"""Errors as data: a closed list of codes, places in files, and ways to show them."""

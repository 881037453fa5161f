"""Expressions of a rule file to those of the kernel, kind by kind."""

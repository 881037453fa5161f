"""Deals and traces, in and out."""

"""Recorded games under given rules: legal or not, how they end, which action lost them."""

"""A second, plain encoder of the unrolled rules, to which the proper one is held."""

"""Generators of cases, one module per fix, named after its id."""

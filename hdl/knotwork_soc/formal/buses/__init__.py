"""Proofs of the bridges between memory-mapped buses, by the rules of their standards."""

"""TODO helpers."""

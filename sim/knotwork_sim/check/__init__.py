"""TODO check."""

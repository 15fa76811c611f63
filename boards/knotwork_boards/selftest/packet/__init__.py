"""TODO packet."""

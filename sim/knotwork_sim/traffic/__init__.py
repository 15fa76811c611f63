"""TODO traffic."""

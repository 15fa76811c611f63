"""TODO walks."""

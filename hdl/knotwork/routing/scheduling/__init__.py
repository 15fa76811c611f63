"""TODO scheduling."""

"""TODO observed."""

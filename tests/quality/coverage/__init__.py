"""TODO coverage."""

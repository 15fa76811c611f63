"""TODO branching."""

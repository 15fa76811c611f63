"""TODO soak."""

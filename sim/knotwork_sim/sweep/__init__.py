"""TODO sweep."""

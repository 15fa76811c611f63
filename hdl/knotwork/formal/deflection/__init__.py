"""TODO deflection."""

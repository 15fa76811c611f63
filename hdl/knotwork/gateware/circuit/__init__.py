"""TODO circuit."""

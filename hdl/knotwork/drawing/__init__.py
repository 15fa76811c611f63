"""TODO drawing."""

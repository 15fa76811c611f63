"""TODO rtl."""

"""What keeps a memory that falls silent from holding up a network."""

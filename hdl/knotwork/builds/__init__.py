"""Builds that are kept, and the processes that make them."""

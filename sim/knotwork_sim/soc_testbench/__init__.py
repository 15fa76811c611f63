"""Testbenches of systems: a manager, a memory, a source or a sink at each node's own bus."""

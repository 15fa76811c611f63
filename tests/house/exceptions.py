"""Exceptions to the house's rules, each with its reason; one that applies no more fails."""

LARGER: dict[str, str] = {}
"""What may be larger than `sizes` says."""

TESTED_OTHERWISE: dict[str, str] = {}
"""Modules without a test of their name, as patterns, and where they are tested."""

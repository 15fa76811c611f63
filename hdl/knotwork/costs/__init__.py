"""Area and frequency of networks, estimated without synthesis by a fitted model."""

from .estimate import Area, Estimate, estimated_cost

__all__ = ["Area", "Estimate", "estimated_cost"]

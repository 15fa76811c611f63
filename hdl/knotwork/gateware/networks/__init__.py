"""Gates that only one network has: its route computation, its branches, its exchanges."""

from importlib import import_module
from types import ModuleType

from ...network import Network


def gates_of(network: Network) -> ModuleType:
    """Module of this folder that bears the network's name.

    Each has ``ROUTE_COMPUTATIONS`` and ``ESCAPE_COMPUTATIONS``, by routing; some have the gates of
    `NearerRoute` for adaptive routings as ``NEARER_COMPUTATION``; those with broadcasts
    ``BRANCH_COMPUTATIONS``, by the broadcast's rule; those with batches ``EXCHANGES`` and
    ``SEQUENCERS``, by routing.
    """
    return import_module(f"{__name__}.{network.topology.name}")

"""Proofs of routers whose tables are loaded in service, and of the controller that loads them.

Each router's claims hold whatever its neighbours do, so together they hold of the network: once all
routers are idle while nodes are held, no flit is in any of them until the swap.
"""

from .controller import LoadControllerHarness, controller_properties
from .router import LoadedHarness, router_properties

__all__ = ["LoadControllerHarness", "LoadedHarness", "controller_properties", "router_properties"]

"""Time that the compilation of a network's Verilog takes, by what this machine did before."""

from knotwork.builds.cache import expected_seconds, note_seconds
from knotwork.estimates.networks import choosers
from knotwork.network import Network

HIERARCHY = 64
"""Routers from which each kind is compiled once."""

_SECONDS, _ROUTER_SECONDS, _PLACED_SECONDS = 2.0, 0.08, 0.01  # measured, for a short run
_WORK = "simulate: build"  # in the record of durations, per second that is expected here


def placed_routers(network: Network) -> int:
    """Routers and choosers."""
    return network.topology.routers + choosers(network)


def driver_seconds(network: Network) -> float:
    """Compilation for a short run of the driver, on the machine on which it was measured."""
    placed = placed_routers(network)
    return _SECONDS + _ROUTER_SECONDS * min(placed, HIERARCHY) + _PLACED_SECONDS * placed


def expected_driver_seconds(network: Network) -> float:
    """Compilation for a short run of the driver, on this machine."""
    seconds = driver_seconds(network)
    return expected_seconds(_WORK, seconds) or seconds


def note_driver_seconds(network: Network, seconds: float) -> None:
    """Note what the compilation has taken here."""
    note_seconds(_WORK, seconds, driver_seconds(network))

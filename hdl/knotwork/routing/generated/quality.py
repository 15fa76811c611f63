"""How good a routing is, generated or not: its detours, its fullest link, and its classes."""

from dataclasses import dataclass

import numpy as np

from ...topology import Topology, metrics
from ..base import Routing
from ..table_file import TableRouting
from .bounds import PATH_LIMIT, LoadBound, least_classes, load_bound
from .tables import all_paths, link_load, uniform_flits

BOUND_LIMIT = 256
"""Routers up to which the fullest link's bound is sought."""


@dataclass(frozen=True, kw_only=True)
class RoutingQuality:
    """Facts of a routing under uniform traffic of one flit per cycle from each node.

    Members
    -------
    mean_stretch, max_stretch : float
        Hops of a pair's path over its distance, of pairs at different routers.
    fullest_link : float or None
        Flits per cycle on the fullest link; None where the routing has no rule.
    fullest_link_bound : float or None
        No routing has less on it; None in larger networks.
    bound_by : str or None
        How that was found.
    channels : int
        Virtual channels that the routing needs.
    least_channels : tuple of int, or None
        Bounds of the least number that its paths need; None where packets may
        leave their paths, or the routing has no rule.
    table_entries : int or None
        Entries of its table that packets to other nodes look up; None where it has a rule.
    """

    mean_stretch: float
    max_stretch: float
    fullest_link: float | None
    fullest_link_bound: float | None
    bound_by: str | None
    channels: int
    least_channels: tuple[int, int] | None
    table_entries: int | None

    @property
    def is_least(self) -> bool | None:
        """Whether fewer channels are proven not to be enough; None where it is not known."""
        if self.least_channels is None:
            return None
        low, high = self.least_channels
        return True if low == self.channels else (False if high < self.channels else None)


def uniform_bound(topology: Topology) -> LoadBound | None:
    """Bound of the fullest link under uniform traffic; None beyond `BOUND_LIMIT`."""
    if not 1 < topology.routers <= BOUND_LIMIT:
        return None
    return load_bound(topology, uniform_flits(topology))


def routing_quality(
    routing: Routing, distances: np.ndarray, bound: LoadBound | None
) -> RoutingQuality:
    """Facts of a routing whose packets wait for channels.

    Parameters
    ----------
    routing : Routing
        Routing, small enough for its pairs to be walked.
    distances : ndarray
        Hops between the routers of all pairs of nodes.
    bound : LoadBound or None
        See `uniform_bound`.
    """
    nodes = routing.topology.nodes
    apart = distances > 0
    stretch = np.ones(1)
    if apart.any():
        distances = np.tile(distances, routing.draws)
        apart = distances > 0
        stretch = routing.walk_lengths()[apart] / distances[apart]
    fullest = None
    if routing.unbuildable is None:
        load = link_load(routing, np.full((1, 1), 1.0 / max(nodes - 1, 1)))
        fullest = round(float(load.max(initial=0.0)), 9)  # sums of shares are not exact
    return RoutingQuality(
        mean_stretch=float(stretch.mean()),
        max_stretch=float(stretch.max()),
        fullest_link=fullest,
        fullest_link_bound=None if bound is None else round(bound.load, 6),
        bound_by=None if bound is None else bound.by,
        channels=routing.classes,
        least_channels=_least(routing),
        table_entries=_entries(routing),
    )


def _least(routing: Routing) -> tuple[int, int] | None:
    """Bounds of the least number of classes, where each packet has one path."""
    has_one_path = routing.has_one_path and tuple(routing.injection_classes) == (0,)
    if not has_one_path or routing.unbuildable is not None:
        return None
    if routing.topology.nodes**2 > PATH_LIMIT:
        return 1, routing.classes
    found = least_classes(all_paths(routing), routing.classes)
    if routing.relays or routing.broadcast is not None:
        return found.low, routing.classes  # stores and copies wait too
    return found.low, found.high


def _entries(routing: Routing) -> int | None:
    if not isinstance(routing, TableRouting):
        return None
    entries, (routers, _) = routing.table.entries, routing.topology.node_ports_table
    used = entries >= 0
    used[routers, :, :, np.arange(routing.topology.nodes)] = False
    return int(used.sum())


def node_distances(topology: Topology) -> np.ndarray:
    """Hops between the routers of all pairs of nodes."""
    routers, _ = topology.node_ports_table
    return metrics.distances(topology.neighbours)[np.ix_(routers, routers)]

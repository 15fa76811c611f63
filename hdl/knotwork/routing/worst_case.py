"""Permutation under which a link carries most, where paths do not depend on other packets.

References
----------
B. Towles and W. J. Dally, "Worst-case traffic for oblivious routing functions", IEEE Computer
Architecture Letters 1, 2002: of all traffic in which no node sends or receives more than a flit per
cycle, a permutation loads a given link most, and an assignment of destinations to sources finds it.
"""

from typing import NamedTuple

import numpy as np

from ..topology import Topology
from .base import Routing
from .generated.tables import all_paths


class WorstCase(NamedTuple):
    """Permutation that loads a link most.

    Members
    -------
    load : float
        Flits per cycle on that link if every node sends one.
    link : tuple of int, or None
        Router and port where it begins; None where no packet crosses a link.
    destinations : ndarray
        Destination of each node, int64. Nodes whose packets do not cross the link keep them where
        that is possible.
    """

    load: float
    link: tuple[int, int] | None
    destinations: np.ndarray


class Crossings(NamedTuple):
    """Packets that cross one link.

    Members
    -------
    link : int
        ``router * ports + port``.
    pairs : ndarray
        Source and destination of each of them, int64 of shape (pairs, 2), each pair once.
    times : ndarray
        How many times its paths cross the link, int64; of all that its source may draw.
    """

    link: int
    pairs: np.ndarray
    times: np.ndarray

    @property
    def bound(self) -> int:
        """Crossings that no permutation exceeds: a share for each source and destination.

        Both shares of a pair cover its crossings. A source's is the least that its packets have in
        common: so the bound is tight where all permutations load the link alike.
        """
        (sources, source), (ends, end) = (
            np.unique(column, return_inverse=True) for column in self.pairs.T
        )
        few = min(len(sources), len(ends)) * int(self.times.max())
        least = np.full(len(sources), self.times.max())
        np.minimum.at(least, source, self.times)
        is_sent_to_others = np.bincount(source) >= len(ends) - 1  # all but itself, maybe
        least[~is_sent_to_others] = 0
        rest = np.zeros(len(ends), np.int64)
        np.maximum.at(rest, end, self.times - least[source])
        return min(few, int(least.sum() + rest.sum()))


def worst_case(routing: Routing) -> WorstCase:
    """Worst permutation of a routing.

    Parameters
    ----------
    routing : Routing
        Routing whose `unknown_loads` is None.
    """
    topology, load, link = routing.topology, 0, None
    chosen = np.empty((0, 2), np.int64)
    bounds = [(crossings.bound, crossings) for crossings in all_crossings(routing)]
    for bound, crossings in sorted(bounds, key=lambda each: -each[0]):
        if bound <= load:
            break
        places = _heaviest_assignment(crossings, topology.nodes)
        carried = int(crossings.times[places].sum())
        if carried > load:
            load, link, chosen = carried, crossings.link, crossings.pairs[places]
    where = None if link is None else divmod(link, topology.neighbours.shape[1])
    return WorstCase(load / routing.draws, where, _completed(topology, chosen))


def all_crossings(routing: Routing) -> list[Crossings]:
    """Packets that cross each link, of those links that packets cross."""
    topology = routing.topology
    pairs = np.argwhere(~np.eye(topology.nodes, dtype=bool))
    may_send = np.asarray(topology.may_send(pairs[:, 0], pairs[:, 1]))
    found = []
    for drawn in range(routing.draws):
        paths = all_paths(routing, drawn)
        pair, hop = np.nonzero((paths >= 0) & may_send[:, None])
        found.append(paths[pair, hop].astype(np.int64) * len(pairs) + pair)
    crossed, times = np.unique(np.concatenate(found), return_counts=True)
    link, pair = np.divmod(crossed, max(len(pairs), 1))
    links, first = np.unique(link, return_index=True)
    ends = [*first[1:].tolist(), len(link)]
    return [
        Crossings(one, pairs[pair[begin:end]], times[begin:end])
        for one, begin, end in zip(links.tolist(), first.tolist(), ends, strict=True)
    ]


def _heaviest_assignment(crossings: Crossings, nodes: int) -> np.ndarray:
    """Places of pairs without a common source or destination that together cross most often."""
    import rustworkx as rx

    graph: rx.PyGraph = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(2 * nodes))  # the destinations behind the sources
    ends = map(tuple, (crossings.pairs + np.array([0, nodes])).tolist())
    place = {pair: number for number, pair in enumerate(ends)}
    times = crossings.times.tolist()
    graph.add_edges_from([(*pair, times[number]) for pair, number in place.items()])
    found = rx.max_weight_matching(graph, weight_fn=int)
    return np.sort([place[min(pair), max(pair)] for pair in found])


def _completed(topology: Topology, chosen: np.ndarray) -> np.ndarray:
    """Permutation with these pairs, int64; the other nodes keep their packets where they can."""
    destinations = np.full(topology.nodes, -1, np.int64)
    destinations[chosen[:, 0]] = chosen[:, 1]
    free = np.full(topology.nodes, True)
    free[chosen[:, 1]] = False
    nodes = np.arange(topology.nodes)
    keeps = (destinations < 0) & free & np.asarray(topology.may_send(nodes, nodes))
    destinations[keeps] = nodes[keeps]
    # Of each class of traffic as many sources as destinations are left, both in rising order.
    destinations[destinations < 0] = nodes[free & ~keeps]
    return destinations

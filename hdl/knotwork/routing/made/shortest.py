"""Minimal paths over as few classes as are found.

The classes are layers, as in LASH and DFSSSP, but a packet may go on to the next layer on its way.

References
----------
O. Lysne, T. Skeie, S.-A. Reinemo and I. Theiss, "Layered routing in irregular networks", IEEE
Trans. Parallel and Distributed Systems 17(1), 2006. J. Domke, T. Hoefler and W. E. Nagel,
"Deadlock-free oblivious routing for arbitrary topologies", IPDPS 2011.
"""

from collections.abc import Iterator

import numpy as np

from ...errors import ConfigurationError
from ...topology import Topology
from ..compiled.tables import CLASSES
from .ranks import Ranks, layered
from .tables import MadeTable, best_table
from .updown import place_of, roots

_SMALL = 128
"""Routers up to which orders are improved."""
_CHANGES = 400  # of an order that is improved
_ORDERS = 8  # of small networks


def orders_of(distances: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    """Orders of the routers, from which ranks are made: places, int64.

    By the distances from a router in the middle, from one at the rim, and by number; in small
    networks also from others that are drawn.
    """
    there_and_back = roots(distances)
    middle, rim = int(there_and_back[0]), int(there_and_back[-1])
    yield place_of(distances[middle])
    yield place_of(distances[rim])
    routers = len(distances)
    yield np.arange(routers)
    if routers <= _SMALL:
        rng = np.random.default_rng([seed, 1])
        for root in rng.permutation(routers)[:_ORDERS].tolist():
            yield place_of(distances[root])


def shortest_table(
    topology: Topology, weights: np.ndarray, distances: np.ndarray, *, seed: int, owner: str
) -> MadeTable:
    """Table of minimal paths, spread over the links, with as few classes as are found.

    Raises
    ------
    ConfigurationError
        More than eight classes are needed.
    """
    orders = list(orders_of(distances, seed))
    needed = [classes_needed(topology, order) for order in orders]
    best = int(np.argmin(needed))
    classes, order = needed[best], orders[best]
    while classes > 1 and topology.routers <= _SMALL:
        better = _improved(topology, orders, classes - 1, seed)
        if better is None:
            break
        classes, order = classes - 1, better
    if classes > CLASSES:
        raise ConfigurationError(
            f"{owner} must have at most {CLASSES} classes of virtual channels, not the {classes} "
            f"that were found"
        )
    return best_table(topology, layered(topology, [order] * classes), weights, owner=owner)


def classes_needed(topology: Topology, order: np.ndarray) -> int:
    """Classes with which all pairs have a minimal path, if each goes up and down by an order."""
    from .loops import most_layers

    near = np.ascontiguousarray(topology.neighbours, np.int32)
    return int(most_layers(near, np.asarray(order, np.int64), _served(topology)).max())


def _served(topology: Topology) -> np.ndarray:
    return topology.local_nodes.max(axis=1) >= 0


def _improved(
    topology: Topology, orders: list[np.ndarray], classes: int, seed: int
) -> np.ndarray | None:
    """Order with so few classes, by changes to the best ones; None where none is found.

    A change gives a router another place. It is kept if not more pairs lack a minimal path.
    """
    from .loops import most_layers

    near = np.ascontiguousarray(topology.neighbours, np.int32)
    served = _served(topology)
    rng = np.random.default_rng([seed, classes])

    def lacking(order: np.ndarray) -> int:
        return int((most_layers(near, order, served) > classes).sum())

    lacks = [lacking(order) for order in orders]
    order, least = orders[int(np.argmin(lacks))].copy(), min(lacks)
    for _ in range(_CHANGES):
        if least == 0:
            return order
        by_place = np.argsort(order)
        moved, to = rng.integers(len(order), size=2)
        changed = np.insert(np.delete(by_place, moved), to, by_place[moved])
        place = np.empty_like(order)
        place[changed] = np.arange(len(order))
        now = lacking(place)
        if now <= least:
            order, least = place, now
    return order if least == 0 else None


def improved_ranks(classes: int, rank: np.ndarray, topology: Topology) -> Ranks:
    """Ranks by links, as `least.least_classes` finds them, in the form of a network's."""
    shape = (*topology.neighbours.shape, classes)
    whole = np.full((topology.neighbours.size, classes), -1, np.int32)
    whole[: len(rank)] = rank
    return Ranks(whole.reshape(shape))

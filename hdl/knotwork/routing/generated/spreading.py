"""Shortest and balanced tables: few classes, and little load on the fullest link.

For shortest tables the classes are layers, as in LASH and DFSSSP, but a packet may go on to the
next layer on its path. Within a layer a path goes up and then down by an order of the routers, or
through the ports in turn as in dimension order. Of the ranks with the fewest layers, those are kept
whose paths can be spread best. Balanced tables are rounded from the optimum of the linear program
of `bounds`, and then improved.

References
----------
O. Lysne, T. Skeie, S.-A. Reinemo and I. Theiss, "Layered routing in irregular networks", IEEE
Trans. Parallel and Distributed Systems 17(1), 2006. J. Domke, T. Hoefler and W. E. Nagel,
"Deadlock-free oblivious routing for arbitrary topologies", IPDPS 2011.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ...errors import ConfigurationError
from ...topology import Topology
from ..compiled.tables import CLASSES
from ..table_file import CELL_LIMIT
from .bounds import LoadBound
from .ranks import Ranks, by_ports, layered, order_by_distance, roots
from .tables import (
    STATE_LIMIT,
    GeneratedTable,
    Plan,
    best_table,
    fewer_classes,
    plan_table,
    sampled_load,
    spread_plan,
)

_SMALL = 128
"""Routers up to which orders are improved, and paths spread over several ranks."""
_CHANGES = 400  # of an order that is improved
_ORDERS = 8  # of small networks
_KEPT = 3  # ranks over which paths are spread
_PASSES = 20  # in which they are spread
_HOPED = 4  # how many times less load is aimed at, at most


def orders_of(distances: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    """Orders of the routers, from which ranks are made: places, int64.

    By the distances from a router in the middle, from one at the rim, and by number; in small
    networks also from others that are drawn.
    """
    there_and_back = roots(distances)
    middle, rim = int(there_and_back[0]), int(there_and_back[-1])
    yield order_by_distance(distances[middle])
    yield order_by_distance(distances[rim])
    routers = len(distances)
    yield np.arange(routers)
    if routers <= _SMALL:
        rng = np.random.default_rng([seed, 1])
        for root in rng.permutation(routers)[:_ORDERS].tolist():
            yield order_by_distance(distances[root])


def shortest_table(
    topology: Topology, weights: np.ndarray, distances: np.ndarray, *, seed: int, owner: str
) -> GeneratedTable:
    """Table of minimal paths with as few classes as are found, and then as little load.

    Raises
    ------
    ConfigurationError
        More than eight classes are needed.
    """
    orders = list(orders_of(distances, seed))
    tried = [layered(topology, [order]) for order in orders]
    tried += [by_ports(topology, orders[2], last_first=last) for last in (False, True)]
    needed = [classes_needed(topology, ranks) for ranks in tried]
    classes = min(needed)
    while classes > 1 and topology.routers <= _SMALL:
        better = _improved(topology, orders, classes - 1, seed)
        if better is None:
            break
        tried.append(layered(topology, [better]))
        needed.append(classes - 1)
        classes -= 1
    if classes > CLASSES:
        raise ConfigurationError(
            f"{owner} must have at most {CLASSES} classes of virtual channels, not the {classes} "
            f"that were found"
        )
    equal = [ranks for ranks, count in zip(tried, needed, strict=True) if count == classes]
    chosen = _best(topology, [ranks.repeated(classes) for ranks in equal], weights, owner=owner)
    found = _least_loaded(topology, chosen, weights, distances, seed=seed, owner=owner)
    fewer = fewer_classes(topology, found)
    if fewer is None:
        return found
    return _least_loaded(topology, [fewer], weights, distances, seed=seed, owner=owner)


def _best(
    topology: Topology, equal: Sequence[Ranks], weights: np.ndarray, *, owner: str
) -> list[Ranks]:
    """Some of the ranks: those whose paths carry the least without being spread."""
    if len(equal) == 1:
        return list(equal)
    loads = [sampled_load(topology, ranks, weights, owner=owner) for ranks in equal]
    by_load = np.argsort(loads, kind="stable")
    return [equal[place] for place in by_load[: _KEPT if topology.routers <= _SMALL else 1]]


def _least_loaded(
    topology: Topology,
    every: Sequence[Ranks],
    weights: np.ndarray,
    distances: np.ndarray,
    *,
    seed: int,
    owner: str,
) -> GeneratedTable:
    """Table of minimal paths with the least load on the fullest link of those that ranks allow."""
    links = max(1, int((topology.neighbours >= 0).sum()))
    mean = float((np.maximum(weights, 0) * distances).sum() / links)
    best = best_table(topology, every[0], weights, owner=owner)
    for ranks in every:
        if best.load.max() <= mean * (1 + 1e-9) or topology.routers * ranks.rank.size > STATE_LIMIT:
            break  # no minimal paths carry less: together, all cross as many links
        plan = spread_plan(
            topology,
            weights,
            ranks,
            distances=distances,
            aim=max(mean, best.load.max() / _HOPED),
            passes=_PASSES,
            seed=seed,
            owner=owner,
        )
        if plan is not None and plan.fullest < best.load.max() * (1 - 1e-9):
            best = plan_table(topology, weights, plan)
    return best


def classes_needed(topology: Topology, ranks: Ranks) -> int:
    """Classes with which all pairs have a minimal path, if each has these ranks of one class.

    One where no pair needs a link, as all nodes are on one router.
    """
    return max(1, int(_layers(topology, ranks).max()))


def _layers(topology: Topology, ranks: Ranks) -> np.ndarray:
    """Layers that the minimal paths between all routers need, int32 (routers, routers)."""
    from .loops import most_layers

    near = np.ascontiguousarray(topology.neighbours, np.int32)
    layers = np.zeros((len(near), len(near)), np.int32)
    most_layers(near, ranks.rank[:, :, 0], topology.local_nodes.max(axis=1) >= 0, layers)
    return layers


def _improved(
    topology: Topology, orders: list[np.ndarray], classes: int, seed: int
) -> np.ndarray | None:
    """Order with so few classes, by changes to the best ones; None where none is found.

    A change gives a router another place. It is kept if not more pairs lack a minimal path.
    """
    rng = np.random.default_rng([seed, classes])

    def lacking(order: np.ndarray) -> int:
        return int((_layers(topology, layered(topology, [order])) > classes).sum())

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


CLOSE, AIM, FAR = 1.05, 1.02, 1.5
"""Load of the fullest link over its bound: with which no more classes are tried; aimed at; with
which no other order is tried for as many classes."""

_BALANCED_PASSES = 160


def balanced_table(
    topology: Topology,
    weights: np.ndarray,
    bound: LoadBound,
    orders: list[np.ndarray],
    *,
    seed: int,
    owner: str,
) -> GeneratedTable:
    """Table whose fullest link carries as little as is found, with the fewest classes.

    Parameters
    ----------
    topology : Topology
        Network.
    weights : ndarray
        Flits per cycle between routers, float64 (routers, routers).
    bound : LoadBound
        Bound of the fullest link's load.
    orders : list of ndarray
        Orders of the routers from which ranks are made; see `ranks.layered`. Ranks by ports are
        tried too, where even the shortest paths in them carry little.
    seed : int
        Of the order in which paths are tried.
    owner : str
        Beginning of an error.
    """
    best: Plan | None = None
    unit = _unit(weights)
    least = np.ceil(bound.load / unit - 1e-6) * unit + 1e-9
    aim, close = max(AIM * bound.load, least), max(CLOSE * bound.load, least)
    hints = np.tile(bound.lengths / max(bound.lengths.max(), 1e-12), (topology.routers, 1)) + 0.01
    if bound.flows is not None:
        hints += bound.flows < 1e-6 * bound.flows.max()  # what the program leaves out

    def planned(ranks: Ranks) -> Plan | None:
        keys = {
            "hints": hints,
            "aim": aim,
            "passes": _BALANCED_PASSES,
            "seed": seed,
            "owner": owner,
        }
        return spread_plan(topology, weights, ranks, **keys)

    for classes in range(1, CLASSES + 1):
        found = best
        for ranks in _tried(topology, weights, orders, classes, most=FAR * close, owner=owner):
            plan = planned(ranks)
            if plan is not None and (found is None or plan.fullest < found.fullest * 0.99):
                found = plan
            if found is not None and found.fullest <= close:
                table = plan_table(topology, weights, found)
                by_sat = fewer_classes(topology, table)
                fewer = None if by_sat is None else planned(by_sat)
                if fewer is not None and fewer.fullest <= close:
                    return plan_table(topology, weights, fewer)
                return table
            if plan is not None and plan.fullest > FAR * close:
                break  # other orders are not so much better
        if best is not None and found is best and classes > 2:
            break  # another class gained nothing
        best = found
    if best is None:
        raise ConfigurationError(f"{owner} must have at most {CLASSES} classes, not more")
    return plan_table(topology, weights, best)


def _tried(
    topology: Topology,
    weights: np.ndarray,
    orders: list[np.ndarray],
    classes: int,
    *,
    most: float,
    owner: str,
) -> list[Ranks]:
    """Ranks by the orders; before them by ports, if the shortest paths in these carry so little."""
    tried = [layered(topology, [order] * classes) for order in orders]
    ports = by_ports(topology, np.arange(topology.routers)).repeated(classes)
    if ports.rank.size * topology.nodes > CELL_LIMIT:
        return tried
    table = best_table(topology, ports, weights, owner=owner)
    if (table.lengths[weights >= 0] >= 0).all() and table.load.max() <= most:
        tried.insert(0, ports)
    return tried


def _unit(weights: np.ndarray) -> float:
    """Largest unit of all flows where they are equal; else nearly 0."""
    flows = weights[weights > 0]
    return float(flows[0]) if len(flows) and np.ptp(flows) < 1e-12 else 1e-12

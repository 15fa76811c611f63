"""Ways chosen so that the fullest link carries little: rounded from the program, then improved."""

import numpy as np

from ...errors import ConfigurationError
from ...topology import Topology
from ..compiled.tables import CLASSES
from ..table_file.bound_table import CELL_LIMIT
from .bound import LoadBound
from .plan import Plan, fewer_classes, plan_table, spread_plan
from .ranks import Ranks, by_ports, layered
from .tables import GeneratedTable, best_table

CLOSE, AIM, FAR = 1.05, 1.02, 1.5
"""Load of the fullest link over its bound: with which no more classes are tried; aimed at; with
which no other order is tried for as many classes."""

_PASSES = 160


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
        tried too, where even the shortest ways in them carry little.
    seed : int
        Of the order in which ways are tried.
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
        keys = {"hints": hints, "aim": aim, "passes": _PASSES, "seed": seed, "owner": owner}
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
    """Ranks by the orders; before them by ports, if the shortest ways in these carry so little."""
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

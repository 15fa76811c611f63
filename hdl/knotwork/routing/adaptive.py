"""Adaptive routing for any network: all ways that get nearer, and a routing to escape by.

A packet begins in class 0. There each router offers it some of the ways to the neighbours that are
nearer to its destination; a head that is blocked requests one after the other, and then its escape.
The classes from 1 on are those of another routing, free of deadlock: a packet that has entered them
goes on by its rule to the end.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar

import numpy as np

from ..errors import ConfigurationError
from ..parameters import Choice, Integer, parameter
from ..topology import LOCAL, Topology
from ..topology.metrics import distances
from .choosing import ChoosingRouting
from .compiled.compilable import compilable
from .options import RoutingOptions
from .rules import Rule
from .selection import FIRST, SELECTIONS, Selection

MOST_WAYS = 4
"""Most ways of a packet in class 0, its escape not counted."""


@cache
def adaptive_rule(
    escape: Rule, *, classes: int, ways: int, nodes: int, local_ports: int, start: int
) -> Rule:
    """Rule of an adaptive routing over the rule that packets escape by.

    Asked with class 0 it answers the first of the ways that get nearer; with `classes` and above
    the others, and last with ``classes + ways - 1`` that by which a packet escapes.

    Parameters
    ----------
    escape : Rule
        Rule in the classes from 1 on.
    classes : int
        All classes.
    ways : int
        Ways of a packet in class 0.
    nodes, local_ports : int
        Nodes of the network, and ports to nodes of a router.
    start : int
        Place among the parameters, behind those of `escape`, where the ways begin.
    """

    @compilable
    def rule(parameters, router, port, channel_class, destination):
        if 1 <= channel_class < classes:
            output, out_class = escape(parameters, router, port, channel_class - 1, destination)
        elif channel_class == classes + ways - 1:  # it escapes, as if its node had sent it here
            output, out_class = escape(parameters, router, LOCAL, 0, destination)
        else:
            way = 0 if channel_class == 0 else channel_class - classes + 1
            place = start + (router * nodes + destination) * ways + way
            return parameters[place], 0
        return output, 0 if output < local_ports else out_class + 1

    return rule


def nearer_ways(topology: Topology, ways: int) -> np.ndarray:
    """Ports by which a packet gets nearer, int64 of shape (routers, nodes, ways).

    They begin with the lowest port, and begin again where there are fewer than `ways`. At the
    router of the destination it is the port of its node.

    Raises
    ------
    ValueError
        The graph is not connected.
    """
    neighbours = topology.neighbours
    hops = distances(neighbours)
    served, own_ports = topology.node_ports_table
    left = np.where(neighbours >= 0, neighbours, 0)
    nearer = (neighbours >= 0)[:, :, None] & (hops[left] == hops[:, None, :] - 1)
    # Of each pair of routers the numbers of the nearer ports, and how many there are.
    order = np.argsort(~nearer, axis=1, kind="stable")
    count = nearer.sum(axis=1)
    place = np.arange(ways)[None, None, :] % np.maximum(count, 1)[:, :, None]
    table = np.take_along_axis(order.transpose(0, 2, 1), place, axis=2)[:, served, :]
    table[served, np.arange(topology.nodes)] = own_ports[:, None]
    return table.astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class AdaptiveOptions(RoutingOptions):
    """Keys of `Adaptive`.

    Parameters
    ----------
    ways : int
        Ways between which a packet may choose at a router, 2..4, its escape not counted.
    selection : str
        By what it chooses between them; see `Selection`.
    """

    ways: int = parameter(
        Integer(2, MOST_WAYS), help="ways between which a packet may choose", default=2
    )
    selection: str = parameter(
        Choice(tuple(SELECTIONS)),
        help="by what a packet chooses between its ways",
        default=FIRST.name,
    )


class Adaptive(ChoosingRouting):
    """Any of the ways that get nearer; a blocked packet may escape to the network's own routing.

    Class 0 is for packets that choose; behind it stand the classes of the routing that they escape
    to, which is the network's default one, or `updown` where it has none of its own.

    References
    ----------
    J. Duato, "A new theory of deadlock-free adaptive routing in wormhole networks", IEEE Trans.
    Parallel and Distributed Systems 4(12), 1993.
    """

    name: ClassVar[str] = "adaptive"
    options_class: ClassVar[type[RoutingOptions]] = AdaptiveOptions
    options: AdaptiveOptions
    router_limit: ClassVar[int] = 1024

    def needed_virtual_channels(self) -> int:
        """One more than the routing to which packets escape."""
        return 1 + self.base.needed_virtual_channels()

    @property
    def escape_class(self) -> int | None:
        """Class 1: all others are those of the routing to which packets escape."""
        return 1

    @property
    def other_ways(self) -> tuple[int, ...]:
        """Further ways that get nearer, and the escape; see `adaptive_rule`."""
        return tuple(range(self.classes, self.classes + self.options.ways))

    @property
    def selection(self) -> Selection:
        """The one of the key `selection`."""
        return SELECTIONS[self.options.selection]

    @property
    def rule(self) -> Rule:
        """See `adaptive_rule`."""
        return adaptive_rule(
            self.base.rule,
            classes=self.classes,
            ways=self.options.ways,
            nodes=self.topology.nodes,
            local_ports=self.topology.local_ports,
            start=len(self.base.parameters),
        )

    @cached_property
    def parameters(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Those of the routing to which packets escape, and `nearer_ways` behind them."""
        try:
            ways = nearer_ways(self.topology, self.options.ways)
        except ValueError as error:
            raise ConfigurationError(
                f"{self.topology.name}: routing={self.name}: {error}"
            ) from None
        return np.concatenate([self.base.parameters, ways.ravel()])

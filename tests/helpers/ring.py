"""A ring of any size, not in the registry: a topology and routings for tests of what is general.

`RingRouting` needs two virtual channels, `CyclicRingRouting` can deadlock, `EscapingRingRouting`
could but for its escape class; the addresses from `nodes` to the next power of two are no node.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from knotwork.parameters import Integer, parameter
from knotwork.routing import Routing, Turn
from knotwork.routing.compiled.compilable import compilable
from knotwork.topology import LOCAL, Topology

NEXT, PREVIOUS = 1, 2


@dataclass(frozen=True, kw_only=True)
class Ring(Topology):
    """Ring in which port ``next`` leads to port ``previous`` of the next router."""

    name: ClassVar[str] = "loop"

    nodes: int = parameter(Integer(5, 64), help="nodes", default=6)

    @property
    def ports(self):
        return ("local", "next", "previous")

    @property
    def address_width(self):
        return (self.nodes - 1).bit_length()

    @cached_property
    def neighbours(self):
        routers = np.arange(self.nodes, dtype=np.int32)
        rows = [
            np.full_like(routers, -1),
            (routers + 1) % self.nodes,
            (routers - 1) % self.nodes,
        ]
        return np.stack(rows, axis=1).astype(np.int32)

    @cached_property
    def peer_ports(self):
        return np.tile(np.array([-1, PREVIOUS, NEXT], np.int32), (self.nodes, 1))


class CutRing(Ring):
    """A ring that was cut between its last router and its first."""

    @property
    def neighbours(self):
        table = super().neighbours.copy()
        table[-1, NEXT] = table[0, PREVIOUS] = -1
        return table

    @property
    def peer_ports(self):
        return np.where(self.neighbours < 0, -1, super().peer_ports).astype(np.int32)


@compilable
def shortest_way(parameters, router, port, channel_class, destination):
    """Shortest way, `NEXT` where both are; the last class from the link that passes router 0 on."""
    nodes, last_class = parameters[0], parameters[1]
    if router == destination:
        return 0, 0
    if (destination - router) % nodes * 2 <= nodes if port == 0 else port == 2:
        return 1, last_class if router == nodes - 1 else channel_class
    return 2, last_class if router == 0 else channel_class


@compilable
def one_way(parameters, router, port, channel_class, destination):
    """Always to the next router."""
    return (0, 0) if router == destination else (1, 0)


class RingRouting(Routing):
    """Shortest way with a dateline: deadlock-free with two classes, cyclic with one.

    No rank proves it: a turn within class 0 is fine at every router but one, and turns are declared
    for all routers that have the same ports.
    """

    name: ClassVar[str] = "shortest"

    def needed_virtual_channels(self):
        return 2

    @property
    def rule(self):
        return shortest_way

    @property
    def parameters(self):
        return np.array([self.topology.nodes, self.classes - 1], np.int64)

    def class_turns(self, router):
        turns = {Turn(LOCAL, 0, LOCAL, 0)}
        for came_in, goes_out in ((PREVIOUS, NEXT), (NEXT, PREVIOUS)):
            for a in range(self.classes):
                turns |= {Turn(LOCAL, 0, goes_out, a), Turn(came_in, a, LOCAL, 0)}
                turns |= {Turn(came_in, a, goes_out, b) for b in range(a, self.classes)}
        return turns


class CyclicRingRouting(Routing):
    """One way round on one virtual channel: its channels wait for each other in a ring."""

    name: ClassVar[str] = "one_way"

    @property
    def rule(self):
        return one_way

    def class_turns(self, router):
        ends = {Turn(LOCAL, 0, LOCAL, 0), Turn(LOCAL, 0, NEXT, 0), Turn(PREVIOUS, 0, LOCAL, 0)}
        return ends | {Turn(PREVIOUS, 0, NEXT, 0)}


@compilable
def one_way_or_along_the_line(parameters, router, port, channel_class, destination):
    """Class 0 always to the next router; class 1 never over the link of the last and router 0."""
    if router == destination:
        return 0, 0
    if channel_class == 1:
        return (1, 1) if destination > router else (2, 1)
    return 1, 0


class EscapingRingRouting(Routing):
    """One way round; a blocked packet goes on, or back, along the line from router 0 on."""

    name: ClassVar[str] = "escaping"

    def needed_virtual_channels(self):
        return 2

    @property
    def escape_class(self):
        return 1

    @property
    def rule(self):
        return one_way_or_along_the_line

"""Random links and random routes over them, for tests of what must hold of any network.

`RandomRouting` goes wherever a random tree leads, back and forth and from class to class;
`EscapingRandomRouting` has an escape class beside it; `AscendingRouting` goes to the next class at
each descent of a random numbering of the links, which with enough classes cannot deadlock.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from knotwork.parameters import Choice, Integer, parameter
from knotwork.routing import Routing, check_deadlock
from knotwork.routing.compiled.compilable import compilable
from knotwork.topology import LOCAL, Topology

MOST_CLASSES = 8


@dataclass(frozen=True, kw_only=True)
class RandomLinks(Topology):
    """Connected network: a random tree and more links, or random circles that lead one way."""

    name: ClassVar[str] = "random_links"

    size: int = parameter(Integer(2, 32), help="routers", default=6)
    more: int = parameter(Integer(0, 16), help="links beside the tree, circles", default=2)
    one_way: str = parameter(Choice(("no", "yes")), help="links lead one way", default="no")
    links_seed: int = parameter(Integer(0, 2**32), help="of the links", default=1)

    @property
    def nodes(self):
        return self.size

    @property
    def is_one_way(self):
        return self.one_way == "yes"

    @property
    def ports(self):
        return ("local", *(f"link{port}" for port in range(1, self.neighbours.shape[1])))

    @property
    def address_width(self):
        return (self.size - 1).bit_length()

    @property
    def neighbours(self):
        return self._tables[0]

    @property
    def peer_ports(self):
        return self._tables[1]

    @cached_property
    def _tables(self):
        rng = np.random.default_rng(self.links_seed)
        ends = [[] for _ in range(self.size)]  # (router, port) that each port sends to
        if self.is_one_way:
            for port in range(1, self.more % 3 + 2):
                circle = rng.permutation(self.size)
                for a, b in zip(circle.tolist(), np.roll(circle, -1).tolist(), strict=True):
                    ends[a].append((b, port))
        else:
            links = [(int(rng.integers(router)), router) for router in range(1, self.size)]
            links += [tuple(rng.choice(self.size, 2, replace=False)) for _ in range(self.more)]
            for a, b in sorted({tuple(sorted(map(int, link))) for link in links}):
                ports = len(ends[a]) + 1, len(ends[b]) + 1
                ends[a].append((b, ports[1]))
                ends[b].append((a, ports[0]))
        tables = np.full((2, self.size, max(map(len, ends)) + 1), -1, np.int32)
        for router, others in enumerate(ends):
            for port, far in enumerate(others, 1):
                tables[:, router, port] = far
        return tables


@compilable
def looked_up(parameters, router, port, channel_class, destination):
    """Entry of a table of (router, port, class, destination): 8 * output port + class."""
    routers, ports, classes = parameters[0], parameters[1], parameters[2]
    place = ((router * ports + port) * classes + channel_class) * routers + destination
    return parameters[3 + place] // 8, parameters[3 + place] % 8


class RandomRouting(Routing):
    """Random trees to each destination, over all (router, port, class); drawn by the class."""

    name: ClassVar[str] = "random"
    seed: ClassVar[int] = 1
    needed: ClassVar[int] = 1

    @classmethod
    def drawn(cls, seed, needed=1):
        """Routing of this kind with a seed and a number of classes of its own."""
        return type(cls.__name__, (cls,), {"seed": seed, "needed": needed})

    def needed_virtual_channels(self):
        return self.needed

    @property
    def rule(self):
        return looked_up

    @property
    def router_groups(self):
        return np.arange(self.topology.routers)  # each has turns of its own

    @cached_property
    def parameters(self):
        routers, ports = self.topology.neighbours.shape
        return np.array([routers, ports, self.classes, *self.table.ravel()], np.int64)

    @cached_property
    def table(self):
        return random_ways(self.topology, self.classes, self.seed, self.escape_class)


class EscapingRandomRouting(RandomRouting):
    """The last class is the escape class."""

    name: ClassVar[str] = "escaping"

    @property
    def escape_class(self):
        return self.classes - 1


def random_ways(topology, classes, seed, escape=None):
    """Table of `looked_up` that leads to the destination from wherever a packet may be."""
    rng = np.random.default_rng(seed)
    neighbours, peers = topology.neighbours, topology.peer_ports
    routers, ports = neighbours.shape
    table = np.zeros((routers, ports, classes, routers), np.int64)
    links = [np.nonzero(row >= 0)[0].tolist() for row in neighbours]
    everywhere = [
        (router, port, vc_class)
        for router in range(routers)
        for port in range(ports)
        for vc_class in range(classes)
    ]
    for destination in range(routers):
        led = {state for state in everywhere if state[0] == destination}
        while len(led) < len(everywhere):
            for number in rng.permutation(len(everywhere)).tolist():
                router, _, vc_class = state = everywhere[number]
                after = range(classes) if vc_class != escape else (escape,)
                ways = [
                    out * 8 + c
                    for out in links[router]
                    for c in after
                    if (int(neighbours[router, out]), int(peers[router, out]), c) in led
                ]
                if state not in led and ways:
                    table[(*state, destination)] = rng.choice(ways)
                    led.add(state)
    return table


class AscendingRouting(RandomRouting):
    """Ways of one class; the next one at each descent of the links' numbers, as far as there are.

    It asks for as many classes as the deadlock check wants.
    """

    name: ClassVar[str] = "ascending"

    def needed_virtual_channels(self):
        if self.needed > 1:
            return self.needed
        for classes in range(1, MOST_CLASSES + 1):
            fixed = type(self).drawn(self.seed, classes) if classes > 1 else _One.drawn(self.seed)
            if check_deadlock(fixed(self.topology)).deadlock_free:
                return classes
        return MOST_CLASSES

    @cached_property
    def table(self):
        base = random_ways(self.topology, 1, self.seed)[:, :, 0] // 8
        routers, ports, _ = base.shape
        number = np.random.default_rng(self.seed).permutation(routers * ports)
        number = number.reshape(routers, ports)
        senders, outputs = self.topology.senders
        table = np.zeros((routers, ports, self.classes, routers), np.int64)
        for router, port, destination in np.argwhere(base != LOCAL).tolist():
            out = int(base[router, port, destination])
            came_by = -1
            if port != LOCAL and senders[router, port] >= 0:
                came_by = number[senders[router, port], outputs[router, port]]
            after = np.arange(self.classes) + (number[router, out] <= came_by)
            table[router, port, :, destination] = out * 8 + np.minimum(after, self.classes - 1)
        return table


class _One(AscendingRouting):
    def needed_virtual_channels(self):
        return 1

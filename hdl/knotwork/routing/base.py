"""What every routing offers, and the form of its rule.

A rule is one plain function of integers, written in the subset of Python that Numba compiles:

    rule(parameters, router, port, channel_class, destination) -> (output port, output class)

`port` is the input port, `LOCAL` for a packet just injected (in class 0, or one of the routing's
`injection_classes`). The answer ``(LOCAL, 0)`` ejects to the node, and with relays a higher class
to the store of that class. The same function gives paths in Python, the all-pairs deadlock check
and the golden model; the gates decide with their own logic and are checked against it.

A rule whose routing has an escape class, asked with that class, gives the way out of a blocked
state; whatever class a packet came in by, it may take that way, and then stays in the class.

The virtual channels that a rule needs are its classes. A network with a multiple of them has lanes:
a flow keeps the lane that `lane` gives it, so its packets stay in order, and virtual channel
``lane * classes + class`` belongs to it alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numba.extending import register_jitable

from ..errors import ConfigurationError
from ..parameters import Parameters
from ..topology import LOCAL, Topology
from ..topology.metrics import port_patterns

if TYPE_CHECKING:
    from .broadcast import Broadcast
    from .walks.all_pairs import Walks

Rule = Callable[[Any, int, int, int, int], tuple[int, int]]


class Turn(NamedTuple):
    """Way through a router: input port and virtual channel to output port and virtual channel."""

    input_port: int
    input_vc: int
    output_port: int
    output_vc: int


class Hop(NamedTuple):
    """Router on a path, and the port and virtual channel by which the packet leaves it."""

    router: int
    port: int
    virtual_channel: int


@register_jitable
def lane(source: int, destination: int, lanes: int) -> int:
    """Lane of a flow, 0..lanes - 1.

    Each address is XOR-folded to four bits; the source's, rotated left by one, is XORed with the
    destination's; the lane is that modulo `lanes`. The rotation parts the lane from the bits in
    which the addresses differ: those are the links that the flow takes.
    """
    result = 0
    while source or destination:
        turned = (source << 1 | source >> 3 & 1) & 15
        result ^= turned ^ destination & 15
        source >>= 4
        destination >>= 4
    return result % lanes


@dataclass(frozen=True, kw_only=True)
class RoutingOptions(Parameters):
    """Keys that a routing adds to those of its router; most add none."""

    name: ClassVar[str] = "routing"

    def resolved(self, topology: Topology, hardware: Any) -> Self:
        """Same options with what the others decide filled in.

        Raises
        ------
        ConfigurationError
            A combination that cannot work.
        """
        del topology, hardware
        return self


class Routing(ABC):
    """Routing rule over a topology.

    Parameters
    ----------
    topology : Topology
        Network that the packets travel.
    virtual_channels : int or None
        Channels there are, 1..8; None for what the rule needs. With fewer than it needs, the rule
        stays in the last class it has, and the deadlock check shows what comes of it.
    options : RoutingOptions or None
        Resolved keys of the routing's own; None for the defaults.

    Members
    -------
    classes : int
        Virtual-channel classes that the rule uses.
    lanes : int
        Independent copies of the classes.
    """

    name: ClassVar[str]
    router: ClassVar[str] = "packet"
    """Class of router that carries it; decides which hardware keys there are."""
    options_class: ClassVar[type[RoutingOptions]] = RoutingOptions
    """Keys of the routing's own."""
    multicasts: ClassVar[bool] = False
    """Whether the packets of a multicast's round share no link (`multicast`)."""
    unbuildable: ClassVar[str | None] = None
    """Why neither hardware nor a model of it can be made; None where they can."""
    distinct_groups: ClassVar[bool] = False
    """Whether routers of different module groups differ in more than ports and turns."""
    word_layout: ClassVar[dict[str, Any]] = {}
    """Fields by which a node says what way its packet goes, with their shapes."""
    flag_width: ClassVar[int] = 0
    """Bits by which a node is told what became of its packet."""
    settled: ClassVar[str | None] = None
    """Why packets never wait for channels, where they do not; they then have no rule either."""
    arrivals: ClassVar[str] = "any_time"
    """When nodes offer packets: ``any_time``, in ``batches`` of one packet per node, or in the
    ``rounds`` of a schedule."""
    walk_limit: ClassVar[int] = 4096
    """Nodes up to which all pairs are walked for a table or for `walk_lengths`."""

    def __init__(
        self,
        topology: Topology,
        *,
        virtual_channels: int | None = None,
        options: RoutingOptions | None = None,
    ) -> None:
        self.topology = topology
        self.options: Any = self.options_class() if options is None else options
        needed = self.needed_virtual_channels()
        if virtual_channels is None:
            virtual_channels = needed
        self.classes = min(needed, virtual_channels)
        if virtual_channels % self.classes:
            raise ConfigurationError(
                f"{topology.name}: virtual_channels must be a multiple of {self.classes} for "
                f"routing={self.name}, not {virtual_channels}"
            )
        self.virtual_channels = virtual_channels
        self.lanes = virtual_channels // self.classes

    def needed_virtual_channels(self) -> int:
        """Virtual-channel classes that keep the rule free of deadlock."""
        return 1

    @property
    def in_order(self) -> bool:
        """Whether packets of one source and destination arrive in the order of their sending."""
        return self.escape_class is None

    @property
    def escape_class(self) -> int | None:
        """Class to which a blocked packet may go from any other, and in which it then stays."""
        return None

    @property
    def injection_classes(self) -> tuple[int, ...]:
        """Classes in which packets start."""
        return (0,)

    @property
    def broadcasts(self) -> "dict[str, Broadcast]":
        """All rules of broadcasts by name, those of no router included."""
        return {}

    @property
    def broadcast(self) -> "Broadcast | None":
        """Broadcast that branches in the routers; None where there is none."""
        return self.broadcasts.get(getattr(self.options, "broadcast", "no"))

    @property
    def relays(self) -> tuple[tuple[int, int], ...]:
        """Pairs (a, b): what arrives in class a may be stored, and sent on in class b."""
        return ()

    @property
    @abstractmethod
    def rule(self) -> Rule:
        """Function described at the head of this module."""

    @property
    def parameters(self) -> np.ndarray:
        """Integers that the rule reads, int64."""
        return np.zeros(1, np.int64)

    @cached_property
    def walks(self) -> "Walks":
        """What the packets of all pairs do, walked once; for networks small enough."""
        from .walks.all_pairs import walk_all

        return walk_all(self)

    @property
    def representatives(self) -> np.ndarray | None:
        """Destinations that by a symmetry of the rule stand for all, int; None where none do.

        The symmetry must take every router to one of the same group.
        """
        return None

    @cached_property
    def group_turns(self) -> "list[set[Turn]]":
        """Turns between classes that packets take, by `router_groups`.

        Beyond `walk_limit` only packets to `representatives` are walked, if there are any.
        """
        from .walks.all_pairs import walk_all

        few = self.representatives
        if few is None or self.topology.nodes <= self.walk_limit:
            return self.walks.turns
        return walk_all(self, few).turns

    @cached_property
    def router_groups(self) -> np.ndarray:
        """Group of each router, int 0..: the routers of one have the same ports and turns.

        The default groups them by their connected ports.
        """
        return port_patterns(self.topology.neighbours)[1]

    @property
    def module_groups(self) -> np.ndarray:
        """Group of each router, int 0..: those of one are one module; unions of `router_groups`."""
        return self.router_groups

    def place(self, router: int) -> str:
        """Word for the module group of a router, for the names of modules."""
        return f"group{self.module_groups[router]}"

    def class_turns(self, router: int) -> set[Turn]:
        """Set of turns, between classes, possible at the routers of this one's group.

        Includes injection (from `LOCAL`), ejection (to `LOCAL`) and a packet to its own node. The
        default takes them from `group_turns`.
        """
        return self.group_turns[self.router_groups[router]]

    def rank(self) -> np.ndarray | None:
        """Rank of each channel (router, output port, class), raised by every turn, or None.

        int64, broadcastable to (routers, ports, classes). A proof of freedom from deadlock for
        networks too large to enumerate.
        """
        return None

    def broadcast_class_turns(self, router: int) -> set[Turn]:
        """Set of turns, between classes, of the copies of broadcasts, ejection included."""
        if self.broadcast is None:
            return set()
        return self.walks.broadcast_turns[self.router_groups[router]]

    def turns(self, router: int) -> list[Turn]:
        """Turns between virtual channels of packets to one node in this router's module, sorted."""
        return self._in_lanes(router, self.class_turns)

    def broadcast_turns(self, router: int) -> list[Turn]:
        """Turns of the copies of broadcasts there, sorted."""
        return self._in_lanes(router, self.broadcast_class_turns)

    def _in_lanes(self, router: int, class_turns: Callable[[int], set[Turn]]) -> list[Turn]:
        members = self.module_groups == self.module_groups[router]
        first = np.unique(self.router_groups[members], return_index=True)[1]
        turns = set()
        for member in np.nonzero(members)[0][first].tolist():
            for i, a, o, b in class_turns(member):
                for copy in range(self.lanes):
                    output_vc = b if o == LOCAL else copy * self.classes + b
                    turns.add(Turn(i, copy * self.classes + a, o, output_vc))
        return sorted(turns)

    def hops(self, source: int, destination: int) -> list[Hop]:
        """Routers of a path with the way out of each, the last one's to its local port."""
        topology = self.topology
        base = self.classes * lane(
            topology.address(source), topology.address(destination), self.lanes
        )
        neighbours, peer_ports = topology.neighbours, topology.peer_ports
        router, port, vc_class = source, LOCAL, 0
        hops: list[Hop] = []
        while True:
            output, vc_class = self.rule(self.parameters, router, port, vc_class, destination)
            if output == LOCAL:
                hops.append(Hop(router, LOCAL, 0))
                return hops
            if len(hops) > topology.routers * self.classes:
                raise ConfigurationError(
                    f"{topology.name}: routing={self.name} must bring a packet from {source} to "
                    f"{destination}, not round in a loop"
                )
            hops.append(Hop(router, int(output), base + int(vc_class)))
            router, port = int(neighbours[router, output]), int(peer_ports[router, output])

    def pair_facts(self, source: int, destination: int) -> dict[str, Any]:
        """Facts of a pair of nodes that `route` tells beside the path."""
        del source, destination
        return {}

    def path(self, source: int, destination: int) -> list[int]:
        """Routers from `source` to `destination`, both included."""
        return [hop.router for hop in self.hops(source, destination)]

    def first_hops(self) -> np.ndarray:
        """Next router for every (router, destination), int32, -1 on the diagonal."""
        from .walks.all_pairs import first_hops

        return first_hops(self)

    def walk_lengths(self) -> np.ndarray:
        """Hops of the path for every (source, destination), int32."""
        from .walks.lengths import walk_lengths

        return walk_lengths(self)

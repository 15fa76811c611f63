"""What every routing offers: its rule, its virtual channels and the turns of its packets."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..errors import ConfigurationError
from ..topology import LOCAL, Topology
from ..topology.metrics import port_patterns
from .broadcast import Broadcast
from .options import RoutingOptions
from .rules import Hop, Rule, Turn, lane
from .walks.all_pairs import Walks, first_hops, walk_all
from .walks.lengths import walk_lengths

if TYPE_CHECKING:
    from ..topology.lcan import LeastCommonAncestor


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
    router_class: ClassVar[str] = "packet"
    """Router class that carries it by default; decides which hardware keys there are."""
    is_adaptable: ClassVar[bool] = True
    """Whether other router classes can carry it: its rule needs only a router and a destination."""
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
        self.options = self.options_class() if options is None else options
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

    @classmethod
    def of(cls, routing: "Routing") -> Self:
        """Same routing, known to be of this class.

        Raises
        ------
        TypeError
            Another routing.
        """
        if not isinstance(routing, cls):
            raise TypeError(f"a routing must be {cls.__name__}, not {type(routing).__name__}")
        return routing

    def needed_virtual_channels(self) -> int:
        """Virtual-channel classes that keep the rule free of deadlock."""
        return 1

    @property
    def takes_packets_any_time(self) -> bool:
        """Whether a node may offer a packet at any time."""
        return self.arrivals == "any_time"

    @property
    def level_tree(self) -> "LeastCommonAncestor | None":
        """Levels of switches over whose parallel wires the routing spreads packets evenly.

        None where a rule gives each packet its path.
        """
        return None

    def network_cycle(self, longest_packet: int) -> int | None:
        """Clock cycles of a network cycle in which packets of this length fit.

        None where packets do not move in network cycles.
        """
        del longest_packet
        return None

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
    def broadcasts(self) -> dict[str, Broadcast]:
        """All rules of broadcasts by name, those of no router included."""
        return {}

    @property
    def broadcast(self) -> Broadcast | None:
        """Broadcast that branches in the routers; None where there is none."""
        return self.broadcasts.get(self.options.broadcast_rule)

    @property
    def chain_limit(self) -> int:
        """Most destinations of a multicast; 0 where nodes have no multicast unit."""
        return 0

    @property
    def most_hops(self) -> int:
        """Hops that no packet exceeds where packets may leave their path; 0 where they do not."""
        return 0

    @property
    def relays(self) -> tuple[tuple[int, int], ...]:
        """Pairs (a, b): what arrives in class a may be stored, and sent on in class b."""
        return ()

    @property
    @abstractmethod
    def rule(self) -> Rule:
        """Function of the form that the module `rules` describes."""

    @property
    def parameters(self) -> np.ndarray:
        """Integers that the rule reads, int64."""
        return np.zeros(1, np.int64)

    @cached_property
    def walks(self) -> Walks:
        """What the packets of all pairs do, walked once; for networks small enough."""
        return walk_all(self, self.router_groups)

    @property
    def representatives(self) -> np.ndarray | None:
        """Destinations that by a symmetry of the rule stand for all, int; None where none do.

        The symmetry must take every router to one of the same group.
        """
        return None

    @cached_property
    def group_turns(self) -> list[set[Turn]]:
        """Turns between classes that packets take, by `router_groups`.

        Beyond `walk_limit` only packets to `representatives` are walked, if there are any.
        """
        few = self.representatives
        if few is None or self.topology.nodes <= self.walk_limit:
            return self.walks.turns
        return walk_all(self, self.router_groups, few).turns

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
        return first_hops(self)

    def walk_lengths(self) -> np.ndarray:
        """Hops of the path for every (source, destination), int32."""
        return walk_lengths(self)

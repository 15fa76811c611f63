"""Interface of every routing: its rule, the turns of its packets, and facts about it."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..topology.metrics import port_patterns
from .routing_rule import RoutingRule
from .rules import Turn
from .walks.all_pairs import Walks, first_hops, walk_all, walk_lengths

if TYPE_CHECKING:
    from ..topology import LeastCommonAncestor


class Routing(RoutingRule):
    """Routing of a network: a rule, and which turns its packets take at which routers."""

    router_class: ClassVar[str] = "packet"
    """Router class that carries it by default; decides which hardware keys there are."""
    is_adaptable: ClassVar[bool] = True
    """Whether other router classes can carry it: its rule needs only a router and a destination."""
    networks: ClassVar[tuple[str, ...]] = ()
    """Knotwork's own networks that get this routing from a plugin; see `user_defined.plugins`."""
    gates: ClassVar[type | None] = None
    """Your own `gateware.parts.route.RouteComputation`; None for a table of the rule's answers."""
    multicasts: ClassVar[bool] = False
    """Whether the packets of a multicast's round share no link (`multicast`)."""
    unbuildable: ClassVar[str | None] = None
    """Why neither hardware nor a model of it can be made; None where they can."""
    distinct_groups: ClassVar[bool] = False
    """Whether routers of different module groups differ in more than ports and turns."""
    word_layout: ClassVar[dict[str, Any]] = {}
    """Fields in which a node states the path of its packet, with their shapes."""
    flag_width: ClassVar[int] = 0
    """Bits of the flags that report the outcome of a packet to its node."""
    settled: ClassVar[str | None] = None
    """Why packets never wait for channels; None where they may. Such a routing has no rule."""
    unwalked: ClassVar[str] = "a packet's path depends on the other packets"
    """Why `describe` reports no walks where packets never wait."""
    arrivals: ClassVar[str] = "any_time"
    """When nodes offer packets: `any_time`, one each in `batches`, or in a schedule's `rounds`."""
    hop_cycles: ClassVar[int] = 0
    """Cycles of a hop where the routers of this routing fix them; 0: the hardware's keys do."""
    walk_limit: ClassVar[int] = 4096
    """Nodes up to which all pairs are walked for a table or for `walk_lengths`."""
    comparison_limit: ClassVar[int] = 256
    """Nodes and routers up to which it is made, and its facts found, only to be compared."""

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
    def has_network_cycles(self) -> bool:
        """Whether packets move in network cycles."""
        return self.network_cycle(1) is not None

    @property
    def in_order(self) -> bool:
        """Whether packets of one source and destination arrive in the order of their sending."""
        return self.has_one_path

    @property
    def unknown_loads(self) -> str | None:
        """Why the loads of links do not follow from the traffic; None where each pair has one path.

        It stands behind the words "unknown, because".
        """
        if not self.topology.is_direct:
            return "sweep reports the ideal throughput of switches without nodes"
        if self.settled is not None:
            return self.unwalked
        if self.unbuildable is not None:
            return self.unbuildable
        if self.escape_class is not None:
            return (
                "a blocked packet takes another way, so the loads are neither those of its first "
                "way nor those of its escape"
            )
        return None

    @property
    def most_hops(self) -> int:
        """Hops that no packet exceeds where packets may leave their path; 0 where they do not."""
        return 0

    @cached_property
    def walks(self) -> Walks:
        """Walks of the packets of all pairs, made once; for small networks."""
        return walk_all(self, self.router_groups)

    @property
    def representatives(self) -> np.ndarray | None:
        """Destinations that stand for all by a symmetry of the rule, int; None without symmetry.

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

        The default groups them by what their ports do.
        """
        return port_patterns(self.topology.port_uses)[1]

    @property
    def module_groups(self) -> np.ndarray:
        """Group of each router, int 0..: those of one are one module; unions of `router_groups`."""
        return self.router_groups

    def group_name(self, router: int) -> str:
        """Word for the module group of a router, for the names of modules."""
        return f"group{self.module_groups[router]}"

    def class_turns(self, router: int) -> set[Turn]:
        """Set of turns, between classes, possible at the routers of this one's group.

        Includes injection, ejection and a packet to its own node. The default takes
        them from `group_turns`.
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

    def may_turn(self, turn: Turn) -> bool:
        """Whether a packet could take a turn, whatever table it goes by."""
        del turn
        return True

    def turns(self, router: int) -> list[Turn]:
        """Turns between virtual channels of packets to one node in this router's module, sorted."""
        return _in_lanes(self, router, self.class_turns)

    def broadcast_turns(self, router: int) -> list[Turn]:
        """Turns of the copies of broadcasts there, sorted."""
        return _in_lanes(self, router, self.broadcast_class_turns)

    def first_hops(self) -> np.ndarray:
        """Next router for every (source, destination), int32; -1 where both are at one router."""
        return first_hops(self)

    def walk_lengths(self) -> np.ndarray:
        """Hops of the path for every source, number drawn and destination.

        int32 (nodes, draws * nodes): a column is ``destination + nodes * number``.
        """
        return walk_lengths(self)

    def table_rows(self) -> Iterator[tuple[int, int, int, int]] | None:
        """Rows (router, destination, port, class) of a table, where there is no rule; else None."""
        return None


class BasedRouting(Routing):
    """Routing made from another one of the same routers, which are alike where they were.

    Members
    -------
    base : Routing
        The other one.
    """

    base: Routing

    @property
    def parameters(self) -> np.ndarray:
        """The base's."""
        return self.base.parameters

    @property
    def router_groups(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The base's."""
        return self.base.router_groups

    @property
    def module_groups(self) -> np.ndarray:
        """The base's."""
        return self.base.module_groups

    @property
    def distinct_groups(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The base's."""
        return self.base.distinct_groups

    def group_name(self, router: int) -> str:
        """The base's name."""
        return self.base.group_name(router)


def _in_lanes(routing: Routing, router: int, class_turns: Callable[[int], set[Turn]]) -> list[Turn]:
    """Turns between virtual channels, in all lanes, at the routers of a router's module group."""
    members = routing.module_groups == routing.module_groups[router]
    first = np.unique(routing.router_groups[members], return_index=True)[1]
    turns = set()
    for member in np.nonzero(members)[0][first].tolist():
        for i, a, o, b in class_turns(member):
            for copy in range(routing.lanes):
                output_vc = b if routing.topology.is_local(o) else copy * routing.classes + b
                turns.add(Turn(i, copy * routing.classes + a, o, output_vc))
    return sorted(turns)

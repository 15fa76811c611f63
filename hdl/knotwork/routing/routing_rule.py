"""The rule of a routing: what paths, walks and compiled loops follow."""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import ConfigurationError
from ..shipped import is_shipped
from ..topology import Topology
from .compiled.rule_check import RuleUse
from .compiled.sound_rule import SoundRule, as_numbers
from .draws import marked_numbers
from .options import Broadcast, RoutingOptions
from .rules import Hop, Rule, lane
from .selection import FIRST, Selection


class RoutingRule(SoundRule, ABC):
    """Routing rule over a topology.

    Parameters
    ----------
    topology : Topology
        Network that the packets travel.
    virtual_channels : int or None
        Virtual channels of a link, 1..8; None for as many as the rule needs. With fewer, the rule
        stays in the last class that exists, and the deadlock check shows whether it can deadlock.
    options : RoutingOptions or None
        Resolved keys of this routing; None for the defaults.

    Members
    -------
    classes : int
        Virtual-channel classes that the rule uses.
    lanes : int
        Independent copies of the classes.
    is_trusted : bool
        Whether rule and topology are Knotwork's own, so that tests show what else is checked here.
    """

    name: ClassVar[str]
    options_class: ClassVar[type[RoutingOptions]] = RoutingOptions
    """Class of the keys that the routing adds."""

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
        self.is_trusted = is_shipped(type(self)) and is_shipped(type(topology))
        self.lanes = virtual_channels // self.classes

    def __repr__(self) -> str:
        channels = f"virtual_channels={self.virtual_channels}"
        return f"<routing {self.name} of {self.topology!r}, {channels}>"

    @classmethod
    def of(cls, routing: "RoutingRule") -> Self:
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

    def lane_of(self, source: int, destination: int) -> int:
        """Lane of a flow, by the addresses of its nodes."""
        return lane(source, destination, self.lanes)

    @property
    def escape_class(self) -> int | None:
        """First of the escape classes, the last ones; None where there are none.

        A blocked packet may enter them from any other class, and then stays in them.
        """
        return None

    @property
    def other_ways(self) -> tuple[int, ...]:
        """What stands for a packet's class where the rule is called for its other ways.

        A blocked head requests its first way, then each of these, then its first again; the last
        leads into the escape classes. Numbers from `classes` on are no classes of channels.
        """
        return () if self.escape_class is None else (self.escape_class,)

    @property
    def selection(self) -> Selection:
        """By what a head chooses between its ways."""
        return FIRST

    @property
    def rule_classes(self) -> int:
        """Numbers that may stand for a packet's class where the rule is called."""
        return max([self.classes, *(way + 1 for way in self.other_ways)])

    @property
    def draws(self) -> int:
        """Numbers between which the source of each packet draws, 0 to one less.

        The rule is called with ``destination + nodes * number``; see `draws` and `written`.
        """
        return 1

    @property
    def written(self) -> np.ndarray | None:
        """Number that a source writes into the header; None for the one that it has drawn.

        Integers in 0..header_numbers - 1 of shape (routers, routers, draws): by the source's
        router, the destination's and the number drawn.
        """
        return None

    @property
    def header_numbers(self) -> int:
        """Numbers that a header may have: those drawn, or those of `written`."""
        return self.draws

    @cached_property
    def written_numbers(self) -> np.ndarray:
        """`written` as loops take it, int16; empty where the header has the number drawn."""
        if self.written is None:
            return np.zeros((0, 0, 0), np.int16)
        return np.ascontiguousarray(self.written, np.int16)

    @cached_property
    def written_marks(self) -> np.ndarray:
        """Whether a source writes a number, bool (routers, routers, numbers).

        Empty where it writes all of them.
        """
        return marked_numbers(self.written_numbers, self.header_numbers)

    def label(self, source: Any, destination: Any, number: Any) -> Any:
        """Destination with which the rule is called, by both nodes and the number drawn.

        Each may be an array.
        """
        if self.written_numbers.size:
            routers = self.topology.node_ports_table[0]
            drawn = self.written_numbers[routers[source], routers[destination], number]
            number = drawn.astype(np.int64)
        return destination + self.topology.nodes * number

    def writes(self, source: int, label: int) -> bool:
        """Whether a node sends packets for which the rule is called with one of `labels`."""
        number, destination = divmod(label, self.topology.nodes)
        marks, router_of = self.written_marks, self.topology.router_of
        return not marks.size or bool(marks[router_of(source), router_of(destination), number])

    @property
    def draw_codes(self) -> np.ndarray:
        """What a flit's header has for each of `header_numbers`, int64, 0 or more."""
        return np.arange(self.header_numbers)

    @property
    def draw_width(self) -> int:
        """Bits of a header for the number that the source writes."""
        return int(self.draw_codes.max()).bit_length()

    @property
    def destination_codes(self) -> list[int]:
        """What a header has for each of `labels`: an address, and above it the code of a number."""
        topology, width = self.topology, self.topology.address_width
        codes = [topology.address(node) for node in range(topology.nodes)]
        return [code | drawn << width for drawn in self.draw_codes.tolist() for code in codes]

    @property
    def labels(self) -> int:
        """Destinations with which the rule may be called, those with numbers included."""
        return self.topology.nodes * self.header_numbers

    @property
    def has_one_path(self) -> bool:
        """Whether all packets of two nodes take the same path."""
        return self.escape_class is None and self.draws == 1

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
    def relays(self) -> tuple[tuple[int, int], ...]:
        """Pairs (a, b): a packet that arrives in class a may be stored and sent on in class b."""
        return ()

    @property
    @abstractmethod
    def rule(self) -> Rule:
        """Function of the form that the module `rules` describes."""

    @property
    def parameters(self) -> np.ndarray:
        """Integers that the rule reads, int64."""
        return np.zeros(1, np.int64)

    @property
    def rule_use(self) -> RuleUse:
        """Rule with all that its check reads."""
        return _rule_use(self)

    def hops(self, source: int, destination: int, number: int = 0) -> list[Hop]:
        """Routers of a path with the output of each, which at the last one is the local port.

        `number` is what the source has drawn.

        Raises
        ------
        ConfigurationError
            The source may not send to the destination, or the rule never arrives there.
        """
        self.require_sound()
        topology = self.topology
        if not topology.may_send(source, destination):
            to = topology.receivers(source)
            raise ConfigurationError(
                f"{topology.name}: the destination must be a node to which node {source} may send, "
                f"in {to[0]}..{to[-1]}, not {destination}"
            )
        base = self.classes * self.lane_of(topology.address(source), topology.address(destination))
        neighbours, peer_ports = topology.neighbours, topology.peer_ports
        router, port = topology.router_of(source), topology.node_port(source)
        vc_class, label = 0, int(self.label(source, destination, number))
        hops: list[Hop] = []
        while True:
            output, vc_class = self.rule(self.parameters, router, port, vc_class, label)
            if topology.is_local(output):
                hops.append(Hop(router, int(output), 0))
                return hops
            if len(hops) > topology.routers * self.classes:
                raise ConfigurationError(
                    f"{topology.name}: routing={self.name} must bring a packet from {source} to "
                    f"{destination}, not round in a loop"
                )
            hops.append(Hop(router, int(output), base + int(vc_class)))
            router, port = int(neighbours[router, output]), int(peer_ports[router, output])

    def path(self, source: int, destination: int) -> list[int]:
        """Routers from that of `source` to that of `destination`, both included."""
        return [hop.router for hop in self.hops(source, destination)]

    def pair_facts(self, source: int, destination: int) -> dict[str, Any]:
        """Facts of a pair of nodes that `route` prints in addition to the path."""
        del source, destination
        return {}


def _rule_use(routing: RoutingRule) -> RuleUse:
    owner = f"{routing.topology.name}: routing={routing.name}"
    return RuleUse(
        owner=owner,
        rule=routing.rule,
        parameters=as_numbers(routing.parameters, owner),
        topology=routing.topology,
        classes=routing.classes,
        rule_classes=routing.rule_classes,
        other_ways=routing.other_ways,
        escape=routing.escape_class,
        starts=tuple(routing.injection_classes),
        draws=routing.draws,
        numbers=routing.header_numbers,
        written=routing.written,
        is_unicast_only=routing.broadcast is None,
    )

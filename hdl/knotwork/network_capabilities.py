"""What a network can do: typed questions that every routing and router class answers."""

from functools import cached_property
from typing import Any

import numpy as np

from .notebook_display import NotebookDisplay
from .parameters import Limit, RouterParameters
from .routing import Routing
from .topology import Topology


class Links(NotebookDisplay):
    """How long a network's links take, and what the buffers behind them hold.

    Members
    -------
    topology : Topology
        Graph, with the links' latencies.
    hardware : RouterParameters
        Resolved.
    """

    topology: Topology
    hardware: RouterParameters

    def latency(self, router: int, port: int) -> int:
        """Cycles that a flit is on the link that leaves a router by a port."""
        latency = self.topology.link_latency
        return 1 if latency is None else int(latency[router, port])

    @cached_property
    def long_links(self) -> list[tuple[int, int]]:
        """Ways of links that take more than a cycle: routers, and ports that they leave by."""
        latency = self.topology.link_latency
        return [] if latency is None else [(a, b) for a, b in np.argwhere(latency > 1).tolist()]

    @cached_property
    def buffers_behind(self) -> np.ndarray | None:
        """Flits that the buffer behind each link holds per virtual channel, as `link_latency`.

        So many that one channel alone can fill the link. None where all hold as many as those of
        nodes.
        """
        latency = self.topology.link_latency
        return None if latency is None else self.buffer_depth_over(latency)

    def buffer_depth_over(self, latency: Any) -> Any:
        """Flits per virtual channel of the buffer behind a link; latencies in an array give one."""
        return np.maximum(self.hardware.input_buffer, self.hardware.credit_round(latency))

    @property
    def deepest_buffer(self) -> int:
        """Flits per virtual channel that a buffer of the network holds at most."""
        depths = self.buffers_behind
        return self.hardware.input_buffer if depths is None else int(depths.max())

    def depth_behind(self, router: int, port: int) -> int:
        """Flits per virtual channel that the buffer behind a port holds."""
        depths = self.buffers_behind
        return self.hardware.input_buffer if depths is None else int(depths[router, port])

    def depth_at(self, router: int, port: int) -> int:
        """Flits per virtual channel that a router's buffer at an input port holds."""
        if self.buffers_behind is None:
            return self.hardware.input_buffer
        sender, way = (int(table[router, port]) for table in self.topology.senders)
        return self.hardware.input_buffer if sender < 0 else self.depth_behind(sender, way)


class Timing(Links):
    """How many cycles a flit takes through a router.

    Members
    -------
    topology, hardware
        As of `Links`.
    routing : Routing
        With its options resolved.
    """

    routing: Routing

    @property
    def cycles_per_hop(self) -> int:
        """Cycles that a head flit takes from link to link when nothing is in its way."""
        return self.routing.hop_cycles or self.hardware.cycles_per_hop

    @property
    def has_credits(self) -> bool:
        """Whether links between packet routers carry credits, and a hop takes several cycles."""
        return self.hardware.has_credits

    @property
    def cycles_to_link(self) -> int:
        """Cycles from a flit's grant until it is on its link, where links carry credits: 1 or 2."""
        return self.cycles_per_hop - 1

    @property
    def has_crossbar_stage(self) -> bool:
        """Whether flits to links, and those only, cross the crossbar in a cycle of its own."""
        return self.has_credits and self.cycles_to_link > 1

    @property
    def cycles_between_buffers(self) -> int:
        """Cycles, at most, in which a flit that left a router's buffer is in no other yet."""
        latency = self.topology.link_latency
        return self.cycles_to_link + (1 if latency is None else int(latency.max())) - 1

    @property
    def cycles_to_node(self) -> int:
        """Cycles from a flit's last link, or from its node, to the node that it goes to."""
        return self.cycles_per_hop - self.has_crossbar_stage

    @property
    def channel_share(self) -> float:
        """Flits per cycle that one virtual channel of a link carries at most.

        A buffer of less than a round of credits sends so many flits per round; several virtual
        channels fill the link together. Behind links of several cycles it holds a round.
        """
        if not self.has_credits or self.topology.link_latency is not None:
            return 1.0
        return min(1.0, self.hardware.input_buffer / self.hardware.credit_round(1))

    def cycles_behind_head(self, flits: int) -> int:
        """Cycles by which the last flit of a packet follows its head over an empty link."""
        behind, depth = flits - 1, self.hardware.input_buffer
        if self.channel_share == 1:
            return behind
        return behind // depth * int(self.hardware.credit_round(1)) + behind % depth


class Capabilities(Timing):
    """Answers about a network that follow from its routing and its hardware parameters.

    Members
    -------
    topology, hardware, routing
        As of `Timing`.
    """

    @property
    def router_class(self) -> str:
        """Router class: the key of every floor's registry, and the name of its rooms."""
        return self.routing.router_class

    @property
    def virtual_channels(self) -> int:
        """Virtual channels per link."""
        return self.routing.virtual_channels

    @property
    def traffic_classes(self) -> int:
        """Classes of traffic, each with as many of the virtual channels."""
        return self.topology.traffic_classes

    @cached_property
    def injection_limits(self) -> tuple[Limit | None, ...]:
        """Limits of what a node sends of each class of traffic; None for none."""
        return self.hardware.injection_limits(self.traffic_classes, owner=self.topology.name)

    @cached_property
    def class_weights(self) -> tuple[int, ...]:
        """Weights of each class of traffic at a link; empty for strict priority."""
        return self.hardware.class_weights_of(self.traffic_classes, owner=self.topology.name)

    @property
    def longest_packet(self) -> int | None:
        """Flits of the longest packet to one node; None for any number."""
        return self.hardware.longest_packet

    @property
    def shortest_packet(self) -> int:
        """Flits of the shortest packet to one node."""
        return self.hardware.shortest_packet

    @property
    def longest_copied_packet(self) -> int:
        """Flits of the longest broadcast or multicast; 0 where there are none."""
        return self.routing.options.longest_copied_packet

    @property
    def has_parity(self) -> bool:
        """Whether flits have parity bits, and broken packets are marked."""
        return self.hardware.has_parity

    @property
    def loads_tables(self) -> bool:
        """Whether routing tables can be loaded in service, and links declared dead."""
        return self.hardware.loads_tables

    @property
    def has_source(self) -> bool:
        """Whether a node gets the source's address with a packet."""
        return self.hardware.has_source

    @property
    def has_multicast(self) -> bool:
        """Whether every node has a multicast unit."""
        return self.routing.options.has_multicast

    @property
    def has_broadcast(self) -> bool:
        """Whether packets can branch in the routers."""
        return self.routing.broadcast is not None

    @property
    def sequence_width(self) -> int:
        """Bits of a packet's number in its flow; 0 where packets have none."""
        return self.hardware.sequence_bits

    @property
    def flag_width(self) -> int:
        """Bits that tell a node what became of its packet."""
        return self.routing.flag_width + self.has_parity + self.loads_tables

    @property
    def allows_deadlock(self) -> bool:
        """Whether it may be built though it failed its deadlock check."""
        return self.hardware.allows_deadlock

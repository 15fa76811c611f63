# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Routings of altered networks, derived from the routings of the unaltered ones."""

import copyreg
from abc import ABCMeta
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import permutations
from typing import Any, ClassVar

import numpy as np

from ..errors import ConfigurationError
from ..parameters.packet import MOST_CHANNELS
from ..topology import Topology
from ..topology.altered import AddedLocalPorts, Classed, SeveralNodes
from .base import BasedRouting, Routing
from .compiled.compilable import compilable
from .options import Broadcast, RoutingOptions
from .rules import BroadcastRule, Rule, Turn, lane
from .selection import Selection


@cache
def several_nodes_rule(rule: Rule, count: int) -> Rule:
    """Rule that calls another one for the router of a node, and there leads to the node's port."""
    added = count - 1

    @compilable
    def rule_with_more_ports(parameters, router, port, channel_class, destination):
        base_input = port - added if port > added else 0
        output, out_class = rule(
            parameters, router, base_input, channel_class, destination // count
        )
        return destination % count if output == 0 else output + added, out_class

    return rule_with_more_ports


@cache
def several_nodes_copies(rule: BroadcastRule, count: int) -> BroadcastRule:
    """Rule of broadcasts that calls another one, for which the source is the only node there."""
    added = count - 1

    @compilable
    def rule_with_more_ports(parameters, router, port, channel_class, label, source, output):
        base_input = port - added if port > added else 0
        return rule(
            parameters, router, base_input, channel_class, label, source // count, output - added
        )

    return rule_with_more_ports


class _DerivedClass(ABCMeta):
    """Class of the classes that `several_nodes_routing` makes: another process makes them again."""


def _reduce_class(kind: Any) -> str | tuple[Callable[..., Any], tuple[object, ...]]:
    """Name of a class that a module defines; for another one what makes it, and of what."""
    return (kind.maker, (kind.base_class,)) if hasattr(kind, "maker") else kind.__qualname__


copyreg.pickle(_DerivedClass, _reduce_class)  # pyright: ignore[reportArgumentType]: pickle takes metaclasses too


class DerivedRouting(BasedRouting, metaclass=_DerivedClass):
    """Routing of a network whose routers have more local ports, by that of the network without.

    Members
    -------
    base : Routing
        Routing of the network without.
    """

    topology: AddedLocalPorts
    base_class: ClassVar[type[Routing]]
    """Class of `base`."""
    maker: ClassVar[Callable[..., Any]]
    """Function that made this class from that one."""
    is_adaptable: ClassVar[bool] = False
    has_port_by_channel: ClassVar[bool] = False
    """Whether a packet's virtual channel decides which of a base port's copies it takes."""

    def __init__(
        self,
        topology: AddedLocalPorts,
        *,
        virtual_channels: int | None = None,
        options: RoutingOptions | None = None,
    ) -> None:
        self.base = self._make_base(topology, virtual_channels, options)
        super().__init__(topology, virtual_channels=virtual_channels, options=options)
        self.is_trusted = self.base.is_trusted

    def _make_base(
        self,
        topology: AddedLocalPorts,
        virtual_channels: int | None,
        options: RoutingOptions | None,
    ) -> Routing:
        return self.base_class(
            topology.unaltered, virtual_channels=virtual_channels, options=options
        )

    def _adapt_copies(self, rule: BroadcastRule) -> BroadcastRule:
        """Rule of broadcasts here, by one of the base's."""
        raise NotImplementedError

    def _ports(self, port: int) -> range:
        """Ports that stand for one of the base."""
        raise NotImplementedError

    def base_port(self, port: int) -> int:
        """Port of the base that a port stands for."""
        raise NotImplementedError

    def _nodes_of(self, node: int) -> range:
        """Nodes that stand for one of the base."""
        raise NotImplementedError

    def needed_virtual_channels(self) -> int:
        """As many as the base needs."""
        return self.base.needed_virtual_channels()

    @property
    def escape_class(self) -> int | None:
        """The base's."""
        return self.base.escape_class

    @property
    def other_ways(self) -> tuple[int, ...]:
        """The base's."""
        return self.base.other_ways

    @property
    def selection(self) -> Selection:
        """The base's."""
        return self.base.selection

    @property
    def draws(self) -> int:
        """The base's."""
        return self.base.draws

    @property
    def written(self) -> np.ndarray | None:
        """The base's: the routers are the same."""
        return self.base.written

    @property
    def header_numbers(self) -> int:
        """The base's."""
        return self.base.header_numbers

    @property
    def draw_codes(self) -> np.ndarray:
        """The base's."""
        return self.base.draw_codes

    @property
    def injection_classes(self) -> tuple[int, ...]:
        """The base's."""
        return self.base.injection_classes

    @property
    def chain_limit(self) -> int:
        """The base's."""
        return self.base.chain_limit

    @property
    def relays(self) -> tuple[tuple[int, int], ...]:
        """The base's."""
        return self.base.relays

    @property
    def broadcasts(self) -> dict[str, Broadcast]:
        """The base's: each router ejects a copy to all its nodes but the source."""
        return {name: self._adapt_broadcast(one) for name, one in self.base.broadcasts.items()}

    def _adapt_broadcast(self, broadcast: Broadcast) -> Broadcast:
        sources = broadcast.sources
        if sources is not None:
            sources = tuple(node for one in sources for node in self._nodes_of(one))
        return replace(broadcast, rule=self._adapt_copies(broadcast.rule), sources=sources)

    @property
    def most_hops(self) -> int:
        """The base's."""
        return self.base.most_hops

    def class_turns(self, router: int) -> set[Turn]:
        """The base's, from and to each of the ports that stand for one."""
        return self._adapt_turns(self.base.class_turns(router))

    def broadcast_class_turns(self, router: int) -> set[Turn]:
        """The base's, and from each node to the router's others."""
        copies = self._adapt_turns(self.base.broadcast_class_turns(router))
        return copies | self._between_nodes(router, (0,)) if copies else copies

    def _adapt_turns(self, turns: set[Turn]) -> set[Turn]:
        return {
            Turn(come, turn.input_vc, go, turn.output_vc)
            for turn in turns
            for come in self._ports(turn.input_port)
            for go in self._ports(turn.output_port)
        }

    def _between_nodes(self, router: int, classes: tuple[int, ...]) -> set[Turn]:
        """Turns from each of a router's nodes to each other one, in its class."""
        nodes = self.topology.local_nodes[router]
        pairs = permutations(np.flatnonzero(nodes >= 0).tolist(), 2)
        return {Turn(a, c, b, c) for a, b in pairs for c in classes}

    def rank(self) -> np.ndarray | None:
        """The base's."""
        rank = self.base.rank()
        if rank is None or rank.shape[1] == 1:
            return rank
        return rank[:, [self.base_port(port) for port in range(len(self.topology.ports))]]


class SeveralNodesRouting(DerivedRouting):
    """Routing of a network with several nodes per router, by that of the network with one."""

    topology: SeveralNodes  # pyright: ignore[reportIncompatibleVariableOverride]

    def _make_base(
        self,
        topology: AddedLocalPorts,
        virtual_channels: int | None,
        options: RoutingOptions | None,
    ) -> Routing:
        # A multicast may go to all nodes of every router, and needs the rounds for so many.
        reach = {"reach": topology.nodes} if self.base_class.multicasts else {}
        return self.base_class(
            topology.unaltered, virtual_channels=virtual_channels, options=options, **reach
        )

    @property
    def rule(self) -> Rule:
        """The base's, and at a node's router the node's port; see `several_nodes_rule`."""
        return several_nodes_rule(self.base.rule, self.topology.count)

    def _adapt_copies(self, rule: BroadcastRule) -> BroadcastRule:
        return several_nodes_copies(rule, self.topology.count)

    def base_port(self, port: int) -> int:
        """Local port of the base, for any node's; else the same link's."""
        return max(0, port - self.topology.added_ports)

    def _ports(self, port: int) -> range:
        first = port + self.topology.added_ports
        return range(self.topology.count) if port == 0 else range(first, first + 1)

    def _nodes_of(self, node: int) -> range:
        return range(node * self.topology.count, (node + 1) * self.topology.count)

    def class_turns(self, router: int) -> set[Turn]:
        """The base's; and those of a multicast that a node sends on to the router's others."""
        turns = super().class_turns(router)
        return turns | self._between_nodes(router, self.injection_classes) if self.relays else turns


def derived_class(
    kind: type[DerivedRouting], base: type[Routing], maker: Callable[..., Any]
) -> Any:
    """Class of routings of a kind, made from one of networks with fewer local ports."""
    named = {
        "name": base.name,
        "options_class": base.options_class,
        "base_class": base,
        "maker": staticmethod(maker),
        "walk_limit": base.walk_limit,
        "comparison_limit": base.comparison_limit,
        "multicasts": base.multicasts,
        "__doc__": base.__doc__,
        "__module__": kind.__module__,
    }
    return _DerivedClass(f"{kind.__name__}{base.__name__}", (kind,), named)


@cache
def several_nodes_routing(base: type[Routing]) -> type[SeveralNodesRouting]:
    """Routing of networks with several nodes per router, made from one of a node each."""
    return derived_class(SeveralNodesRouting, base, several_nodes_routing)


def is_alterable(base: type[Routing]) -> bool:
    """Whether `several_nodes_routing` can make one from it: packets that follow a rule."""
    return base.router_class == Routing.router_class and base.unbuildable is None


def unaltered_topology(routing: type[Routing], topology: Topology) -> Topology:
    """Network that a routing's keys are about: the one whose routing is no `DerivedRouting`."""
    while issubclass(routing, DerivedRouting) and isinstance(topology, AddedLocalPorts):
        routing, topology = routing.base_class, topology.unaltered
    return topology


@cache
def classed_rule(rule: Rule, classes: int, nodes: int, locals_: int) -> Rule:
    """Rule that calls another one, of so many nodes and local ports, for the node of a stream.

    Where that one ejects, it leads to the port of the stream's class.
    """
    first, added, streams = classes * locals_, (classes - 1) * locals_, classes * nodes

    @compilable
    def rule_with_more_ports(parameters, router, port, channel_class, destination):
        base_input = port - added if port >= first else port % locals_
        number, stream = destination // streams, destination % streams
        label = stream % nodes + nodes * number
        output, out_class = rule(parameters, router, base_input, channel_class, label)
        if output >= locals_:
            return output + added, out_class
        return stream // nodes * locals_ + output, out_class

    return rule_with_more_ports


@cache
def classed_copies(rule: BroadcastRule, classes: int, nodes: int, locals_: int) -> BroadcastRule:
    """Rule of broadcasts that calls another one, as `classed_rule` does."""
    first, added = classes * locals_, (classes - 1) * locals_

    @compilable
    def rule_with_more_ports(parameters, router, port, channel_class, label, source, output):
        base_input = port - added if port >= first else port % locals_
        return rule(
            parameters, router, base_input, channel_class, label, source % nodes, output - added
        )

    return rule_with_more_ports


class ClassedRouting(DerivedRouting):
    """Routing of a network with classes of traffic, by that of the network without.

    Class k has virtual channels ``[k * share, (k + 1) * share)`` of every link, ``share`` being as
    many as the base has, and its packets take no others. So each class is as free of deadlock as
    the base.
    """

    topology: Classed  # pyright: ignore[reportIncompatibleVariableOverride]
    has_port_by_channel: ClassVar[bool] = True

    def __init__(
        self,
        topology: Classed,
        *,
        virtual_channels: int | None = None,
        options: RoutingOptions | None = None,
    ) -> None:
        count, share = topology.traffic_classes, None
        if virtual_channels is not None:
            least = self.base_class(topology.unaltered, options=options).classes
            share, rest = divmod(virtual_channels, count)
            if rest or (share % least and share > least):
                raise ConfigurationError(
                    f"{topology.name}: virtual_channels must be a multiple of "
                    f"{max(1, min(share, least)) * count} for routing={self.name} with "
                    f"classes={count}, not {virtual_channels}"
                )
        super().__init__(topology, virtual_channels=share, options=options)
        self.virtual_channels *= count
        self.lanes *= count
        if self.virtual_channels > MOST_CHANNELS:
            raise ConfigurationError(
                f"{topology.name}: classes must be at most {MOST_CHANNELS // self.base.classes} "
                f"with routing={self.name}, which needs {self.base.classes} of at most "
                f"{MOST_CHANNELS} virtual channels for each, not {count}"
            )

    @property
    def rule(self) -> Rule:
        """The base's, and at a stream's router the port of its class; see `classed_rule`."""
        unaltered = self.topology.unaltered
        return classed_rule(
            self.base.rule, self.topology.count, unaltered.nodes, unaltered.local_ports
        )

    def _adapt_copies(self, rule: BroadcastRule) -> BroadcastRule:
        unaltered = self.topology.unaltered
        return classed_copies(rule, self.topology.count, unaltered.nodes, unaltered.local_ports)

    def base_port(self, port: int) -> int:
        """Port of the stream's node, for a local one; else the same link's."""
        locals_ = self.topology.unaltered.local_ports
        is_local = self.topology.is_local(port)
        return port % locals_ if is_local else port - self.topology.added_ports

    def _ports(self, port: int) -> range:
        topology, unaltered = self.topology, self.topology.unaltered
        if unaltered.is_local(port):
            return range(port, topology.local_ports, unaltered.local_ports)
        first = port + topology.added_ports
        return range(first, first + 1)

    def _nodes_of(self, node: int) -> range:
        return range(node, self.topology.nodes, self.topology.unaltered.nodes)

    def lane_of(self, source: int, destination: int) -> int:
        """Lane of a flow among those of its class."""
        bits, share = self.topology.port_bits, self.lanes // self.topology.count
        number = source & (1 << bits) - 1
        return number * share + lane(source >> bits, destination >> bits, share)

    def turns(self, router: int) -> list[Turn]:
        """Turns of each class: from and to its own streams, and between its channels."""
        return list(filter(self.may_turn, super().turns(router)))

    def broadcast_turns(self, router: int) -> list[Turn]:
        """Turns of each class's copies."""
        return list(filter(self.may_turn, super().broadcast_turns(router)))

    def may_turn(self, turn: Turn) -> bool:
        """Whether the streams of a turn are of the class of its virtual channel."""
        number = turn.input_vc // (self.virtual_channels // self.topology.count)
        return all(
            self.topology.port_class(port) == number
            for port in (turn.input_port, turn.output_port)
            if self.topology.is_local(port)
        )


@cache
def classed_routing(base: type[Routing]) -> type[ClassedRouting]:
    """Routing of networks with classes of traffic, made from one of networks without."""
    return derived_class(ClassedRouting, base, classed_routing)

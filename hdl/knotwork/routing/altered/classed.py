# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Routings of networks with several classes of traffic: a class is a set of virtual channels."""

from functools import cache
from typing import ClassVar

from ...errors import ConfigurationError
from ...parameters.packet import MOST_CHANNELS
from ...topology.altered import Classed
from ..base import Routing
from ..compiled.compilable import compilable
from ..options import RoutingOptions
from ..rules import BroadcastRule, Rule, Turn, lane
from .served import DerivedRouting, derived_class


@cache
def classed_rule(rule: Rule, classes: int, nodes: int, locals_: int) -> Rule:
    """Rule that calls another one, of so many nodes and local ports, for the node of a stream.

    Where that one ejects, it leads to the port of the stream's class.
    """
    first, added = classes * locals_, (classes - 1) * locals_

    @compilable
    def rule_with_more_ports(parameters, router, port, channel_class, destination):
        base_input = port - added if port >= first else port % locals_
        output, out_class = rule(parameters, router, base_input, channel_class, destination % nodes)
        if output >= locals_:
            return output + added, out_class
        return destination // nodes * locals_ + output, out_class

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

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
from .served import OverBase, made_over


@cache
def classed_rule(rule: Rule, classes: int, nodes: int, locals_: int) -> Rule:
    """Rule that asks another one, of so many nodes and local ports, for the node of a stream.

    Where that one ejects, it leads to the port of the stream's class.
    """
    first, more = classes * locals_, (classes - 1) * locals_

    @compilable
    def ask(parameters, router, port, channel_class, destination):
        came = port - more if port >= first else port % locals_
        output, out_class = rule(parameters, router, came, channel_class, destination % nodes)
        if output >= locals_:
            return output + more, out_class
        return destination // nodes * locals_ + output, out_class

    return ask


@cache
def classed_copies(rule: BroadcastRule, classes: int, nodes: int, locals_: int) -> BroadcastRule:
    """Rule of broadcasts that asks another one, as `classed_rule` does."""
    first, more = classes * locals_, (classes - 1) * locals_

    @compilable
    def ask(parameters, router, port, channel_class, label, source, output):
        came = port - more if port >= first else port % locals_
        return rule(parameters, router, came, channel_class, label, source % nodes, output - more)

    return ask


class ClassedRouting(OverBase):
    """Routing of a network with classes of traffic, by that of the network without.

    Class k has virtual channels ``[k * share, (k + 1) * share)`` of every link, ``share`` being as
    many as the base has, and its packets take no others. So each class is as free of deadlock as
    the base.
    """

    topology: Classed  # pyright: ignore[reportIncompatibleVariableOverride]
    is_port_known: ClassVar[bool] = True

    def __init__(
        self,
        topology: Classed,
        *,
        virtual_channels: int | None = None,
        options: RoutingOptions | None = None,
    ) -> None:
        count, share = topology.traffic_classes, None
        if virtual_channels is not None:
            least = self.base_class(topology.whole, options=options).classes
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
        whole = self.topology.whole
        return classed_rule(self.base.rule, self.topology.count, whole.nodes, whole.local_ports)

    def _over_copies(self, rule: BroadcastRule) -> BroadcastRule:
        whole = self.topology.whole
        return classed_copies(rule, self.topology.count, whole.nodes, whole.local_ports)

    def base_port(self, port: int) -> int:
        """Port of the stream's node, for a local one; else the same link's."""
        locals_ = self.topology.whole.local_ports
        is_local = self.topology.is_local(port)
        return port % locals_ if is_local else port - self.topology.added_ports

    def _ports(self, port: int) -> range:
        topology, whole = self.topology, self.topology.whole
        if whole.is_local(port):
            return range(port, topology.local_ports, whole.local_ports)
        first = port + topology.added_ports
        return range(first, first + 1)

    def _standing_for(self, node: int) -> range:
        return range(node, self.topology.nodes, self.topology.whole.nodes)

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
def classed(base: type[Routing]) -> type[ClassedRouting]:
    """Routing of networks with classes of traffic, made from one of networks without."""
    return made_over(ClassedRouting, base, classed)

"""Routings of networks with several classes of traffic: a class is a set of virtual channels."""

from functools import cache
from typing import ClassVar

from ...errors import ConfigurationError
from ...parameters.packet import MOST_CHANNELS
from ...topology.altered import Classed
from ..base import Routing
from ..compiled.compilable import compilable
from ..options import RoutingOptions
from ..rules import Rule, Turn, lane
from .served import Served, made_over


@cache
def classed_rule(rule: Rule, classes: int, nodes: int) -> Rule:
    """Rule that asks another one for the node of a stream, and there leads to its class's port."""
    more = classes - 1

    @compilable
    def ask(parameters, router, port, channel_class, destination):
        came = port - more if port > more else 0
        output, out_class = rule(parameters, router, came, channel_class, destination % nodes)
        return destination // nodes if output == 0 else output + more, out_class

    return ask


class ClassedRouting(Served):
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
        return classed_rule(self.base.rule, self.topology.count, self.topology.whole.nodes)

    def lane_of(self, source: int, destination: int) -> int:
        """Lane of a flow among those of its class."""
        bits, share = self.topology.port_bits, self.lanes // self.topology.count
        number = source & (1 << bits) - 1
        return number * share + lane(source >> bits, destination >> bits, share)

    def turns(self, router: int) -> list[Turn]:
        """Turns of each class: from and to its own stream, and between its channels."""
        return list(filter(self.may_turn, super().turns(router)))

    def may_turn(self, turn: Turn) -> bool:
        """Whether a turn is from and to its class's own stream, where it is of a stream."""
        number = turn.input_vc // (self.virtual_channels // self.topology.count)
        ports = (turn.input_port, turn.output_port)
        return all(port == number for port in ports if self.topology.is_local(port))


@cache
def classed(base: type[Routing]) -> type[Served]:
    """Routing of networks with classes of traffic, made from one of networks without."""
    return made_over(ClassedRouting, base, classed)

"""Valiant's routing for any network: by way of a node that the source draws."""

from functools import cache, cached_property
from typing import ClassVar

import numpy as np

from ..errors import ConfigurationError
from ..topology import LOCAL, Topology
from .choosing import ChoosingRouting
from .compiled.compilable import compilable
from .options import RoutingOptions
from .rules import Rule, Turn


@cache
def valiant_rule(base: Rule, *, classes: int, nodes: int, local_ports: int, start: int) -> Rule:
    """Rule by way of a node, over the rule of a routing of so many classes.

    Behind the parameters of `base`, from `start` on, stand the node and the router of each number
    that may be drawn.
    """

    @compilable
    def rule(parameters, router, port, channel_class, destination):
        place, end = start + 2 * (destination // nodes), destination % nodes
        if channel_class >= classes:
            output, out_class = base(parameters, router, port, channel_class - classes, end)
        elif router != parameters[place + 1]:
            return base(parameters, router, port, channel_class, parameters[place])
        else:  # from here on as if this router's node had sent it
            output, out_class = base(parameters, router, LOCAL, 0, end)
        return output, 0 if output < local_ports else out_class + classes

    return rule


class Valiant(ChoosingRouting):
    """By way of a node that the source draws, to it and from it by the network's own routing.

    So any traffic loads the links about as uniform traffic does, at twice the hops. The classes of
    the own routing are there twice: once for the way to that node, once for the way from it. Where
    the network has no routing of its own whose packets take one path, it is `updown`.

    References
    ----------
    L. G. Valiant, "A scheme for fast parallel communication", SIAM J. Computing 11(2), 1982.
    """

    name: ClassVar[str] = "valiant"
    router_limit: ClassVar[int] = 256
    comparison_limit: ClassVar[int] = 64

    def __init__(
        self,
        topology: Topology,
        *,
        virtual_channels: int | None = None,
        options: RoutingOptions | None = None,
    ) -> None:
        first = np.unique(topology.node_ports_table[0], return_index=True)[1]
        self._drawn = sorted(first.tolist())
        """Nodes by whose way packets go: the first one of each router."""
        for node in self._drawn:
            if topology.address(node) != topology.router_address(topology.router_of(node)):
                raise ConfigurationError(
                    f"{topology.name}: routing={self.name} must have a network whose nodes have "
                    f"the addresses of their routers, not another one for node {node}"
                )
        super().__init__(topology, virtual_channels=virtual_channels, options=options)

    def needed_virtual_channels(self) -> int:
        """Twice as many as the routing to the node and from it."""
        return 2 * self.base.needed_virtual_channels()

    @property
    def draws(self) -> int:
        """Routers with nodes."""
        return len(self._drawn)

    @cached_property
    def draw_codes(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Addresses of the nodes that are drawn."""
        return np.array([self.topology.address(node) for node in self._drawn])

    @property
    def rule(self) -> Rule:
        """See `valiant_rule`."""
        return valiant_rule(
            self.base.rule,
            classes=self.base.classes,
            nodes=self.topology.nodes,
            local_ports=self.topology.local_ports,
            start=len(self.base.parameters),
        )

    @property
    def parameters(self) -> np.ndarray:
        """The base's, and behind them each drawn node and its router."""
        drawn = [(node, self.topology.router_of(node)) for node in self._drawn]
        return np.concatenate([self.base.parameters, np.array(drawn, np.int64).ravel()])

    def class_turns(self, router: int) -> set[Turn]:
        """Turns of both ways, and from where the first ends to where the second begins."""
        turns, is_local = self.base.class_turns(router), self.topology.is_local
        first = {turn for turn in turns if not is_local(turn.output_port)}
        second = {self._in_second(turn) for turn in turns if not is_local(turn.input_port)}
        ends = {(turn.input_port, turn.input_vc) for turn in turns if is_local(turn.output_port)}
        starts = {self._in_second(turn) for turn in turns if turn.input_port == LOCAL}
        meets = {Turn(*end, turn.output_port, turn.output_vc) for end in ends for turn in starts}
        return first | second | meets

    def _in_second(self, turn: Turn) -> Turn:
        """Turn of the second way that stands for one of the first."""
        is_local, classes = self.topology.is_local, self.base.classes
        input_vc = turn.input_vc + (0 if is_local(turn.input_port) else classes)
        output_vc = turn.output_vc + (0 if is_local(turn.output_port) else classes)
        return Turn(turn.input_port, input_vc, turn.output_port, output_vc)

    def rank(self) -> np.ndarray | None:
        """That of the routing for the first way, and all of the second above it."""
        rank = self.base.rank()
        if rank is None or rank.ndim != 3 or rank.shape[2] not in {1, self.base.classes}:
            return None
        rank = np.broadcast_to(rank, (*rank.shape[:2], self.base.classes))
        return np.concatenate([rank, rank + (int(rank.max()) - int(rank.min()) + 1)], axis=2)

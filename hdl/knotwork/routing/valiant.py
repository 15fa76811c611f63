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
def valiant_rule(base: Rule, *, classes: int, nodes: int) -> Rule:
    """Rule by way of a node, over the rule of a routing of so many classes.

    The node's router is the one of its number.
    """

    @compilable
    def rule(parameters, router, port, channel_class, destination):
        node, end = destination // nodes, destination % nodes
        if channel_class >= classes:
            output, out_class = base(parameters, router, port, channel_class - classes, end)
        elif router != node:
            return base(parameters, router, port, channel_class, node)
        else:  # from here on as if this router's node had sent it
            output, out_class = base(parameters, router, LOCAL, 0, end)
        return output, 0 if output == LOCAL else out_class + classes

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

    def __init__(
        self,
        topology: Topology,
        *,
        virtual_channels: int | None = None,
        options: RoutingOptions | None = None,
    ) -> None:
        if topology.routers != topology.nodes or topology.local_ports > 1:
            raise ConfigurationError(
                f"{topology.name}: routing={self.name} must have a network of routers with a node "
                f"each, not {topology.routers} routers and {topology.nodes} nodes"
            )
        super().__init__(topology, virtual_channels=virtual_channels, options=options)

    def needed_virtual_channels(self) -> int:
        """Twice as many as the routing to the node and from it."""
        return 2 * self.base.needed_virtual_channels()

    @property
    def draws(self) -> int:
        """Nodes."""
        return self.topology.nodes

    @cached_property
    def draw_codes(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Addresses of the nodes."""
        return np.array([self.topology.address(node) for node in range(self.topology.nodes)])

    @property
    def rule(self) -> Rule:
        """See `valiant_rule`."""
        return valiant_rule(self.base.rule, classes=self.base.classes, nodes=self.topology.nodes)

    def class_turns(self, router: int) -> set[Turn]:
        """Turns of both ways, and from where the first ends to where the second begins."""
        turns, classes = self.base.class_turns(router), self.base.classes
        first = {turn for turn in turns if turn.output_port != LOCAL}
        second = {_in_second(turn, classes) for turn in turns if turn.input_port != LOCAL}
        ends = {(turn.input_port, turn.input_vc) for turn in turns if turn.output_port == LOCAL}
        starts = {_in_second(turn, classes) for turn in turns if turn.input_port == LOCAL}
        meets = {Turn(*end, turn.output_port, turn.output_vc) for end in ends for turn in starts}
        return first | second | meets

    def rank(self) -> np.ndarray | None:
        """That of the routing for the first way, and all of the second above it."""
        rank = self.base.rank()
        if rank is None or rank.ndim != 3 or rank.shape[2] not in {1, self.base.classes}:
            return None
        rank = np.broadcast_to(rank, (*rank.shape[:2], self.base.classes))
        return np.concatenate([rank, rank + (int(rank.max()) - int(rank.min()) + 1)], axis=2)


def _in_second(turn: Turn, classes: int) -> Turn:
    """Turn of the second way that stands for one of the first."""
    input_vc = turn.input_vc if turn.input_port == LOCAL else turn.input_vc + classes
    output_vc = turn.output_vc if turn.output_port == LOCAL else turn.output_vc + classes
    return Turn(turn.input_port, input_vc, turn.output_port, output_vc)

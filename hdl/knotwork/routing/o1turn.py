"""O1TURN for meshes and tori: each packet goes row first, or column first."""

from functools import cache
from typing import ClassVar

import numpy as np

from ..topology import LOCAL
from ..topology.factors import ONE_WAY
from ..topology.product import ProductTopology
from .choosing import ChoosingRouting
from .compiled.compilable import compilable
from .product import AT, FactorByFactor, row_hop
from .rules import Rule, Turn


@compilable
def last_factor_first(parameters, router, port, channel_class, destination):
    """Layers, rows, columns: the last in which the positions differ; there are no other factors."""
    columns, rows = parameters[AT.columns], parameters[AT.rows]
    ports = 1 if parameters[AT.wrap] == ONE_WAY else 2
    before, size = 1 + 2 * ports, parameters[AT.layers]
    here, there = router // (columns * rows), destination // (columns * rows)
    if here == there:
        before, size = 1 + ports, rows
        here, there = router // columns % rows, destination // columns % rows
    if here == there:
        before, size, here, there = 1, columns, router % columns, destination % columns
    if here == there:
        return 0, 0
    return row_hop(parameters, before, size, here, there)


@cache
def either_order_rule(base: Rule, *, classes: int, nodes: int) -> Rule:
    """Rule of O1TURN over that of dimension order, which has so many classes."""

    @compilable
    def rule(parameters, router, port, channel_class, destination):
        if destination < nodes:
            return base(parameters, router, port, channel_class, destination)
        output, out_class = last_factor_first(
            parameters, router, port, channel_class, destination - nodes
        )
        return output, 0 if output == LOCAL else out_class + classes

    return rule


class O1Turn(ChoosingRouting):
    """Each packet in dimension order or in the opposite order, as its source draws.

    The two orders have classes of their own. In a square mesh no routing of shortest paths loads
    the fullest link less under the worst traffic.

    References
    ----------
    D. Seo, A. Ali, W.-T. Lim, N. Rafique, M. Thottethodi, "Near-optimal worst-case throughput
    routing for two-dimensional mesh networks", ISCA 2005.
    """

    topology: ProductTopology
    name: ClassVar[str] = "o1turn"
    router_limit: ClassVar[int] = 1 << 20
    base: FactorByFactor

    def needed_virtual_channels(self) -> int:
        """Twice as many as dimension order."""
        return 2 * self.base.needed_virtual_channels()

    @property
    def draws(self) -> int:
        """Two orders."""
        return 2

    @property
    def rule(self) -> Rule:
        """See `either_order_rule`."""
        return either_order_rule(
            self.base.rule, classes=self.base.classes, nodes=self.topology.nodes
        )

    def class_turns(self, router: int) -> set[Turn]:
        """Those of dimension order, and of the opposite order in the classes behind."""
        classes = self.base.classes
        back = {
            Turn(
                turn.input_port,
                turn.input_vc + (0 if turn.input_port == LOCAL else classes),
                turn.output_port,
                turn.output_vc + (0 if turn.output_port == LOCAL else classes),
            )
            for turn in self.base.class_turns(router, opposite=True)
        }
        return self.base.class_turns(router) | back

    def rank(self) -> np.ndarray | None:
        """Those of both orders, which share no channel."""
        order, opposite = self.base.rank(), self.base.rank(opposite=True)
        assert order is not None
        assert opposite is not None
        return np.concatenate([order, opposite], axis=2)

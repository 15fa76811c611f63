"""Second copy of the gates that choose a flit's turns, which gives their choice for any header."""

from typing import NamedTuple

from amaranth.hdl import Cat, Mux, Signal, Value
from amaranth.lib import data

from ....gateware.layouts import label_width
from ....gateware.packet.inputs import escape_pin, input_ways, route_pin
from ....gateware.parts.network_routes import branch_computation, route_computation
from ....gateware.parts.table_route import TableRoute
from ....network import Network, RouterKind
from ....routing import Turn
from ...harness import Harness
from .channel import InputChannel


class Choice(NamedTuple):
    """Turns that the gates choose for a flit.

    Members
    -------
    turns : Signal
        Its turns, a bit each.
    labels : list of Value
        By turn, the label with which a copy leaves; a unicast keeps the bits of its destination.
    """

    turns: Signal
    labels: list[Value]


class Gates:
    """The gates of one input channel, as the router's module has them.

    The proofs hold the Verilog to this reference; `route` and `branches` hold the reference to the
    routing's rule.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind : Network, RouterKind
        Router.
    channel : InputChannel
        Input channel.

    Members
    -------
    unicast_turns : tuple of Turn
        Turns of packets to one node that do not escape.
    """

    def __init__(
        self, harness: Harness, network: Network, kind: RouterKind, channel: InputChannel
    ) -> None:
        self._harness, self._network, self._kind = harness, network, kind
        self._name, self._turns = channel.name, channel.turns
        ways = input_ways(network, kind, channel.port, channel.vc)
        self.unicast_turns = ways.turns
        self._routes = [
            (ways.turns, ways.inside, route_pin(network, channel.port, channel.vc)),
            (ways.ways_out, True, escape_pin(network, channel.port, channel.vc)),
        ]
        self._branches = kind.branches(channel.port, channel.vc)
        place = channel.port, channel.vc
        copied = [t for t in kind.broadcast_turns if (t.input_port, t.input_vc) == place]
        self._ejected = () if self._branches else tuple(copied)

    def of(self, flit: data.View, name: str) -> Choice:
        """Choice for a flit; `name` makes this copy of the gates unique."""
        harness, bits = self._harness, label_width(self._network)
        name = f"{name}_{self._name}"
        selects: dict[Turn, list[Value]] = {turn: [] for turn in self._turns}
        copy = flit.broadcast if self._branches or self._ejected else 0
        destination = Value.cast(flit.destination)
        labels = dict.fromkeys(self._turns, destination[:bits])
        for alone, escape, pin in self._routes:
            if not alone:
                continue
            routes = route_computation(self._network, escape=escape)
            route = routes(self._network, alone, escape=escape, router=self._kind.router)
            harness.m.submodules[f"{pin}_{name}"] = route
            harness.m.d.comb += [
                route.address.eq(harness.port("address")),
                route.destination.eq(destination),
            ]
            if isinstance(route, TableRoute) and route.rows.width:
                harness.m.d.comb += route.table.eq(harness.port(pin))
            for number, turn in enumerate(alone):
                selects[turn].append(route.select[number] & ~Value.cast(copy))
        if self._branches:
            branches = branch_computation(self._network)
            branch = branches(self._network, self._branches, router=self._kind.router)
            harness.m.submodules[f"branch_{name}"] = branch
            harness.m.d.comb += [
                branch.address.eq(harness.port("address")),
                branch.source.eq(flit.source),
                branch.label.eq(destination[:bits]),
            ]
            for number, turn in enumerate(self._branches):
                selects[turn].append(branch.select[number] & copy)
                labels[turn] = Mux(copy, branch.labels[number], labels[turn])
        for turn in self._ejected:
            selects[turn].append(Value.cast(copy))
        turns = harness.named(Cat(Cat(ones).any() for ones in selects.values()), f"turns_{name}")
        return Choice(turns, [harness.named(label, f"label_{name}") for label in labels.values()])

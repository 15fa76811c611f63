"""Another copy of the gates that choose a flit's turns, to ask of any header what they would do."""

from typing import Any, NamedTuple

from amaranth.hdl import Cat, Mux, Signal, Value

from ....gateware.layouts import label_width
from ....gateware.packet.inputs import branch_computation, route_computation
from ....gateware.parts.route import input_turns
from ....network import Network, RouterKind
from ...harness import Bench


class Choice(NamedTuple):
    """What becomes of a flit.

    Members
    -------
    turns : Signal
        Its turns, a bit each.
    labels : list of Value
        By turn, the label that it leaves with; a packet's to one node keeps its destination's bits.
    """

    turns: Signal
    labels: list[Value]


class Gates:
    """The gates of one input channel, as the router's module has them.

    They are a reference to which the Verilog is held, and are themselves held to the routing's
    rule by `route` and `branches`.

    Parameters
    ----------
    bench : Bench
        Bench of the router.
    network, kind : Network, RouterKind
        Router.
    port, vc : int
        Channel.

    Members
    -------
    alone : tuple of Turn
        Turns of packets to one node.
    """

    def __init__(
        self, bench: Bench, network: Network, kind: RouterKind, port: int, vc: int
    ) -> None:
        self._bench, self._network, self._kind = bench, network, kind
        self._name = f"{network.topology.ports[port]}_vc{vc}"
        self._turns = tuple(t for t in kind.turns if (t.input_port, t.input_vc) == (port, vc))
        self.alone = input_turns(kind, port, vc)
        self._branches = kind.branches(port, vc)

    def of(self, flit: Any, name: str) -> Choice:
        """What becomes of a flit; `name` makes its copy of the gates unique."""
        bench, bits = self._bench, label_width(self._network)
        name = f"{name}_{self._name}"
        ways: dict[Any, list[Value]] = {turn: [] for turn in self._turns}
        copy = flit.broadcast if self._branches else 0
        destination = Value.cast(flit.destination)
        labels = dict.fromkeys(self._turns, destination[:bits])
        if self.alone:
            routes = route_computation(self._network)
            route = routes(self._network, self.alone, router=self._kind.router)
            bench.m.submodules[f"route_{name}"] = route
            bench.m.d.comb += [
                route.address.eq(bench.port("address")),
                route.destination.eq(destination),
            ]
            for number, turn in enumerate(self.alone):
                ways[turn].append(route.select[number] & ~Value.cast(copy))
        if self._branches:
            branches = branch_computation(self._network)
            branch = branches(self._network, self._branches, router=self._kind.router)
            bench.m.submodules[f"branch_{name}"] = branch
            bench.m.d.comb += [
                branch.address.eq(bench.port("address")),
                branch.source.eq(flit.source),
                branch.label.eq(destination[:bits]),
            ]
            for number, turn in enumerate(self._branches):
                ways[turn].append(branch.select[number] & copy)
                labels[turn] = Mux(copy, branch.labels[number], labels[turn])
        turns = bench.named(Cat(Cat(found).any() for found in ways.values()), f"turns_{name}")
        return Choice(turns, [bench.named(label, f"label_{name}") for label in labels.values()])

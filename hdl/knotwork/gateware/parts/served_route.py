"""Route computation where routers serve several nodes: the gates for one node, and the port."""

from functools import cache
from typing import ClassVar

from amaranth.hdl import Module

from ...network import Network
from ...routing import Turn
from ...routing.altered import Served
from .route import RouteComputation


@cache
def whole_network(network: Network) -> Network:
    """Network with one node per router from which a network with several is made."""
    routing = Served.of(network.routing)
    return network.on(routing.topology.whole, routing.base_class)


class ServedRoute(RouteComputation):
    """Decides as other gates do by the upper bits of the address; the lower ones name the node."""

    gates: ClassVar[type[RouteComputation]]
    """Gates of the network with one node per router."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        routing = Served.of(self.network.routing)
        bits = routing.topology.port_bits
        of_base = [
            Turn(
                routing.base_port(turn.input_port),
                turn.input_vc,
                routing.base_port(turn.output_port),
                turn.output_vc,
            )
            for turn in self.turns
        ]
        turns = tuple(sorted(set(of_base)))
        m.submodules.route = route = self.gates(
            whole_network(self.network), turns, escape=self._escape, router=self.router
        )
        m.d.comb += [
            route.address.eq(self.address[bits:]),
            route.destination.eq(self.destination[bits:]),
        ]
        port = self.destination[:bits]
        for number, (turn, base) in enumerate(zip(self.turns, of_base, strict=True)):
            chosen = route.select[turns.index(base)]
            if routing.topology.is_local(turn.output_port) and not routing.is_port_known:
                chosen &= port == turn.output_port
            m.d.comb += self.select[number].eq(chosen)
        return m


@cache
def served_route(gates: type[RouteComputation]) -> type[ServedRoute]:
    """Gates for several nodes per router, from those for one."""
    return type(f"Served{gates.__name__}", (ServedRoute,), {"gates": gates})

"""Input of a packet router: route gates, an input port, and the bits that it does not store."""

from collections.abc import Iterator, Mapping

from amaranth.hdl import Module, Signal, Value

from ...network import Network, RouterKind
from ...untyped import Interface, View
from ..layouts import flit_layout
from ..parts.parity import received
from ..parts.table_route import RouteTable, TableRoute
from .copies import CopyPort
from .input_port import FrontPort, InputPort
from .inputs import (
    carried,
    completed,
    fixed_computation,
    input_route,
    known_port_bits,
    other_gates,
    route_pin,
    select_name,
)
from .selection import ways_port


def make_input_port(network: Network, kind: RouterKind, port: int) -> FrontPort:
    """Input port of a router, with copies where broadcasts branch, or with several ways."""
    if network.routing.escape_class is not None:
        return ways_port(network)(network, kind, port)
    copies = any(kind.branches(port, vc) for vc in kind.input_vcs(port))
    return (CopyPort if copies else InputPort)(network, kind, port)


class RouterInput:
    """Input port, the gates that route before it, and its flit with the bits that are not stored.

    Routes and these bits follow from the router's address and the port; the port itself is the
    same wherever there are as many turns.

    Parameters
    ----------
    network : Network
        Its routing supplies the route computation.
    kind : RouterKind
        Turns.
    port : int
        Number in the topology.
    front : FrontPort
        The input port.
    """

    def __init__(self, network: Network, kind: RouterKind, port: int, front: FrontPort) -> None:
        self._network, self._port = network, port
        self._known = known_port_bits(network, kind, port)
        self.front = front
        """The input port."""
        self.routes = {vc: input_route(network, kind, port, vc) for vc in self.front.turns}
        """Gates that select among `turns`, by virtual channel; None where only broadcasts come."""
        self._ways = [("route", select_name, route_pin, self.routes)]
        for way, turns_of in self.front.other_turns.items():
            gates = {vc: other_gates(network, kind, way, turns) for vc, turns in turns_of.items()}
            self._ways.append((way.name, way.select_name, way.pin, gates))
        self.flits: dict[bool, View] = {}
        """The front's flit; at True that of the cycle before, where there is `crossing`."""

    @property
    def outputs(self) -> list[int]:
        """Output ports in the order of ``front.turn``."""
        return self.front.encoding.outputs

    def add(self, m: Module, name: str, address: Value, flit: View) -> None:
        """Add it all to a router, with the flit of its link or its node.

        Parameters
        ----------
        m : Module
            Module of the router.
        name : str
            Name of the port, behind ``input_`` and ``route_``.
        address : Value
            The router's own.
        flit : View
            Flit that comes in, of `flit_layout`.
        """
        layout, front = flit_layout(self._network), self.front
        arriving: View = Signal(layout, name=f"arriving_{name}")
        m.d.comb += [
            *received(arriving, flit),
            Value.cast(front.i).eq(carried(arriving, self._known)),
        ]
        m.submodules[f"input_{name}"] = front
        for kind, member, _, routes in self._ways:
            for vc, route in routes.items():
                if route is not None:
                    m.submodules[f"{kind}_{name}_vc{vc}"] = route
                    m.d.comb += [
                        route.address.eq(address),
                        route.destination.eq(arriving.destination),
                        getattr(front, member(vc)).eq(route.select),
                    ]
        if "address" in front.signature.members:
            m.d.comb += front.address.eq(address)
        for is_crossing in (False, True)[: 1 + self._network.has_crossbar_stage]:
            stored = front.crossing if is_crossing else front.flit
            complete: View = Signal(layout, name=f"{'crossing' if is_crossing else 'flit'}_{name}")
            bits = completed(complete, self._known, address, Value.cast(stored))
            m.d.comb += Value.cast(complete).eq(bits)
            self.flits[is_crossing] = complete

    def flit_to(self, port: int) -> Value:
        """Flit as it enters an output's column of the crossbar."""
        return self.front.flit_to(port, self.flits[self.front.is_crossing(port)])

    def tables(self, known: Mapping[str, RouteTable]) -> Iterator[tuple[str, Signal]]:
        """Tables of the routes, each by the name of the router's input that it comes by."""
        for _, _, pin, routes in self._ways:
            for vc, route in routes.items():
                gates: Interface = route
                fixed, name = fixed_computation(route), pin(self._network, self._port, vc)
                if isinstance(fixed, TableRoute) and name in known:
                    yield name, gates.table

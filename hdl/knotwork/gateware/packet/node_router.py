"""What all packet routers have: their node's streams, their links, their constants."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...network import Network, RouterKind
from ...untyped import Interface
from ..layouts import eject_layout, inject_layout
from ..router_class import InterfaceComponent
from .inputs import own_tables


class NodeRouter(wiring.Component):
    """Packet router and the interface of its node; a subclass gives what is between them.

    Parameters
    ----------
    network : Network
        Parameters; its routing supplies the route computation.
    kind : RouterKind
        Connected ports and turns.
    link : Signature
        Channel of a link, seen from its sender.

    Members
    -------
    address : In(address_width)
        The router's own address, constant.
    inject, eject : stream.Interface
        From and to the node.
    refused : Out(1)
        High for one cycle for each packet dropped at injection.
    routes_*, escapes_* : In(width)
        Tables of the router's own, constant; see `parts.table_route`.
    i, o : arrays of link
        Links, by position in ``kind.ports[1:]``.
    """

    address: Signal
    inject: stream.Interface
    eject: stream.Interface
    refused: Signal
    i: Interface
    o: Interface

    def __init__(self, network: Network, kind: RouterKind, link: wiring.Signature) -> None:
        self._network = network
        self._kind = kind
        links = len(kind.ports) - 1
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "inject": In(stream.Signature(inject_layout(network))),
                "eject": Out(stream.Signature(eject_layout(network))),
                "refused": Out(1),
                **{name: In(table.width) for name, table in own_tables(network, kind).items()},
                "i": In(link).array(links),
                "o": Out(link).array(links),
            }
        )

    @property
    def kind(self) -> RouterKind:
        """Connected ports and turns."""
        return self._kind

    def elaborate(self, platform: object) -> Module:
        raise NotImplementedError

    def _name(self, port: int) -> str:
        return self._network.topology.ports[port]

    def _attach(self, m: Module, node: InterfaceComponent) -> None:
        """Add the node's interface."""
        interface: Interface = node
        m.submodules.node_interface = interface
        m.d.comb += [node.address.eq(self.address), self.refused.eq(node.refused)]
        wiring.connect(m, wiring.flipped(self.inject), node.inject)
        wiring.connect(m, node.eject, wiring.flipped(self.eject))

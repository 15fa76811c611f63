"""What all packet routers have: their nodes' streams, their links, their constants."""

from typing import NamedTuple

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Member, Out

from ...network import Network, RouterKind
from ...untyped import Interface
from ..component import Component
from ..layouts import eject_layout, inject_layout
from ..parts.draws import node_constants, written_alike
from ..router_class import InterfaceComponent, NodeSide, node_suffix
from .inputs import address_pins, router_tables


class _Side(NamedTuple):
    """Ports of a router that serve a node."""

    inject: stream.Interface
    eject: stream.Interface
    refused: Signal


class NodeRouter(Component):
    """Packet router and the interfaces of its nodes; a subclass gives what is between them.

    Parameters
    ----------
    network : Network
        Parameters; its routing supplies the route computation.
    kind : RouterKind
        Connected ports and turns.
    link : Signature
        Channel of a link, seen from its sender.
    more : dict of str to Member, optional
        Ports that a subclass adds.

    Members
    -------
    address : In(address_width)
        The router's own address, constant: that of its first node.
    inject, eject : stream.Interface
        From and to the node.
    refused : Out(1)
        High for one cycle for each packet dropped at injection.
    address_*, inject_*, eject_*, refused_*
        In their place for each of its nodes, where routers may serve several or none; see
        `node_suffix`.
    written : In(width)
        Where its nodes have one: see `parts.draws`.
    routes_*, way1s_*, ..., escapes_* : In(width)
        Tables of the router's own, constant; see `parts.table_route`.
    i, o : arrays of link
        Links, by position in ``kind.receiving`` and ``kind.sending``.
    """

    address: Signal
    i: Interface
    o: Interface

    def __init__(
        self,
        network: Network,
        kind: RouterKind,
        link: wiring.Signature,
        *,
        more: dict[str, Member] | None = None,
    ) -> None:
        self._network = network
        self._kind = kind
        members = {name: In(width) for name, width in address_pins(network, kind).items()}
        if kind.node_ports:
            members |= node_constants(network)
        for port in kind.node_ports:
            end = node_suffix(network, port)
            members |= {
                f"inject{end}": In(stream.Signature(inject_layout(network))),
                f"eject{end}": Out(stream.Signature(eject_layout(network))),
                f"refused{end}": Out(1),
            }
        super().__init__(
            {
                **members,
                **(more or {}),
                **{name: In(table.width) for name, table in router_tables(network, kind).items()},
                "i": In(link).array(len(kind.receiving)),
                "o": Out(link).array(len(kind.sending)),
            }
        )

    @property
    def kind(self) -> RouterKind:
        """Connected ports and turns."""
        return self._kind

    def node_side(self, port: int) -> NodeSide:
        """Streams of the node at a port, and what reports its refused packets."""
        end = node_suffix(self._network, port)
        inject, eject, refused = (
            getattr(self, f"{n}{end}") for n in ("inject", "eject", "refused")
        )
        return _Side(inject, eject, refused)

    def elaborate(self, platform: object) -> Module:
        raise NotImplementedError

    def _name(self, port: int) -> str:
        return self._network.topology.ports[port]

    def _attach(self, m: Module, port: int, node: InterfaceComponent) -> None:
        """Add the interface of the node at a port."""
        interface: Interface = node
        end, side = node_suffix(self._network, port), self.node_side(port)
        m.submodules[f"node_interface{end}"] = interface
        address: Signal = getattr(self, f"address{end}")
        m.d.comb += [node.address.eq(address), side.refused.eq(node.refused)]
        m.d.comb += written_alike(node, self)
        self._connect_node(m, port, node)
        wiring.connect(m, node.eject, wiring.flipped(side.eject))

    def _connect_node(self, m: Module, port: int, node: InterfaceComponent) -> None:
        """Connect what the node at a port sends with its interface."""
        wiring.connect(m, wiring.flipped(self.node_side(port).inject), node.inject)

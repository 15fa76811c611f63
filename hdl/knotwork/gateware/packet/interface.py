"""Interface of a node: between its streams and its router's local port."""

from collections.abc import Hashable

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Member, Out

from ...network import Network
from ...topology import LOCAL
from ...untyped import Interface
from ..component import Component
from ..layouts import Link, eject_layout, inject_layout, injection_signature, local_signature
from ..parts.buffer import SkidBuffer
from ..parts.draws import constants_alike, node_constants
from ..parts.injector import Injector
from ..parts.parity import Marker
from .classes import regulated


def interface_signature(network: Network) -> dict[str, Member]:
    """Members of a node's interface.

    Members
    -------
    address : In(address_width)
        The node's own address; beside it `written`, where there is one: see `parts.draws`.
    inject : In(stream of inject_layout)
        From the node.
    eject : Out(stream of eject_layout)
        To the node.
    refused : Out(1)
        High for one cycle for each packet dropped at injection.
    o : Out(injection_signature)
        To the router.
    i : In(local_signature)
        From the router.
    """
    return {
        **node_constants(network),
        "inject": In(stream.Signature(inject_layout(network))),
        "eject": Out(stream.Signature(eject_layout(network))),
        "refused": Out(1),
        "o": Out(injection_signature(network)),
        "i": In(local_signature(network)),
    }


class NodeInterface(Component):
    """Injector, and a skid buffer before the node where flits must be taken as they come.

    That is so in routers with credits: a slow node must not block a whole input there.

    Latency
    -------
    0 cycles either way.

    Parameters
    ----------
    network : Network
        Addresses, lanes and widths.
    port : int
        Port of that router that leads to the node.

    Members
    -------
    address, inject, eject, refused, o, i
        See `interface_signature`.
    """

    address: Signal
    inject: stream.Interface
    eject: stream.Interface
    refused: Signal
    o: Interface
    i: Interface

    def __init__(self, network: Network, port: int = LOCAL) -> None:
        self._network, self._port = network, port
        super().__init__(interface_signature(network))

    @property
    def parameters(self) -> Hashable:
        return self._network, self._network.topology.port_class(self._port)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.injector = injector = Injector(self._network, self._port)
        m.d.comb += [*constants_alike(injector, self), self.refused.eq(injector.refused)]
        wiring.connect(m, regulated(m, self._network, self._port, self.inject), injector.i)
        wiring.connect(m, injector.o, wiring.flipped(self.o))

        sink: Interface = wiring.flipped(self.eject)
        connect_beats(m, self._network, self.i, sink)
        return m


def connect_beats(m: Module, network: Network, link: Link, sink: stream.Interface) -> None:
    """Connect virtual channel 0 of a router's local output with what takes a node's beats.

    A plain router's output waits for the node. Behind one with credits is a skid buffer; with
    parity it is part of the marker of broken packets.
    """
    if network.has_parity:
        m.submodules.marker = marker = Marker(network)
        m.d.comb += [
            marker.i.valid.eq(link.valid[0]),
            marker.i.p.eq(link.flit),
            link.ready[0].eq(marker.i.ready),
        ]
        source = marker.o
    elif network.has_credits:
        m.submodules.skid = skid = SkidBuffer(sink.p.shape())
        connect_ejected(m, link, skid.i)
        source = skid.o
    else:
        connect_ejected(m, link, sink)
        return
    m.d.comb += [
        sink.valid.eq(source.valid),
        sink.p.eq(source.p),
        source.ready.eq(sink.ready),
    ]


def connect_ejected(m: Module, link: Link, sink: stream.Interface) -> None:
    """Connect virtual channel 0 of a router's local output with a stream of ejected beats."""
    m.d.comb += [
        sink.valid.eq(link.valid[0]),
        link.ready[0].eq(sink.ready),
        sink.p.data.eq(link.flit.data),
        sink.p.last.eq(link.flit.last),
        sink.p.source.eq(link.flit.source),
    ]
    if "lost" in link.flit.shape().members:
        m.d.comb += sink.p.flags.eq(link.flit.lost)

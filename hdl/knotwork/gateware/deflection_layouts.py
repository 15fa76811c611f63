"""What crosses a link between routers that keep nothing."""

from typing import Any

from amaranth.hdl import Assert, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..network import Network, RouterKind
from .layouts import eject_layout, has_source, inject_layout


def packet_layout(network: Network) -> data.StructLayout:
    """Packet on a link: data, its destination's address, and its source's where it has that.

    Where packets grow old, also `phase`: the number of the phase in which it came, modulo 2.
    """
    address = network.topology.address_width
    members = {"data": network.hardware.data_width, "destination": address}
    if has_source(network):
        members["source"] = address
    return data.StructLayout(members | ({"phase": 1} if has_phases(network) else {}))


def has_phases(network: Network) -> bool:
    """Whether packets grow old."""
    return network.routing.router == "deflection"


def packet_signature(network: Network) -> wiring.Signature:
    """Channel of a link, seen from its sender; all signals come from registers.

    Members
    -------
    valid : Out(1)
        There is a packet, which the receiver takes with this clock.
    packet : Out(packet_layout)
        The packet.
    """
    return wiring.Signature({"valid": Out(1), "packet": Out(packet_layout(network))})


def router_signature(network: Network, kind: RouterKind) -> dict[str, Any]:
    """Members of a router that keeps nothing.

    Members
    -------
    address : In(address_width)
        The router's own address, constant.
    inject, eject : stream.Interface
        From and to the node; every packet has one beat.
    refused : Out(1)
        High for one clock after the last beat of each packet dropped.
    i, o : arrays of packet_signature
        Links, by position in ``kind.ports[1:]``.
    """
    links = len(kind.ports) - 1
    return {
        "address": In(network.topology.address_width),
        "inject": In(stream.Signature(inject_layout(network))),
        "eject": Out(stream.Signature(eject_layout(network))),
        "refused": Out(1),
        "i": In(packet_signature(network)).array(links),
        "o": Out(packet_signature(network)).array(links),
    }


class Ejection:
    """Register before a node's stream: free, or it becomes so with this clock.

    Parameters
    ----------
    m : Module
        Router.
    eject : stream.Interface
        Stream to the node, driven here.

    Members
    -------
    room : Signal
        Whether a packet can be given.
    """

    def __init__(self, m: Module, eject: stream.Interface) -> None:
        self._m, self._eject = m, eject
        self.room = Signal(name="eject_room")
        m.d.comb += [self.room.eq(~eject.valid | eject.ready), eject.p.last.eq(1)]

    def give(self, gives: Value, packet: Any) -> None:
        """Take a packet, if `gives`, which must imply `room`."""
        m, eject = self._m, self._eject
        with m.If(self.room):
            m.d.sync += [eject.valid.eq(gives), eject.p.data.eq(packet.data)]
            if "source" in eject.p.shape().members:
                m.d.sync += eject.p.source.eq(packet.source)
        m.d.sync += Assert(~gives | self.room, "deflection: an ejected packet must have room")


def selected(layout: data.StructLayout, select: Value, chosen: Any, other: Any) -> Any:
    """Packet `chosen` if `select`, else `other`."""
    return data.View(layout, Mux(select, Value.cast(chosen), Value.cast(other)))

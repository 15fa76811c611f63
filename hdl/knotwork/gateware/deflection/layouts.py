"""Layouts and links between bufferless routers."""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Member, Out

from ...network import Network, RouterKind
from ...routing.deflection import Deflection
from ..layouts import eject_layout, inject_layout


def packet_layout(network: Network) -> data.StructLayout:
    """Packet on a link: data, the destination's address, and the source's where packets carry it.

    Where packets are numbered, also `sequence`. Where they grow old, also `phase`: the number of
    the phase of its injection, modulo 2, and `first`: at the router that sent it, it was old and to
    the address whose turn it was.
    """
    address = network.topology.address_width
    members = {"data": network.hardware.data_width, "destination": address}
    if network.has_source:
        members["source"] = address
    if network.sequence_width:
        members["sequence"] = network.sequence_width
    if Deflection.of(network.routing).has_phases:
        members |= {"phase": 1, "first": 1}
    return data.StructLayout(members)


def packet_signature(network: Network) -> wiring.Signature:
    """Channel of a link, seen from its sender; all signals come from registers.

    Members
    -------
    valid : Out(1)
        There is a packet, which the receiver takes in this cycle.
    packet : Out(packet_layout)
        The packet.
    """
    return wiring.Signature({"valid": Out(1), "packet": Out(packet_layout(network))})


def router_signature(network: Network, kind: RouterKind) -> dict[str, Member]:
    """Members of a bufferless router.

    Members
    -------
    address : In(address_width)
        The router's own address, constant.
    inject, eject : stream.Interface
        From and to the node; every packet has one beat.
    refused : Out(1)
        High for one cycle after the last beat of each packet dropped.
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

"""Layouts of flits, of the beats of nodes, and of links, from a network's parameters."""

from typing import Protocol

from amaranth.hdl import ShapeLike, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..network import Network


def label_width(network: Network) -> int:
    """Bits of a broadcast's label, which are the lowest of a flit's `destination`."""
    broadcast = network.routing.broadcast
    return 0 if broadcast is None else broadcast.label_width


def destination_width(network: Network) -> int:
    """Bits of a flit's `destination`: of an address and what its source drew, or of a label."""
    width = network.topology.address_width + network.routing.draw_width
    return max(width, label_width(network))


def flit_layout(network: Network) -> data.StructLayout:
    """Flit on a link: data, a mark for the last of its packet, the addresses of its two nodes.

    With multicasts also `chain`: the data is an address to which the destination must send it on.
    Where its source draws a number, that stands above the destination's address.
    With broadcasts also `broadcast`: the flit goes to all nodes, and its destination is a label,
    which may be wider than an address.
    Where links may be declared dead also `lost`: it is the end of a packet whose rest is lost.
    With parity also the fields that `parts.parity.seal` fills; `wrong` matters only in flits to the
    node.
    """
    address = network.topology.address_width
    members = {
        "data": network.hardware.data_width,
        "last": 1,
        "destination": destination_width(network),
        "source": address,
    }
    if network.has_broadcast:
        members["broadcast"] = 1
    if network.has_parity:
        members |= {"data_parity": 1, "header_parity": 1, "last_copies": 2, "wrong": 1}
    if network.loads_tables:
        members["lost"] = 1
    return data.StructLayout(members | ({"chain": 1} if network.has_multicast else {}))


def inject_layout(network: Network) -> data.StructLayout:
    """Beat from a node; `destination` is read on a packet's first beat.

    The first beat also has `multicast`, in a network with multicasts: if set, `destination` is the
    number of destinations, and the first beats name them. It has `word` where nodes choose the
    path, and `broadcast` in a network with broadcasts: if set, `destination` is not read.
    """
    members: dict[str, ShapeLike] = {
        "data": network.hardware.data_width,
        "last": 1,
        "destination": network.topology.address_width,
    }
    if network.routing.word_layout:
        members["word"] = data.StructLayout(network.routing.word_layout)
    if network.has_broadcast:
        members["broadcast"] = 1
    return data.StructLayout(members | ({"multicast": 1} if network.has_multicast else {}))


def eject_layout(network: Network) -> data.StructLayout:
    """Beat to a node; `source`, and `sequence` and `flags` if any, are valid on every beat."""
    members = {"data": network.hardware.data_width, "last": 1}
    if network.has_source:
        members["source"] = network.topology.address_width
    if network.sequence_width:
        members["sequence"] = network.sequence_width
    flags = network.flag_width
    return data.StructLayout(members | ({"flags": flags} if flags else {}))


class Link(Protocol):
    """Interface of `local_signature`, for type checkers."""

    valid: Signal
    ready: Signal
    cancel: Signal
    flit: data.View


def local_signature(network: Network) -> wiring.Signature:
    """Channel between a router and its node, seen from its sender.

    Members
    -------
    valid : Out(virtual_channels)
        One-hot: the virtual channel of `flit`, 0 for none. A flit crosses in every cycle in which
        ``valid & ready`` is not 0.
    ready : In(virtual_channels)
        Which virtual channels have room; does not depend on `valid`.
    flit : Out(flit_layout)
        Does not change, nor does `valid` fall, before it has crossed.
    """
    virtual_channels = network.routing.virtual_channels
    return wiring.Signature(
        {
            "valid": Out(virtual_channels),
            "ready": In(virtual_channels),
            "flit": Out(flit_layout(network)),
        }
    )


def injection_signature(network: Network) -> wiring.Signature:
    """Channel from a node to its router.

    Members
    -------
    valid, ready, flit
        See `local_signature`.
    cancel : Out(virtual_channels)
        One-hot: drop the flits of the broadcast whose last flit has not crossed; only with
        broadcasts.
    """
    members = dict(local_signature(network).members)
    if network.has_broadcast:
        members["cancel"] = Out(network.routing.virtual_channels)
    return wiring.Signature(members)

"""What crosses a link, and what a node gives and gets: built once from a network's parameters."""

from typing import Protocol

from amaranth.hdl import Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..network import Network


def flit_layout(network: Network) -> data.StructLayout:
    """Flit on a link: data, last of its packet, the addresses of its two nodes."""
    address = network.topology.address_width
    return data.StructLayout(
        {
            "data": network.hardware.data_width,
            "last": 1,
            "destination": address,
            "source": address,
        }
    )


def inject_layout(network: Network) -> data.StructLayout:
    """Beat from a node; `destination` is read on a packet's first."""
    return data.StructLayout(
        {
            "data": network.hardware.data_width,
            "last": 1,
            "destination": network.topology.address_width,
        }
    )


def eject_layout(network: Network) -> data.StructLayout:
    """Beat to a node; `source` is valid on every one."""
    return data.StructLayout(
        {
            "data": network.hardware.data_width,
            "last": 1,
            "source": network.topology.address_width,
        }
    )


class Link(Protocol):
    """Interface of `link_signature`, for type checkers."""

    valid: Signal
    ready: Signal
    flit: data.View


def link_signature(network: Network) -> wiring.Signature:
    """Channel of a link, seen from its sender.

    Members
    -------
    valid : Out(virtual_channels)
        One-hot: the virtual channel of `flit`, 0 for none. A flit crosses in every clock in which
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

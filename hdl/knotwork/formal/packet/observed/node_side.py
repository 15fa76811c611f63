"""Where a router ejects to a node: its skid buffer, and the beats that it shows of flits."""

from amaranth.hdl import Cat, Value
from amaranth.lib import data

from ....gateware.router_class import node_suffix
from ....network import Network


def skid_path(network: Network, port: int) -> str:
    """Path of the skid buffer of the node at a port; it is the marker's where there is parity."""
    inside = "marker.skid" if network.has_parity else "skid"
    return f"node_interface{node_suffix(network, port)}.{inside}"


def is_guarded(flit: data.View) -> bool:
    """Whether flits have parity."""
    return "wrong" in flit.shape().members


def voted_last(flit: data.View) -> Value:
    """Whether a flit is its packet's last, by two of its three marks."""
    if not is_guarded(flit):
        return flit.last
    marks = Cat(flit.last, flit.last_copies)
    return Cat(marks == value for value in (0b011, 0b101, 0b110, 0b111)).any()


def has_broken_header(flit: data.View) -> Value:
    """Whether the parity of a flit's addresses is wrong."""
    return Cat(flit.destination, flit.source, flit.header_parity).xor()


def is_wrong(flit: data.View, address: Value) -> Value:
    """Whether a flit that is ejected is broken, or another node's."""
    has_broken_data = Cat(flit.data, flit.data_parity).xor()
    return has_broken_data | has_broken_header(flit) | (flit.destination != address)

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
    """Whether the parity of a flit's addresses, and of the mark of a broadcast, is wrong."""
    names = ("destination", "source", "broadcast", "header_parity")
    return Cat(flit[name] for name in names if name in flit.shape().members).xor()


def is_wrong(flit: data.View, address: Value) -> Value:
    """Whether a flit that is ejected is broken, or another node's."""
    members = flit.shape().members
    names = ("data", "chain", "lost", "data_parity")
    has_broken_data = Cat(flit[name] for name in names if name in members).xor()
    is_other = flit.destination != address
    if "broadcast" in members:
        is_other &= ~flit.broadcast
    return has_broken_data | has_broken_header(flit) | is_other

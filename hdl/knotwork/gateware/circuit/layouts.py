"""Layouts and links between switches, interfaces and controller of circuit switching."""

from amaranth.hdl import Shape, ShapeLike
from amaranth.lib import data, enum, wiring
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...parameters import CircuitParameters
from ...topology.lcan import LeastCommonAncestor
from ..router_class import LinkNames


class Kind(enum.Enum, shape=2):
    """What a link carries in a cycle."""

    IDLE = 0
    HEADER = 1
    FLIT = 2
    LAST = 3


def header_layout(network: Network) -> data.StructLayout:
    """Header of a packet: the addresses of its nodes, and the word that names its way up.

    The word, the number of an upper for each level below the top, is present where circuits are
    scheduled; otherwise the switches choose.
    """
    address = network.topology.address_width
    members: dict[str, ShapeLike] = {"destination": address, "source": address}
    return data.StructLayout(members | network.routing.word_layout)


def link_width(network: Network) -> int:
    """Bits of a link's data: a flit's or a header's, the wider."""
    return max(network.hardware.data_width, header_layout(network).size)


def circuit_signature(network: Network) -> wiring.Signature:
    """One-way link, seen from its sender; all signals come from registers.

    Members
    -------
    kind : Out(Kind)
        What `data` is.
    data : Out(link_width)
        Header or flit, in the low bits.
    back : In(1)
        Acknowledge from the destination, along the circuit.
    """
    return wiring.Signature(
        {"kind": Out(Shape.cast(Kind)), "data": Out(link_width(network)), "back": In(1)}
    )


def group_names(network: Network, port: int) -> LinkNames:
    """Names of the link at a port, by the paper's groups: A in and C out, or B in and D out.

    References
    ----------
    "Least Common Ancestor Networks", section 2.1.
    """
    topology = LeastCommonAncestor.of(network.topology)
    is_up = port >= topology.up_port(0)
    number = port - (topology.up_port(0) if is_up else topology.down_port(0))
    into, out = ("b", "d") if is_up else ("a", "c")
    return LinkNames(f"{into}{number}", f"{out}{number}", f"{out}{number}")


def ends_early(network: Network) -> bool:
    """Whether a network cycle ends when all its circuits are done."""
    return CircuitParameters.of(network.hardware).ends_early


def control_layout(network: Network) -> data.StructLayout:
    """Control signals to all switches and interfaces.

    Members
    -------
    begin : 1
        A network cycle begins: its cycle 0 is the next cycle.
    sample : 1
        Sources whose acknowledge has come have their circuit. Where a network cycle ends early, a
        bit for each number of hops that a path can have: in most networks for each level, for the
        packets whose least common ancestors are there.
    release : 1
        The network cycle ends with this cycle: circuits are cleared.
    """
    hop_counts = LeastCommonAncestor.of(network.topology).hop_counts
    samples = len(hop_counts) if ends_early(network) else 1
    return data.StructLayout({"begin": 1, "sample": samples, "release": 1})


def report_layout(network: Network) -> data.StructLayout:
    """Status of an interface, for the controller.

    Members
    -------
    pending : 1
        It has a packet to offer.
    active : 1
        Only where a network cycle ends early: it waits for an acknowledge, or for the last flit of
        a packet whose header it acknowledged.
    """
    active = {"active": 1} if ends_early(network) else {}
    return data.StructLayout({"pending": 1, **active})

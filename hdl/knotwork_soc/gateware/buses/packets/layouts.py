"""Layout of the packets between initiators and targets of a bus, and of their nodes' streams."""

from amaranth.hdl import Cat, Const, Value, unsigned
from amaranth.lib import data
from knotwork.untyped import View

from ....bus import BusParameters


def flits_of(width: int, flit_width: int) -> int:
    """Flits that an element of so many bits takes."""
    return -(-width // flit_width)


EPOCH_WIDTH = 2
"""Bits of a tag that change when a packet is given up for lost, so that a late answer is known."""


def number_width(bus: BusParameters) -> int:
    """Bits of the number of a transaction that is under way at an initiator."""
    return max(1, (bus.outstanding - 1).bit_length())


def tag_width(bus: BusParameters, *, has_parity: bool = False) -> int:
    """Bits of the tag by which an initiator knows a request that is under way.

    The number of the transaction, and with parity the epoch above it.
    """
    return number_width(bus) + EPOCH_WIDTH * has_parity


def request_layout(bus: BusParameters, *, has_parity: bool = False) -> data.StructLayout:
    """Header of a packet of requests; that of a write is followed by its beats.

    It has the fields of the channels AW and AR but `id` and `lock`: `tag` comes back with the
    response, and stands for the identifier meanwhile.
    """
    return data.StructLayout(
        {
            "write": 1,
            "tag": tag_width(bus, has_parity=has_parity),
            "address": bus.address_width,
            "length": 8,
            "size": 3,
            "burst": 2,
            "cache": 4,
            "prot": 3,
            "qos": 4,
        }
    )


def request_header(bus: BusParameters, request: View, tag: Value, *, write: bool) -> Value:
    """Header, as `request_layout` has it, of an address of channel AW or AR."""
    own = {"write": Const(write, 1), "tag": tag}
    return Cat(own[name] if name in own else request[name] for name in request_layout(bus).members)


def head_layout(header_width: int, address_width: int) -> data.StructLayout:
    """Header of a packet to be sent, and where to."""
    return data.StructLayout({"header": header_width, "destination": address_width})


def response_layout(bus: BusParameters, *, has_parity: bool = False) -> data.StructLayout:
    """Header of a packet of responses; that of a read is followed by its beats.

    `response` is the outcome of a write; it is 0 in that of a read, whose beats have one each.
    """
    tag = tag_width(bus, has_parity=has_parity)
    return data.StructLayout({"write": 1, "tag": tag, "response": 2})


def write_beat_layout(bus: BusParameters) -> data.StructLayout:
    """Beat of a write within a packet."""
    return data.StructLayout({"data": bus.data_width, "strobe": bus.data_bytes})


def read_beat_layout(bus: BusParameters) -> data.StructLayout:
    """Beat of a read within a packet."""
    return data.StructLayout({"data": bus.data_width, "response": 2})


def element_layout(width: int, *, has_parity: bool = False) -> data.StructLayout:
    """Element of a packet, and whether it is the last.

    With parity also `wrong`: it or something before it in its packet is.
    """
    return data.StructLayout({"element": unsigned(width), "last": 1} | _mark(has_parity))


def _mark(has_parity: bool) -> dict[str, int]:
    return {"wrong": 1} if has_parity else {}


def sent_layout(flit_width: int, address_width: int) -> data.StructLayout:
    """Beat of a node's stream to its network: the fields of `inject_layout` that packets need."""
    return data.StructLayout({"data": flit_width, "last": 1, "destination": address_width})


def received_layout(
    flit_width: int, address_width: int, *, has_parity: bool = False
) -> data.StructLayout:
    """Beat of a node's stream from its network: the fields of `eject_layout` that they need.

    With parity also `wrong`: the mark of a packet, from its first wrong flit on.
    """
    members = {"data": flit_width, "last": 1, "source": address_width}
    return data.StructLayout(members | _mark(has_parity))

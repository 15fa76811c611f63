"""Layout of the packets between initiators and targets of a bus, and of their nodes' streams."""

from amaranth.hdl import Cat, Const, Value, unsigned
from amaranth.lib import data

from ....system.bus import BusParameters
from ....untyped import View


def flits_of(width: int, flit_width: int) -> int:
    """Flits that an element of so many bits takes."""
    return -(-width // flit_width)


def tag_width(bus: BusParameters) -> int:
    """Bits of the number by which an initiator knows a request that is under way."""
    return max(1, (bus.outstanding - 1).bit_length())


def request_layout(bus: BusParameters) -> data.StructLayout:
    """Header of a packet of requests; that of a write is followed by its beats.

    It has the fields of the channels AW and AR but `id` and `lock`: `tag` comes back with the
    response, and stands for the identifier meanwhile.
    """
    return data.StructLayout(
        {
            "write": 1,
            "tag": tag_width(bus),
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


def response_layout(bus: BusParameters) -> data.StructLayout:
    """Header of a packet of responses; that of a read is followed by its beats.

    `response` is the outcome of a write; it is 0 in that of a read, whose beats have one each.
    """
    return data.StructLayout({"write": 1, "tag": tag_width(bus), "response": 2})


def write_beat_layout(bus: BusParameters) -> data.StructLayout:
    """Beat of a write within a packet."""
    return data.StructLayout({"data": bus.data_width, "strobe": bus.data_bytes})


def read_beat_layout(bus: BusParameters) -> data.StructLayout:
    """Beat of a read within a packet."""
    return data.StructLayout({"data": bus.data_width, "response": 2})


def element_layout(width: int) -> data.StructLayout:
    """Element of a packet, and whether it is the last."""
    return data.StructLayout({"element": unsigned(width), "last": 1})


def sent_layout(flit_width: int, address_width: int) -> data.StructLayout:
    """Beat of a node's stream to its network: the fields of `inject_layout` that packets need."""
    return data.StructLayout({"data": flit_width, "last": 1, "destination": address_width})


def received_layout(flit_width: int, address_width: int) -> data.StructLayout:
    """Beat of a node's stream from its network: the fields of `eject_layout` that they need."""
    return data.StructLayout({"data": flit_width, "last": 1, "source": address_width})

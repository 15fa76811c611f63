"""Addresses as names: constants in a network's top, and headers for C and for Verilog."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..network import Network
from .ports import port_name
from .writer.printing import bounds


class Number(NamedTuple):
    """Number that a header names.

    Members
    -------
    name : str
        Name, which stands behind the name of the top.
    value : int
        Its value.
    width : int
        Its width in bits.
    what : str
        What it is, as a comment.
    """

    name: str
    value: int
    width: int
    what: str


def address_name(network: Network, node: int) -> str:
    """Name of a node's address: ``ADDRESS_3``."""
    return f"ADDRESS_{port_name(network, node)}".upper()


def address_numbers(network: Network, nodes: Iterable[int]) -> Iterator[Number]:
    """Addresses of nodes, as ``tdest`` and ``tid`` have them."""
    topology = network.topology
    for node in nodes:
        what = f"node {node}, label {topology.label(node)}"
        yield Number(
            address_name(network, node), topology.address(node), topology.address_width, what
        )


def address_constants(network: Network) -> Iterator[str]:
    """Constants of the top of a network: the address of each node."""
    for name, value, width, _ in address_numbers(network, range(network.topology.nodes)):
        yield f"  localparam {bounds(width)}{name} = {width}'d{value};"


def header_names(top: str, subject: str = "addresses") -> tuple[str, str]:
    """Files with the numbers of a top: for C, and for Verilog."""
    return f"{top}_{subject}.h", f"{top}_{subject}.vh"


def header_files(
    top: str,
    header: str,
    numbers: Iterable[Number],
    *,
    subject: str = "addresses",
    c_lines: Sequence[str] = (),
) -> dict[str, str]:
    """Text of each header by its file's name.

    Parameters
    ----------
    top : str
        Module, whose name begins all names, so that headers of several go together.
    header : str
        Comments at the head.
    numbers : iterable of Number
        What they name.
    subject : str
        What their numbers are, in the names of the files.
    c_lines : sequence of str
        More of the header for C.
    """
    for_c, for_verilog = header_names(top, subject)
    prefix, listed = top.upper(), list(numbers)
    guard = f"{prefix}_{subject.upper()}"
    c = [f"#ifndef {guard}_H", f"#define {guard}_H", ""]
    verilog = [f"`ifndef {guard}_VH", f"`define {guard}_VH", ""]
    for name, value, width, what in listed:
        if value < 1 << 64:  # C has no number beyond
            suffix = "ull" if width > 32 else "u"
            c.append(f"#define {prefix}_{name} {value:#x}{suffix} // {what}")
        verilog.append(f"`define {prefix}_{name} {width}'h{value:x} // {what}")
    return {
        for_c: header + "\n".join([*c, *c_lines, "", "#endif", ""]),
        for_verilog: header + "\n".join([*verilog, "", "`endif", ""]),
    }

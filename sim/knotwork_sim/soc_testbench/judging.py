"""What a system must have done: packets at their nodes, bytes in memories."""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cocotbext.axi.sparse_memory import SparseMemory


class Packet(NamedTuple):
    """Packet of bytes, and what ``tuser`` says of it."""

    data: bytes
    user: int


Flows = Mapping[tuple[int, int], Sequence[Packet]]
"""Packets by their source and destination, in order."""


def require_flows(found: Flows, expected: Flows) -> None:
    """Require each packet at its node, once, whole, and in order.

    Raises
    ------
    AssertionError
        The first packet that is other than it must be.
    """
    for flow in sorted({*found, *expected}):
        pairs = itertools.zip_longest(found.get(flow, ()), expected.get(flow, ()))
        for number, (came, sent) in enumerate(pairs):
            assert came == sent, (
                f"node {flow[0]} to node {flow[1]}: packet {number} must be {sent}, not {came}"
            )


def require_bytes(found: SparseMemory, expected: SparseMemory, base: int, size: int) -> None:
    """Require the same bytes of two memories, from an address on.

    Raises
    ------
    AssertionError
        The first address that holds another byte.
    """
    pairs = zip(found.read(base, size), expected.read(base, size), strict=True)
    for address, (byte, must) in enumerate(pairs, base):
        assert byte == must, f"{address:#x} must hold {must:#04x}, not {byte:#04x}"

"""Nodes of a network with circuits, how far apart they are, and how long a network cycle lasts."""

from collections.abc import Iterable
from itertools import pairwise

from amaranth.hdl import Cat, Const, Mux, Value

from ...network import Network
from ...parameters import CircuitParameters
from ...topology import LeastCommonAncestor


def levels_of(network: Network) -> LeastCommonAncestor:
    """Topology of a network with circuits: switches on levels, above the PEs."""
    return LeastCommonAncestor.of(network.topology)


def longest_packet(network: Network) -> int:
    """Flits of the longest packet."""
    return CircuitParameters.of(network.hardware).max_packet


def hop_counts(network: Network) -> list[int]:
    """Hops that a path can have, rising: 2 L, or in one-way use the levels less one."""
    topology = levels_of(network)
    top = topology.levels - 1
    return [2 * level for level in range(top + 1)] if topology.turns_round else [top]


def cycle_length(network: Network) -> int:
    """Clock cycles of the longest network cycle."""
    return 3 * hop_counts(network)[-1] + longest_packet(network) + 6


def is_node(network: Network, address: Value) -> Value:
    """Whether a node has this address: a PE, or in one-way use a PE or a terminal."""
    topology = levels_of(network)
    places = topology.digit_offsets
    digits = [address[low:high] for low, high in pairwise(places)]
    below = [digit < radix for digit, radix in zip(digits, topology.radices, strict=True)]
    if topology.turns_round:
        return Cat(below).all()
    number, width = address[:-1], (topology.uppers[0] - 1).bit_length()
    end = topology.levels * width
    above = [number[low : low + width] < topology.uppers[0] for low in range(0, end, width or 1)]
    is_pe = Cat(*below, number[places[-1] :] == 0).all()
    return Mux(address[-1], Cat(*above, number[end:] == 0).all(), is_pe)


def may_send(network: Network, source: Value, destination: Value) -> Value:
    """Whether a node may send to another: to any, or in one-way use to the other side only."""
    if levels_of(network).turns_round:
        return Const(1)
    return source[-1] != destination[-1]


def lca_level(
    network: Network, source: Value, destination: Value, copies: Iterable[int] = (0,)
) -> Value:
    """Level of the least common ancestors of two PEs, in that of the copies where it is lowest."""
    topology = levels_of(network)
    bits = [slice(*ends) for ends in pairwise(topology.digit_offsets)]
    differ = [source[digit] != destination[digit] for digit in bits]
    beyond = [
        [
            Cat(differ[digit] for digit in topology.digit_order(copy)[level:]).any()
            for copy in copies
        ]
        for level in range(1, topology.levels)
    ]
    return sum((Cat(found).all() for found in beyond), Const(0))

"""Where PEs stand in the copies of a network, as gates: addresses in another order of digits."""

from amaranth.hdl import Cat, Value

from ...topology.lcan import LeastCommonAncestor


def _reordered(topology: LeastCommonAncestor, address: Value, order: tuple[int, ...]) -> Value:
    places = topology.digit_offsets
    return Cat(address[places[digit] : places[digit + 1]] for digit in order)


def placed_bits(topology: LeastCommonAncestor, copy: int, address: Value) -> Value:
    """Address of a PE's place in a copy."""
    return _reordered(topology, address, topology.digit_order(copy))


def own_bits(topology: LeastCommonAncestor, copy: int, place: Value) -> Value:
    """Address of the PE that has a place in a copy."""
    order = topology.digit_order(copy)
    return _reordered(topology, place, tuple(map(order.index, range(len(order)))))


def beyond_levels(topology: LeastCommonAncestor, copy: int, own: Value, other: Value) -> Value:
    """For each level, whether two PEs have their least common ancestor in a copy above it."""
    a, b = (placed_bits(topology, copy, address) for address in (own, other))
    return Cat(a[place:] != b[place:] for place in topology.digit_offsets[1:])


def beyond_all(topology: LeastCommonAncestor, own: Value, other: Value) -> Value:
    """The same of the copy in which they are nearest."""
    found = beyond_levels(topology, 0, own, other)
    for copy in range(1, topology.copies):
        found &= beyond_levels(topology, copy, own, other)
    return found


def same_side(own: Value, other: Value) -> Value:
    """Whether both addresses are of PEs or both of terminals, in one-way use."""
    return own[-1] == other[-1]


def first_of(bits: Value) -> Value:
    """The lowest of the bits that are set, one-hot; 0 where none is."""
    return Cat(bits[n] & ~bits[:n].any() for n in range(len(bits)))

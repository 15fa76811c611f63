"""Addresses of digits, and Johnson codes of rings (section 2 of the specification)."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import FatTree, Lcan, WkRecursive
from knotwork.errors import ConfigurationError
from knotwork.topology.factors import johnson_bits, johnson_code, johnson_value

STRINGS = pytest.mark.parametrize(
    "topology",
    [
        *(
            WkRecursive(w=w, levels=levels)
            for w, levels in [(2, 5), (3, 3), (4, 3), (5, 2), (7, 1)]
        ),
        *(Lcan(d=3, u=2, levels=3), FatTree(r=(2, 3, 5), u=(1, 2, 1)), WkRecursive(w=12, levels=2)),
    ],
    ids=lambda topology: topology.instance_name,
)


@STRINGS
def test_nodes_are_in_the_order_of_digits_that_have_bits_of_their_own(topology):
    strings = list(product(*map(range, reversed(topology.radices))))
    assert [tuple(reversed(topology.digits_of(node))) for node in range(topology.nodes)] == strings
    letters = "" if max(topology.radices) <= 10 else "_"
    labels = [topology.label(node) for node in range(topology.nodes)]
    assert labels == [letters.join(map(str, digits)) for digits in strings]
    widths = [len(f"{radix - 1:b}") for radix in topology.radices]
    assert topology.address_width == sum(widths) == topology.digit_offsets[-1]
    codes = {}
    for node in range(topology.nodes):
        digits = zip(topology.digits_of(node), widths, strict=True)
        code = int("".join(f"{digit:0{width}b}" for digit, width in reversed(list(digits))), 2)
        assert topology.address(node) == code
        codes[code] = node
    for address in range(-1, 2 << topology.address_width):
        assert topology.node_at(address) == codes.get(address)


SIZES = pytest.mark.parametrize("bits", range(1, 9))


def codes(bits):
    return [johnson_code(bits, value) for value in range(2 * bits)]


def test_the_codes_of_two_and_of_three_bits():
    assert codes(2) == [0b00, 0b01, 0b11, 0b10]
    assert codes(3) == [0b000, 0b001, 0b011, 0b111, 0b110, 0b100]


@SIZES
def test_codes_are_twisted_shifts_whose_bits_count_distances(bits):
    every, around = (1 << bits) - 1, codes(bits)
    for value, code in enumerate(around):
        after, before = around[(value + 1) % (2 * bits)], around[value - 1]
        top, low = code >> (bits - 1), code & 1
        assert after == code << 1 & every | 1 - top
        assert before == code >> 1 | (1 - low) << (bits - 1)
        assert code ^ after == 1 << value % bits
        assert code ^ before == 1 << (value - 1) % bits
        assert top == (value >= bits)
    for a, one in enumerate(codes(bits)):
        for b, other in enumerate(codes(bits)):
            ways = (b - a) % (2 * bits), (a - b) % (2 * bits)
            assert (one ^ other).bit_count() == min(ways)
            if a != b:  # the bit test for each direction
                assert (one ^ other) >> a % bits & 1 == (ways[0] <= bits)
                assert (one ^ other) >> (a - 1) % bits & 1 == (ways[1] <= bits)
    known = {code: value for value, code in enumerate(codes(bits))}
    assert [johnson_value(bits, code) for code in range(1 << bits)] == [
        known.get(code) for code in range(1 << bits)
    ]


@given(half=st.integers(1, 500))
def test_an_odd_ring_has_no_code(half):
    assert johnson_bits(2 * half, owner="torus", key="x") == half
    with pytest.raises(ConfigurationError) as refusal:
        johnson_bits(2 * half + 1, owner="torus", key="x")
    assert str(refusal.value) == (
        "torus: x must be even with ring_code=johnson, because more than one bit "
        f"changes from the last code of an odd ring to its first, not {2 * half + 1}"
    )

"""Section 2 of the specification."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork.errors import ConfigurationError
from knotwork.topology.johnson import johnson_bits, johnson_code, johnson_value

SIZES = pytest.mark.parametrize("bits", range(1, 9))


def codes(bits):
    return [johnson_code(bits, value) for value in range(2 * bits)]


def test_the_codes_of_two_and_of_three_bits():
    assert codes(2) == [0b00, 0b01, 0b11, 0b10]
    assert codes(3) == [0b000, 0b001, 0b011, 0b111, 0b110, 0b100]


@SIZES
def test_the_next_code_is_a_twisted_shift(bits):
    every, around = (1 << bits) - 1, codes(bits)
    for value, code in enumerate(around):
        after, before = around[(value + 1) % (2 * bits)], around[value - 1]
        top, low = code >> (bits - 1), code & 1
        assert after == code << 1 & every | 1 - top
        assert before == code >> 1 | (1 - low) << (bits - 1)
        assert code ^ after == 1 << value % bits
        assert code ^ before == 1 << (value - 1) % bits
        assert top == (value >= bits)


@SIZES
def test_bits_that_differ_count_the_distance_on_the_ring(bits):
    for a, one in enumerate(codes(bits)):
        for b, other in enumerate(codes(bits)):
            ways = (b - a) % (2 * bits), (a - b) % (2 * bits)
            assert (one ^ other).bit_count() == min(ways)
            if a != b:  # the bit test for each direction
                assert (one ^ other) >> a % bits & 1 == (ways[0] <= bits)
                assert (one ^ other) >> (a - 1) % bits & 1 == (ways[1] <= bits)


@SIZES
def test_every_other_word_is_no_code(bits):
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

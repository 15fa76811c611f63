"""Bits of a term are those of what it consists of; arithmetic alone needs a net."""

import pytest
from knotwork.emit.writer.slices import needs_net, replaced, take
from knotwork.emit.writer.terms import Bits, Constant, Net, Operation, bitwise, joined, repeated

A, B = Net("a", 4), Net("b", 4)
WORD, OTHER = Bits(4, A), Bits(4, B)


def refuse(term):
    raise AssertionError(term)


def test_bits_of_logic_are_logic_of_bits():
    term = bitwise("&", [WORD, OTHER])
    assert take(term, 2, 1, refuse) == bitwise("&", [Bits(1, A, 2), Bits(1, B, 2)])


def test_bits_of_a_concatenation_are_found_in_it():
    assert take(joined([WORD, OTHER]), 3, 2, refuse) == joined([Bits(1, A, 3), Bits(1, B)])
    assert take(repeated(Bits(1, A), 9), 4, 3, refuse) == repeated(Bits(1, A), 3)


@pytest.mark.parametrize(("low", "needs"), [(0, False), (1, True)])
def test_high_bits_of_a_sum_need_a_net(low, needs):
    term = Operation(4, "+", (WORD, OTHER))
    assert needs_net(term, low, 2) is needs


def test_what_stands_for_a_net_is_simplified_with_the_rest():
    term = bitwise("&", [WORD, OTHER])
    assert replaced(term, {A: Constant(4, 15)}, refuse) == OTHER
    assert replaced(Bits(1, A, 2), {A: OTHER}, refuse) == Bits(1, B, 2)

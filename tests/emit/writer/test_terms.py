"""Terms are simplified as they are made, and mean the same."""

import pytest
from knotwork.emit.writer.terms import (
    Bits,
    Constant,
    Joined,
    Net,
    Operation,
    Repeated,
    bitwise,
    chosen,
    compared,
    constant,
    extended,
    invert,
    joined,
    needs_net,
    nets_of,
    reduced,
    repeated,
    replaced,
    take,
)

A, B = Net("a", 4), Net("b", 1)
WORD, BIT = Bits(4, A), Bits(1, B)


def test_neighbouring_bits_of_a_net_become_one_slice():
    assert joined([Bits(1, A), Bits(2, A, 1), Bits(1, A, 3)]) == WORD
    assert joined([Bits(1, A, 1), Bits(1, A)]) == Joined(2, (Bits(1, A, 1), Bits(1, A)))


def test_equal_neighbours_become_a_replication():
    assert joined([BIT] * 39) == Repeated(39, BIT) == repeated(BIT, 39)


def test_constants_are_folded():
    assert joined([Constant(2, 1), Constant(3, 5)]) == Constant(5, 0b10101)
    assert bitwise("&", [WORD, Constant(4, 0)]) == Constant(4, 0)
    assert bitwise("|", [WORD, Constant(4, 0)]) == WORD
    assert bitwise("^", [WORD, Constant(4, 15)]) == Operation(4, "~", (WORD,))
    assert constant(4, -1).is_ones


def test_what_is_inverted_twice_is_itself():
    assert invert(invert(WORD)) == WORD
    assert invert(compared("==", WORD, Constant(4, 3))).operator == "!="


def test_a_choice_of_one_bit_is_logic():
    assert chosen(BIT, Constant(1, 1), Constant(1, 0)) == BIT
    assert chosen(BIT, Constant(1, 0), Constant(1, 1)) == invert(BIT)
    assert chosen(invert(BIT), WORD, Constant(4, 0)).operands == (BIT, Constant(4, 0), WORD)


def test_a_comparison_of_one_bit_with_a_constant_is_the_bit():
    assert compared("==", BIT, Constant(1, 1)) == BIT
    for operator, bound, found in ((">=", 0, 1), ("<", 0, 0), ("<=", 15, 1), (">", 15, 0)):
        assert compared(operator, WORD, Constant(4, bound)) == Constant(1, found)
    assert compared(">=", WORD, Constant(4, 1)).operator == ">="
    assert compared("!=", BIT, Constant(1, 1)) == invert(BIT)


def test_a_reduction_goes_into_a_concatenation():
    assert reduced("|", joined([BIT, WORD])) == bitwise("|", [BIT, reduced("|", WORD)])
    assert reduced("&", Constant(3, 7)) == Constant(1, 1)
    assert reduced("^", Constant(3, 7)) == Constant(1, 1)


def test_signs_are_repeated():
    sign = Bits(1, A, 3)
    assert extended(WORD, 6, signed=True) == joined([WORD, sign, sign])
    assert extended(Constant(2, 2), 4, signed=True) == Constant(4, 14)


def test_nets_of_a_term_are_those_that_it_reads():
    assert {*nets_of(bitwise("&", [WORD, repeated(BIT, 4)]))} == {A, B}


C = Net("c", 4)
OTHER = Bits(4, C)


def refuse(term):
    raise AssertionError(term)


def test_bits_of_logic_are_logic_of_bits():
    term = bitwise("&", [WORD, OTHER])
    assert take(term, 2, 1, refuse) == bitwise("&", [Bits(1, A, 2), Bits(1, C, 2)])


def test_bits_of_a_concatenation_are_found_in_it():
    assert take(joined([WORD, OTHER]), 3, 2, refuse) == joined([Bits(1, A, 3), Bits(1, C)])
    assert take(repeated(Bits(1, A), 9), 4, 3, refuse) == repeated(Bits(1, A), 3)


@pytest.mark.parametrize(("low", "needs"), [(0, False), (1, True)])
def test_high_bits_of_a_sum_need_a_net(low, needs):
    term = Operation(4, "+", (WORD, OTHER))
    assert needs_net(term, low, 2) is needs


def test_what_stands_for_a_net_is_simplified_with_the_rest():
    term = bitwise("&", [WORD, OTHER])
    assert replaced(term, {A: Constant(4, 15)}, refuse) == OTHER
    assert replaced(Bits(1, A, 2), {A: OTHER}, refuse) == Bits(1, C, 2)

"""Text of terms, and lines that end in time."""

import pytest
from knotwork.emit.writer.module import field_lines, initial_words, piece_lines
from knotwork.emit.writer.parts import Memory
from knotwork.emit.writer.printing import (
    BREAK,
    WIDTH,
    Names,
    Printer,
    bounds,
    identifier,
    lines,
    literal,
)
from knotwork.emit.writer.terms import (
    Bits,
    Constant,
    Net,
    Operation,
    bitwise,
    chosen,
    invert,
    joined,
    reduced,
    repeated,
)

A, B = Bits(4, Net("a", 4)), Bits(4, Net("b", 4))
BIT = Bits(1, Net("go", 1))
PRINTER = Printer(lambda bits: bits.net.name)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (bitwise("|", [bitwise("&", [A, B]), A]), "(a & b) | a"),
        (bitwise("&", [A, repeated(BIT, 4)]), "a & {4{go}}"),
        (invert(reduced("|", A)), "~|a"),
        (invert(bitwise("&", [A, B])), "~(a & b)"),
        (chosen(BIT, A, B), "go ? a : b"),
        (joined([A, BIT]), "{go, a}"),
        (Operation(4, "+", (A, Constant(4, 1))), "a + 4'b0001"),
    ],
)
def test_terms_read_as_an_engineer_writes_them(term, text):
    assert PRINTER.text(term).replace(BREAK, " ") == text


def test_literals_are_binary_while_short():
    assert [literal(1, 1), literal(4, 5), literal(8, 9), literal(8, 200)] == [
        "1'b1",
        "4'b0101",
        "8'd9",
        "8'hc8",
    ]


def test_long_lines_are_broken_where_they_may_be():
    text = lines(BREAK.join(["word"] * 60), 2)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text.split() == ["word"] * 60


def test_a_range_is_given_to_vectors():
    assert (bounds(1), bounds(8)) == ("", "[7:0] ")


def test_a_name_that_is_taken_gets_a_number():
    names = Names()
    assert [names.take(name) for name in ("kept", "kept", "kept", "full")] == [
        "kept",
        "kept_2",
        "kept_3",
        "full",
    ]


def test_a_keyword_gets_a_suffix_and_other_signs_none():
    assert identifier("interface") == "interface_"
    assert identifier("$signal") == "signal"
    assert identifier("0") == "_0"
    assert identifier("a.b") == "a_b"


FLIT = Net("flit", 5, fields=[("data", 0, 4), ("last", 4, 1)])
DATA, LAST = Bits(4, Net("word", 4)), Bits(1, Net("end_", 1))


def test_a_field_has_a_line():
    assert field_lines(FLIT, joined([DATA, LAST]), PRINTER) == [
        "    end_,  // last",
        "    word  // data",
    ]
    assert field_lines(FLIT, DATA, PRINTER) == []
    assert field_lines(Net("plain", 5), joined([DATA, LAST]), PRINTER) == []


def test_a_long_concatenation_has_a_line_per_piece():
    nets = [Net(f"a_rather_long_name_{number}", 1) for number in range(6)]
    found = piece_lines(joined([Bits(1, net) for net in nets]), PRINTER)
    assert [line.strip() for line in found[-2:]] == [
        "a_rather_long_name_1,",
        "a_rather_long_name_0",
    ]
    assert piece_lines(joined([DATA, LAST]), PRINTER) == []


def test_words_that_differ_are_listed():
    found = [*initial_words(Memory("m", 2, [1, 2]), "m", Names())]
    assert found == ["  initial begin", "    m[0] = 2'b01;", "    m[1] = 2'b10;", "  end"]

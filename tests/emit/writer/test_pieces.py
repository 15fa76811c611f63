"""Statements of several lines."""

from knotwork.emit.writer.parts import Memory
from knotwork.emit.writer.pieces import field_lines, initial_words, piece_lines
from knotwork.emit.writer.printing import Names, Printer
from knotwork.emit.writer.terms import Bits, Net, joined

PRINTER = Printer(lambda bits: bits.net.name)
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

import pytest
from helpers.trellis import FakeDatabase
from knotwork.errors import ToolError
from knotwork_boards.bits.ecp5 import Writer, package_of
from knotwork_boards.bits.ecp5_fabric import Fabric, Wire
from knotwork_boards.table import BOARDS

CONFIG = """.tile R4C3:PLC2
arc: A0 F0
arc: M0 F0
arc: CLK0 G_HPBX0000
arc: MUXCLK0 CLK0
word: SLICEA.K0.INIT 0101010101010101
enum: SLICEA.REG0.SD 0
enum: SLICEA.CEMUX 1
enum: SLICEA.REG0.REGSET RESET
enum: SLICEA.B0MUX 1

.tile TAP_R4C2:TAP_DRIVE
arc: R_HPBX0000 G_VPTX0000
"""


def written(config, asked="Q0_SLICE"):
    writer = Writer(Fabric(config, FakeDatabase()), {Wire(0, 9, "JPADDIA_PIO"): "clk"})
    net = writer.net(Wire(3, 4, asked))
    writer.write()
    return net, writer.lines


def test_a_register_and_the_table_before_it_are_written():
    net, lines = written(CONFIG)
    assert net == "Q0_SLICE_R4C3"
    assert (
        "always @(posedge clk) if (1'b0) Q0_SLICE_R4C3_q <= 0; "
        "else if (1'b1) Q0_SLICE_R4C3_q <= F0_SLICE_R4C3;" in lines
    )
    assert (
        "assign F0_SLICE_R4C3 = 16'b0101010101010101 >> {1'b1, 1'b1, 1'b1, F0_SLICE_R4C3};" in lines
    )


def test_an_inverted_clock_falls():
    _, lines = written(CONFIG.replace("word:", "enum: CLK0.CLKMUX INV\nword:", 1))
    assert any(line.startswith("always @(negedge clk)") for line in lines)


def test_an_adders_sum_is_not_a_tables_output():
    with pytest.raises(ToolError) as refusal:
        written(CONFIG + "\n.tile R4C3:PLC2\nenum: SLICEA.MODE CCU2\n")
    assert str(refusal.value) == ("slice A in R4C3: F0_SLICE must not come out in mode CCU2")


def test_every_board_has_a_package_of_the_database():
    boards = [board for board in BOARDS.values() if board.family.name == "ecp5"]
    assert {package_of(board) for board in boards} <= {
        *("CABGA256", "CABGA381", "CSFBGA285", "CABGA756", "CABGA554", "TQFP144"),
    }

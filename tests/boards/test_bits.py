"""Bitstreams read back: their plan, chip, fabric and unpacked Verilog."""

import dataclasses

import pytest
from helpers.refusals import refuses
from knotwork import Hypercube, Network
from knotwork.errors import ConfigurationError, ToolError
from knotwork_boards.bits import build
from knotwork_boards.bits.build import MODULE, Chip
from knotwork_boards.bits.ecp5 import Fabric, Wire, Writer, package_of, tile_position
from knotwork_boards.table import BOARDS, board_named


class FakeDatabase:
    """Two slices' tiles, a tap, and a pad whose input is the only global clock."""

    die = "25K_"
    globals = {
        "quadrants": {"UL": {"x0": 0, "y0": 0, "x1": 9, "y1": 9}},
        "taps": {"C2": {"lx0": 0, "lx1": 1, "rx0": 2, "rx1": 9}},
        "spines": {"UL2": {"x": 1, "y": 1}},
    }

    def tiles(self):
        yield from ((3, 4, "PLC2"), (5, 4, "PLC2"), (1, 1, "SPINE"), (0, 9, "PIC"))

    def connections(self, kind):
        return {
            "PLC2": (
                [("A0_SLICE", "A0"), ("B0_SLICE", "B0"), ("Q0", "Q0_SLICE"), ("M0_SLICE", "M0")],
                [("F0", "F0_SLICE")],
            ),
            "SPINE": ([("G_VPTX0000", "G_HPRX0000"), ("G_ULPCLK0", "25K_G_JPCLKT0")], []),
            "PIC": ([("G_JPCLKT0", "JPADDIA_PIO"), ("PADDOB_PIO", "PADDOB")], []),
        }[kind]


NETWORK = Network(Hypercube(n=1), data_width=8, buffer_depth=2)


@pytest.mark.parametrize(("name", "left_out"), [("icebreaker", []), ("ulx3s_12f", ["-nobram"])])
def test_what_cannot_be_unpacked_is_left_out(name, left_out):
    board = board_named(name)
    script = build.short_plan(NETWORK, board).files["top.ys"]
    line = next(line for line in script.splitlines() if line.strip().startswith("synth_"))
    usual = board.family.devices[board.device].synthesis.split()
    assert line.split(" -top ")[0].split()[1:] == usual + left_out
    assert ("setattr -unset ram_style" in script) == bool(left_out)


def test_pins_of_clock_and_serial_lines():
    assert build.pins_of(board_named("icebreaker")) == {"clk": "35", "tx": "9", "rx": "6"}


def test_bad_input_is_one_line():
    with refuses(f"a board must be one of {', '.join(BOARDS)}, not 'de10'"):
        build.bits_sources(NETWORK, "de10")
    with refuses(
        "tang_nano_9k: a board whose bits are simulated must be of ice40 or ecp5, not of gowin"
    ):
        build.bits_sources(NETWORK, "tang_nano_9k")
    large = Network.from_word("hypercube:n=9,data_width=8")
    with pytest.raises(
        ConfigurationError, match=r"data_width must be at least .* for the self-test"
    ):
        build.bits_sources(large, "icebreaker")


def test_a_chip_is_what_its_bits_say_and_does_not_change():
    chip = Chip(sources={}, module=MODULE, ports={"clk": "a"}, clocks_per_bit=2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        chip.module = "other"


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
    with refuses("slice A in R4C3: F0_SLICE must not come out in mode CCU2", ToolError):
        written(CONFIG + "\n.tile R4C3:PLC2\nenum: SLICEA.MODE CCU2\n")


def test_every_board_has_a_package_of_the_database():
    boards = [board for board in BOARDS.values() if board.family.name == "ecp5"]
    assert {package_of(board) for board in boards} <= {
        *("CABGA256", "CABGA381", "CSFBGA285", "CABGA756", "CABGA554", "TQFP144")
    }


ROUTED = """.device LFE5U-12F

.tile R4C3:PLC2
arc: A0 E1_H02W0701
arc: CLK0 G_HPBX0000
arc: MUXCLK0 CLK0
enum: SLICEA.REG0.SD 0

.tile TAP_R4C2:TAP_DRIVE
arc: R_HPBX0000 G_VPTX0000

.tile R4C5:PLC2
arc: W1_H02W0701 Q0
"""


@pytest.fixture
def fabric():
    return Fabric(ROUTED, FakeDatabase())


def test_a_wire_leads_to_the_cell_that_drives_it_two_tiles_away(fabric):
    assert fabric.source(Wire(3, 4, "A0_SLICE")) == Wire(5, 4, "Q0_SLICE")
    assert fabric.source(Wire(3, 4, "B0_SLICE")) is None


def test_an_arc_without_bits_holds_where_none_is_set(fabric):
    assert fabric.source(Wire(3, 4, "F0")) == Wire(3, 4, "F0_SLICE")


def test_names_are_relative_to_their_tile_but_for_global_ones(fabric):
    assert fabric.wire(5, 4, "N1W2_V01") == Wire(3, 3, "V01")
    assert fabric.wire(5, 4, "G_CLKI_LDCC0") == Wire(0, 0, "G_CLKI_LDCC0")
    assert fabric.wire(5, 4, "G_HPBX0100") == Wire(5, 4, "G_HPBX0100")
    assert fabric.wire(5, 4, "25K_G_JPCLKT60") == Wire(0, 0, "G_JPCLKT60")
    assert fabric.wire(5, 4, "85K_G_JPCLKT60") is None


def test_the_clock_comes_from_its_pad_by_the_spines(fabric):
    assert fabric.chosen(3, 4, "MUXCLK0") == "CLK0"
    assert fabric.chosen(3, 4, "MUXCLK1") is None
    assert fabric.source(Wire(3, 4, "CLK0")) == Wire(0, 9, "JPADDIA_PIO")


def test_a_tile_without_a_place_is_refused():
    with refuses("ecpunpack: a tile must be named by row and column, not 'CENTER:EFB'", ToolError):
        tile_position("CENTER:EFB")


def test_ports_are_not_declared_again_as_wires():
    text = "module chip (input clk, output tx);\n\nwire n1, clk, n2;\nwire tx;\nreg n3 = 0;\n"
    assert build.wires_once(text, {"clk", "tx"}) == (
        "module chip (input clk, output tx);\n\nwire n1, n2;\n\nreg n3 = 0;\n"
    )


def test_without_icestorm_it_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(build.shutil, "which", lambda *_, **__: None)
    with refuses(
        "icebox_vlog must be installed: no wheel has it (Debian: apt install fpga-icestorm)",
        ToolError,
    ):
        build.unpack_ice40(tmp_path, board_named("icebreaker"), {"clk": "35", "tx": "9"})

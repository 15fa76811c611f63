import pytest
from helpers.trellis import FakeDatabase
from knotwork.errors import ToolError
from knotwork_boards.bits.ecp5_fabric import Fabric, Wire, place_of

CONFIG = """.device LFE5U-12F

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
    return Fabric(CONFIG, FakeDatabase())


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
    with pytest.raises(ToolError) as refusal:
        place_of("CENTER:EFB")
    assert str(refusal.value) == (
        "ecpunpack: a tile must be named by row and column, not 'CENTER:EFB'"
    )

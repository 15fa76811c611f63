from knotwork import Hypercube, Network
from knotwork_boards.build_plan import make_plan
from knotwork_boards.families import ICE40
from knotwork_boards.table import board_named

NETWORK = Network(Hypercube(n=1), data_width=8, buffer_depth=2)


def test_synthesis_has_no_options():
    assert "synth_ice40  -top top" in make_plan(NETWORK, board_named("icebreaker")).files["top.ys"]


def test_sizes_of_the_devices_are_the_datasheets():
    # Lattice FPGA-DS-02029 and FPGA-DS-02008, table 1.1: logic cells
    sold = {"iCE40HX1K": 1280, "iCE40HX8K": 7680, "iCE40UP5K": 5280}
    assert {name: ICE40.devices[name].luts for name in sold.keys() & ICE40.devices.keys()} == {
        name: luts for name, luts in sold.items() if name in ICE40.devices
    }

from knotwork import Hypercube, Network
from knotwork_boards.build_plan import make_plan
from knotwork_boards.families import ECP5
from knotwork_boards.table import board_named

NETWORK = Network(Hypercube(n=1), data_width=8, buffer_depth=2)


def test_no_wide_multiplexers_are_made():
    assert (
        "synth_ecp5 -nowidelut -top top"
        in make_plan(NETWORK, board_named("ecp5_5g_evn")).files["top.ys"]
    )


def test_sizes_of_the_devices_are_the_datasheets():
    # Lattice FPGA-DS-02012, table 1.1: thousands of LUTs; the 12F is a 25F of which fewer are sold
    sold = {"25F": 24, "45F": 44, "85F": 84, "12F": 24}
    for name, device in ECP5.devices.items():
        assert round(device.luts / 1000) == sold[name.rpartition("-")[2]]

import json
import re

import pytest
from helpers.cases import slow
from knotwork import Hypercube, Network
from knotwork.tools import PACKAGES, WHEELS
from knotwork_boards.build_plan import make_plan
from knotwork_boards.families import FAMILIES
from knotwork_boards.table import BOARDS, board_named

NETWORK = Network(Hypercube(n=1), data_width=8, buffer_depth=2)


@pytest.mark.parametrize("name", FAMILIES)
def test_its_tools_are_known_and_its_kinds_of_cells_are_those_of_all(name):
    family = FAMILIES[name]
    assert family.name == name
    assert {family.placer, family.packer} <= WHEELS.keys() & PACKAGES.keys()
    assert {*family.cells, *family.counted} == {"lut", "ff", "block_ram"}


def test_a_device_and_a_bitstream_belong_to_one_family():
    devices = [device for family in FAMILIES.values() for device in family.devices]
    assert len(set(devices)) == len(devices)
    assert len({family.product for family in FAMILIES.values()}) == len(FAMILIES)
    assert set(devices) == {board.device for board in BOARDS.values()}


QUICK = {"icebreaker", "ulx3s_12f", "tang_nano_9k"}


@pytest.mark.parametrize("name", [name if name in QUICK else slow(name) for name in BOARDS])
def test_a_build_runs_its_tools_and_no_others(name):
    board = BOARDS[name]
    plan = make_plan(NETWORK, board)
    commands = json.loads(plan.files["build_top.json"])["commands"]
    tools = ["yosys", board.family.placer, board.family.packer]
    assert [command[0] for command in commands] == tools
    # No wide multiplexers are made for the ECP5, no enables of few registers for the iCE40.
    options = {
        "ice40": "synth_ice40 -dffe_min_ce_use 4 -top",
        "ecp5": "synth_ecp5 -nowidelut -top",
    }
    assert options.get(board.family.name, "synth_gowin") in plan.files["top.ys"]
    assert board.family.product in commands[-1]
    placed = commands[1]
    assert "top.json" in placed
    assert placed[placed.index("--report") + 1] == "report.json"
    assert placed[placed.index("--log") + 1] == "top.tim"


# Lattice FPGA-DS-02012, table 1.1: thousands of LUTs; the 12F is a 25F of which fewer are sold.
# Lattice FPGA-DS-02029 and FPGA-DS-02008, table 1.1: logic cells.
SOLD = {
    "ecp5": {"25F": 24, "45F": 44, "85F": 84, "12F": 24},
    "ice40": {"iCE40HX8K": 7.68, "iCE40UP5K": 5.28},
}


@pytest.mark.parametrize(("family", "digits"), [("ecp5", 0), ("ice40", 2)])
def test_sizes_of_the_devices_are_the_datasheets(family, digits):
    sizes = {
        name.rpartition("-")[2]: round(device.luts / 1000, digits)
        for name, device in FAMILIES[family].devices.items()
    }
    assert sizes == SOLD[family]


@pytest.mark.parametrize(
    ("name", "part", "die", "clock", "tx", "leds"),
    [
        ("tang_nano_9k", "GW1NR-LV9QN88PC6/I5", "GW1N-9C", "52", "17", ["10", "11", "13"]),
        ("tang_nano_20k", "GW2AR-LV18QN88C8/I7", "GW2A-18C", "4", "69", ["15", "16", "17"]),
        ("tang_primer_20k", "GW2A-LV18PG256C8/I7", "GW2A-18C", "H11", "M11", ["C13", "A13", "N16"]),
    ],
)
def test_pins_and_dies(name, part, die, clock, tx, leds):
    plan = make_plan(NETWORK, board_named(name))
    places = dict(re.findall(r'IO_LOC "(\w+)" (\w+);', plan.files["top.cst"]))
    assert places == {
        "clk27_0__io": clock,
        "uart_0__tx__io": tx,
        **{f"led_{number}__io": pin for number, pin in enumerate(leds)},
    }
    _, place, pack = json.loads(plan.files["build_top.json"])["commands"]
    assert place[place.index("--device") + 1] == part
    assert f"family={die}" in place
    assert float(place[place.index("--freq") + 1]) == 27
    assert pack[pack.index("-d") + 1] == die
    assert {"--sspi_as_gpio", "--mspi_as_gpio"} <= set(pack)
    series = die.partition("-")[0].lower()
    assert f"synth_gowin -nowidelut -family {series} " in plan.files["top.ys"]
    assert plan.files["top.ys"].split("\n")[-1] == "write_json top.json"


def test_a_large_network_is_flattened_before_it_is_written():
    network = Network.from_word("ring:n=20,data_width=9,buffer_depth=2")
    script = make_plan(network, board_named("tang_nano_20k")).files["top.ys"].split("\n")
    assert script[-3:] == ["flatten", "opt_clean", "write_json top.json"]

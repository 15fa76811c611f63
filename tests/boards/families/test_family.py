import importlib
import json
import re
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from helpers.cases import slow
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Network
from knotwork.builds.compilation import run_process
from knotwork.tools import PACKAGES, WHEELS, run_tool
from knotwork_boards.build_plan import make_plan
from knotwork_boards.families import ECP5, FAMILIES, GOWIN, ICE40, ecp5, gowin, ice40
from knotwork_boards.families.family import Range, integer_multiples
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


CASES = [(name, device) for name, family in FAMILIES.items() for device in family.devices]

# Datasheets, in MHz: input, phase detector, oscillator, output.
SHEETS = {
    "ecp5": ((8, 400), (10, 400), (400, 800), (3.125, 400)),
    "ice40": ((10, 133), (10, 133), (533, 1066), (16, 275)),
    "GW1NR": ((3, 400), (3, 400), (400, 1200), (3.125, 600)),
    "GW2A": ((3, 500), (3, 500), (500, 1250), (3.90625, 625)),
}


def sheet(name, device):
    key = name if name in SHEETS else device[:5] if device.startswith("GW1NR") else "GW2A"
    return SHEETS[key]


def frequencies(name, dividers, input_hz):
    """Detector, oscillator and output, by the formulas of the datasheets."""
    d = dividers
    if name == "ecp5":  # feedback from CLKOP, output CLKOS
        detector = input_hz / d["CLKI_DIV"]
        fed_back = detector * d["CLKFB_DIV"]
        oscillator = fed_back * d["CLKOP_DIV"]
        assert 3.125e6 <= fed_back <= 400e6  # CLKOP is an output too
        return detector, oscillator, oscillator / d["CLKOS_DIV"]
    if name == "ice40":
        detector = input_hz / (d["DIVR"] + 1)
        oscillator = detector * (d["DIVF"] + 1)
        return detector, oscillator, oscillator / 2 ** d["DIVQ"]
    detector = input_hz / (d["IDIV_SEL"] + 1)
    output = detector * (d["FBDIV_SEL"] + 1)
    return detector, output * d["ODIV_SEL"], output


RANGES = {
    "CLKI_DIV": range(1, 129),
    "CLKFB_DIV": range(1, 129),
    "CLKOP_DIV": range(1, 129),
    "CLKOS_DIV": range(1, 129),
    "DIVR": range(16),
    "DIVF": range(128),
    "DIVQ": range(1, 7),
    "FILTER_RANGE": range(1, 7),
    "IDIV_SEL": range(64),
    "FBDIV_SEL": range(64),
    "ODIV_SEL": (2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128),
}


@pytest.mark.parametrize(("name", "device"), CASES)
@settings(max_examples=30)
@given(input_khz=st.integers(8_000, 133_000), at_most_khz=st.integers(4_000, 250_000))
def test_settings_keep_the_datasheets_limits(name, device, input_khz, at_most_khz):
    input_hz, at_most = Fraction(input_khz * 1000), at_most_khz * 1000
    setting = FAMILIES[name].pll.nearest(input_hz, at_most, device)
    if setting is None:
        return
    assert all(divider in RANGES[key] for key, divider in setting.dividers.items())
    detector, oscillator, output = frequencies(name, setting.dividers, input_hz)
    assert (setting.hz, setting.oscillator_hz) == (output, oscillator)
    assert output <= at_most
    named = (input_hz, detector, oscillator, output)
    for hz, (low, high) in zip(named, sheet(name, device), strict=True):
        assert low * 10**6 <= hz <= high * 10**6


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
@settings(max_examples=15)
@given(at_most_khz=st.integers(20_000, 150_000))
def test_every_board_comes_within_an_eighth_of_any_frequency(board, at_most_khz):
    setting = board.family.pll.nearest(board.clock_hz, at_most_khz * 1000, board.device)
    # The worst is just below 27 MHz of rPLL: 8/9 of them, as its detector needs 3 MHz.
    assert setting.hz > Fraction(7, 8) * at_most_khz * 1000


def fastest(input_mhz, at_most_mhz):
    """Fastest output of iCE40's PLL, over all of its dividers."""
    return max(
        out
        for r, f, q in product(range(16), range(128), range(1, 7))
        for detector in [Fraction(input_mhz, r + 1)]
        for out in [detector * (f + 1) / 2**q]
        if 10 <= detector <= 133 and 533 <= detector * (f + 1) <= 1066
        if 16 <= out <= min(275, at_most_mhz)
    )


@pytest.mark.parametrize(("input_mhz", "at_most_mhz"), [(12, 20), (12, 61), (100, 97), (48, 200)])
def test_no_setting_is_nearer(input_mhz, at_most_mhz):
    setting = ICE40.pll.nearest(input_mhz * 10**6, at_most_mhz * 10**6, "iCE40HX8K")
    assert setting.hz / 10**6 == fastest(input_mhz, at_most_mhz)


def test_settings_that_the_vendors_tools_give():
    # icepll -i 12 -o 48; Gowin's calculator for 27 -> 108 MHz
    setting = ICE40.pll.nearest(12e6, 48e6, "iCE40UP5K")
    assert setting.dividers == {"DIVR": 0, "DIVF": 63, "DIVQ": 4, "FILTER_RANGE": 1}
    setting = GOWIN.pll.nearest(27e6, 108e6, "GW1NR-LV9QN88PC6/I5")
    assert setting.dividers["FBDIV_SEL"] + 1 == 4 * (setting.dividers["IDIV_SEL"] + 1)
    assert setting.oscillator_hz == 432 * 10**6
    setting = ECP5.pll.nearest(25e6, 100e6, "LFE5U-85F")
    assert (setting.hz, setting.oscillator_hz) == (100 * 10**6, 400 * 10**6)


@pytest.mark.parametrize("name", FAMILIES)
def test_there_is_none_below_the_slowest_or_for_an_input_out_of_range(name):
    family = FAMILIES[name]
    device = next(iter(family.devices))
    assert family.pll.nearest(27e6, 1e6, device) is None
    assert family.pll.nearest(1e6, 50e6, device) is None


@settings(max_examples=30)
@given(detector=st.integers(3_000_000, 400_000_000))
def test_whole_multiples_are_all_that_fit(detector):
    found = list(integer_multiples(Fraction(detector), Range(400, 800)))
    assert found == [k for k in range(1, 300) if 400e6 <= k * detector <= 800e6]


def said(tool, *words):
    """What a wheel's tool says, on both of its outputs."""
    done = run_process([Path(sys.executable).with_name(tool), *words])
    return done.stdout.decode()


def ranges(text, what):
    """Range in MHz that a tool names when it refuses a frequency."""
    low, high = re.search(rf"{what}.*range \(?([0-9.]+) ?MHz(?:,| -) ([0-9.]+) ?MHz", text).groups()
    return float(low), float(high)


def test_limits_are_those_of_the_wheels_tools():
    limits = ice40.LIMITS
    assert ranges(said("yowasp-icepll", "-i", "9"), "input frequency") == limits.input
    assert ranges(said("yowasp-icepll", "-o", "9"), "output frequency") == limits.output
    asked, limits = said("yowasp-ecppll", "-i", "500", "-o", "900"), ecp5.LIMITS
    assert ranges(asked, "Input frequency") == limits.input
    assert ranges(asked, "Output frequency")[1] == limits.output.high


@pytest.mark.parametrize("mhz", [61.3, slow(48)])
def test_icepll_agrees_on_the_dividers(mhz):
    setting = ICE40.pll.nearest(12e6, mhz * 1e6, "iCE40UP5K")
    asked = said("yowasp-icepll", "-i", "12", "-o", f"{float(setting.hz) / 1e6:.6f}")
    found = {name: int(value) for name, value in re.findall(r"^(\w+): +(\d+) \(", asked, re.M)}
    assert found == setting.dividers


def test_ecppll_comes_no_nearer():
    setting = ECP5.pll.nearest(25e6, 61.3e6, "LFE5U-85F")
    asked = said("yowasp-ecppll", "-i", "25", "-o", "61.3", "--highres")
    reached = float(re.search(r"clkout1 frequency: ([0-9.]+) MHz", asked)[1])
    assert float(setting.hz) / 1e6 == pytest.approx(reached, rel=1e-3)


def test_limits_of_gowin_are_those_that_its_packer_enforces():
    packed = importlib.import_module("apycula.gowin_pack")._permitted_freqs
    for device, die in {
        "GW1NR-LV9QN88PC6/I5": "GW1N-9C",
        "GW2A-LV18PG256C8/I7": "GW2A-18C",
        "GW2AR-LV18QN88C8/I7": "GW2A-18C",
    }.items():
        limits = gowin.LIMITS[device]
        assert packed[die] == (
            limits.detector.high,
            limits.output.high,
            limits.output.low,
            limits.oscillator.high,
            limits.oscillator.low,
        )
        assert limits.input == limits.detector


TILE = 8
REGISTERS = """
module top(input clk, enable, reset, input [{last}:0] d, output reg [{last}:0] q);
    always @(posedge clk) if (reset) q <= 0; else if (enable) q <= d;
endmodule
"""


@pytest.mark.parametrize("device", ICE40.devices)
@pytest.mark.parametrize(("registers", "enabled"), [(TILE // 2 - 1, 0), (TILE // 2, TILE // 2)])
def test_an_enable_of_few_registers_keeps_no_others_out_of_a_tile(
    tmp_path, device, registers, enabled
):
    (tmp_path / "top.v").write_text(REGISTERS.format(last=registers - 1))
    words = f"{ICE40.synthesis} {ICE40.devices[device].synthesis} -top top"
    script = f"read_verilog top.v; {words}; write_verilog -noattr netlist.v"
    run_tool(["yosys", "-q", "-p", script], tmp_path)
    cells = re.findall(r"\bSB_DFF(E?)\w*", (tmp_path / "netlist.v").read_text())
    assert len(cells) == registers
    assert sum(map(bool, cells)) == enabled

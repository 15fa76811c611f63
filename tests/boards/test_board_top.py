import re

import pytest
from knotwork import Hypercube, Network
from knotwork_boards.board_top import clock_parameters
from knotwork_boards.build_plan import make_plan
from knotwork_boards.clock import clock_below
from knotwork_boards.selftest import SelfTest
from knotwork_boards.table import board_named

NETWORK = Network(Hypercube(n=1), data_width=8, buffer_depth=2)


def test_pins_of_the_icebreaker():
    plan = make_plan(NETWORK, board_named("icebreaker"))
    pins = dict(re.findall(r"set_io (\w+) (\w+)", plan.files["top.pcf"]))
    assert pins == {
        "clk12_0__io": "35",
        "uart_0__tx__io": "9",
        "led_g_1__io": "27",  # break-off part: alive
        "led_g_0__io": "37",
        "led_r_0__io": "11",
    }


def test_a_self_test_that_measures_listens():
    network = Network(Hypercube(n=1), data_width=16, buffer_depth=2)
    board = board_named("icebreaker")
    selftest = SelfTest(network, clock_hz=board.clock_hz, measure=True)
    plan = make_plan(network, board, selftest=selftest)
    pins = dict(re.findall(r"set_io (uart\w+) (\w+)", plan.files["top.pcf"]))
    assert pins == {"uart_0__rx__io": "6", "uart_0__tx__io": "9"}


@pytest.mark.parametrize("name", ["ulx3s_12f", "ulx3s_85f"])
def test_pins_of_the_ulx3s(name):
    plan = make_plan(NETWORK, board_named(name))
    sites = dict(re.findall(r'LOCATE COMP "(\w+)" SITE "(\w+)"', plan.files["top.lpf"]))
    assert sites == {
        "clk25_0__io": "G2",
        "uart_0__tx__io": "L4",
        "led_0__io": "B2",
        "led_1__io": "C2",
        "led_2__io": "C1",
    }
    assert 'FREQUENCY PORT "clk25_0__io" 25000000.0 HZ;' in plan.files["top.lpf"]


@pytest.mark.parametrize("clock_mhz", [None, 50])
def test_the_reset_button_resets_whatever_makes_the_clock(clock_mhz):
    board = board_named("ecp5_5g_evn")
    clock = None if clock_mhz is None else clock_below(board, clock_mhz)
    plan = make_plan(NETWORK, board, clock)
    assert (clock is None) == ("EHXPLLL" not in plan.files["top.il"])
    sites = dict(re.findall(r'LOCATE COMP "(\w+)" SITE "(\w+)"', plan.files["top.lpf"]))
    assert sites["rst_0__io"] == "G2"
    assert "connect \\I \\rst_0__io [0]" in plan.files["top.il"]


def test_a_board_without_a_reset_button_waits_for_the_pll_alone():
    board = board_named("ulx3s_12f")
    plan = make_plan(NETWORK, board, clock_below(board, 50))
    assert "rst" not in plan.files["top.lpf"]


@pytest.mark.parametrize("name", ["icebreaker", "ulx3s_12f", "tang_nano_20k"])
def test_constants_of_a_clock_are_parameters_of_cells(name):
    board = board_named(name)
    first, second = clock_below(board, 60), clock_below(board, 45)
    selftest = SelfTest(NETWORK, clock_hz=round(first.hz), tunable=True)
    text = make_plan(NETWORK, board, first, selftest=selftest).files["top.il"]
    cells = dict(re.findall(r"^  cell \\(\w+) \\(bit_cycles_\d+)$", text, re.M))
    assert set(cells) == {board.family.constant.kind}
    for clock in (first, second):
        parameters = clock_parameters(selftest, board, clock)
        assert parameters.pop("pll").items() >= clock.setting.dividers.items()
        assert set(parameters) == {f"bit_cycles_{bit}" for bit in range(len(parameters))}
        bits = [next(iter(parameters[f"bit_cycles_{n}"].values())) for n in range(len(parameters))]
        assert set(bits) <= {0, 0xFFFF}
        cycles = sum((value & 1) << bit for bit, value in enumerate(bits)) + 1
        assert abs(float(clock.hz) / cycles / 115200 - 1) < 0.01

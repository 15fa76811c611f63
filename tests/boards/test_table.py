import json

import pytest
from amaranth import vendor
from amaranth_boards import tang_nano_9k
from helpers.refusals import refuses
from knotwork import Hypercube, Network
from knotwork_boards.build_plan import make_plan
from knotwork_boards.platforms import TangNano20kPlatform
from knotwork_boards.table import BOARDS, board_named

VENDORS = {
    "ecp5": vendor.LatticeECP5Platform,
    "ice40": vendor.LatticeICE40Platform,
    "gowin": vendor.GowinPlatform,
}


def test_the_required_boards():
    ulx3s, icebreaker = board_named("ulx3s_85f"), board_named("icebreaker")
    assert (ulx3s.family.name, ulx3s.luts, ulx3s.clock_mhz) == ("ecp5", 83640, 25)
    assert (icebreaker.family.name, icebreaker.luts, icebreaker.clock_mhz) == ("ice40", 5280, 12)


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_has_what_the_self_test_asks_for(name):
    board = BOARDS[name]
    platform = board.make_platform()
    assert platform.lookup("uart", 0)
    assert len(set(board.leds)) == 3
    for led in board.leds:
        lines = platform.lookup(led.name, led.number).ios
        assert not led.colour or led.colour in [line.name for line in lines]
    assert board.name == name
    assert board.luts > 0
    assert board.clock_hz >= 12_000_000
    assert issubclass(board.platform_class, VENDORS[board.family.name])
    assert set(board.uart) == {"tx", "rx"}


def test_an_unknown_board_is_refused():
    with refuses(f"a board must be one of {', '.join(BOARDS)}, not 'ulx4s'"):
        board_named("ulx4s")


def test_boards_share_a_die_whatever_the_package():
    dies = {
        name: {other.name for other in BOARDS.values() if board.has_die_of(other)}
        for name, board in BOARDS.items()
    }
    assert dies["icebreaker"] == {"icebreaker", "icesugar"}
    assert dies["tang_nano_20k"] == {"tang_nano_20k", "tang_primer_20k"}
    assert dies["tang_nano_9k"] == {"tang_nano_9k"}
    assert "orangecrab_25f" in dies["ulx3s_12f"]


@pytest.mark.parametrize("size", ["25f", "85f"])
def test_the_serial_port_is_on_the_feathers_first_pins(size):
    board = board_named(f"orangecrab_{size}")
    connector = board.make_platform().connectors["io", 0]
    assert board.uart == {"tx": connector.mapping["1"], "rx": connector.mapping["0"]}
    plan = make_plan(Network(Hypercube(n=1), data_width=8, buffer_depth=2), board)
    for colour, pin in {"r": "K4", "g": "M3", "b": "J3"}.items():
        assert f'LOCATE COMP "rgb_led_0__{colour}__io" SITE "{pin}"' in plan.files["top.lpf"]
    tools = [command[0] for command in json.loads(plan.files["build_top.json"])["commands"]]
    assert "dfu-suffix" not in tools


def test_it_drives_its_leds_low_and_keeps_its_line_high_as_its_smaller_sister_does():
    large, small = TangNano20kPlatform(), tang_nano_9k.TangNano9kPlatform()
    for number in range(6):
        assert (
            large.lookup("led", number).ios[0].invert == small.lookup("led", number).ios[0].invert
        )
    assert large.lookup("uart").attrs == small.lookup("uart").attrs
    assert large.default_clk_frequency == small.default_clk_frequency == 27e6
    assert large.parse_part() is None  # Amaranth's check of the part's name

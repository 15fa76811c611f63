import json

import pytest
from amaranth_boards import tang_nano_9k
from knotwork import Hypercube, Network
from knotwork_boards.build_plan import make_plan
from knotwork_boards.platforms.tang_nano_20k import TangNano20kPlatform
from knotwork_boards.table import board_named


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

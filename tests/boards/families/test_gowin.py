import json
import re

import pytest
from knotwork import Hypercube, Network
from knotwork_boards.build_plan import make_plan
from knotwork_boards.table import board_named

NETWORK = Network(Hypercube(n=1), data_width=8, buffer_depth=2)


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
    network = Network(Hypercube(n=5), data_width=16, buffer_depth=2)
    script = make_plan(network, board_named("tang_nano_20k")).files["top.ys"].split("\n")
    assert script[-3:] == ["flatten", "opt_clean", "write_json top.json"]

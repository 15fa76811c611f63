import json

import pytest
from knotwork import Hypercube, Network
from knotwork.tools import PACKAGES, WHEELS
from knotwork_boards.build_plan import make_plan
from knotwork_boards.families import FAMILIES
from knotwork_boards.table import BOARDS

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


@pytest.mark.parametrize("name", BOARDS)
def test_a_build_runs_its_tools_and_no_others(name):
    board = BOARDS[name]
    commands = json.loads(make_plan(NETWORK, board).files["build_top.json"])["commands"]
    assert [command[0] for command in commands] == [
        "yosys",
        board.family.placer,
        board.family.packer,
    ]
    assert board.family.product in commands[-1]
    placed = commands[1]
    assert "top.json" in placed
    assert placed[placed.index("--report") + 1] == "report.json"
    assert placed[placed.index("--log") + 1] == "top.tim"

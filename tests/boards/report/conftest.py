import json
import re
from html import unescape

import pytest
from knotwork import Hypercube, Network
from knotwork_boards.report.owners import Owners
from knotwork_boards.table import board_named

TOP = "selftest.network.network.network"
"""Where the network's Verilog is in the self-test."""

CELLS = {
    f"{TOP}.router_0.input_dim0_vc0.count_SB_DFFE_Q_D_SB_LUT4_O_LC": ("ICESTORM_LC", "X1/Y1/lc0"),
    f"{TOP}.router_0.output_dim0.owner_SB_LUT4_O_LC": ("ICESTORM_LC", "X1/Y1/lc1"),
    f"{TOP}.router_0.node_interface.injector.taken_SB_LUT4_O_LC": ("ICESTORM_LC", "X1/Y1/lc2"),
    f"{TOP}.router_0.input_dim0_vc0.memory.0.0": ("ICESTORM_RAM", "X3/Y1/ram"),
    f"{TOP}.router_1.input_dim0_vc0.count_SB_DFFE_Q_DFFLC": ("ICESTORM_LC", "X2/Y4/lc7"),
    "selftest.checker_1.lost_SB_LUT4_O_LC": ("ICESTORM_LC", "X2/Y4/lc3"),
    "selftest.uart.bits_SB_LUT4_O_LC": ("ICESTORM_LC", "X5/Y5/lc0"),
    "tx_0__o_SB_IO": ("SB_IO", "X0/Y9/io1"),
}
"""Cells of a build, as nextpnr names and places them."""

NETLIST = {
    f"{TOP}.router_1.input_dim0_vc0.count_SB_DFFE_Q": "SB_DFFE",
    f"{TOP}.router_0.output_dim0.owner_SB_LUT4_O": "SB_LUT4",
    "selftest.uart.bits_SB_DFF_Q": "SB_DFF",
}
"""Cells as Yosys has them, by kind."""


def step(kind, delay, start, end):
    """Step of a path: a cell and a place at either end."""
    ends = [{"cell": cell, "loc": [x, y], "port": "O"} for cell, x, y in (start, end)]
    return {"type": kind, "delay": delay, "from": ends[0], "to": ends[1]}


INPUT = (f"{TOP}.router_0.input_dim0_vc0.count_SB_DFFE_Q_DFFLC", 1, 1)
OUTPUT = (f"{TOP}.router_0.output_dim0.owner_SB_LUT4_O_LC", 1, 2)
NEXT = (f"{TOP}.router_1.input_dim0_vc0.buffer.full_SB_LUT4_O_LC", 2, 4)
PATH = [
    step("clk-to-q", 1.25, INPUT, INPUT),
    step("routing", 2.0, INPUT, OUTPUT),
    step("logic", 0.5, OUTPUT, OUTPUT),
    step("routing", 3.0, OUTPUT, NEXT),
    step("setup", 0.75, NEXT, NEXT),
]
REPORT = {
    "critical_paths": [
        {"from": "posedge clk", "to": "posedge clk", "path": PATH},
        {"from": "<async>", "to": "posedge clk", "path": PATH[1:2]},
        {"from": "<async>", "to": "<async>", "path": PATH[1:2]},
    ],
    "fmax": {"clk": {"achieved": 133.3, "constraint": 12.0}},
    "utilization": {},
}


def netlist(cells):
    return json.dumps({"modules": {"top": {"attributes": {"top": "1"}, "cells": cells}}})


@pytest.fixture(scope="session")
def network():
    return Network(Hypercube(n=1), data_width=8, buffer_depth=2)


@pytest.fixture(scope="session")
def owners(network):
    return Owners(network)


@pytest.fixture
def report():
    return REPORT


@pytest.fixture
def build(tmp_path):
    """Folder that the tools left."""
    placed = {
        name: {"type": kind, "attributes": {"NEXTPNR_BEL": bel}}
        for name, (kind, bel) in CELLS.items()
    }
    folder = tmp_path / "workshop"
    folder.mkdir()
    (folder / "top.pnr.json").write_text(netlist(placed))
    (folder / "top.json").write_text(netlist({name: {"type": NETLIST[name]} for name in NETLIST}))
    (folder / "report.json").write_text(json.dumps(REPORT))
    return folder


@pytest.fixture
def board(request):
    return board_named(getattr(request, "param", "icebreaker"))


@pytest.fixture
def resources():
    return {
        "lut": {"used": 6, "available": 5280},
        "block_ram": {"used": 1, "available": 30},
        "ff": {"used": 2, "available": 5280},
    }


@pytest.fixture
def texts():
    """Words in a picture that a function draws; matplotlib has them in comments of an SVG."""

    def of(draw):
        return {unescape(text).strip() for text in re.findall(r"<!-- (.*?) -->", draw().decode())}

    return of

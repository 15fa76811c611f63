import json
from collections import Counter

import pytest
from knotwork_boards.families import GOWIN
from knotwork_boards.report.cells import read_cells
from knotwork_boards.report.owners import INTERFACE, NODE_TEST, ROUTER, SELF_TEST, Owner


@pytest.fixture
def cells(build, owners, board):
    return read_cells(
        build / "top.pnr.json", build / "top.json", owners=owners, family=board.family
    )


def test_cells_count_for_their_owners(cells):
    assert cells.used == {
        Owner(ROUTER, 0): Counter(lut=2, block_ram=1),
        Owner(INTERFACE, 0): Counter(lut=1),
        Owner(ROUTER, 1): Counter(lut=1, ff=1),
        Owner(NODE_TEST, 1): Counter(lut=1),
        Owner(SELF_TEST): Counter(lut=1, ff=1),
    }


def test_cells_lie_in_their_tiles(cells):
    assert cells.tiles == {
        (1, 1): Counter({Owner(ROUTER, 0): 2, Owner(INTERFACE, 0): 1}),
        (3, 1): Counter({Owner(ROUTER, 0): 1}),
        (2, 4): Counter({Owner(ROUTER, 1): 1, Owner(NODE_TEST, 1): 1}),
        (5, 5): Counter({Owner(SELF_TEST): 1}),
    }


def test_places_of_gowin_tell_the_kind_of_their_cells(tmp_path, owners):
    placed = [
        ("RAM16SDP4", "X12Y5/RAM16SDP4"),
        ("LUT3", "X12Y6/LUT7"),
        ("DFFRE", "X12Y6/DFF2"),
        ("ALU", "X12Y7/ALU1"),
        ("SDPB", "X10Y9/BSRAM"),
        ("MUX2_LUT5", "X12Y6/MUX0"),
        ("BSRAM_AUX", "X11Y9/BSRAM_AUX"),
        ("IBUF", "X0Y9/IOBA"),
    ]
    cells = {
        f"selftest.network.network.network.router_1.part.cell_{number}": {
            "type": kind,
            "attributes": {"NEXTPNR_BEL": bel},
        }
        for number, (kind, bel) in enumerate(placed)
    }
    path = tmp_path / "top.pnr.json"
    path.write_text(json.dumps({"modules": {"top": {"attributes": {"top": "1"}, "cells": cells}}}))
    read = read_cells(path, path, owners=owners, family=GOWIN)
    assert read.used == {Owner(ROUTER, 1): Counter(lut=8, ff=1, block_ram=1)}
    assert read.tiles == {
        (12, 5): Counter({Owner(ROUTER, 1): 1}),
        (12, 6): Counter({Owner(ROUTER, 1): 2}),
        (12, 7): Counter({Owner(ROUTER, 1): 1}),
        (10, 9): Counter({Owner(ROUTER, 1): 1}),
    }


def test_a_cell_without_a_place_is_no_answer_of_nextpnr(build, owners, board):
    path = build / "top.pnr.json"
    path.write_text(path.read_text().replace("X5/Y5/lc0", ""))
    with pytest.raises(ValueError, match=r"uart\S+: NEXTPNR_BEL must be a tile and a place in it"):
        read_cells(path, build / "top.json", owners=owners, family=board.family)

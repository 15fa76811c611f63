import json
from collections import Counter

import pytest
from knotwork import Hypercube, Lcan, Mesh, Network
from knotwork_boards.families import GOWIN
from knotwork_boards.report.owners import (
    BOARD,
    CONTROLLER,
    INTERFACE,
    LINKS,
    NODE_TEST,
    PART_TITLES,
    PARTS,
    ROUTER,
    SELF_TEST,
    Location,
    Owner,
    Owners,
    read_cells,
)

TOP = "selftest.network.network.network"


@pytest.mark.parametrize(
    ("name", "place", "words"),
    [
        (  # as iCE40's tools name them: the signal, kinds of cells and pins, what it was packed as
            f"{TOP}.router_1.input_dim0_vc0.buffer.back_SB_DFFSR_Q_9_D_SB_LUT4_O_LC",
            Location(Owner(ROUTER, 1), ("input_dim0_vc0", "buffer", "back")),
            "router 1, input dim0 vc0, buffer, back",
        ),
        (  # ECP5's
            f"{TOP}.router_0.output_local.owner[2]_TRELLIS_FF_Q",
            Location(Owner(ROUTER, 0), ("output_local", "owner")),
            "router 0, output local, owner",
        ),
        (
            f"{TOP}.router_0.node_interface.injector.kept_SB_DFFESR_Q_1_DFFLC",
            Location(Owner(INTERFACE, 0), ("injector", "kept")),
            "node interface 0, injector, kept",
        ),
        (
            f"{TOP}.link_1_dim0_flit_SB_DFFESR_Q_7_DFFLC",
            Location(Owner(ROUTER, 1), ("link_dim0_flit",)),
            "router 1, link dim0 flit",
        ),
        (
            "selftest.network.inject_1.o__valid_SB_DFFESR_Q_DFFLC",
            Location(Owner(NODE_TEST, 1), ("inject", "o__valid")),
            "node test 1, inject, o valid",
        ),
        (
            "selftest.network.eject__0__ready_LUT4_Z",
            Location(Owner(NODE_TEST, 0), ("eject", "ready")),
            "node test 0, eject, ready",
        ),
        (
            "selftest.checker_1.expected[2]_SB_LUT4_I2_O_SB_LUT4_I3_LC",
            Location(Owner(NODE_TEST, 1), ("checker", "expected")),
            "node test 1, checker, expected",
        ),
        (
            "selftest.counts_3_SB_DFFSR_Q",  # no node's: the end of a signal's name
            Location(Owner(SELF_TEST), ("counts_3",)),
            "self-test, counts 3",
        ),
        (
            "selftest.reporter.decimal.$signal$8_SB_DFFESR_Q",
            Location(Owner(SELF_TEST), ("reporter", "decimal")),
            "self-test, reporter, decimal",
        ),
        ("tx$18.o_SB_DFFESR_Q_D_SB_LUT4_O_LC", Location(Owner(BOARD), ("tx", "o")), "board, tx, o"),
        ("$nextpnr_ICESTORM_LC_9", Location(Owner(BOARD), ()), "board"),
        (
            r"$flatten\selftest.\network.\network.\network.\router_1.\output_dim0.$procdff$12",
            Location(Owner(ROUTER, 1), ("output_dim0",)),
            "router 1, output dim0",
        ),
    ],
)
def test_a_name_gives_the_owner(owners, name, place, words):
    assert owners.locate(name) == place
    assert owners.words(name) == words


def test_routers_are_known_by_their_labels():
    owners = Owners(Network(Mesh(x=2, y=12)))
    place = owners.locate(f"{TOP}.router_11_1.output_local.owner_LUT4_Z")
    assert place == Location(Owner(ROUTER, 23), ("output_local", "owner"))
    assert owners.title(place.owner) == "router 11.1"
    # router 1.1 is no beginning of router 11.1
    assert owners.locate(f"{TOP}.link_11_1_north_flit_LUT4_Z").owner == Owner(ROUTER, 23)
    assert owners.locate(f"{TOP}.link_1_1_north_flit_LUT4_Z").owner == Owner(ROUTER, 3)
    assert owners.router_of(Owner(NODE_TEST, 23)) == 23
    assert owners.router_of(Owner(SELF_TEST)) == -1


def test_nodes_beside_routers_have_their_own_instances():
    owners = Owners(Network(Lcan(d=2, u=2, levels=2)))
    assert owners.locate(f"{TOP}.node_11.injector.kept_LUT4_Z").owner == Owner(INTERFACE, 3)
    assert owners.locate(f"{TOP}.link_node_11_valid_LUT4_Z").owner == Owner(INTERFACE, 3)
    assert owners.locate(f"{TOP}.router_1_0.input_up0_vc0.full_LUT4_Z") == Location(
        Owner(ROUTER, 2), ("input_up0_vc0", "full")
    )
    assert owners.router_of(Owner(INTERFACE, 3)) == owners.router_of(Owner(NODE_TEST, 2)) == 1


def test_a_controller_and_registers_of_links_are_reported():
    owners = Owners(Network(Hypercube(n=2), routing="lc1"))
    assert owners.locate("selftest.network.network.controller.state_LUT4_Z").owner == Owner(
        CONTROLLER
    )
    assert owners.locate("selftest.network.network.along_00_dim0.flit_LUT4_Z").owner == Owner(LINKS)


def test_every_part_has_a_meaning():
    assert set(PART_TITLES) == set(PARTS)


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

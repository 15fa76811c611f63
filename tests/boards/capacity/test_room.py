"""Which networks have room on a board: estimated, and placed."""

import re
import time

import pytest
from knotwork import CubeConnectedCycles, Hypercube, Lcan, Mesh, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork_boards.capacity.placed import (
    PLACED,
    TOO_LARGE,
    Trial,
    largest_on,
    read_rows,
    rows_text,
)
from knotwork_boards.capacity.room import advice, require_fit
from knotwork_boards.cells import costs, estimated_cells
from knotwork_boards.table import BOARDS, board_named


@pytest.mark.parametrize(
    ("network", "board"),
    [
        (Network(Hypercube(n=4)), "icebreaker"),
        (Network(Hypercube(n=10)), "ulx3s_85f"),
        (Network(Hypercube(n=20)), "ulx3s_85f"),
        (Network(Hypercube(n=13), routing="lc1"), "icebreaker"),
        (Network.from_word("lcan:d=4,u=2,levels=6"), "ulx3s_85f"),
        (Network.from_word("fattree:r=16,2,8,u=32,1,1,data_width=256"), "ulx3s_85f"),
    ],
)
def test_what_does_not_fit_is_refused_at_once(network, board):
    costs(board_named(board).family.name)
    began = time.process_time()
    with pytest.raises(ConfigurationError) as refused:
        require_fit(network, board_named(board))
    assert time.process_time() - began < 2
    luts = board_named(board).luts
    head, _, rest = str(refused.value).partition(" LUTs, but needs ")
    assert head == f"{network.name}: the network must fit {board}, which has {luts}"
    number, _, told = rest.partition("; ")
    assert int(number.split()[-1]) > luts
    assert told


@pytest.mark.parametrize(
    ("network", "board"),  # each was built for this board
    [
        (Network(Moebius(n=2), data_width=8, buffer_depth=2), "icebreaker"),
        (Network(Hypercube(n=2), routing="lc1", data_width=8), "icebreaker"),
        (Network(Moebius(n=3)), "ulx3s_85f"),
        (Network(CubeConnectedCycles(n=4), routing="lc2"), "ulx3s_85f"),
        (Network(Lcan(d=2, u=2, levels=3), max_packet=4), "ulx3s_85f"),
        (Network(Hypercube(n=1)), "icepi_zero"),
    ],
)
def test_what_fits_is_allowed(network, board):
    assert 0 < require_fit(network, board_named(board)) < board_named(board).luts


def told(network, board):
    """What a refusal advises."""
    cells = estimated_cells(network, board_named(board).family.name)
    return advice(network, board_named(board), cells)


def test_the_key_that_makes_it_fit_is_told_with_what_it_needs_then():
    network = Network(Hypercube(n=2))  # measured: 15563; with buffer_depth=4 5519
    found = re.fullmatch(
        r"take buffer_depth=(\d+) \(about (\d+)\) or --board (\w+), which has (\d+)",
        told(network, "ice40_hx8k_b_evn"),
    )
    depth, cells, larger, luts = found.groups()
    assert int(cells) <= 7680
    assert int(depth) < 16
    assert estimated_cells(network.changed(buffer_depth=int(depth)), "ice40") == int(cells)
    twice = estimated_cells(network.changed(buffer_depth=2 * int(depth)), "ice40")
    assert twice > 7680  # or else less would have to be given up
    assert BOARDS[larger].luts == int(luts)
    assert estimated_cells(network, BOARDS[larger].family.name) <= int(luts)


def test_a_key_that_helps_but_not_enough_is_told_too():
    network = Network(Hypercube(n=5), data_width=16)
    found = re.fullmatch(
        r"(\w+)=\d+ saves most, but leaves about (\d+); take --board ulx3s_45f, which has 43848",
        told(network, "icepi_zero"),
    )
    assert found
    assert int(found[2]) > 24288


def test_the_estimates_follow_what_a_build_needed():
    network = Network(Hypercube(n=2))
    estimate = estimated_cells(network, "ice40")
    board = board_named("ice40_hx8k_b_evn")
    usual, double = (advice(network, board, cells) for cells in (estimate, 2 * estimate))
    depths = [int(re.search(r"buffer_depth=(\d+)", words)[1]) for words in (usual, double)]
    assert depths[1] < depths[0]


def test_where_nothing_helps_a_smaller_network_is_advised():
    assert told(Network(Hypercube(n=9)), "icebreaker") == "take a smaller network"
    small = Network(Mesh(x=4, y=4), data_width=8, buffer_depth=2)
    assert told(small, "icebreaker").startswith("take --board ")  # no key has a lower value


def test_a_key_that_the_self_test_needs_is_not_advised():
    words = told(Network(Hypercube(n=5), data_width=16, buffer_depth=2), "icebreaker")
    assert "data_width=8" not in words  # address 5, sequence 3, check 1


CUBES = [f"hypercube:n={n},data_width=8" for n in range(1, 5)]


def trial(board, net, outcome=PLACED, lut=None):
    nodes = Network.from_word(net).topology.nodes
    return Trial(board, net, nodes, outcome, lut, None, None, 20.5, 12.0, 3.5, "00ff")


def test_rows_are_read_as_they_are_written(tmp_path):
    rows = [
        trial("icebreaker", "mesh:x=2,y=2", lut=7),
        trial("ulx3s_12f", CUBES[2], TOO_LARGE),
        trial("ulx3s_12f", CUBES[1]),
    ]
    path = tmp_path / "placed.csv"
    path.write_text(rows_text(rows))
    assert read_rows(path) == [rows[2], rows[1], rows[0]]  # boards as listed, then by size
    assert path.read_text().splitlines()[1] == (
        "ulx3s_12f;hypercube:n=2,data_width=8;4;placed;;;;20.5;12.0;3.5;00ff"
    )


def test_the_largest_that_was_placed_on_a_die_is_that_of_all_its_boards():
    rows = [
        trial("icesugar", CUBES[1]),
        trial("icesugar", CUBES[2]),
        trial("icebreaker", CUBES[0]),
        trial("icebreaker", CUBES[3], TOO_LARGE),
        trial("ice40_hx8k_b_evn", CUBES[3]),  # another die
        trial("icebreaker", "mesh:x=2,y=2"),
    ]
    assert largest_on(board_named("icebreaker"), rows) == {"hypercube": rows[1], "mesh": rows[5]}
    assert largest_on(board_named("ulx3s_12f"), rows) == {}


def test_of_equal_sizes_the_boards_own_is_told():
    rows = [trial("icesugar", CUBES[1], lut=9), trial("icebreaker", CUBES[1], lut=7)]
    assert largest_on(board_named("icebreaker"), rows)["hypercube"] == rows[1]
    assert largest_on(board_named("icesugar"), rows)["hypercube"] == rows[0]


def test_the_packages_rows_are_of_networks_and_boards_that_there_are():
    rows = read_rows()
    for row in rows:
        assert Network.from_word(row.network).topology.nodes == row.nodes
        luts = BOARDS[row.board].luts
        if row.outcome == PLACED:
            assert 0 < row.lut <= luts
            assert row.fmax_mhz >= row.clock_mhz >= 12
        else:
            assert row.fmax_mhz is None
    assert len({(row.board, row.network) for row in rows}) == len(rows)

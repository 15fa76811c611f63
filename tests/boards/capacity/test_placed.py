from knotwork import Network
from knotwork_boards.capacity.placed import (
    PLACED,
    TOO_LARGE,
    Trial,
    largest_on,
    read_rows,
    rows_text,
)
from knotwork_boards.table import BOARDS, board_named

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

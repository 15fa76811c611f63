import pytest
from knotwork import Network
from knotwork_boards.capacity.placed import PLACED, TOO_LARGE
from knotwork_boards.cells import MARGIN, estimated_cells
from knotwork_boards.table import board_named
from quality.boards.ladders import LADDERS, Climb, smallest

BOARD = board_named("ice40_hx8k_b_evn")


@pytest.mark.parametrize("name", LADDERS)
def test_ladders_climb_from_four_nodes_on(name):
    networks = [Network.from_word(net) for net in LADDERS[name]]
    sizes = [network.topology.nodes for network in networks]
    assert sizes[0] >= 4
    assert sizes == sorted(set(sizes))
    assert {network.topology.name for network in networks} == {name}


def test_the_smallest_hardware_is_what_the_self_test_takes():
    assert smallest("mesh:x=2,y=2") == "mesh:x=2,y=2,data_width=8,buffer_depth=2"
    assert smallest("hypercube:n=6") == "hypercube:n=6,data_width=12,buffer_depth=2"  # 10 needed
    assert smallest("lcan:d=2,u=1,levels=2").endswith(",data_width=8,max_packet=4")


def climbed(fits):
    """Networks that are built until the search ends, where those up to a size fit."""
    climb, tried = Climb(LADDERS["mesh"], BOARD), []
    while (net := climb.next()) is not None:
        nodes = Network.from_word(net).topology.nodes
        tried.append(nodes)
        climb.told(PLACED if nodes <= fits else TOO_LARGE)
    return tried


def test_a_climb_ends_at_the_largest_that_is_placed():
    estimates = {
        net: estimated_cells(Network.from_word(smallest(net)), "ice40") for net in LADDERS["mesh"]
    }
    first = [net for net, cells in estimates.items() if cells <= BOARD.luts][-1]
    start = Network.from_word(first).topology.nodes
    hopeful = [
        Network.from_word(net).topology.nodes
        for net, cells in estimates.items()
        if cells <= MARGIN * BOARD.luts
    ]
    assert climbed(fits=start)[0] == start
    assert climbed(fits=10_000) == [nodes for nodes in hopeful if nodes >= start]
    assert climbed(fits=4) == [nodes for nodes in reversed(hopeful) if nodes <= start]
    assert climbed(fits=0) == climbed(fits=4)


def test_what_cannot_fit_is_not_tried():
    assert Climb(LADDERS["tcpg"], BOARD).next() is None

import json
import time

import numpy as np
import pytest
from knotwork import CubeConnectedCycles, Hypercube, Lcan, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork_boards.build_plan import make_plan
from knotwork_boards.cells import (
    MARGIN,
    build_work,
    costs,
    estimated_cells,
    fitted,
    measured,
    parts,
    require_room,
)
from knotwork_boards.table import BOARDS, board_named
from quality.benchmarks.cells import count

FAMILIES = sorted({board.family.name for board in BOARDS.values()})


@pytest.mark.parametrize("family", FAMILIES)
def test_estimates_are_within_the_margin_of_what_was_measured(family):
    rows = measured(family)
    assert len(rows) >= 10
    for net, cells in rows:
        assert 1 / MARGIN < estimated_cells(Network.from_word(net), family) / cells < MARGIN


@pytest.mark.parametrize("family", FAMILIES)
def test_each_row_follows_from_the_others(family):
    rows = measured(family)
    sizes = [parts(Network.from_word(net), family) for net, _ in rows]
    cells = [cells for _, cells in rows]
    for left in range(len(rows)):
        known = [place for place in range(len(rows)) if place != left]
        found = fitted([sizes[place] for place in known], [cells[place] for place in known])
        assert 1 / 2 < np.dot(found, sizes[left]) / cells[left] < 2


@pytest.mark.parametrize(
    ("network", "family", "cells"),
    [
        (Network(Hypercube(n=4)), "ice40", 110129),  # nextpnr said so after six minutes
        (Network(Moebius(n=3), data_width=16), "ecp5", 5682),  # the table in the README
    ],
)
def test_networks_outside_the_table_are_estimated_too(network, family, cells):
    assert cells not in dict(measured(family)).values()
    assert 1 / MARGIN < estimated_cells(network, family) / cells < MARGIN


def test_costs_are_of_cells_and_not_negative():
    for family in FAMILIES:
        assert (costs(family) >= 0).all()
    assert 1.5 < costs("ice40")[-1] < 2.5  # a bit in a register, and the choice among them


def test_a_fit_gives_back_what_was_added_up():
    sizes = np.random.default_rng(1).uniform(1, 9, (12, 3))
    assert fitted(sizes.tolist(), (sizes @ [5, 0, 2]).tolist()) == pytest.approx([5, 0, 2])
    assert (fitted(sizes.tolist(), (sizes @ [5, -0.5, 2]).tolist()) >= 0).all()


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
        require_room(network, board_named(board))
    assert time.process_time() - began < 2
    luts = board_named(board).luts
    head, _, rest = str(refused.value).partition(" LUTs, but needs ")
    assert head == f"{network.name}: the network must fit {board}, which has {luts}"
    number, _, advice = rest.partition("; ")
    assert int(number.split()[-1]) > luts
    assert advice.startswith("take a smaller network, data_width or ")
    assert advice.endswith(", or a larger board")


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
    assert 0 < require_room(network, board_named(board)) < board_named(board).luts


def test_more_cells_take_longer():
    assert build_work(9000).seconds > build_work(100).seconds > 5
    assert build_work(9000).memory > build_work(100).memory > 1e8


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("net", ["ring_of_four", "batches", "circuits"])
def test_synthesis_agrees(family, net):
    network = {
        "ring_of_four": Network.from_word("torus:x=2,y=2,data_width=24,buffer_depth=8"),
        "batches": Network(Hypercube(n=3), routing="lc1", data_width=24),
        "circuits": Network(Lcan(d=2, u=1, levels=2), data_width=16, max_packet=4),
    }[net]
    assert 1 / MARGIN < estimated_cells(network, family) / count(network, family) < MARGIN


def test_the_plan_has_the_commands_that_are_counted():
    plan = make_plan(Network(Hypercube(n=1), data_width=8), board_named("icebreaker"))
    commands = json.loads(plan.files["build_top.json"])["commands"]
    assert [command[0] for command in commands[:2]] == ["yosys", "nextpnr-ice40"]

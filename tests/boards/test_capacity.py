"""Cells of networks on boards: estimated, and what does not fit."""

import json
import re
import time

import numpy as np
import pytest
from knotwork import CubeConnectedCycles, Hypercube, Lcan, Mesh, Moebius, Network
from knotwork.costs.estimate import tree_area
from knotwork.errors import ConfigurationError
from knotwork_boards.build_plan import make_plan
from knotwork_boards.capacity import (
    MARGIN,
    advice,
    build_work,
    collective_cells,
    costs,
    estimated_cells,
    fitted,
    measured,
    parts,
    require_fit,
)
from knotwork_boards.clock import ClockSearch
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


@pytest.mark.parametrize("family", FAMILIES)
def test_trees_of_collectives_are_counted_beside_the_network(family):
    """Each group's by its own members; and as many as synthesis found, about."""
    plain = Network.from_word("mesh:x=2,y=2")
    cells = estimated_cells(plain, family)
    found = {}
    for groups in ("0-2", "all", "all/0-2"):
        network = Network.from_word(f"mesh:x=2,y=2,collectives=yes,groups={groups}")
        found[groups] = estimated_cells(network, family) - cells
    assert 0 < found["0-2"] < found["all"]
    assert found["all/0-2"] == pytest.approx(found["all"] + found["0-2"], abs=2)
    rows = dict(measured(family))
    pairs = [(net, net.replace(",collectives=yes", "")) for net in rows if "collectives=yes" in net]
    assert pairs
    for with_trees, without in pairs:
        more, estimate = (
            of(with_trees) - of(without)
            for of in (rows.get, lambda net: estimated_cells(Network.from_word(net), family))
        )
        assert 1 / 2 < estimate / more < 2


def test_the_part_of_a_tree_is_its_area_with_a_source_and_a_sink_for_each_member():
    (group,) = Network.from_word("mesh:x=2,y=2,collectives=yes").collective_groups
    narrow = Network.from_word("mesh:x=2,y=2,collectives=yes,collective_width=16")
    beside = collective_cells(group) - tree_area(group).lut4
    assert beside > 4 * 2 * 32 / 2  # at least half a LUT per bit of either
    (other,) = narrow.collective_groups
    assert 0 < collective_cells(other) - tree_area(other).lut4 < beside


def test_a_network_that_fits_only_without_its_trees_is_refused():
    word = "mesh:x=3,y=3,data_width=16,buffer_depth=2"
    board = board_named("ice40_hx8k_b_evn")
    cells = require_fit(Network.from_word(word), board)
    network = Network.from_word(f"{word},collectives=yes,groups=all/all")
    with pytest.raises(ConfigurationError) as refused:
        require_fit(network, board)
    number = re.search(r"but needs about (\d+); ", str(refused.value))
    assert number
    assert int(number[1]) > MARGIN * board.luts > cells


def test_costs_are_of_cells_and_not_negative():
    for family in FAMILIES:
        assert (costs(family) >= 0).all()
    assert 1.5 < costs("ice40")[-1] < 2.5  # a bit in a register, and the choice among them


def test_a_fit_gives_back_what_was_added_up():
    sizes = np.random.default_rng(1).uniform(1, 9, (12, 3))
    assert fitted(sizes.tolist(), (sizes @ [5, 0, 2]).tolist()) == pytest.approx([5, 0, 2])
    assert (fitted(sizes.tolist(), (sizes @ [5, -0.5, 2]).tolist()) >= 0).all()


def test_more_cells_take_longer():
    assert build_work(9000).seconds > build_work(100).seconds > 5
    assert build_work(9000).memory > build_work(100).memory > 1e8


def test_each_build_of_a_search_for_a_clock_takes_its_time():
    once, open_ecp5 = build_work(9000), ClockSearch(board_named("ulx3s_12f"), "auto")
    assert open_ecp5.usual_placements == 1
    twice = build_work(9000, ClockSearch(board_named("icebreaker"), "auto").usual_placements)
    assert once.seconds < twice.seconds < 2 * once.seconds  # it is synthesised once
    assert twice.memory == once.memory
    assert ClockSearch(board_named("icebreaker"), "board").usual_placements == 1
    assert ClockSearch(board_named("icebreaker"), 50.0).usual_placements == 1


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
    number, _, advised = rest.partition("; ")
    assert int(number.split()[-1]) > luts
    assert advised


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


def advice_for(network, board):
    """What a refusal advises."""
    cells = estimated_cells(network, board_named(board).family.name)
    return advice(network, board_named(board), cells)


def test_the_key_that_makes_it_fit_is_reported_with_what_it_needs_then():
    network = Network(Hypercube(n=2))  # measured: 15563; with buffer_depth=4 5519
    found = re.fullmatch(
        r"take buffer_depth=(\d+) \(about (\d+)\) or --board (\w+), which has (\d+)",
        advice_for(network, "ice40_hx8k_b_evn"),
    )
    depth, cells, larger, luts = found.groups()
    assert int(cells) <= 7680
    assert int(depth) < 16
    assert estimated_cells(network.changed(buffer_depth=int(depth)), "ice40") == int(cells)
    twice = estimated_cells(network.changed(buffer_depth=2 * int(depth)), "ice40")
    assert twice > 7680  # or else less would have to be given up
    assert BOARDS[larger].luts == int(luts)
    assert estimated_cells(network, BOARDS[larger].family.name) <= int(luts)


def test_a_key_that_helps_but_not_enough_is_reported_too():
    network = Network(Hypercube(n=5), data_width=16)
    found = re.fullmatch(
        r"(\w+)=\d+ saves most, but leaves about (\d+); take --board ulx3s_45f, which has 43848",
        advice_for(network, "icepi_zero"),
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
    assert advice_for(Network(Hypercube(n=9)), "icebreaker") == "take a smaller network"
    small = Network(Mesh(x=4, y=4), data_width=8, buffer_depth=2)
    assert advice_for(small, "icebreaker").startswith("take --board ")  # no key has a lower value


def test_a_key_that_the_self_test_needs_is_not_advised():
    words = advice_for(Network(Hypercube(n=5), data_width=16, buffer_depth=2), "icebreaker")
    assert "data_width=8" not in words  # address 5, sequence 3, check 1

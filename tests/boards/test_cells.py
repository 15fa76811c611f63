import json

import numpy as np
import pytest
from knotwork import Hypercube, Lcan, Moebius, Network
from knotwork_boards.build_plan import make_plan
from knotwork_boards.cells import (
    MARGIN,
    build_work,
    costs,
    estimated_cells,
    fitted,
    measured,
    parts,
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

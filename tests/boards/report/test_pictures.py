import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Network
from knotwork_boards.report.critical_path import critical_paths
from knotwork_boards.report.owners import (
    BOARD,
    INTERFACE,
    NODE_TEST,
    PARTS,
    ROUTER,
    Cells,
    Owner,
    Owners,
)
from knotwork_boards.report.pictures import (
    OTHERS,
    ROUTERS,
    add_title,
    by_part,
    by_router,
    draw_floorplan,
    draw_routers,
    draw_usage,
    new_figure,
    owner_colours,
    spread_labels,
)


@pytest.fixture(scope="module")
def many():
    """Routers of a network of 32, each in a tile with a part of its node's test."""
    owners = Owners(Network(Hypercube(n=5)))
    tiles = {
        (x % 8, x // 8): Counter({Owner(ROUTER, x): 5, Owner(NODE_TEST, x): 3}) for x in range(32)
    }
    return owners, Cells({}, tiles)


def test_each_router_has_its_name_in_the_picture(many, texts):
    owners, cells = many
    drawn = texts(lambda: draw_floorplan(cells, owners, title="many", path=None))
    assert {owners.label(Owner(ROUTER, router)) for router in range(32)} <= drawn
    assert {"many", "self-test at the nodes"} <= drawn
    assert "router 00000" not in drawn  # the legend of so many would be longer than the picture


def test_few_routers_are_in_the_legend_with_the_path(owners, report, texts):
    (path,) = critical_paths(report, owners)
    cells = Cells(
        {}, {(1, 1): Counter({Owner(ROUTER, 0): 1}), (2, 4): Counter({Owner(ROUTER, 1): 1})}
    )
    drawn = texts(lambda: draw_floorplan(cells, owners, title="few", path=path))
    assert {"0", "1", "router 0", "router 1", "critical path, from ■ to ◇"} <= drawn


def test_each_router_has_a_panel(many, texts):
    owners, cells = many
    drawn = texts(lambda: draw_routers(cells, owners, title="each"))
    assert {owners.label(Owner(ROUTER, router)) for router in range(32)} <= drawn


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_a_figure_has_the_same_bytes_each_time(kind, start):
    drawn = []
    for _ in range(2):
        with new_figure((2, 1), kind) as (figure, data):
            figure.add_subplot().plot([1, 2])
        drawn.append(data.getvalue())
    assert drawn[0] == drawn[1]
    assert drawn[0].startswith(start)


@pytest.mark.parametrize("letters", [5, 60, 120])
def test_a_title_fits_its_figure(letters):
    with new_figure((4, 1), "png") as (figure, _):
        add_title(figure, "m" * letters if letters == 5 else "network_8" * (letters // 9))
        figure.draw_without_rendering()
        (title,) = figure.texts
        assert title.get_window_extent().x1 <= figure.bbox.x1
        assert title.get_fontsize() <= 11


def strip(routers):
    """Routers side by side, a tile each."""
    return {(x, 0): Counter([Owner(ROUTER, x)]) for x in range(routers)}


def test_few_routers_have_a_colour_each():
    colours = owner_colours(strip(len(ROUTERS)), len(ROUTERS))
    assert set(colours.values()) == set(ROUTERS)


def test_many_routers_differ_from_their_neighbours():
    colours = owner_colours(strip(64), 64)
    assert len(colours) == 64
    assert all(
        colours[Owner(ROUTER, router)] != colours[Owner(ROUTER, router + 1)] for router in range(63)
    )


def test_routers_that_share_tiles_differ():
    tiles = {(0, 0): Counter([Owner(ROUTER, 0), Owner(ROUTER, 63)])}
    colours = owner_colours(tiles, 64)
    assert colours[Owner(ROUTER, 0)] != colours[Owner(ROUTER, 63)]


def test_every_other_part_has_a_grey():
    assert set(OTHERS) == set(PARTS) - {ROUTER}
    tiles = {(0, 0): Counter([Owner(BOARD)])}
    assert owner_colours(tiles, 2)[Owner(BOARD)] == OTHERS[BOARD]


def meet(middles, sizes):
    """Pairs of boxes that overlap by more than a hundredth of their size."""
    return [
        (one, other)
        for one, other in itertools.combinations(range(len(middles)), 2)
        if (abs(middles[one] - middles[other]) < 0.99 * (sizes[one] + sizes[other]) / 2).all()
    ]


def test_labels_with_room_stay():
    middles = np.array([(0.0, 0.0), (3.0, 0.0), (0.0, 1.5)])
    sizes = np.full((3, 2), (2.0, 1.0))
    assert np.allclose(spread_labels(middles, sizes), middles, atol=1e-5)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(0, 4), st.floats(0, 4)), min_size=1, max_size=12))
def test_labels_part(places):
    sizes = np.full((len(places), 2), (1.5, 0.5))
    assert meet(spread_labels(np.array(places), sizes), sizes) == []


def test_two_labels_in_one_place_part_evenly():
    sizes = np.full((2, 2), (2.0, 1.0))
    one, other = spread_labels(np.zeros((2, 2)), sizes)
    assert np.allclose(abs(one - other), (0, 1), atol=1e-2)
    assert np.allclose((one + other) / 2, 0, atol=1e-2)


CELLS = Cells(
    {
        Owner(BOARD): Counter(lut=1),
        Owner(ROUTER, 0): Counter(lut=20, ff=7),
        Owner(ROUTER, 1): Counter(lut=22),
        Owner(INTERFACE, 1): Counter(lut=3),
        Owner(NODE_TEST, 0): Counter(lut=40, block_ram=1),
    },
    {(0, 0): Counter({Owner(ROUTER, 0): 1, Owner(ROUTER, 1): 1, Owner(INTERFACE, 1): 1})},
)


def test_parts_are_summed_from_the_network_outwards():
    assert list(by_part(CELLS).items()) == [
        (ROUTER, Counter(lut=42, ff=7)),
        (INTERFACE, Counter(lut=3)),
        (NODE_TEST, Counter(lut=40, block_ram=1)),
        (BOARD, Counter(lut=1)),
    ]


def test_what_stands_at_a_router_is_with_it(owners):
    assert by_router(CELLS, owners) == [
        {
            ROUTER: Counter(lut=20, ff=7),
            INTERFACE: Counter(),
            NODE_TEST: Counter(lut=40, block_ram=1),
        },
        {ROUTER: Counter(lut=22), INTERFACE: Counter(lut=3), NODE_TEST: Counter()},
    ]


def test_the_bars_tell_use_and_routers(owners, resources, texts):
    drawn = texts(lambda: draw_usage(CELLS, resources, owners, title="small"))
    assert {"small", "6 of 5,280 (0%)", "look-up tables", "router", "node interface"} <= drawn
    assert {"0", "1"} <= drawn

from collections import Counter

import pytest
from knotwork import Hypercube, Network
from knotwork_boards.report.cells import Cells
from knotwork_boards.report.critical_path import critical_paths
from knotwork_boards.report.floorplan import draw_floorplan, draw_routers
from knotwork_boards.report.owners import NODE_TEST, ROUTER, Owner, Owners


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

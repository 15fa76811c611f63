from collections import Counter

from knotwork_boards.report.colours import OTHERS, ROUTERS, owner_colours
from knotwork_boards.report.owners import BOARD, PARTS, ROUTER, Owner


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

from collections import Counter

from knotwork_boards.report.cells import Cells
from knotwork_boards.report.owners import BOARD, INTERFACE, NODE_TEST, ROUTER, Owner
from knotwork_boards.report.usage import by_part, by_router, draw_usage

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

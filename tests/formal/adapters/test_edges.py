"""Clocks of a component that have their edges when told."""

from helpers.streams import run
from knotwork.formal.adapters.edges import AnyEdges
from knotwork.gateware.adapters import EventCrossing


def events(pattern):
    """Pulses that come out while one is put in at the first edges, by which clocks have edges."""
    dut = AnyEdges(lambda: EventCrossing(width=3, i_domain="left", o_domain="right"))
    seen = []

    async def testbench(ctx):
        ctx.set(dut.i, 1)
        for left, right in pattern:
            ctx.set(dut.left_edge, left)
            ctx.set(dut.right_edge, right)
            await ctx.tick()
            seen.append(ctx.get(dut.o))

    run(dut, testbench)
    return seen


def test_a_clock_without_edges_stands_still():
    assert events([(0, 1)] * 8) == [0] * 8
    assert events([(1, 0)] * 8) == [0] * 8


def test_each_clock_has_its_own_edges():
    assert events([(1, 0)] * 2 + [(0, 1)] * 6) == [0, 0, 0, 0, 1, 1, 0, 0]

"""The matrix arbiter against a list of its requesters in their order."""

from random import Random

import pytest
from amaranth.hdl import Elaboratable, Module
from helpers.streams import run
from knotwork.gateware.parts.matrix_arbiter import MatrixArbiter


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_grants_the_first_of_the_order_that_its_grants_make(count):
    """A tail goes to the end, another flit to the front; who is not able is passed over."""
    dut, order, rng = MatrixArbiter(requesters=count), list(range(count)), Random(count)

    async def testbench(ctx):
        for _ in range(400):
            request, able, last = (rng.getrandbits(count) for _ in range(3))
            ctx.set(dut.request, request)
            ctx.set(dut.able, able)
            ctx.set(dut.last, last)
            asking = [number for number in order if request & able & 1 << number]
            assert ctx.get(dut.grant) == (1 << asking[0] if asking else 0)
            if asking:
                order.remove(asking[0])
                order.insert(len(order) if last >> asking[0] & 1 else 0, asking[0])
            await ctx.tick()

    run(dut, testbench)


@pytest.mark.parametrize("count", [2, 4])
def test_who_asks_for_a_single_flit_waits_for_each_other_once(count):
    dut, granted = MatrixArbiter(requesters=count), []

    async def testbench(ctx):
        ctx.set(dut.request, (1 << count) - 1)
        ctx.set(dut.able, (1 << count) - 1)
        ctx.set(dut.last, (1 << count) - 1)
        for _ in range(3 * count):
            granted.append(ctx.get(dut.grant))
            await ctx.tick()

    run(dut, testbench)
    assert granted == [1 << number for number in range(count)] * 3


@pytest.mark.parametrize("count", [1, 3, 5])
def test_the_first_who_asks_is_the_first_who_is_able_where_packets_stay_whole(count):
    """Both arbiters grant the same where only the packet under way is able before its tail."""

    class Both(Elaboratable):
        def __init__(self):
            self.ones = [
                MatrixArbiter(requesters=count, interleaved=value) for value in (True, False)
            ]

        def elaborate(self, platform):
            m = Module()
            m.submodules += self.ones
            return m

    dut, rng = Both(), Random(count)

    async def testbench(ctx):
        owner = None
        for _ in range(400):
            request, last = rng.getrandbits(count), rng.getrandbits(count)
            able = rng.choice((0, -1)) & (1 << owner if owner is not None else -1)
            for one in dut.ones:
                ctx.set(one.request, request)
                ctx.set(one.able, able)
                ctx.set(one.last, last)
            grant, other = (ctx.get(one.grant) for one in dut.ones)
            assert grant == other
            if grant:
                owner = None if last & grant else grant.bit_length() - 1
            await ctx.tick()

    run(dut, testbench)

"""Arbiters against references written from what their docstrings promise."""

from itertools import product
from random import Random

import pytest
from amaranth.hdl import Module, Signal
from helpers.streams import assign, refusal, run
from knotwork.gateware.parts.arbiter import (
    ChannelArbiter,
    SwitchArbiter,
    next_after,
)
from knotwork.gateware.parts.matrix_arbiter import MatrixArbiter

NONE = -1


def first_after(request, last, count):
    """First requester after `last`, round and round."""
    for step in range(1, count + 1):
        if request >> (last + step) % count & 1:
            return (last + step) % count
    return NONE


@pytest.mark.parametrize("count", range(1, 7))
def test_the_next_is_the_first_after_the_last_whoever_asks(count):
    request, last = Signal(count), Signal(count)
    grant = next_after(request, last)

    async def testbench(ctx):
        for asks, latest in product(range(1 << count), range(count)):
            ctx.set(request, asks)
            ctx.set(last, 1 << latest)
            expected = first_after(asks, latest, count)
            assert ctx.get(grant) == (0 if expected == NONE else 1 << expected)

    run(Module(), testbench)


class ChannelReference:
    """Owner of a channel: granted once, until its tail is taken."""

    def __init__(self, count):
        self.count, self.last, self.owner = count, count - 1, None

    def grant(self, request):
        if self.owner is None:
            return first_after(request, self.last, self.count)
        return self.owner if request >> self.owner & 1 else NONE

    def clock(self, granted, taken, tail):
        if granted != NONE:
            self.last, self.owner = granted, None if taken and tail else granted


class SwitchReference:
    """Who crossed in the last cycle, and not with its tail, continues; otherwise round robin."""

    def __init__(self, count):
        self.count, self.last, self.moving = count, count - 1, False

    def grant(self, request):
        if self.moving and request >> self.last & 1:
            return self.last
        return first_after(request, self.last, self.count)

    def clock(self, granted, taken, tail):
        self.moving = taken and not tail
        if taken:
            self.last = granted


BOTH = {ChannelArbiter: ChannelReference, SwitchArbiter: SwitchReference}


async def step(ctx, dut, request, decide):
    """One clock: the requester granted, and what `decide` made of it (taken, tail)."""
    ctx.set(dut.request, request)
    grant = ctx.get(dut.grant)
    assert grant & (grant - 1) == 0, "one-hot"
    assert grant & ~request == 0, "no one is granted who did not ask"
    granted = grant.bit_length() - 1
    taken, tail = decide(granted)
    assign(ctx, dut, taken=taken, tail=tail)
    await ctx.tick()
    return granted, taken, tail


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("kind", BOTH)
def test_grants_as_the_reference_does(kind, count):
    dut, reference, dice = kind(requesters=count), BOTH[kind](count), Random(count)

    def decide(granted):
        return granted != NONE and dice.random() < 0.7, dice.random() < 0.4

    async def testbench(ctx):
        for _ in range(300):
            request = dice.getrandbits(count) | dice.getrandbits(count)
            expected = reference.grant(request)
            granted, taken, tail = await step(ctx, dut, request, decide)
            assert granted == expected
            reference.clock(granted, taken, tail)

    run(dut, testbench)


@pytest.mark.parametrize("kind", BOTH)
def test_no_requesters_are_refused(kind):
    text = refusal(ValueError, lambda: kind(requesters=0))
    assert text == "requesters must be at least 1, not 0"


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_grants_the_first_of_the_order_that_its_grants_make(count):
    """A tail goes to the end, another flit to the front; who is not able is passed over."""
    dut, order, rng = MatrixArbiter(requesters=count), list(range(count)), Random(count)

    async def testbench(ctx):
        for _ in range(400):
            request, able, last = (rng.getrandbits(count) for _ in range(3))
            assign(ctx, dut, request=request, able=able, last=last)
            asking = [number for number in order if request & able & 1 << number]
            assert ctx.get(dut.grant) == (1 << asking[0] if asking else 0)
            if asking:
                order.remove(asking[0])
                order.insert(len(order) if last >> asking[0] & 1 else 0, asking[0])
            await ctx.tick()

    run(dut, testbench)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_the_first_who_asks_is_the_first_who_is_able_where_packets_stay_whole(count):
    """Both arbiters grant the same where only the packet under way is able before its tail."""
    m, rng = Module(), Random(count)
    arbiters = [MatrixArbiter(requesters=count, interleaved=value) for value in (True, False)]
    m.submodules += arbiters

    async def testbench(ctx):
        owner = None
        for _ in range(400):
            request, last = rng.getrandbits(count), rng.getrandbits(count)
            able = rng.choice((0, -1)) & (1 << owner if owner is not None else -1)
            for one in arbiters:
                assign(ctx, one, request=request, able=able, last=last)
            grant, other = (ctx.get(one.grant) for one in arbiters)
            assert grant == other
            if grant:
                owner = None if last & grant else grant.bit_length() - 1
            await ctx.tick()

    run(m, testbench)

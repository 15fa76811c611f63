"""Arbiters against references written from what their docstrings promise."""

from random import Random

import pytest
from amaranth.hdl import Elaboratable, Module, Signal
from helpers.streams import refusal, run
from knotwork.gateware.parts.arbiter import (
    ChannelArbiter,
    RegisteredChannelArbiter,
    SwitchArbiter,
    next_after,
)
from knotwork.gateware.parts.crossbar import steering

NONE = -1


def first_after(request, last, count):
    """First requester after `last`, round and round."""
    for step in range(1, count + 1):
        if request >> (last + step) % count & 1:
            return (last + step) % count
    return NONE


class NextAfter(Elaboratable):
    """`next_after` with ports."""

    def __init__(self, count):
        self.request, self.last, self.grant = Signal(count), Signal(count), Signal(count)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.grant.eq(next_after(self.request, self.last))
        return m


@pytest.mark.parametrize("count", range(1, 7))
def test_the_next_is_the_first_after_the_last_whoever_asks(count):
    dut = NextAfter(count)

    async def testbench(ctx):
        for request in range(1 << count):
            for last in range(count):
                ctx.set(dut.request, request)
                ctx.set(dut.last, 1 << last)
                expected = first_after(request, last, count)
                assert ctx.get(dut.grant) == (0 if expected == NONE else 1 << expected)

    run(dut, testbench)


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
    ctx.set(dut.taken, taken)
    ctx.set(dut.tail, tail)
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
def test_the_first_grant_is_the_lowest_requesters(kind):
    dut = kind(requesters=4)

    async def testbench(ctx):
        ctx.set(dut.request, 0b1111)
        assert ctx.get(dut.grant) == 0b0001

    run(dut, testbench)


@pytest.mark.parametrize("always_taken", [True, False])
@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("kind", BOTH)
def test_every_requester_is_served_within_as_many_packets(kind, count, always_taken):
    """Requests stay; a switch that cannot move may leave a packet, so there a flit is a packet."""
    dut, dice = kind(requesters=count), Random(f"{count} {always_taken}")
    whole = kind is ChannelArbiter or always_taken
    left = [0] * count  # flits of each requester's packet
    waited = [0] * count  # packets of others begun since this one asked
    served = [0] * count

    async def testbench(ctx):
        running = None
        for _ in range(400):
            for place in range(count):
                if not left[place] and dice.random() < 0.8:
                    left[place], waited[place] = dice.randint(1, 4) if whole else 1, 0
            request = sum(1 << place for place in range(count) if left[place])

            def decide(granted):
                taken = granted != NONE and (always_taken or dice.random() < 0.5)
                return taken, granted != NONE and left[granted] == 1

            granted, taken, _ = await step(ctx, dut, request, decide)
            if taken:
                if running is None:
                    waited[:] = [packets + 1 for packets in waited]
                    served[granted] += 1
                assert running in (None, granted), "no packet is broken into"
                assert waited[granted] <= count
                left[granted] -= 1
                running = granted if left[granted] else None

    run(dut, testbench)
    assert min(served) > 5


def test_a_channel_stays_its_owners_while_that_has_no_flit():
    dut = ChannelArbiter(requesters=3)

    async def testbench(ctx):
        assert await step(ctx, dut, 0b010, lambda _: (True, False)) == (1, True, False)
        for _ in range(3):
            assert (await step(ctx, dut, 0b101, lambda _: (False, False)))[0] == NONE
        assert (await step(ctx, dut, 0b111, lambda _: (False, True)))[0] == 1  # tail, not taken
        assert (await step(ctx, dut, 0b101, lambda _: (False, False)))[0] == NONE
        assert (await step(ctx, dut, 0b111, lambda _: (True, True)))[0] == 1
        assert (await step(ctx, dut, 0b111, lambda _: (False, False)))[0] == 2

    run(dut, testbench)


def test_a_switch_is_passed_on_when_the_packet_has_no_flit():
    dut = SwitchArbiter(requesters=3)

    async def testbench(ctx):
        moves = lambda _: (True, False)  # noqa: E731
        assert [(await step(ctx, dut, 0b011, moves))[0] for _ in range(3)] == [0, 0, 0]
        assert (await step(ctx, dut, 0b110, moves))[0] == 1
        assert (await step(ctx, dut, 0b111, lambda _: (False, False)))[0] == 1
        assert (await step(ctx, dut, 0b111, moves))[0] == 2  # it stood still, and lost its turn

    run(dut, testbench)


@pytest.mark.parametrize("kind", BOTH)
def test_no_requesters_are_refused(kind):
    text = refusal(ValueError, lambda: kind(requesters=0))
    assert text == "requesters must be at least 1, not 0"


class RegisteredReference:
    """Owner of a channel, chosen one cycle ahead: while it is free, or with its owner's tail."""

    def __init__(self, count):
        self.count, self.last, self.owner = count, count - 1, NONE

    def clock(self, request, ends):
        owner, asks = self.owner, request
        if owner != NONE:
            asks &= ~(1 << owner)
        if owner == NONE or ends:
            self.owner = first_after(asks, self.last, self.count)
        if owner != NONE:
            self.last = owner


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_registered_grants_are_as_the_reference_s(count):
    dut, reference = RegisteredChannelArbiter(requesters=count), RegisteredReference(count)
    dice, owners = Random(count), set()

    async def testbench(ctx):
        for _ in range(400):
            request = dice.getrandbits(count) & dice.getrandbits(count)
            owner = reference.owner
            assert ctx.get(dut.grant) == (0 if owner == NONE else 1 << owner)
            assert ctx.get(dut.free) == (owner == NONE)
            owners.add(owner)
            taken, tail = owner != NONE and dice.random() < 0.7, dice.random() < 0.5
            ctx.set(dut.request, request)
            ctx.set(dut.taken, taken)
            ctx.set(dut.tail, tail)
            await ctx.tick()
            reference.clock(request, taken and tail)

    run(dut, testbench)
    assert owners == {NONE, *range(count)}


@pytest.mark.parametrize("count", [2, 4, 6])
def test_registered_grants_steer_by_their_owner(count):
    dut, dice, owners = (
        RegisteredChannelArbiter(requesters=count, steers=True),
        Random(count),
        set(),
    )
    lines = steering(dut.grant)

    async def testbench(ctx):
        for _ in range(300):
            assert ctx.get(dut.steering) == ctx.get(lines)
            owners.add(ctx.get(dut.grant))
            ctx.set(dut.request, dice.getrandbits(count) & dice.getrandbits(count))
            ctx.set(dut.taken, dice.random() < 0.7)
            ctx.set(dut.tail, dice.random() < 0.5)
            await ctx.tick()

    run(dut, testbench)
    assert owners == {0, *(1 << place for place in range(count))}


@pytest.mark.parametrize("longest", [1, 3])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_whoever_goes_on_asking_gets_a_registered_grant(count, longest):
    """Others may send packet after packet: between two of mine each of them sends at most two."""
    dut, dice = RegisteredChannelArbiter(requesters=count), Random(count * longest)
    left, waited, most = [0] * count, [0] * count, 0

    async def testbench(ctx):
        nonlocal most
        for _ in range(2000):
            for place in range(count):
                if not left[place]:
                    left[place], waited[place] = dice.randint(1, longest), 0
            owner = ctx.get(dut.grant).bit_length() - 1
            ctx.set(dut.request, (1 << count) - 1)
            ctx.set(dut.taken, owner != NONE)
            ctx.set(dut.tail, owner != NONE and left[owner] == 1)
            await ctx.tick()
            if owner != NONE:
                left[owner] -= 1
                if not left[owner]:
                    waited[:] = [packets + 1 for packets in waited]
                most = max(most, *waited)

    run(dut, testbench)
    assert most <= 2 * count

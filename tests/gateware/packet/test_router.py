"""Routers with credits: what only the gates do; that they equal their model is shown elsewhere."""

from collections import deque
from random import Random

import pytest
from amaranth.hdl import Value
from helpers.long_links import network_of
from helpers.streams import assign, run
from knotwork import Fabric, Hypercube, Mesh, Network
from knotwork.gateware.packet import CreditRouter, PlainRouter
from knotwork.gateware.packet.credit_links import CreditCount
from knotwork.gateware.packet.link_registers import LinkRegisters
from knotwork.gateware.router_classes import gateware_of


@pytest.mark.parametrize("pipeline", [1, 2, 3])
def test_serves_networks_of_two_or_three_cycles_per_hop(pipeline):
    network = Network(Hypercube(n=2), pipeline=pipeline)
    router = gateware_of(network).router(network, network.router_kinds[0])
    assert network.has_credits == isinstance(router, CreditRouter) == (pipeline > 1)
    assert isinstance(router, PlainRouter) == (pipeline == 1)


@pytest.mark.parametrize(
    ("network", "cycles"),
    [
        *(
            (Network(Mesh(x=3, y=2), pipeline=hop, virtual_channels=vcs, buffer_depth=hop + 2), way)
            for vcs, hop, way in ((2, 2, 2 * 2 + 2), (1, 3, 3 * 2 + 2))
        ),
        # Buffers of 4 flits are enough for the links of one cycle only: the others are deeper.
        *(
            (network_of([(0, 1, latency), (1, 2)], buffer_depth=4, pipeline=2), 2 * 3 + latency - 1)
            for latency in (1, 2, 5)
        ),
    ],
)
def test_single_flit_packets_go_at_one_per_cycle_whatever_the_latency(network, cycles):
    """From node 0 to node 2, two hops away; `cycles` are those of an empty network."""
    dut, got, sent, count = Fabric(network), [], 0, 16

    async def testbench(ctx):
        nonlocal sent
        ctx.set(dut.eject[2].ready, 1)
        assign(ctx, dut.inject[0].p, last=1, destination=network.topology.address(2))
        for clock in range(count + cycles):
            ctx.set(dut.inject[0].valid, sent < count)
            ctx.set(dut.inject[0].p.data, sent)
            if ctx.get(dut.eject[2].valid):
                got.append((clock, ctx.get(dut.eject[2].p.data)))
            sent += sent < count and ctx.get(dut.inject[0].ready)
            await ctx.tick()

    run(dut, testbench)
    assert got == [(cycles + number, number) for number in range(count)]


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 7, 8, 9, 16])
@pytest.mark.parametrize("drain", [0.2, 0.9])
def test_has_room_while_fewer_flits_than_the_buffer_holds_are_behind_it(depth, drain):
    """`sent` is `taken` one cycle later; a credit counts in the next cycle."""
    follow(CreditCount(depth=depth), depth, drain)


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 8, 9, 16])
def test_tells_whether_no_flit_is_behind_it(depth):
    counts = follow(CreditCount(depth=depth, reports_empty=True), depth, 0.9, reports_empty=True)
    assert {0, 1, 2} <= counts


@pytest.mark.parametrize("depth", [2, 3, 5, 8, 16])
def test_a_flit_may_be_on_its_link_a_cycle_later(depth):
    dut = CreditCount(depth=depth, reports_empty=True, cycles_to_link=2)
    follow(dut, depth, 0.9, reports_empty=True, cycles_to_link=2)


def follow(dut, depth, drain, *, reports_empty=False, cycles_to_link=1):
    """Compare a count with the flits behind it; returns their numbers that there were."""
    rng, behind, seen, under_way = Random(depth), deque(), set(), [0] * cycles_to_link

    async def testbench(ctx):
        for _ in range(300):
            assert ctx.get(dut.room) == (len(behind) < depth)
            assert ctx.get(dut.sent) == under_way.pop(0)
            if reports_empty:
                assert ctx.get(dut.all_free) == (not behind)
            seen.add(len(behind))
            sent = int(len(behind) < depth and rng.random() < 0.6)
            under_way.append(sent)
            credit = bool(behind) and rng.random() < drain
            assign(ctx, dut, taken=sent, credit=credit)
            if credit:
                behind.popleft()
            if sent:
                behind.append(0)
            await ctx.tick()

    run(dut, testbench)
    return seen


@pytest.mark.parametrize("latency", [2, 3, 16])
def test_flits_go_ahead_and_credits_come_back_as_they_were(latency):
    network = network_of([(0, 1, latency)], data_width=8, virtual_channels=2)
    dut, rng, seen = LinkRegisters(network, latency), Random(latency), []
    ways = [(dut.i.valid, dut.o.valid), (dut.o.credit, dut.i.credit)]
    ways.append((Value.cast(dut.i.flit), Value.cast(dut.o.flit)))

    async def testbench(ctx):
        for clock in range(60):
            seen.append([rng.getrandbits(len(start)) for start, _ in ways])
            for (start, _), value in zip(ways, seen[-1], strict=True):
                ctx.set(start, value)
            before = seen[clock - latency + 1] if clock >= latency - 1 else [0, 0, 0]
            assert [ctx.get(end) for _, end in ways] == before
            await ctx.tick()

    run(dut, testbench)

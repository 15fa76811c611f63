"""Registers along a link, alone and between routers."""

from random import Random

import pytest
from amaranth.hdl import Value
from helpers.long_links import network_of
from helpers.streams import run
from knotwork import Fabric
from knotwork.gateware.packet.credits.link_registers import LinkRegisters


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


@pytest.mark.parametrize("latency", [1, 2, 5])
def test_a_stream_goes_at_one_flit_per_cycle_whatever_the_latency(latency):
    """Buffers of 4 flits are enough for the links of one cycle only: the others are deeper."""
    network = network_of([(0, 1, latency), (1, 2)], data_width=8, buffer_depth=4, pipeline=2)
    dut, sent, got = Fabric(network), [], []
    count, way = 40, 2 * 3 + latency - 1

    async def testbench(ctx):
        ctx.set(dut.eject[2].ready, 1)
        ctx.set(dut.inject[0].p.destination, 2)
        ctx.set(dut.inject[0].p.last, 1)
        for clock in range(count + way):
            ctx.set(dut.inject[0].valid, len(sent) < count)
            ctx.set(dut.inject[0].p.data, len(sent))
            if ctx.get(dut.eject[2].valid):
                got.append((clock, ctx.get(dut.eject[2].p.data)))
            if len(sent) < count and ctx.get(dut.inject[0].ready):
                sent.append(clock)
            await ctx.tick()

    run(dut, testbench)
    assert got == [(way + number, number) for number in range(count)]

"""Packets of one beat pass; all else is dropped whole."""

import pytest
from amaranth.hdl import ResetInserter, Signal
from amaranth.sim import Simulator
from knotwork import Network, Torus
from knotwork.gateware.deflection.single_flit_injector import SingleBeats


def networks(**keys):
    """One whose addresses are all nodes', and one where 3 is none's."""
    for x in (4, 3):
        yield Network(Torus(x=x, y=2, directions="one"), router="deflection", **keys)


def run(dut, bench):
    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("network", list(networks()), ids=lambda network: network.name)
def test_what_passes_and_what_is_refused(network):
    nodes = network.topology.nodes
    # (destination, last), and whether the router is ready: valid, ready, refused one cycle later
    table = [
        (0, 1, 0, (1, 0, 0)),
        (0, 1, 1, (1, 1, 0)),
        (1, 0, 0, (0, 1, 0)),
        (1, 0, 1, (0, 1, 0)),
        (1, 1, 1, (0, 1, 1)),
        (1, 1, 1, (1, 1, 0)),
        (3, 1, 0, (1, 0, 0) if nodes == 8 else (0, 1, 1)),
    ]
    dut = SingleBeats(network)

    async def bench(ctx):
        ctx.set(dut.i.valid, 1)
        for destination, last, ready, (valid, taken, refused) in table:
            ctx.set(dut.i.p, {"data": 5, "destination": destination, "last": last})
            ctx.set(dut.ready, ready)
            assert (ctx.get(dut.valid), ctx.get(dut.i.ready)) == (valid, taken)
            await ctx.tick()
            assert ctx.get(dut.refused) == refused
        ctx.set(dut.i.valid, 0)
        await ctx.tick()
        assert (ctx.get(dut.valid), ctx.get(dut.refused)) == (0, 0)

    run(dut, bench)


def test_numbers_count_each_destination_and_begin_anew_with_a_reset():
    network = next(networks(sequence_width=2))
    dut, line = SingleBeats(network), Signal()
    sent = [1, 1, 2, 1, 1, 2, 1, 7]
    expected = [0, 1, 0, 2, 3, 1, 0, 0]

    async def bench(ctx):
        for _ in range(2):
            clocks = 0
            ctx.set(dut.i.valid, 1)
            ctx.set(dut.ready, 1)
            ctx.set(dut.i.p, {"data": 0, "destination": 1, "last": 1})
            while not ctx.get(dut.i.ready):
                assert not ctx.get(dut.valid)
                await ctx.tick()
                clocks += 1
            assert clocks == 1 << network.topology.address_width
            for destination, number in zip(sent, expected, strict=True):
                ctx.set(dut.i.p, {"data": 0, "destination": destination, "last": 1})
                ctx.set(dut.ready, 0)
                await ctx.tick()  # what is not taken does not count
                ctx.set(dut.ready, 1)
                assert ctx.get(dut.sequence) == number
                await ctx.tick()
            ctx.set(dut.i.valid, 0)
            ctx.set(line, 1)
            await ctx.tick()
            ctx.set(line, 0)

    run(ResetInserter(line)(dut), bench)

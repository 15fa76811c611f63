"""A network with a monitor in Amaranth's simulator, whose registers are read over its bus."""

from helpers.streams import get, put, run
from helpers.wide import MARGIN, Nodes, WideFabric
from knotwork.monitoring.registers import WORD


async def bus_read(ctx, bus, address):
    """Data and response of a read."""
    await put(ctx, bus.ar, {"address": address, "prot": 0})
    answer = await get(ctx, bus.r)
    return answer.data, answer.response


async def bus_write(ctx, bus, address, data, strobe=0xF):
    """Response of a write whose data comes with its address."""
    ctx.set(bus.w.p, {"data": data, "strobe": strobe})
    ctx.set(bus.w.valid, 1)
    await put(ctx, bus.aw, {"address": address, "prot": 0})
    ctx.set(bus.w.valid, 0)
    return (await get(ctx, bus.b)).response


async def read_array(ctx, bus, array):
    """Words of an array of registers."""
    found = [await bus_read(ctx, bus, array.offset + WORD * n) for n in range(array.count)]
    assert all(response == 0 for _, response in found)
    return [data for data, _ in found]


def run_monitored(network, traffic, packets, then, *, stalled=(), clocks=None):
    """Run packets through a network, and then a testbench ``then(ctx, fabric)``."""
    dut, nodes = WideFabric(network), Nodes(network, traffic, packets, stalled=stalled)
    flits, refusals = int(packets.due.sum()), int(packets.refused.sum())

    async def testbench(ctx):
        clock, end = 0, clocks
        while end is None or clock < end:
            nodes.set_inputs(ctx, dut, clock)
            nodes.read_outputs(ctx, dut, clock)
            await ctx.tick()
            clock += 1
            if end is None and len(nodes.beats) >= flits and len(nodes.refused) >= refusals:
                end = clock + MARGIN
        await then(ctx, dut.fabric)

    run(dut, testbench)

"""Registers of a monitor in Amaranth's simulator, read and written over its bus."""

from helpers.streams import get, put
from helpers.wide import run_fabric
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


run_monitored = run_fabric
"""Run packets through a network, and then a testbench ``then(ctx, fabric)``."""

"""Registers of a monitor in Amaranth's simulator, read and written over its bus."""

import numpy as np
from helpers.streams import get, put
from helpers.wide import run_fabric
from knotwork.monitoring import WORD, monitored_channels, network_registers


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


def counts_of(network, traffic, packets):
    """What the monitor counts of a run: flits, stalls and refused packets."""
    found = {}

    async def then(ctx, fabric):
        # A count is shown so many cycles late.
        await ctx.tick().repeat(2 * len(monitored_channels(network)) + network.topology.nodes)
        for name, array in network_registers(network).arrays.items():
            found[name] = np.array(await read_array(ctx, fabric.monitor, array))

    run_monitored(network, traffic, packets, then)
    return found


def expected_flits(network, record, packets):
    """Flits of every channel by the golden model: what left by the output behind it.

    What a multicast unit sends into its router, no one counts: there it is None.
    """
    topology = network.topology
    vcs = network.virtual_channels
    crossings = record.tally.crossings.reshape(*topology.neighbours.shape, vcs)
    flits = []
    for one in monitored_channels(network):
        if one.virtual_channel is None:
            flits.append(int((record.node == one.node).sum()))
        elif one.node is not None:
            sent = (packets.source == one.node) & ~packets.refused
            lengths = packets.length[sent & (packets.virtual_channel == one.virtual_channel)]
            flits.append(None if network.has_multicast else int(lengths.sum()))
        else:
            sender, way = (int(table[one.router, one.port]) for table in topology.senders)
            flits.append(int(crossings[sender, way, one.virtual_channel]))
    return flits

"""Registers of the monitor over its bus, and what it says of a stalled network."""

import pytest
from helpers.monitored import bus_read, bus_write, read_array, run_monitored
from helpers.streams import run, watch
from knotwork import Network
from knotwork.gateware.monitors import Monitor
from knotwork.monitoring import network_registers, waiting_chains
from knotwork.monitoring.registers import SINGLE
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

OKAY, SLVERR = 0, 2


def test_registers_tell_what_the_monitor_is_and_how_it_stands():
    dut = Monitor(channels=5, nodes=2, turns=40, counters=True, watchdog=30)
    at = dut.registers.registers
    found = {}

    async def testbench(ctx):
        for name, address in at.items():
            found[name] = await bus_read(ctx, dut.bus, address)
        assert await bus_write(ctx, dut.bus, at["bound"], 10) == OKAY
        found["new bound"] = await bus_read(ctx, dut.bus, at["bound"])
        ctx.set(dut.waits, 0b10010)
        ctx.set(dut.wants, 1 << 39 | 3)
        await ctx.tick().until(dut.alarm)
        found["alarm"] = await bus_read(ctx, dut.bus, at["status"])
        for name in ("stuck", "waits", "wants"):
            array = dut.registers.arrays[name]
            found[f"array {name}"] = await read_array(ctx, dut.bus, array)
        ctx.set(dut.waits, 0)
        assert await bus_write(ctx, dut.bus, at["control"], 0b10) == OKAY
        found["rearmed"] = await bus_read(ctx, dut.bus, at["status"])

    run(dut, testbench, background=[watch(dut.bus.r), watch(dut.bus.b)])
    assert found.pop("cycles")[0] > 10
    assert found == {
        "identity": (0x4B4E4F31, OKAY),
        "channels": (5, OKAY),
        "nodes": (2, OKAY),
        "turns": (40, OKAY),
        "control": (0, OKAY),
        "status": (0, OKAY),
        "bound": (30, OKAY),
        "new bound": (10, OKAY),
        "alarm": (1, OKAY),
        "array stuck": [0b10010],
        "array waits": [0b10010],
        "array wants": [3, 1 << 7],
        "rearmed": (0, OKAY),
    }


def test_counters_are_read_and_cleared():
    dut = Monitor(channels=3, nodes=2, turns=1)
    arrays, at = dut.registers.arrays, dut.registers.registers
    found = []

    async def testbench(ctx):
        ctx.set(dut.flits, 0b101)
        ctx.set(dut.waits, 0b010)
        ctx.set(dut.refused, 0b10)
        await ctx.tick().repeat(25)
        for member in (dut.flits, dut.waits, dut.refused):
            ctx.set(member, 0)
        await ctx.tick().repeat(2 * 3 + 2)
        for _ in range(2):
            found.append([await read_array(ctx, dut.bus, one) for one in arrays.values()])
            await bus_write(ctx, dut.bus, at["control"], 1)
            await ctx.tick().repeat(2 * 3 + 2)

    run(dut, testbench)
    assert list(arrays) == ["flits", "stalls", "refused"]
    assert found == [[[25, 0, 25], [0, 25, 0], [0, 25]], [[0, 0, 0], [0, 0, 0], [0, 0]]]


@pytest.mark.parametrize("counters, watchdog", [(True, 0), (False, 9), (True, 9)])
def test_addresses_that_are_none_are_answered_with_an_error(counters, watchdog):
    dut = Monitor(channels=3, nodes=2, turns=4, counters=counters, watchdog=watchdog)
    map_ = dut.registers
    known = set(map_.registers.values())
    for array in map_.arrays.values():
        known |= {array.offset + 4 * n for n in range(array.count)}
    writable = {"control", "bound"} if watchdog else {"control"}

    async def testbench(ctx):
        for address in range(0, 1 << map_.page_width + 4, 4):
            expected = OKAY if address in known else SLVERR
            assert (await bus_read(ctx, dut.bus, address))[1] == expected, address
        for address in range(0, 1 << map_.page_width + 4, 4):
            may = address in {map_.registers[name] for name in writable}
            assert await bus_write(ctx, dut.bus, address, 0) == (OKAY if may else SLVERR)
        bound = map_.registers["bound"]
        assert await bus_write(ctx, dut.bus, bound, 0, strobe=0b0111) == SLVERR

    run(dut, testbench)
    assert list(map_.registers) == list(SINGLE)


def test_a_stalled_node_is_told_with_the_chain_behind_it():
    network = Network.from_word("mesh:x=3,y=2,data_width=8,buffer_depth=2,watchdog=40")
    rows = [(0, 0, 5, 12), (0, 1, 5, 3)]
    traffic = Traffic(traffic="replay", replay=rows)
    packets = make_packets(network, traffic)
    arrays, told = network_registers(network).arrays, []

    async def then(ctx, fabric):
        assert ctx.get(fabric.alarm)
        words = {name: await read_array(ctx, fabric.monitor, one) for name, one in arrays.items()}
        told.extend(waiting_chains(network, **words))

    run_monitored(network, traffic, packets, then, stalled=[5], clocks=150)
    # The packet of node 1 is ahead and fits behind router 2 (x=2, y=0); that of node 0, 12 flits
    # long, fills the buffers behind it, back to its node.
    (chain,) = told
    assert [one.router for one in chain.channels] == [0, 1, 2, 5, 5]
    assert [one.node for one in chain.channels] == [0, None, None, None, 5]
    assert chain.end == "the node, whose tready is low"
    labels = [network.topology.router_label(router) for router in (0, 1, 2, 5)]
    first, *_, last, end = str(chain).split("\n  waits for ")
    assert first.startswith(f"from node {network.topology.label(0)} into router {labels[0]} by ")
    assert last == f"to node {network.topology.label(5)}"
    assert end == chain.end

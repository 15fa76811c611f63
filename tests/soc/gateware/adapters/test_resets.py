"""Both sides of a crossing are in reset at once, however short the reset, whatever the clocks."""

import pytest
from helpers.clocks import RATIOS, in_domains, jittery, run_clocks
from knotwork_soc.gateware.adapters import LinkResets, ResetRelease


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("who", ["network", "node"])
def test_a_short_reset_of_either_resets_both(ratio, who):
    dut = LinkResets()
    m, network, node = in_domains(dut, "sync", "node")
    shared = {"sync": 0, "node": 0}

    async def reset(ctx):
        await ctx.delay(400e-6)
        assert not ctx.get(dut.plane) | ctx.get(dut.port)
        pin = {"network": network, "node": node}[who].rst
        ctx.set(pin, 1)
        await ctx.delay(0.3e-6)  # shorter than any of the clocks
        ctx.set(pin, 0)
        assert ctx.get(dut.port)
        shared.update(sync=0, node=0)
        await ctx.delay(400e-6)
        assert not ctx.get(dut.plane) | ctx.get(dut.port)
        assert shared["sync"] >= 4
        assert shared["node"] >= 2

    def count(domain):
        async def testbench(ctx):
            async for _, _, plane, port in ctx.tick(domain).sample(dut.plane, dut.port):
                shared[domain] += plane & port

        return testbench

    run_clocks(
        m,
        [jittery(network.clk, ratio[0], seed=1), jittery(node.clk, ratio[1], seed=2)],
        reset,
        background=[count("sync"), count("node")],
    )


@pytest.mark.parametrize(
    "gap", [pytest.param(gap, marks=pytest.mark.slow if gap % 3 else ()) for gap in range(50, 70)]
)
def test_a_reset_in_the_middle_of_another_ends(gap):
    """The network's clock is slow, so the node's side is half a handshake ahead."""
    dut = LinkResets()
    m, network, node = in_domains(dut, "sync", "node")

    async def reset(ctx):
        await ctx.delay(400e-6)
        for pause in (gap * 1e-6, 600e-6):
            ctx.set(network.rst, 1)
            await ctx.delay(10e-6)
            ctx.set(network.rst, 0)
            await ctx.delay(pause)
        assert not ctx.get(dut.plane) | ctx.get(dut.port)

    run_clocks(m, [jittery(network.clk, 10, seed=1), jittery(node.clk, 0.9, seed=2)], reset)


def test_without_the_nodes_clock_the_networks_side_stays_in_reset():
    dut = LinkResets()
    m, network, node = in_domains(dut, "sync", "node")

    async def wait(ctx):
        await ctx.delay(90e-6)
        assert ctx.get(dut.plane)
        await ctx.delay(60e-6)
        assert not ctx.get(dut.plane)

    clocks = [jittery(network.clk, 1, seed=1), jittery(node.clk, 1, seed=2, stops=[(0, 100e-6)])]
    run_clocks(m, clocks, wait)


@pytest.mark.parametrize("active_low", [False, True])
def test_a_reset_begins_at_once_and_ends_at_an_edge(active_low):
    dut = ResetRelease(active_low=active_low)
    m, network, _ = in_domains(dut, "sync", "node")

    async def pin(ctx):
        idle = int(active_low)
        ctx.set(dut.i, idle)
        await ctx.tick().repeat(4)
        assert not ctx.get(dut.o)
        await ctx.delay(0.2e-6)
        ctx.set(dut.i, not idle)
        await ctx.delay(0)
        assert ctx.get(dut.o)
        ctx.set(dut.i, idle)
        await ctx.delay(0)
        assert ctx.get(dut.o)
        _, _, before = await ctx.tick().sample(dut.o)
        _, _, after = await ctx.tick().sample(dut.o)
        assert (before, after, ctx.get(dut.o)) == (1, 1, 0)

    run_clocks(m, [jittery(network.clk, 1, seed=1, jitter=0)], pin)

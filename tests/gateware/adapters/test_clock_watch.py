"""A clock that stops is found in time; one that runs, however slowly, is not."""

import pytest
from amaranth.hdl import ClockDomain, Module
from helpers.clocks import jittery, run_clocks
from knotwork.gateware.adapters import ClockWatch

TIMEOUT = 40


def watched(period, stops, until):
    """Cycles of the network in which the clock counts as stopped."""
    dut = ClockWatch(timeout=TIMEOUT)
    m = Module()
    m.domains.sync = network = ClockDomain()
    m.domains.node = node = ClockDomain()
    m.submodules.dut = dut
    found = []

    async def count(ctx):
        for cycle in range(until):
            _, _, stopped = await ctx.tick().sample(dut.stopped)
            if stopped:
                found.append(cycle)

    clocks = [
        jittery(network.clk, 1, seed=1, jitter=0),
        jittery(node.clk, period, seed=2, jitter=0, stops=stops),
    ]
    run_clocks(m, clocks, count)
    return found


@pytest.mark.parametrize("period", [0.1, 0.5, 1, 2, 7.3, 12])
def test_a_clock_that_runs_is_not_stopped(period):
    assert watched(period, [], 600) == []


@pytest.mark.parametrize("period", [0.1, 1, 7.3, 12])
def test_a_clock_that_stops_is_found_in_time(period):
    found = watched(period, [(200e-6, 400e-6)], 600)
    assert found == [*range(found[0], found[-1] + 1)]
    # It may have been asked up to three of its periods before its last edge.
    assert 200 - 3 * period + TIMEOUT - 1 <= found[0] <= 200 + period + TIMEOUT + 6
    assert 400 <= found[-1] <= 400 + 3 * period + 6

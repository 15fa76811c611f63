"""Bursts in order, one per cycle, taken before they are given."""

import pytest
from helpers.axi4_bursts import burst
from helpers.streams import consume, produce, run, watch
from knotwork.gateware.buses.bridges.burst_stage import BurstStage
from knotwork.system import BusParameters


@pytest.mark.parametrize(("bubble", "stall"), [(0, 0), (0.3, 0), (0, 0.3), (0.3, 0.3)])
def test_bursts_stay_in_order(bubble, stall):
    dut, taken = BurstStage(bus=BusParameters()), []
    bursts = [burst(4 * n, n % 16 + 1, id=n % 16, qos=n % 3) for n in range(40)]
    run(
        dut,
        produce(dut.i, bursts, bubble=bubble),
        consume(dut.o, taken, 40, stall=stall),
        background=[watch(dut.o)],
        clocks=42 if bubble == stall == 0 else 1000,
    )
    found = [{name: getattr(one, name) for name in bursts[0]} for one in taken]
    assert found == bursts


def test_a_burst_is_taken_though_nobody_takes_it_on():
    dut = BurstStage(bus=BusParameters())

    async def look(ctx):
        assert not ctx.get(dut.o.valid)
        await ctx.tick()
        assert ctx.get(dut.o.valid)
        assert not ctx.get(dut.i.ready)

    run(dut, produce(dut.i, [burst(0)], bubble=0), look)

"""Order of service, against counting round from the start."""

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.sim import Simulator
from knotwork.gateware.circuit.order import count_ones, scanned


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_requests_are_served_from_the_start_round(count):
    """Section 7.3: scan distance (input - start) mod inputs."""
    requests, start, served = Signal(count), Signal(range(count + 1)), Signal(count * count)
    total = Signal(range(count + 1))
    m = Module()
    entries = scanned(requests, start)
    asked = Signal(count)
    m.d.comb += [
        served.eq(Cat(Cat(inputs) for _, inputs in entries)),
        asked.eq(Cat(asked for asked, _ in entries)),
        total.eq(count_ones(m, [requests[n] for n in range(count)])),
    ]

    async def testbench(ctx):
        for first in range(count):
            for code in range(1 << count):
                ctx.set(start, first)
                ctx.set(requests, code)
                found = ctx.get(served)
                for distance in range(count):
                    number = (first + distance) % count
                    there = code >> number & 1
                    assert found >> distance * count & (1 << count) - 1 == there << number
                    assert ctx.get(asked) >> distance & 1 == there
                assert ctx.get(total) == code.bit_count()

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()

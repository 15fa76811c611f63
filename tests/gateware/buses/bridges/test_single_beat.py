"""Words' addresses."""

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator
from knotwork.gateware.buses.bridges.single_beat import word_address
from knotwork.system import BusParameters


@pytest.mark.parametrize(("width", "expected"), [(8, 0xABF), (16, 0xABE), (64, 0xAB8)])
def test_addresses_of_words(width, expected):
    m, i, o = Module(), Signal(12), Signal(12)
    m.d.comb += o.eq(word_address(BusParameters(data_width=width, address_width=12), i))

    async def testbench(ctx):
        ctx.set(i, 0xABF)
        assert ctx.get(o) == expected

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()

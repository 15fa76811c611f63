"""AXI4-Lite's transfers are AXI4's with the fixed values of IHI 0022, B1.1."""

from amaranth.sim import Simulator
from knotwork.gateware.buses.bridges import AxiLiteToAxi4
from knotwork.system import BusParameters


def test_fixed_fields():
    dut = AxiLiteToAxi4(bus=BusParameters(data_width=64, address_width=40))

    async def testbench(ctx):
        for lite, axi4 in ((dut.axi_lite.aw, dut.axi4.aw), (dut.axi_lite.ar, dut.axi4.ar)):
            ctx.set(lite.p, {"address": 0x12_3456_789F, "prot": 5})
            ctx.set(lite.valid, 1)
            found = ctx.get(axi4.p)
            assert ctx.get(axi4.valid)
            # B1.1.1: one beat of the bus's width, not exclusive, not modifiable or bufferable.
            assert (found.length, found.size, found.burst) == (0, 3, 1)
            assert (found.lock, found.cache, found.qos, found.id) == (0, 0, 0, 0)
            assert (found.address, found.prot) == (0x12_3456_7898, 5)
            assert not ctx.get(lite.ready)
            ctx.set(axi4.ready, 1)
            assert ctx.get(lite.ready)
        ctx.set(dut.axi_lite.w.p, {"data": 0x1122334455667788, "strobe": 0x5A})
        beat = ctx.get(dut.axi4.w.p)
        assert (beat.data, beat.strobe, beat.last) == (0x1122334455667788, 0x5A, 1)
        for response in (0, 2, 3):
            ctx.set(dut.axi4.b.p.response, response)
            assert ctx.get(dut.axi_lite.b.p.response) == response
            ctx.set(dut.axi4.r.p, {"data": 77, "response": response, "last": 1, "id": 0})
            answer = ctx.get(dut.axi_lite.r.p)
            assert (answer.data, answer.response) == (77, response)

    simulator = Simulator(dut)
    simulator.add_testbench(testbench)
    simulator.run()

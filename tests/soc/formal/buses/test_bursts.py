"""What the proofs know of bursts."""

import pytest
from amaranth.hdl import Const, Module, Signal
from amaranth.lib import data
from amaranth.sim import Simulator
from helpers.bridge_faults import sees
from knotwork_soc.formal.buses.bridges import SMALL
from knotwork_soc.formal.buses.harness import BusHarness, queued, total
from knotwork_soc.gateware.buses.target_bridges import Axi4ToWishbone


def test_a_sum():
    m, found = Module(), Signal(4)
    m.d.comb += found.eq(total([Const(1), Const(3), Const(5)]))

    async def testbench(ctx):
        assert ctx.get(found) == 9

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()


def test_entries_of_a_queue():
    harness = BusHarness(Axi4ToWishbone(bus=SMALL, pending=2), SMALL, "bridge")
    entries = queued(harness, "order", data.StructLayout({"write": 1, "id": 2, "last": 1}))
    assert harness.wires == ["order.occupied", "order.front", "order.full", "order.back"]
    assert [there.name for there, _ in entries] == ["order_occupied", "order_full"]
    harness.rtlil("used")


@pytest.mark.slow
@pytest.mark.parametrize("bridge", ["axi4_to_apb", "axi4_to_wishbone"])
def test_beats_that_are_not_counted_are_seen(bridge):
    counting = "number <= o_payload_last ? 2'b00 : number + 2'b01"
    assert sees(bridge, counting, "number <= 2'b00", "rules")

"""Addresses of places as gates, against the topology's arithmetic."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.sim import Simulator
from knotwork.gateware.circuit.places import (
    beyond_all,
    beyond_levels,
    first_of,
    own_bits,
    placed_bits,
)
from knotwork.topology import Kyklos


def test_places_and_levels_of_all_pairs():
    topology = Kyklos(k=3, levels=3, copies=4)
    own, other = Signal(topology.address_width), Signal(topology.address_width)
    copies = range(topology.copies)
    m = Module()
    found = [Signal(topology.address_width, name=f"placed_{copy}") for copy in copies]
    back = [Signal(topology.address_width, name=f"back_{copy}") for copy in copies]
    beyond = [Signal(3, name=f"beyond_{copy}") for copy in copies]
    least, first = Signal(3, name="least"), Signal(topology.address_width, name="first")
    for copy in copies:
        m.d.comb += [
            found[copy].eq(placed_bits(topology, copy, own)),
            back[copy].eq(own_bits(topology, copy, found[copy])),
            beyond[copy].eq(beyond_levels(topology, copy, own, other)),
        ]
    m.d.comb += [least.eq(beyond_all(topology, own, other)), first.eq(first_of(Cat(own)))]

    async def testbench(ctx):
        for s in range(0, 27, 2):
            ctx.set(own, topology.address(s))
            assert ctx.get(first) == topology.address(s) & -topology.address(s)
            for copy in copies:
                assert ctx.get(found[copy]) == topology.address(topology.placed(copy, s))
                assert ctx.get(back[copy]) == topology.address(s)
            for t in range(0, 27, 3):
                ctx.set(other, topology.address(t))
                for copy, level in enumerate(topology.lca_levels(s, t).tolist()):
                    assert ctx.get(beyond[copy]) == (1 << level) - 1
                assert ctx.get(least) == (1 << topology.lca_level(s, t)) - 1

    simulator = Simulator(m)
    simulator.add_testbench(testbench)
    simulator.run()

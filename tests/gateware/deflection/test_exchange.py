"""Exchanges between wires, in Amaranth's simulator."""

import numpy as np
import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator
from knotwork.gateware.deflection.exchange import Wire, changes, exchanged, wanted_sides
from knotwork.routing.exchanges import exchanges


def wires_of(count):
    """Wires of a module, and the module with what it makes of them."""
    m = Module()
    wires = [
        Wire(Signal(name=f"v{n}"), Signal(8, name=f"p{n}"), Signal(count)) for n in range(count)
    ]
    turn, wishes = Signal(), [wire.wish for wire in wires]
    blocks = next(iter(exchanges(count)), ())
    swaps = [changes(wanted_sides(block, wishes), turn) for block in blocks]
    outs = [Wire(*(Signal(len(value)) for value in wire)) for wire in wires]
    for out, wire in zip(outs, exchanged(m, wires, swaps), strict=True):
        m.d.comb += [mine.eq(value) for mine, value in zip(out, wire, strict=True)]
    return m, turn, wires, outs


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 8])
def test_every_packet_leaves_once_and_one_by_the_output_that_all_want(count):
    m, turn, wires, outs = wires_of(count)
    rng = np.random.default_rng(count)

    async def bench(ctx):
        for _ in range(300):
            valid = rng.integers(2, size=count)
            wishes = valid * rng.integers(count + 1, size=count)  # 0: none
            same = rng.random() < 0.5
            if same:
                wishes[wishes > 0] = 1 + rng.integers(count)
            ctx.set(turn, int(rng.integers(2)))
            for number, wire in enumerate(wires):
                ctx.set(wire.valid, int(valid[number]))
                ctx.set(wire.packet, number + 1)
                ctx.set(wire.wish, 1 << int(wishes[number]) >> 1)
            await ctx.delay(1e-9)
            found = [ctx.get(out.packet) for out in outs]
            assert sorted(found) == list(range(1, count + 1))
            assert [ctx.get(out.valid) for out in outs] == [valid[n - 1] for n in found]
            served = sum(wishes[n - 1] == place for place, n in enumerate(found, start=1))
            assert served == 1 if same and wishes.any() else served >= wishes.any()

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()

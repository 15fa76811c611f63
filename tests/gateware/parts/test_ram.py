from random import Random

from amaranth.hdl import Module, Signal
from helpers.streams import run
from knotwork.gateware.parts.ram import Write


def test_each_ram_keeps_its_value_of_what_arrived_last_at_a_place():
    m, arrives, into, found = Module(), Signal(), Signal(3), Signal(3)
    values = [Signal(width, name=f"value{width}") for width in (3, 8)]
    write = Write(m, arrives, into)
    shown = [write.ram(f"ram{len(value)}", value, found) for value in values]

    async def testbench(ctx):
        rng, kept = Random(1), {}
        for _ in range(300):
            comes, place = rng.random() < 0.5, rng.randrange(8)
            new = [rng.randrange(1 << len(value)) for value in values]
            ctx.set(arrives, comes)
            ctx.set(into, place)
            for signal, value in zip(values, new, strict=True):
                ctx.set(signal, value)
            for at, expected in kept.items():
                ctx.set(found, at)
                assert [ctx.get(one) for one in shown] == expected
            await ctx.tick()
            if comes:
                kept[place] = new
        assert len(kept) == 8

    run(m, testbench)

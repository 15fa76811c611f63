from random import Random

import pytest
from amaranth.hdl import unsigned
from knotwork_boards.selftest.registered import StreamRegister


@pytest.mark.parametrize("pauses", [(0, 0), (0.5, 0), (0, 0.5), (0.4, 0.4)])
def test_elements_come_out_in_order_whatever_pauses_are_made(run, pauses):
    dut = StreamRegister(unsigned(8))
    dice = Random(1)
    given, taken, cycles = [dice.randrange(256) for _ in range(200)], [], []

    async def testbench(ctx):
        left, held = list(given), None
        offered = False
        while len(taken) < len(given):
            offered = offered or (bool(left) and dice.random() >= pauses[0])
            ctx.set(dut.i.valid, offered)
            ctx.set(dut.i.payload, left[0] if offered else 0)
            ready = ctx.get(dut.i.ready)
            shown = ctx.get(dut.o.payload) if ctx.get(dut.o.valid) else None
            ctx.set(dut.o.ready, take := dice.random() >= pauses[1])
            assert ctx.get(dut.i.ready) == ready  # no path from the sink to the source,
            after = ctx.get(dut.o.payload) if ctx.get(dut.o.valid) else None
            assert after == shown  # nor from the source to the sink
            assert held is None or shown == held  # what is offered stays
            held = shown if shown is not None and not take else None
            if shown is not None and take:
                taken.append(shown)
            if offered and ready:
                left.pop(0)
                offered = False
            cycles.append(1)
            await ctx.tick()

    run(dut, testbench)
    assert taken == given
    if pauses == (0, 0):
        assert len(cycles) == len(given) + 2

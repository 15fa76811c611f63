from random import Random

import pytest
from knotwork_boards.monitor import WindowLine
from knotwork_boards.selftest.decimal import DecimalWriter
from knotwork_boards.selftest.tally import COUNTERS
from knotwork_boards.selftest.window_line import Reporter


async def get_text(ctx, out, *, busy, dice):
    """Bytes of a stream until its writer is no longer busy; taken at random clocks."""
    text, held = "", None
    while ctx.get(busy):
        ready = dice.randrange(2)
        ctx.set(out.ready, ready)
        if held is not None:
            assert (ctx.get(out.valid), ctx.get(out.payload)) == (1, held)
        held = None
        if ctx.get(out.valid):
            held = None if ready else ctx.get(out.payload)
            text += chr(ctx.get(out.payload)) if ready else ""
        await ctx.tick()
    return text


@pytest.mark.parametrize("width", [1, 4, 7, 24, 33])
def test_numbers_are_written_in_decimal(run, width):
    dut = DecimalWriter(width=width)
    dice = Random(width)
    values = [
        0,
        1,
        (1 << width) - 1,
        10 % (1 << width),
        *(dice.getrandbits(width) for _ in range(8)),
    ]

    async def testbench(ctx):
        for value in values:
            ctx.set(dut.value, value)
            ctx.set(dut.start, 1)
            await ctx.tick()
            ctx.set(dut.start, 0)
            ctx.set(dut.value, 0)
            assert await get_text(ctx, dut.o, busy=dut.busy, dice=dice) == str(value)

    run(dut, testbench)


@pytest.mark.parametrize("passed", [True, False])
def test_a_line_tells_every_counter(run, passed):
    dut = Reporter(name="moebius_n3_twist0", width=24)
    counts = {name: 7**place for place, name in enumerate(COUNTERS)}

    async def testbench(ctx):
        for window in (0, 12345):
            ctx.set(dut.window, window)
            ctx.set(dut.counts, counts)
            ctx.set(dut.passed, passed)
            ctx.set(dut.start, 1)
            await ctx.tick()
            ctx.set(dut.start, 0)
            text = await get_text(ctx, dut.o, busy=dut.busy, dice=Random(window))
            assert text == (
                f"moebius_n3_twist0 window={window} sent=1 received=7 lost=49 duplicated=343 "
                f"corrupted=2401 misrouted=16807 refused=117649 {'PASS' if passed else 'FAIL'}\r\n"
            )
            verdict = "PASS" if passed else "FAIL"
            parsed = WindowLine(name="moebius_n3_twist0", window=window, verdict=verdict, **counts)
            assert WindowLine.parse(text) == parsed

    run(dut, testbench)

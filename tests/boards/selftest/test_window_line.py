from random import Random

import pytest
from helpers.text_stream import read_text
from knotwork_boards.monitor.window_line import WindowLine
from knotwork_boards.selftest.tally import COUNTERS
from knotwork_boards.selftest.window_line import WindowLineWriter


@pytest.mark.parametrize("passed", [True, False])
def test_a_line_tells_every_counter(run, passed):
    words = dict.fromkeys(("window", *COUNTERS), 24)
    dut = WindowLineWriter(name="moebius_n3_twist0", words=words)
    counts = {name: 7**place for place, name in enumerate(COUNTERS)}

    async def testbench(ctx):
        for window in (0, 12345):
            ctx.set(dut.values, {"window": window} | counts)
            ctx.set(dut.passed, passed)
            ctx.set(dut.start, 1)
            await ctx.tick()
            ctx.set(dut.start, 0)
            text = await read_text(ctx, dut.o, busy=dut.busy, dice=Random(window))
            assert text == (
                f"moebius_n3_twist0 window={window} sent=1 received=7 lost=49 duplicated=343 "
                f"corrupted=2401 misrouted=16807 refused=117649 {'PASS' if passed else 'FAIL'}\r\n"
            )
            verdict = "PASS" if passed else "FAIL"
            parsed = WindowLine(name="moebius_n3_twist0", window=window, verdict=verdict, **counts)
            assert WindowLine.parse(text) == parsed

    run(dut, testbench)

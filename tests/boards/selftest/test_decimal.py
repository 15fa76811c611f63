from random import Random

import pytest
from helpers.text_stream import read_text
from knotwork_boards.selftest.decimal import DecimalWriter


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
            assert await read_text(ctx, dut.o, busy=dut.busy, dice=dice) == str(value)

    run(dut, testbench)

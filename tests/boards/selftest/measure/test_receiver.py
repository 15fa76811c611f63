import pytest
from knotwork_boards.selftest.measure.receiver import UartReceiver


@pytest.mark.parametrize("divisor", [4, 9])
def test_bytes_come_and_what_is_none_comes_as_zero(run, divisor):
    dut = UartReceiver(clock_hz=divisor * 9600, baud=9600)
    got = []

    async def line(ctx):
        async def bits(*values, of=divisor):
            for value in values:
                ctx.set(dut.rx, value)
                await ctx.tick().repeat(of)

        async def byte(number, stop=1):
            await bits(0, *(number >> place & 1 for place in range(8)), stop)

        await bits(0, 1, of=30 * divisor)  # low from the start: not connected yet
        for number in (0x55, 0xFF, 0x00, 0xA3):
            await byte(number)
        await bits(1, 1)
        await byte(0x31, stop=0)
        await bits(0, of=30 * divisor)  # a break says nothing more
        await bits(1)
        await byte(0x32)
        await bits(1, 1)

    async def watch(ctx):
        async for *_, received, byte in ctx.tick().sample(dut.received, dut.byte):
            if received:
                got.append(byte)

    run(dut, line, watch)
    assert got == [0x55, 0xFF, 0x00, 0xA3, 0x00, 0x32]

import pytest
from knotwork.errors import ConfigurationError
from knotwork_boards.selftest.uart import UartTransmitter, uart_divisor


@pytest.mark.parametrize("divisor", [2, 3, 104])
def test_bytes_have_eight_bits_lowest_first_between_start_and_stop(run, divisor):
    dut = UartTransmitter(clock_hz=divisor * 9600, baud=9600)
    data = [0x00, 0xFF, 0x55, 0xA3]
    seen = []

    async def producer(ctx):
        for byte in data:
            ctx.set(dut.i.payload, byte)
            ctx.set(dut.i.valid, 1)
            await ctx.tick().until(dut.i.ready)
        ctx.set(dut.i.valid, 0)

    async def line(ctx):
        for byte in data:
            while ctx.get(dut.tx):
                await ctx.tick()
            bits = []
            for _ in range(10 * divisor):
                bits.append(ctx.get(dut.tx))
                await ctx.tick()
            bit_of_clock = [0, *(byte >> place & 1 for place in range(8)), 1]
            assert bits == [bit for bit in bit_of_clock for _ in range(divisor)]
            seen.append(byte)
        for _ in range(20 * divisor):  # nothing more comes
            assert ctx.get(dut.tx) == 1
            await ctx.tick()

    run(dut, line, producer)
    assert seen == data


def test_divisors_of_the_boards():
    assert uart_divisor(clock_hz=12_000_000, baud=115200) == 104
    assert uart_divisor(clock_hz=25_000_000, baud=115200) == 217


@pytest.mark.parametrize("clock_hz", [115200, 3 * 57600, 10_000])
def test_a_clock_that_does_not_give_the_baud_rate_is_refused(refusal, clock_hz):
    text = refusal(ConfigurationError, lambda: UartTransmitter(clock_hz=clock_hz, baud=115200))
    assert text == (
        f"baud rate must be within 2 % of clock / n for a whole n >= 2, not 115200 at {clock_hz} Hz"
    )

from random import Random

import pytest
from amaranth.hdl import unsigned
from helpers.self_tests import pulse
from knotwork.errors import ConfigurationError
from knotwork_boards.monitor.window_line import WindowLine
from knotwork_boards.selftest.node_test import TAPS, Lfsr, node_seed
from knotwork_boards.selftest.registered import StreamRegister
from knotwork_boards.selftest.tally import COUNTERS
from knotwork_boards.selftest.uart import UartTransmitter, uart_divisor
from knotwork_boards.selftest.window_line import DecimalWriter, WindowLineWriter


async def read_text(ctx, out, *, busy, dice):
    """Text of a byte stream until its writer is no longer busy; each byte waits at random."""
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


@pytest.mark.parametrize("divisor", [2, 5])
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
        "baud rate must be within 2 % of clock / n for an integer n >= 2, not 115200 at "
        f"{clock_hz} Hz"
    )


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
            await pulse(ctx, dut.start)
            ctx.set(dut.value, 0)
            assert await read_text(ctx, dut.o, busy=dut.busy, dice=dice) == str(value)

    run(dut, testbench)


def step(state):
    return state >> 1 ^ (TAPS if state & 1 else 0)


def test_the_period_is_maximal():
    state, period = step(1), 1
    while state != 1:
        state, period = step(state), period + 1
    assert period == 0xFFFF


def test_hardware_steps_the_same(run):
    dut = Lfsr(seed=node_seed(5))

    async def testbench(ctx):
        state = ctx.get(dut.o)
        assert state != 0
        for _ in range(100):
            await ctx.tick()
            state = step(state)
            assert ctx.get(dut.o) == state

    run(dut, testbench)


def test_seeds_of_nodes_are_distinct():
    assert len({node_seed(node) for node in range(1024)}) == 1024


@pytest.mark.parametrize("seed", [0, 65536])
def test_a_seed_out_of_range_is_refused(refusal, seed):
    text = refusal(ValueError, lambda: Lfsr(seed=seed))
    assert text == f"LFSR seed must be an integer in 1..65535, not {seed}"


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
            ctx.set(dut.o.ready, take := dice.random() >= pauses[1])
            ready = ctx.get(dut.i.ready)
            shown = ctx.get(dut.o.payload) if ctx.get(dut.o.valid) else None
            ctx.set(dut.i.payload, dice.randrange(256) if not ready else left[0] if offered else 0)
            after = ctx.get(dut.o.payload) if ctx.get(dut.o.valid) else None
            assert after == shown  # no path from the source to the sink
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
        assert len(cycles) == len(given) + 1


@pytest.mark.parametrize("passed", [True, False])
def test_a_line_gives_every_counter(run, passed):
    words = dict.fromkeys(("window", *COUNTERS), 24)
    dut = WindowLineWriter(name="moebius_n3_twist0", words=words)
    counts = {name: 7**place for place, name in enumerate(COUNTERS)}

    async def testbench(ctx):
        for window in (0, 12345):
            ctx.set(dut.values, {"window": window} | counts)
            ctx.set(dut.passed, passed)
            await pulse(ctx, dut.start)
            text = await read_text(ctx, dut.o, busy=dut.busy, dice=Random(window))
            assert text == (
                f"moebius_n3_twist0 window={window} sent=1 received=7 lost=49 duplicated=343 "
                f"corrupted=2401 misrouted=16807 refused=117649 {'PASS' if passed else 'FAIL'}\r\n"
            )
            verdict = "PASS" if passed else "FAIL"
            parsed = WindowLine(name="moebius_n3_twist0", window=window, verdict=verdict, **counts)
            assert WindowLine.parse(text) == parsed

    run(dut, testbench)

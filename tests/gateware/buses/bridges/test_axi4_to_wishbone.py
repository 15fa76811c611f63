"""Bursts as Wishbone's requests: their rate, their answers, and room for these."""

from collections import deque

from helpers.axi4_bursts import beats, burst
from helpers.streams import consume, produce, run
from knotwork.gateware.buses.bridges import Axi4ToWishbone
from knotwork.system import BusParameters

BUS = BusParameters()


def peripheral(bus, requests, latency, fails=()):
    """Pipelined peripheral that never stalls, answers after `latency`, and reads the address."""

    async def testbench(ctx):
        line = deque([None] * (latency - 1))
        sampled = ctx.tick().sample(bus.cyc, bus.stb, bus.we, bus.adr, bus.sel)
        async for _, _, cyc, stb, we, adr, sel in sampled:
            asked = None
            if cyc and stb:
                asked = we, adr
                requests.append((we, adr, sel))
            line.append(asked)
            answer = line.popleft()
            ctx.set(bus.ack, answer is not None and answer[1] not in fails)
            ctx.set(bus.err, answer is not None and answer[1] in fails)
            ctx.set(bus.dat_r, answer[1] if answer else 0)

    return testbench


def test_a_beat_per_cycle_whatever_the_bursts():
    dut, requests, r, b = Axi4ToWishbone(bus=BUS), [], [], []
    run(
        dut,
        produce(dut.axi4.ar, [burst(0, 32, id=1), *(burst(4 * n) for n in range(16))], bubble=0),
        consume(dut.axi4.r, r, 48, stall=0),
        background=[peripheral(dut.wishbone, requests, latency=8)],
        clocks=48 + 8 + 3,
    )
    assert [one.data for one in r] == [*range(32), *range(16)]
    assert [one.last for one in r] == [n >= 31 for n in range(48)]
    assert [one.id for one in r] == [1] * 32 + [0] * 16
    dut, requests = Axi4ToWishbone(bus=BUS), []
    run(
        dut,
        produce(dut.axi4.aw, [burst(0, 32, id=1), *(burst(4 * n) for n in range(16))], bubble=0),
        produce(dut.axi4.w, [*beats(range(32)), *beats([5]) * 16], bubble=0),
        consume(dut.axi4.b, b, 17, stall=0),
        background=[peripheral(dut.wishbone, requests, latency=8, fails=(31,))],
        clocks=48 + 8 + 2,
    )
    assert [(one.id, one.response) for one in b] == [(1, 2), *[(0, 0)] * 16]


def test_narrow_and_unaligned_reads_select_their_bytes():
    dut, requests = Axi4ToWishbone(bus=BUS), []
    run(
        dut,
        produce(dut.axi4.ar, [burst(0x13, 3, size=1), burst(0x21, 2)]),
        consume(dut.axi4.r, [], 5),
        background=[peripheral(dut.wishbone, requests, latency=1)],
    )
    assert requests == [(0, 4, 0x8), (0, 5, 0x3), (0, 5, 0xC), (0, 8, 0xE), (0, 9, 0xF)]


def test_a_classic_peripheral_answers_in_the_cycle_of_the_request():
    dut, r, taken = Axi4ToWishbone(bus=BUS), [], []
    bus = dut.wishbone

    async def classic(ctx):
        # B4, 5.2.1: stalled until it answers.
        cycle = 0
        while True:
            cyc, stb, adr = ctx.get(bus.cyc), ctx.get(bus.stb), ctx.get(bus.adr)
            cycle += 1
            answers = cyc and stb and cycle % 3 == 0
            ctx.set(bus.ack, answers)
            ctx.set(bus.stall, cyc and not answers)
            ctx.set(bus.dat_r, adr)
            if answers:
                taken.append(adr)
            await ctx.tick()

    run(
        dut,
        produce(dut.axi4.ar, [burst(0, 6), burst(64, 6)], bubble=0),
        consume(dut.axi4.r, r, 12),
        background=[classic],
    )
    assert taken == [*range(6), *range(16, 22)]
    assert [one.data for one in r] == taken


def test_reads_that_nobody_takes_do_not_hold_writes():
    dut, requests, b = Axi4ToWishbone(bus=BUS, pending=4), [], []
    run(
        dut,
        produce(dut.axi4.aw, [burst(4096, 8)]),
        produce(dut.axi4.w, beats(range(8))),
        consume(dut.axi4.b, b, 1),
        background=[
            peripheral(dut.wishbone, requests, latency=2),
            produce(dut.axi4.ar, [burst(0, 16)], bubble=0),
        ],
        clocks=200,
    )
    assert sum(not one[0] for one in requests) <= 4
    assert sum(one[0] for one in requests) == 8


def test_an_answer_without_a_request_is_none():
    dut, r = Axi4ToWishbone(bus=BUS), []

    async def stray(ctx):
        ctx.set(dut.wishbone.ack, 1)
        await ctx.tick().repeat(4)
        ctx.set(dut.wishbone.ack, 0)
        await ctx.tick()
        await produce(dut.axi4.ar, [burst(0, 2)], bubble=0)(ctx)

    run(
        dut,
        stray,
        consume(dut.axi4.r, r, 2),
        background=[peripheral_after(dut.wishbone)],
    )
    assert [one.data for one in r] == [0, 1]


def peripheral_after(bus):
    """The same peripheral from the sixth cycle on."""

    async def testbench(ctx):
        await ctx.tick().repeat(5)
        await peripheral(bus, [], latency=1)(ctx)

    return testbench

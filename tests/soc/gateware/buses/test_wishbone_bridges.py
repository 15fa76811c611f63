"""Wishbone's requests as AXI4's, and bursts as Wishbone's requests: order, rate, answers."""

from collections import deque

from helpers.buses import beats, burst
from helpers.streams import assign, consume, get, produce, put, run
from knotwork_soc import BusParameters
from knotwork_soc.gateware.buses.initiator_bridges import WishboneToAxi4
from knotwork_soc.gateware.buses.target_bridges import Axi4ToWishbone

BUS = BusParameters()


def peripheral(bus, requests, latency, fails=()):
    """Pipelined peripheral that never stalls, answers after `latency`, and reads the address."""

    async def testbench(ctx):
        line = deque([None] * (latency - 1))
        sampled = ctx.tick().sample(bus.cyc, bus.stb, bus.we, bus.adr, bus.sel)
        async for _, _, cyc, stb, we, adr, sel in sampled:
            request = None
            if cyc and stb:
                request = we, adr
                requests.append((we, adr, sel))
            line.append(request)
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
            assign(ctx, bus, ack=answers, stall=cyc and not answers, dat_r=adr)
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

    run(dut, stray, consume(dut.axi4.r, r, 2), background=[peripheral_after(dut.wishbone)])
    assert [one.data for one in r] == [0, 1]


def peripheral_after(bus):
    """The same peripheral from the sixth cycle on."""

    async def testbench(ctx):
        await ctx.tick().repeat(5)
        await peripheral(bus, [], latency=1)(ctx)

    return testbench


FEW = BusParameters(outstanding=4)


def offer(ctx, bus, word, data=None):
    assign(ctx, bus, cyc=1, stb=1, we=data is not None, adr=word, sel=0xF, dat_w=data or 0)


async def request(ctx, bus, word, data=None):
    """Offer a request until it is taken."""
    offer(ctx, bus, word, data)
    stall = 1
    while stall:
        *_, stall = await ctx.tick().sample(bus.stall)
    ctx.set(bus.stb, 0)


def note(bus, answers):
    """Note the answers: data, or a failure."""

    async def testbench(ctx):
        sampled = ctx.tick().sample(bus.ack, bus.err, bus.dat_r)
        async for _, _, ack, err, data in sampled:
            if ack or err:
                answers.append("failed" if err else data)

    return testbench


def read_data(number, response=0):
    return {"id": 0, "data": number, "response": response, "last": 1}


def test_a_request_per_cycle_and_no_more_under_way_than_allowed():
    dut, addresses, answers = WishboneToAxi4(bus=FEW), [], []

    async def manager(ctx):
        for number in range(5):
            offer(ctx, dut.wishbone, number)
            *_, stall = await ctx.tick().sample(dut.wishbone.stall)
            assert not stall
        for _ in range(5):
            offer(ctx, dut.wishbone, 5)
            *_, stall = await ctx.tick().sample(dut.wishbone.stall)
            assert stall
        assert len(addresses) == 4
        ctx.set(dut.wishbone.stb, 0)
        await produce(dut.axi4.r, [read_data(n) for n in range(5)], bubble=0)(ctx)

    run(
        dut,
        manager,
        background=[consume(dut.axi4.ar, addresses, 5, stall=0), note(dut.wishbone, answers)],
    )
    assert answers == [0, 1, 2, 3, 4]
    assert [one.address for one in addresses] == [0, 4, 8, 12, 16]


def test_reads_and_writes_wait_for_each_other():
    dut, answers = WishboneToAxi4(bus=FEW), []
    log = []

    async def manager(ctx):
        for word, data in enumerate([1, 2, None, 3]):
            await request(ctx, dut.wishbone, word, data)

    async def subordinate(ctx):
        for kind, count in (("w", 2), ("r", 1), ("w", 1)):
            for _ in range(count):
                if kind == "w":
                    await get(ctx, dut.axi4.aw)
                    await get(ctx, dut.axi4.w)
                else:
                    await get(ctx, dut.axi4.ar)
                log.append(kind)
            for _ in range(6):
                await ctx.tick()
                other = dut.axi4.ar if kind == "w" else dut.axi4.aw
                assert not ctx.get(other.valid), "it must wait for the answers"
            for _ in range(count):
                if kind == "w":
                    await put(ctx, dut.axi4.b, {"id": 0, "response": 0})
                else:
                    await put(ctx, dut.axi4.r, read_data(9, response=3))

    run(dut, manager, subordinate, background=[note(dut.wishbone, answers)])
    assert log == ["w", "w", "r", "w"]
    assert len(answers) == 4
    assert answers[2] == "failed"
    assert "failed" not in answers[:2] + answers[3:]


def test_a_cycle_that_ends_early_gets_no_answers_and_the_next_one_only_its_own():
    dut, answers = WishboneToAxi4(bus=FEW), []

    async def manager(ctx):
        bus = dut.wishbone
        for word in range(3):
            await request(ctx, bus, word)
        ctx.set(bus.cyc, 0)
        await ctx.tick()
        await request(ctx, bus, 8)
        while not answers:
            await ctx.tick()
        await request(ctx, bus, 9)
        while len(answers) < 2:
            await ctx.tick()

    async def subordinate(ctx):
        taken = []
        await consume(dut.axi4.ar, taken, 3, stall=0)(ctx)
        for _ in range(9):
            await ctx.tick()
            assert not ctx.get(dut.axi4.ar.valid), "the next cycle must wait for late answers"
        for number in range(3):
            await put(ctx, dut.axi4.r, read_data(number))
        await consume(dut.axi4.ar, taken, 4, stall=0)(ctx)
        await put(ctx, dut.axi4.r, read_data(80))
        await consume(dut.axi4.ar, taken, 5, stall=0)(ctx)
        await put(ctx, dut.axi4.r, read_data(90))
        assert [one.address for one in taken] == [0, 4, 8, 32, 36]

    run(dut, manager, subordinate, background=[note(dut.wishbone, answers)])
    assert answers == [80, 90]


def test_a_request_of_a_classic_manager_is_taken_once():
    dut, addresses, answers = WishboneToAxi4(bus=FEW, classic=True), [], []

    async def manager(ctx):
        bus = dut.wishbone
        for word in range(4):
            offer(ctx, bus, word)
            ack = 0
            while not ack:
                *_, ack = await ctx.tick().sample(bus.ack)
            if word == 2:
                ctx.set(bus.stb, 0)
                await ctx.tick()

    async def subordinate(ctx):
        for _ in range(4):
            await ctx.tick().repeat(3)
            addresses.append(await get(ctx, dut.axi4.ar))
            await ctx.tick().repeat(3)
            await put(ctx, dut.axi4.r, read_data(len(addresses)))

    run(dut, manager, subordinate, background=[note(dut.wishbone, answers)])
    assert [one.address for one in addresses] == [0, 4, 8, 12]
    assert answers == [1, 2, 3, 4]

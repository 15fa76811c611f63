"""Wishbone's requests as AXI4's: their order, their rate, and cycles that end early."""

from helpers.streams import consume, get, produce, put, run
from knotwork.gateware.buses.bridges import WishboneToAxi4
from knotwork.system import BusParameters

BUS = BusParameters(outstanding=4)


def offer(ctx, bus, word, data=None):
    ctx.set(bus.cyc, 1)
    ctx.set(bus.stb, 1)
    ctx.set(bus.we, data is not None)
    ctx.set(bus.adr, word)
    ctx.set(bus.sel, 0xF)
    ctx.set(bus.dat_w, data or 0)


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
    dut, addresses, answers = WishboneToAxi4(bus=BUS), [], []

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
        background=[
            consume(dut.axi4.ar, addresses, 5, stall=0),
            note(dut.wishbone, answers),
        ],
    )
    assert answers == [0, 1, 2, 3, 4]
    assert [one.address for one in addresses] == [0, 4, 8, 12, 16]


def test_reads_and_writes_wait_for_each_other():
    dut, answers = WishboneToAxi4(bus=BUS), []
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
    dut, answers = WishboneToAxi4(bus=BUS), []

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
    dut, addresses, answers = WishboneToAxi4(bus=BUS, classic=True), [], []

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

"""A target behind an initiator: what comes back of a memory, and of one that falls silent."""

from random import Random

import pytest
from helpers.buses import BusPair, Memory, read, write
from helpers.streams import consume, produce, put, run, watch
from knotwork_soc import BusParameters

OKAY, EXOKAY, SLVERR, DECERR = range(4)
BUS = BusParameters(burst=8, outstanding=2, timeout=40)


def pair(*, flit_width=36, bus=BUS, **more):
    """Pair, and its memory with what it must keep."""
    dut, memory = BusPair(bus, size=0x1000, flit_width=flit_width), Memory(bus, **more)
    axi = dut.memory
    background = [memory.process(axi.aw, axi.w, axi.b, axi.ar, axi.r)]
    background += [watch(one) for one in (axi.aw, axi.w, axi.ar, dut.manager.b, dut.manager.r)]
    return dut, memory, background


async def cycles(ctx, memory, task):
    """Result of a task, and the cycles it took."""
    before = memory.cycle
    return await task, memory.cycle - before


@pytest.mark.parametrize("flit_width", [8, 20, 36, 72])
@pytest.mark.parametrize("stall", [0, 0.5])
def test_what_is_written_is_read(flit_width, stall):
    dut, memory, background = pair(flit_width=flit_width, stall=stall)

    async def testbench(ctx):
        dice = Random(flit_width)
        for count in (1, 2, 7, 8):
            words = [dice.getrandbits(32) for _ in range(count)]
            name = dice.randrange(16)
            assert await write(ctx, dut.manager, 64 * count, words, name=name) == (OKAY, name)
            found = await read(ctx, dut.manager, 64 * count, count, name=dice.randrange(16))
            assert found == [(word, OKAY) for word in words]

    run(dut, testbench, background=background)
    assert memory.locks == {0}


def test_strobes_and_narrow_and_unaligned_beats_reach_the_memory_as_they_are():
    dut, _, background = pair()

    async def testbench(ctx):
        await write(ctx, dut.manager, 0, [0x11111111, 0x22222222])
        await write(ctx, dut.manager, 0, [0xAAAAAAAA, 0xBBBBBBBB], strobe=0b0110)
        assert await read(ctx, dut.manager, 0, 2) == [(0x11AAAA11, OKAY), (0x22BBBB22, OKAY)]
        await write(ctx, dut.manager, 3, [0x55000000], size=0, strobe=0b1000)
        await write(ctx, dut.manager, 6, [0x00660000, 0x77777777], strobe=0b1100)
        assert [data for data, _ in await read(ctx, dut.manager, 0, 3)] == [
            *(0x55AAAA11, 0x00 << 24 | 0x66BB22, 0x77770000)
        ]

    run(dut, testbench, background=background)


def test_errors_of_the_memory_come_back_by_beat_and_no_exclusive_access_succeeds():
    outcomes = {0: OKAY, 4: SLVERR, 8: DECERR, 12: EXOKAY}
    dut, memory, background = pair(response=lambda word: outcomes[word])

    async def testbench(ctx):
        found = await read(ctx, dut.manager, 0, 4, lock=1)
        assert [response for _, response in found] == [OKAY, SLVERR, DECERR, OKAY]
        for word, outcome in ((0, OKAY), (4, SLVERR), (8, DECERR), (12, OKAY)):
            assert await write(ctx, dut.manager, word, [1], lock=1, name=5) == (outcome, 5)

    run(dut, testbench, background=background)
    assert memory.locks == {0}


# Cycles from a request to its answer where the memory does nothing: the timeout, the packets'
# flits, and one beat per cycle; at most this more for the registers between.
WAY = 16


def test_a_silent_memory_is_answered_for_and_its_late_answers_are_not_seen():
    state = {"alive": True}
    dut, memory, background = pair(is_alive=lambda _: state["alive"])

    async def testbench(ctx):
        manager = dut.manager
        assert await write(ctx, manager, 0, [1, 2, 3, 4]) == (OKAY, 0)
        state["alive"] = False
        done, took = await cycles(ctx, memory, read(ctx, manager, 0, 4, name=3))
        assert [response for _, response in done] == [SLVERR] * 4
        assert BUS.timeout <= took <= BUS.timeout + 4 + 4 + WAY
        done, took = await cycles(ctx, memory, write(ctx, manager, 0, [9] * 8, name=4))
        assert done == (SLVERR, 4)
        assert BUS.timeout <= took <= BUS.timeout + 8 + 8 + WAY
        assert ctx.get(dut.silent) == 3
        # What follows is answered at once.
        done, took = await cycles(ctx, memory, read(ctx, manager, 0, 8))
        assert ([response for _, response in done], took <= 8 + 8 + WAY) == ([SLVERR] * 8, True)
        done, took = await cycles(ctx, memory, write(ctx, manager, 0x80, [7] * 8))
        assert (done, took <= 8 + 8 + WAY) == ((SLVERR, 0), True)
        state["alive"] = True
        for _ in range(40):
            await ctx.tick()
        assert ctx.get(dut.silent) == 0
        # The write that had begun was ended by beats that write nothing.
        assert memory.bytes.get(0x80) is None
        assert await write(ctx, manager, 0, [5, 6]) == (OKAY, 0)
        assert await read(ctx, manager, 0, 2) == [(5, OKAY), (6, OKAY)]

    run(dut, testbench, background=background)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_memory_that_comes_and_goes_holds_up_nothing(seed):
    """Every burst is answered within the bound; what succeeded is there."""
    dice = Random(seed)
    phases = [(dice.randint(1, 150), dice.random() < 0.6) for _ in range(400)]
    lives = [alive for cycles, alive in phases for _ in range(cycles)]
    dut, memory, background = pair(
        stall=0.3, seed=seed, is_alive=lambda cycle: lives[cycle % len(lives)]
    )
    outcomes, bound = set(), 3 * BUS.timeout + 2 * 8 + 2 * WAY + 200

    async def writer(ctx):
        held = {}
        for _ in range(60):
            slot, count = dice.randrange(8), dice.randint(1, 8)
            words = [dice.getrandbits(32) for _ in range(count)]
            (outcome, _), took = await cycles(
                ctx, memory, write(ctx, dut.manager, 64 * slot, words)
            )
            assert took < bound
            outcomes.add(("write", outcome))
            held[slot] = words if outcome == OKAY else None
            if held[slot]:
                assert [
                    sum(memory.bytes[64 * slot + 4 * n + b] << 8 * b for b in range(4))
                    for n in range(count)
                ] == words

    async def reader(ctx):
        for _ in range(60):
            count = dice.randint(1, 8)
            found, took = await cycles(ctx, memory, read(ctx, dut.manager, 0x800, count))
            assert took < bound
            outcomes.update(("read", response) for _, response in found)

    run(dut, writer, reader, background=background, clocks=100_000)
    assert outcomes == {(way, one) for way in ("read", "write") for one in (OKAY, SLVERR)}


def fields(dice, length):
    """Address of a burst that breaks no rule, of any kind."""
    size, burst = dice.choice([(0, 1), (1, 1), (2, 1), (2, 0), (1, 0), (2, 2), (0, 2)])
    length = dice.choice([1, 3, 7]) if burst == 2 else length
    word = dice.randrange(0, 0xF00)
    return {
        "address": word >> size << size if burst == 2 else word,
        "length": length,
        "size": size,
        "burst": burst,
        "cache": dice.randrange(16),
        "prot": dice.randrange(8),
        "qos": dice.randrange(16),
    }


def test_addresses_of_all_kinds_of_bursts_and_their_beats_arrive_unchanged():
    """FIXED, INCR and WRAP; any beginning and size of beats; protection, cache and quality."""
    bus, dice = BusParameters(burst=8, outstanding=4), Random(1)
    dut, seen = BusPair(bus, size=0x1000), {"aw": [], "w": [], "ar": []}
    writes, reads = ([fields(dice, dice.randrange(8)) for _ in range(30)] for _ in range(2))
    beats = [
        {"data": dice.getrandbits(32), "strobe": dice.randrange(16), "last": n == one["length"]}
        for one in writes
        for n in range(one["length"] + 1)
    ]
    manager, memory = dut.manager, dut.memory
    answers = {"b": [], "r": []}

    def answer(requests, stream, payloads):
        async def testbench(ctx):
            done = 0
            while True:
                if done < len(requests):
                    for payload in payloads(requests[done]):
                        await put(ctx, stream, payload)
                    done += 1
                else:
                    await ctx.tick()

        return testbench

    run(
        dut,
        *(
            produce(getattr(manager, name), sent, bubble=0.2)
            for name, sent in (("aw", writes), ("w", beats), ("ar", reads))
        ),
        consume(manager.b, answers["b"], 30),
        consume(manager.r, answers["r"], sum(one["length"] + 1 for one in reads)),
        background=[
            *(
                consume(getattr(memory, name), seen[name], 10_000, stall=0.2)
                for name in ("aw", "w", "ar")
            ),
            answer(seen["aw"], memory.b, lambda _: [{"response": 0}]),
            answer(seen["ar"], memory.r, lambda one: [{}] * one.length + [{"last": 1}]),
        ],
    )
    for name, sent in (("aw", writes), ("w", beats), ("ar", reads)):
        assert [{key: getattr(one, key) for key in sent[0]} for one in seen[name]] == sent


# Cycles between two bursts: a header of two flits, and two in which the next is chosen; of reads,
# for which a store has room for two, half of the way to the memory and back.
@pytest.mark.parametrize(
    ("way", "burst", "between"),
    [
        ("w", 16, 4),
        ("r", 16, 8),
        pytest.param("w", 256, 4, marks=pytest.mark.slow),
        pytest.param("r", 256, 8, marks=pytest.mark.slow),
    ],
)
def test_a_long_burst_moves_a_beat_in_every_cycle(way, burst, between):
    """Of flits that hold a beat: within a burst no cycle is lost, and few between two."""
    bus = BusParameters(burst=burst, outstanding=4)
    dut, memory = BusPair(bus, size=0x1000), Memory(bus)
    axi, count = dut.memory, 4
    requests = [{"address": 0, "length": burst - 1, "size": 2, "burst": 1}] * count
    beats = [{"data": n, "strobe": 15, "last": n == burst - 1} for n in range(burst)] * count
    cycles = []
    stream = axi.w if way == "w" else dut.manager.r

    async def note(ctx):
        cycle = 0
        async for _, _, moves in ctx.tick().sample(stream.valid & stream.ready):
            cycle += 1
            if moves:
                cycles.append(cycle)

    sides = {
        "w": [
            produce(dut.manager.aw, requests, bubble=0),
            produce(dut.manager.w, beats, bubble=0),
            consume(dut.manager.b, [], count, stall=0),
        ],
        "r": [
            produce(dut.manager.ar, requests, bubble=0),
            consume(dut.manager.r, [], count * burst, stall=0),
        ],
    }
    process = memory.process(axi.aw, axi.w, axi.b, axi.ar, axi.r)
    run(dut, *sides[way], background=[process, note])
    for first in range(0, count * burst, burst):
        whole = cycles[first : first + burst]
        assert whole[-1] - whole[0] == burst - 1
    assert cycles[-1] - cycles[0] <= count * (burst + between)

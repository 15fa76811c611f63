"""What a manager gets of packets that an upset broke, or that never come."""

from random import Random

import pytest
from helpers.buses import BusPair, Memory, read, write
from helpers.streams import get, put, run, watch
from knotwork_soc import BusParameters
from knotwork_soc.gateware.buses.transactions import lost_after

OKAY, SLVERR = 0, 2
BUS = BusParameters(burst=4, outstanding=4, id_width=2, timeout=16)
LATE = lost_after(BUS)
REQUESTS, RESPONSES = 1, 2
SHORT = 60
"""Cycles that an answer takes where nothing is lost."""


def pair(*, flit_width=40, stall=0.0, seed=1):
    """Pair with parity, its memory, and what must be kept."""
    dut = BusPair(BUS, size=0x1000, flit_width=flit_width, has_parity=True)
    memory, axi = Memory(BUS, stall=stall, seed=seed), dut.memory
    background = [memory.process(axi.aw, axi.w, axi.b, axi.ar, axi.r)]
    background += [watch(one) for one in (axi.aw, axi.w, axi.ar, dut.manager.b, dut.manager.r)]
    return dut, memory, background


def flipping(dut, way, numbers):
    """Testbench that breaks the flits of a way with these numbers, counted from 0."""

    async def testbench(ctx):
        count = 0
        while True:
            ctx.set(dut.flips, way if count in numbers else 0)
            _, _, taken = await ctx.tick().sample(dut.taken)
            count += bool(taken & way)

    return testbench


async def timed(ctx, memory, task):
    before = memory.cycle
    return await task, memory.cycle - before


# A header of a request takes two flits of 40 bits, one of a response takes one; so does a beat.
WRITTEN = {0x100: 0x11111111, 0x104: 0x22222222, 0x108: 0x33333333}


@pytest.mark.parametrize(
    ("way", "flit", "outcomes", "is_short"),
    [
        # The header of a read's request; of its answer.
        (REQUESTS, 0, [SLVERR] * 3, False),
        (REQUESTS, 1, [SLVERR] * 3, False),
        (RESPONSES, 0, [SLVERR] * 3, False),
        # Its first beat, and the mark stays; its second; its last.
        (RESPONSES, 1, [SLVERR, SLVERR, SLVERR], True),
        (RESPONSES, 2, [OKAY, SLVERR, SLVERR], True),
        (RESPONSES, 3, [OKAY, OKAY, SLVERR], True),
    ],
)
def test_a_read_of_which_anything_is_wrong_is_an_error(way, flit, outcomes, is_short):
    dut, memory, background = pair()
    for address, word in WRITTEN.items():
        memory.bytes |= {address + lane: word >> 8 * lane & 0xFF for lane in range(4)}

    async def testbench(ctx):
        found, took = await timed(ctx, memory, read(ctx, dut.manager, 0x100, 3, name=2))
        assert [response for _, response in found] == outcomes
        words = WRITTEN.values()
        assert all(w == d for w, (d, r) in zip(words, found, strict=True) if r == OKAY)
        assert (took < SHORT) == is_short
        assert took < LATE + SHORT
        for name in range(4):  # and nothing is left of it
            found, took = await timed(ctx, memory, read(ctx, dut.manager, 0x100, 3, name=name))
            assert found == [(word, OKAY) for word in words]
            assert took < SHORT

    run(dut, testbench, background=[*background, flipping(dut, way, {flit})])


@pytest.mark.parametrize(
    ("way", "flit", "written", "is_short"),
    [
        # The header of a write's request; of its answer, when all is written.
        (REQUESTS, 0, [], False),
        (REQUESTS, 1, [], False),
        (RESPONSES, 0, [7, 8, 9], False),
        # Its beats: what comes behind a wrong one is not written either.
        (REQUESTS, 2, [], True),
        (REQUESTS, 3, [7], True),
        (REQUESTS, 4, [7, 8], True),
    ],
)
def test_a_write_of_which_anything_is_wrong_is_an_error_and_wrong_beats_are_not_written(
    way, flit, written, is_short
):
    dut, memory, background = pair()

    async def testbench(ctx):
        outcome, took = await timed(ctx, memory, write(ctx, dut.manager, 0x100, [7, 8, 9], name=1))
        assert outcome == (SLVERR, 1)
        places = [place for place in (0x100, 0x104, 0x108) if place in memory.bytes]
        assert [memory.bytes[place] for place in places] == written
        assert (took < SHORT) == is_short
        assert took < LATE + SHORT
        for name in range(4):
            outcome, took = await timed(ctx, memory, write(ctx, dut.manager, 0x200, [5], name=name))
            assert (outcome, took < SHORT) == ((OKAY, name), True)

    run(dut, testbench, background=[*background, flipping(dut, way, {flit})])


def test_an_answer_that_comes_too_late_is_not_taken_for_another():
    """All answers stand still for longer than any may; then all of them come."""
    dut, memory, background = pair()

    async def testbench(ctx):
        assert await write(ctx, dut.manager, 0, [1, 2, 3, 4]) == (OKAY, 0)
        for _ in range(5):  # more often than there are epochs
            ctx.set(dut.held, RESPONSES)
            found, took = await timed(ctx, memory, read(ctx, dut.manager, 0, 2, name=1))
            assert [response for _, response in found] == [SLVERR] * 2
            assert LATE <= took < LATE + SHORT
            outcome, took = await timed(ctx, memory, write(ctx, dut.manager, 0x40, [9], name=1))
            assert (outcome, LATE <= took < LATE + SHORT) == ((SLVERR, 1), True)
            ctx.set(dut.held, 0)
            assert await read(ctx, dut.manager, 8, 2, name=1) == [(3, OKAY), (4, OKAY)]
            assert await write(ctx, dut.manager, 0x80, [9], name=1) == (OKAY, 1)

    run(dut, testbench, background=background, clocks=20_000)


@pytest.mark.parametrize("flit_width", [16, 40, 80])
def test_whatever_breaks_every_access_is_answered_and_what_is_okay_is_right(flit_width):
    dice = Random(flit_width)
    dut, memory, background = pair(flit_width=flit_width, stall=0.2, seed=flit_width)
    outcomes, held = set(), {}

    async def upsets(ctx):
        while True:
            _, _, offered, taken = await ctx.tick().sample(dut.offered, dut.taken)
            for way in range(2):  # what is offered stays until it is taken
                if taken >> way & 1 or not offered >> way & 1:
                    ctx.set(dut.flips[way], dice.random() < 0.02)

    async def writer(ctx):
        for _ in range(60):
            slot, count = dice.randrange(8), dice.randint(1, 4)
            words = [dice.getrandbits(32) for _ in range(count)]
            held.pop(slot, None)
            outcome, took = await timed(
                ctx, memory, write(ctx, dut.manager, 64 * slot, words, name=dice.randrange(4))
            )
            assert took < 2 * LATE
            outcomes.add(("write", outcome[0]))
            if outcome[0] == OKAY:
                held[slot] = words
                found = bytes(memory.bytes[64 * slot + n] for n in range(4 * count))
                assert found == b"".join(word.to_bytes(4, "little") for word in words)

    async def asker(ctx):
        for number in range(60):
            await put(ctx, dut.manager.ar, fields(0x800 + 16 * (number % 8), number % 4))

    async def reader(ctx):
        memory.bytes |= {0x800 + place: place // 16 for place in range(128)}
        due = {name: [16 * (n % 8) for n in range(60) if n % 4 == name] for name in range(4)}
        while any(due.values()):
            beats = [await get(ctx, dut.manager.r)]
            while not beats[-1].last:
                beats.append(await get(ctx, dut.manager.r))
            place = due[beats[0].id].pop(0) // 16
            assert len(beats) == 2
            for beat in beats:
                outcomes.add(("read", beat.response))
                assert beat.response == SLVERR or beat.data == place * 0x01010101

    run(dut, writer, asker, reader, background=[*background, upsets], clocks=200_000)
    assert outcomes == {(way, one) for way in ("read", "write") for one in (OKAY, SLVERR)}


def fields(address, name):
    """A read of two words."""
    return {"id": name, "address": address, "length": 1, "size": 2, "burst": 1}

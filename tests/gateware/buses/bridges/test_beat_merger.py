"""Reads and writes take turns beat by beat, and what is offered stays."""

from random import Random

from helpers.axi4_bursts import beats, burst
from helpers.streams import consume, produce, run, watch
from knotwork.gateware.buses.bridges.beat_merger import BeatMerger
from knotwork.system import BusParameters

BUS = BusParameters()


def kinds(taken):
    return "".join("w" if one.write else "r" for one in taken)


def open_room(dut):
    async def testbench(ctx):
        ctx.set(dut.may_read, 1)
        ctx.set(dut.may_write, 1)

    return testbench


def test_reads_and_writes_take_turns():
    dut, taken = BeatMerger(bus=BUS), []
    run(
        dut,
        open_room(dut),
        produce(dut.aw, [burst(0, 8)], bubble=0),
        produce(dut.w, beats(range(8)), bubble=0),
        produce(dut.ar, [burst(64, 4), burst(128, 4)], bubble=0),
        consume(dut.o, taken, 16, stall=0),
        clocks=18,
    )
    assert kinds(taken) in ("wr" * 8, "rw" * 8)
    assert [one.word for one in taken if not one.write] == [*range(64, 80, 4), *range(128, 144, 4)]
    assert [one.data for one in taken if one.write] == [*range(8)]


def test_reads_go_on_while_a_writes_data_is_late():
    dut, taken = BeatMerger(bus=BUS), []

    async def late(ctx):
        ctx.set(dut.w.valid, 0)
        while len(taken) < 5:
            await ctx.tick()
        await produce(dut.w, beats([7, 8]), bubble=0)(ctx)

    run(
        dut,
        open_room(dut),
        produce(dut.aw, [burst(0, 2)], bubble=0),
        late,
        produce(dut.ar, [burst(64, 6)], bubble=0),
        consume(dut.o, taken, 8, stall=0),
        clocks=20,
    )
    assert kinds(taken[:5]) == "rrrrr"
    assert sorted(kinds(taken)) == list("rrrrrrww")


def test_what_is_offered_stays():
    dut, taken = BeatMerger(bus=BUS), []
    dice = Random(5)
    words = [dice.randrange(1 << 32) for _ in range(60)]
    reads, writes = [burst(4 * n, 3) for n in range(20)], [burst(4 * n, 3) for n in range(20)]

    async def room(ctx):
        # It goes only when a beat of its kind is taken.
        while True:
            *_, valid, ready, write = await ctx.tick().sample(
                dut.o.valid, dut.o.ready, dut.o.p.write
            )
            for kind, may in ((0, dut.may_read), (1, dut.may_write)):
                goes = valid and ready and write == kind
                if goes or not ctx.get(may):
                    ctx.set(may, dice.random() < 0.4)

    run(
        dut,
        produce(dut.aw, writes),
        produce(dut.w, [one for n in range(20) for one in beats(words[3 * n : 3 * n + 3], n % 16)]),
        produce(dut.ar, reads),
        consume(dut.o, taken, 120),
        background=[watch(dut.o), room],
    )
    written = [one for one in taken if one.write]
    assert [one.data for one in written] == words
    assert [one.lanes for one in written] == [n // 3 % 16 for n in range(60)]
    addresses = [4 * (n + k) for n in range(20) for k in range(3)]
    assert [one.word for one in written] == addresses
    assert [one.word for one in taken if not one.write] == addresses
    assert all(one.lanes == 0xF for one in taken if not one.write)
    assert [bool(one.last) for one in written] == [False, False, True] * 20

"""Packets stay complete where a clock stops."""

from itertools import pairwise
from random import Random

from helpers.streams import assign, consume, run, watch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from knotwork_soc import Payload
from knotwork_soc.gateware.adapters import EjectionGuard, InjectionGuard

PAYLOAD = Payload(data_width=16, unit=8, keep=True)
END = 2 << 16
"""Data of a beat without units: both of its bytes are absent."""
SEEDS = st.integers(0, 9999)


def rows(dice, count):
    """Packets of numbers that differ."""
    sizes = [dice.randrange(1, 5) for _ in range(count)]
    return [[100 * number + place for place in range(size)] for number, size in enumerate(sizes)]


def split(beats):
    """Packets of the beats taken, each a list of data."""
    found, row = [], []
    for beat in beats:
        row.append(int(beat.data))
        if beat.last:
            found.append(row)
            row = []
    assert not row, "a packet has no end"
    return found


@given(seed=SEEDS, stall=st.sampled_from([0.0, 0.5]), reset=st.booleans())
@example(seed=1, stall=0.0, reset=False)
@settings(max_examples=40, deadline=None)
def test_what_a_node_began_to_send_is_ended(seed, stall, reset):
    dice = Random(f"{seed}")
    dut = InjectionGuard(payload=PAYLOAD, header={"destination": 4})
    packets, expected, cuts, taken = rows(dice, 6), [], [], []

    async def node(ctx):
        """Stands still before a beat; after a reset, its packet is gone."""
        for row in packets:
            halt = dice.randrange(len(row)) if dice.random() < 0.5 else None
            for place, word in enumerate(row):
                if place == halt:
                    await stand_still(ctx, dut, reset=reset)
                    if place:
                        expected.append([*row[:place], END])
                    if place and reset:
                        break
                assign(ctx, dut.i, p={"data": word, "last": int(place == len(row) - 1)}, valid=1)
                await ctx.tick().until(dut.i.ready)
                ctx.set(dut.i.valid, 0)
            if not halt:
                expected.append(row)
        await ctx.tick().repeat(40)

    async def count(ctx):
        async for _, _, cut in ctx.tick().sample(dut.cut):
            cuts.extend([1] * cut)

    sink = consume(dut.o, taken, 1 << 30, stall=stall, seed=seed)
    run(dut, node, background=[watch(dut.o), count, sink])
    assert split(taken) == expected
    assert len(cuts) == sum(row[-1] == END for row in expected)


async def stand_still(ctx, dut, *, reset):
    """The node's clock stops for a while, or the node is reset."""
    await ctx.tick().repeat(12)  # as long as it takes until that is known
    signal = dut.flushed if reset else dut.stopped
    ctx.set(signal, 1)
    await ctx.tick().repeat(12)
    ctx.set(signal, 0)


@given(seed=SEEDS, stall=st.sampled_from([0.0, 0.5]), reset=st.booleans())
@settings(max_examples=40, deadline=None)
def test_what_a_node_cannot_take_is_dropped_whole(seed, stall, reset):
    dice = Random(f"{seed}")
    dut = EjectionGuard(payload=PAYLOAD, header={"source": 4})
    packets, taken, drops, lost = rows(dice, 14), [], [], []

    async def plane(ctx):
        for number, row in enumerate(packets):
            for place, word in enumerate(row):
                while dice.random() < 0.3:
                    await ctx.tick()
                last = int(place == len(row) - 1)
                assign(ctx, dut.i, p={"data": word, "last": last, "source": number}, valid=1)
                await ctx.tick().until(dut.i.ready)
                ctx.set(dut.i.valid, 0)
        await ctx.tick().repeat(60)

    async def node(ctx):
        """Takes beats, or stands still; a reset takes what it had of a packet with it."""
        signal = dut.flushed if reset else dut.stopped
        while True:
            if dice.random() < 0.08:
                ctx.set(dut.o.ready, 0)
                ctx.set(signal, 1)
                for _ in range(dice.randrange(1, 12)):
                    await ctx.tick()
                ctx.set(signal, 0)
                if reset:
                    while taken and not taken[-1].last:
                        taken.pop()
                        lost.append(1)
            ready = dice.random() >= stall
            ctx.set(dut.o.ready, ready)
            _, _, valid, beat = await ctx.tick().sample(dut.o.valid, dut.o.p)
            if valid and ready:
                taken.append(beat)

    async def count(ctx):
        async for _, _, drop in ctx.tick().sample(dut.dropped):
            drops.extend([1] * drop)

    run(dut, plane, background=[node, count])
    found = split(taken)
    complete = [row for row in found if row[-1] != END]
    ended = [row[:-1] for row in found if row[-1] == END]
    assert all(row in packets for row in complete)
    assert complete == sorted(complete)
    for row in ended:
        assert any(row == one[: len(row)] and len(row) < len(one) for one in packets)
    assert len(drops) == len(packets) - len(complete)
    assert not (reset and ended)
    assert {int(beat.source) for beat in taken} <= set(range(len(packets)))
    for before, beat in pairwise(taken):
        assert before.last or beat.source == before.source

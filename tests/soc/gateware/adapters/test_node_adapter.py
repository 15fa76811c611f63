"""A node's packets through a plane that sends them back, at clocks that know nothing of it."""

from itertools import product
from random import Random

import pytest
from helpers.clocks import RATIOS, in_domains, jittery, put_all, run_clocks
from helpers.streams import assign
from helpers.units import node_beats
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork_soc import Payload
from knotwork_soc.gateware.adapters import NodeAdapter

HEADERS = {"inject_header": {"destination": 4}, "eject_header": {"source": 4}}


def looped(width, payload, **keys):
    """An adapter whose plane returns each beat, its domains, and the adapter."""
    dut = NodeAdapter(width=width, payload=payload, domain="node", timeout=50, **keys, **HEADERS)
    m, network, node = in_domains(dut, "sync", "node")
    m.d.comb += [
        dut.from_plane.valid.eq(dut.to_plane.valid),
        dut.to_plane.ready.eq(dut.from_plane.ready),
        dut.from_plane.p.data.eq(dut.to_plane.p.data),
        dut.from_plane.p.last.eq(dut.to_plane.p.last),
        dut.from_plane.p.source.eq(5),
    ]
    return m, network, node, dut


def packets_of(dice, count, payload, width):
    """Packets of whole beats, or of any number of bytes with `keep`."""
    found = []
    for _ in range(count):
        units = dice.randrange(1, 6) * width // payload.unit
        if payload.keep:
            units = dice.randrange(0, 20)
        found.append([dice.randrange(1 << payload.unit) for _ in range(units)])
    return found


@given(
    width=st.sampled_from([8, 32, 64]),
    ratio=st.sampled_from(RATIOS),
    keep=st.booleans(),
    seed=st.integers(0, 999),
    stall=st.sampled_from([0.0, 0.4]),
)
@settings(max_examples=6, deadline=None)
def test_packets_come_back_whole(width, ratio, keep, seed, stall):
    dice, payload = Random(f"{seed}"), Payload.of(32, [width], keep=keep, user_width=2)
    m, network, node, dut = looped(width, payload)
    packets = packets_of(dice, 8, payload, width)
    sent = [
        beat
        for number, units in enumerate(packets)
        for beat in node_beats(units, width, payload, user=number % 4, destination=1)
    ]
    taken = []

    async def sink(ctx):
        while len(taken) < len(sent):
            ready = dice.random() >= stall
            ctx.set(dut.eject.ready, ready)
            _, _, valid, beat = await ctx.tick("node").sample(dut.eject.valid, dut.eject.p)
            if valid and ready:
                taken.append({name: int(beat[name]) for name in beat.shape().members})

    run_clocks(
        m,
        [jittery(network.clk, ratio[0], seed=seed), jittery(node.clk, ratio[1], seed=seed + 1)],
        put_all(dut.inject, sent, "node", bubble=stall, seed=seed),
        sink,
    )
    for beat in sent:
        beat["source"] = 5
        del beat["destination"]
    assert taken == sent


def take(dut, width, taken):
    """Testbench that adds the bytes of packets that are taken; a reset drops what it had of one."""

    async def sink(ctx):
        ctx.set(dut.eject.ready, 1)
        async for _, rst, valid, beat in ctx.tick("node").sample(dut.eject.valid, dut.eject.p):
            if rst and taken[-1]:
                taken[-1] = []
            elif valid and not rst:
                data, keep = int(beat.data), int(beat.keep)
                taken[-1] += [data >> 8 * one & 255 for one in range(width // 8) if keep >> one & 1]
                if beat.last:
                    taken.append([])

    return sink


async def offered(ctx, dut, beat):
    """Offer a beat until it is taken, or the node is reset; whether it is."""
    assign(ctx, dut.inject, p=beat, valid=1)
    rst = ready = 0
    while not ready and not rst:
        _, rst, ready = await ctx.tick("node").sample(dut.inject.ready)
    ctx.set(dut.inject.valid, 0)
    return rst


async def reset(ctx, node, cycles):
    ctx.set(node.rst, 1)
    for _ in range(cycles):  # the node itself must see it
        await ctx.tick("node")
    ctx.set(node.rst, 0)


QUICK = ((16, RATIOS[1], 0), (64, RATIOS[2], 1))
UPSETS = [
    pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow)
    for case in product((16, 64), RATIOS, range(3))
]


@pytest.mark.parametrize(("width", "ratio", "seed"), UPSETS)
def test_after_resets_and_stops_whole_packets_follow(width, ratio, seed):
    """Every packet that arrives is one that was sent, or the first beats of one, in order."""
    dice, payload = Random(f"{seed}"), Payload.of(32, [width], keep=True)
    m, network, node, dut = looped(width, payload)
    taken, sent = [[]], []

    async def source(ctx):
        """Numbered packets; a reset of the node begins the next one."""
        number = 0
        while True:
            number += 1
            sent.append(number)
            beats = node_beats([number & 255, number >> 8] * 6, width, payload, destination=1)
            for beat in beats:
                if await offered(ctx, dut, beat):
                    break

    async def upsets(ctx):
        for _ in range(6):
            await ctx.delay(dice.uniform(100e-6, 500e-6))
            await reset(ctx, node, dice.choice([2, 3, 30]))
        await ctx.delay(800e-6)
        before = len(taken)
        await ctx.delay(1500e-6)
        assert len(taken) > before + 10

    stops = [(700e-6, 900e-6), (1500e-6, 1510e-6), (1700e-6, 2100e-6)]
    run_clocks(
        m,
        [
            jittery(network.clk, ratio[0], seed=seed),
            jittery(node.clk, ratio[1], seed=seed + 1, stops=stops),
        ],
        upsets,
        background=[source, take(dut, width, taken)],
    )
    complete = [row for row in taken if len(row) == 12]
    assert len(complete) > 20
    assert all(row == row[:2] * 6 for row in complete)
    numbers = [row[0] + 256 * row[1] for row in complete]
    assert numbers == sorted(set(numbers))
    assert set(numbers) <= set(sent)
    for row in taken:
        assert len(row) <= 12
        assert row == (row[:2] * 6)[: len(row)]


@pytest.mark.parametrize(("width", "seed"), [(16, 3), (64, 4)])
def test_a_mesochronous_clock_that_stood_still_waits_for_a_reset(width, seed):
    """The network never waits; after the reset packets come back whole again."""
    payload = Payload.of(32, [width], keep=True)
    m, network, node, dut = looped(width, payload, mesochronous=True)
    taken, counts, slips = [[]], [0], []

    async def source(ctx):
        while True:
            for beat in node_beats([1, 2] * 6, width, payload, destination=1):
                await offered(ctx, dut, beat)

    async def watch(ctx):
        async for _, _, valid, ready in ctx.tick().sample(
            dut.from_plane.valid, dut.from_plane.ready
        ):
            counts[0] = counts[0] + 1 if valid and not ready else 0
            slips.append(ctx.get(dut.slipped))

    async def upset(ctx):
        await ctx.delay(300e-6)
        assert len(taken) > 10
        assert all(row == [1, 2] * 6 for row in taken[:-1])
        assert not any(slips)
        await ctx.delay(100e-6)  # the clock stands still, for less than `timeout`
        assert slips[-1]
        before = len(taken)
        await ctx.delay(100e-6)
        assert counts[0] == 0
        assert len(taken) <= before + 1
        await reset(ctx, node, 3)
        await ctx.delay(50e-6)
        before = len(taken)
        await ctx.delay(200e-6)
        assert not slips[-1]
        assert len(taken) > before + 5
        # The first one has lost its beginning with the reset, and the last one is not complete.
        assert all(row == [1, 2] * 6 for row in taken[before:-1])

    run_clocks(
        m,
        [
            jittery(network.clk, 1, seed=seed, jitter=0),
            jittery(node.clk, 1, seed=seed + 1, jitter=0, stops=[(310e-6, 325e-6)]),
        ],
        upset,
        background=[source, take(dut, width, taken), watch],
    )


def test_what_the_network_refused_is_told_at_the_nodes_clock():
    payload = Payload.of(32, [64], keep=True)
    m, network, node, dut = looped(64, payload)
    counts = {"refused": 0, "sparse": 0}

    async def network_side(ctx):
        await ctx.delay(200e-6)
        for _ in range(5):
            ctx.set(dut.plane_refused, 1)
            await ctx.tick()
            ctx.set(dut.plane_refused, 0)
        await ctx.delay(100e-6)

    async def node_side(ctx):
        async for _, _, refused, sparse in ctx.tick("node").sample(dut.refused, dut.sparse):
            counts["refused"] += refused
            counts["sparse"] += sparse

    sparse = {"data": 0, "keep": 5, "last": 1}
    run_clocks(
        m,
        [jittery(network.clk, 1, seed=1), jittery(node.clk, 7.1, seed=2)],
        network_side,
        put_all(dut.inject, [sparse] * 3, "node", bubble=0, seed=1),
        background=[node_side],
    )
    assert counts == {"refused": 5, "sparse": 3}

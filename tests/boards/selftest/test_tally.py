from random import Random

import pytest
from helpers.self_tests import pulse
from knotwork_boards.selftest.tally import COUNTERS, EVENTS, Tally

ERRORS = ("duplicated", "corrupted", "misrouted", "refused")


async def tell(ctx, dut, **events):
    for event in EVENTS:
        ctx.set(getattr(dut, event), events.get(event, 0))
    await ctx.tick()


async def outcome(ctx, dut):
    for _ in range(4):  # cycles to the verdict
        await tell(ctx, dut)
    return {name: ctx.get(dut.counts[name]) for name in COUNTERS}, ctx.get(dut.passed)


def sums(**counts):
    return dict.fromkeys(COUNTERS, 0) | counts


@pytest.mark.parametrize("nodes", [1, 2, 5, 64])
def test_events_of_all_nodes_are_summed(run, nodes):
    dut = Tally(nodes=nodes, packets=200 * nodes)
    dice = Random(nodes)

    async def testbench(ctx):
        expected = dict.fromkeys(EVENTS, 0)
        for _ in range(200):
            events = {event: dice.getrandbits(nodes) for event in EVENTS}
            for event, bits in events.items():
                expected[event] += bits.bit_count()
            await tell(ctx, dut, **events)
        counts, passed = await outcome(ctx, dut)
        under_way = expected["sent"] + expected["duplicated"]
        under_way -= expected["received"] + expected["refused"]
        del expected["skipped"]
        assert counts == {**expected, "lost": max(0, under_way)}
        assert not passed

    run(dut, testbench)


@pytest.mark.parametrize(
    ("events", "counts", "passes"),
    [
        ([{"sent": 7}, {"received": 3}, {"received": 4}], sums(sent=3, received=3), True),
        ([{"sent": 7}, {"received": 3}], sums(sent=3, received=2, lost=1), False),
        ([{"sent": 3}, {"received": 3}], sums(sent=2, received=2), False),  # too few sent
        ([{"sent": 7}, {"received": 7}, {"received": 1}], sums(sent=3, received=4), False),
        (
            [{"sent": 7}, {"received": 7}, {"received": 1, "duplicated": 1}],
            sums(sent=3, received=4, duplicated=1),
            False,
        ),
        (
            [{"sent": 7}, {"received": 6}, {"refused": 1}],
            sums(sent=3, received=2, refused=1),
            False,
        ),
        (
            [{"sent": 7}, {"received": 7, "corrupted": 2}],
            sums(sent=3, received=3, corrupted=1),
            False,
        ),
        (
            [{"sent": 7}, {"received": 7, "misrouted": 2}],
            sums(sent=3, received=3, misrouted=1),
            False,
        ),
        ([{"sent": 7}, {"received": 7, "skipped": 2}], sums(sent=3, received=3), False),
    ],
)
def test_a_window_passes_when_all_was_sent_and_nothing_but_received(run, events, counts, passes):
    dut = Tally(nodes=3, packets=3)

    async def testbench(ctx):
        for window in range(2):  # the second after a clear
            for event in events:
                await tell(ctx, dut, **event)
            assert await outcome(ctx, dut) == (counts, passes), window
            await pulse(ctx, dut.clear)
            assert await outcome(ctx, dut) == (sums(), False)

    run(dut, testbench)


def test_active_gives_of_packets(run):
    dut = Tally(nodes=3, packets=3)

    async def testbench(ctx):
        for event in ("sent", "received", "refused"):
            await tell(ctx, dut, **{event: 4})
            assert ctx.get(dut.active)
            await tell(ctx, dut)
            assert not ctx.get(dut.active)

    run(dut, testbench)

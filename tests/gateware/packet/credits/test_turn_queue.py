from collections import deque
from random import Random

import pytest
from helpers.streams import run
from knotwork.gateware.packet.credits.turn_queue import TurnQueue


@pytest.mark.parametrize("depth", [2, 4, 5, 8])
@pytest.mark.parametrize("drain", [0.3, 0.7, 1])
def test_shows_the_head_and_behind_a_shown_head_the_next(depth, drain):
    dut, rng, queue = TurnQueue(width=6, depth=depth), Random(depth), deque()
    places = {}  # of the flits in the port's RAM

    async def testbench(ctx):
        for number in range(400):
            assert ctx.get(dut.some) == (len(queue) >= 1)
            assert ctx.get(dut.more) == (len(queue) >= 2)
            assert ctx.get(dut.full) == (len(queue) == depth)
            shown = bool(queue) and rng.random() < 0.8
            leaves = shown and rng.random() < drain
            arrives = len(queue) < depth and rng.random() < 0.6
            ctx.set(dut.shown, shown)
            ctx.set(dut.leaves, leaves)
            ctx.set(dut.arrives, arrives)
            ctx.set(dut.i, number % 64)
            if len(queue) > shown:
                assert ctx.get(dut.entry) == queue[shown] % 64
            if queue:
                assert ctx.get(dut.head) == places[queue[0]]
            if arrives:
                places[number] = ctx.get(dut.into)
                assert places[number] not in [places[other] for other in queue]
                queue.append(number)
            if leaves:
                queue.popleft()
            await ctx.tick()

    run(dut, testbench)

from collections import deque
from random import Random

import pytest
from helpers.streams import run
from knotwork.gateware.packet.credits.turn_queue import TurnQueue


@pytest.mark.parametrize("depth", [2, 4, 5, 8])
@pytest.mark.parametrize("drain", [0.3, 0.7, 1])
def test_each_flit_has_a_place_of_its_own_and_the_head_and_the_next_are_told(depth, drain):
    dut, rng, queue, places = TurnQueue(depth=depth), Random(depth), deque(), {}

    async def testbench(ctx):
        for number in range(400):
            assert ctx.get(dut.some) == (len(queue) >= 1)
            assert ctx.get(dut.more) == (len(queue) >= 2)
            assert ctx.get(dut.full) == (len(queue) == depth)
            leaves = bool(queue) and rng.random() < drain
            arrives = len(queue) < depth and rng.random() < 0.6
            ctx.set(dut.leaves, leaves)
            ctx.set(dut.arrives, arrives)
            if queue:
                assert ctx.get(dut.head) == places[queue[0]]
            if len(queue) > 1:
                assert ctx.get(dut.behind) == places[queue[1]]
            if arrives:
                places[number] = ctx.get(dut.into)
                assert places[number] not in [places[other] for other in queue]
                queue.append(number)
            if leaves:
                queue.popleft()
            await ctx.tick()

    run(dut, testbench)

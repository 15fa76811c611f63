from collections import deque
from random import Random

import pytest
from helpers.streams import run
from knotwork.gateware.packet.credits.credit_count import CreditCount


@pytest.mark.parametrize("depth", [2, 4, 7, 8, 9, 16])
@pytest.mark.parametrize("drain", [0.2, 0.9])
def test_has_room_while_fewer_flits_than_the_buffer_holds_are_behind_it(depth, drain):
    """`sent` is `taken` one cycle later; a credit counts in the next cycle."""
    dut, rng, behind, sent = CreditCount(depth=depth), Random(depth), deque(), 0

    async def testbench(ctx):
        nonlocal sent
        for _ in range(300):
            assert ctx.get(dut.room) == (len(behind) < depth)
            assert ctx.get(dut.sent) == sent
            sent = int(len(behind) < depth and rng.random() < 0.6)
            credit = bool(behind) and rng.random() < drain
            ctx.set(dut.taken, sent)
            ctx.set(dut.credit, credit)
            if credit:
                behind.popleft()
            if sent:
                behind.append(0)
            await ctx.tick()

    run(dut, testbench)

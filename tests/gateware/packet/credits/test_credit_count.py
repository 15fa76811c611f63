from collections import deque
from random import Random

import pytest
from helpers.streams import run
from knotwork.gateware.packet.credits.credit_count import CreditCount


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 7, 8, 9, 16])
@pytest.mark.parametrize("drain", [0.2, 0.9])
def test_has_room_while_fewer_flits_than_the_buffer_holds_are_behind_it(depth, drain):
    """`sent` is `taken` one cycle later; a credit counts in the next cycle."""
    follow(CreditCount(depth=depth), depth, drain)


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 8, 9, 16])
def test_tells_whether_no_flit_is_behind_it(depth):
    counts = follow(CreditCount(depth=depth, tells_all=True), depth, 0.9, tells_all=True)
    assert {0, 1, 2} <= counts


@pytest.mark.parametrize("depth", [5, 8, 16])
def test_a_flit_may_be_on_its_link_a_cycle_later(depth):
    dut = CreditCount(depth=depth, tells_all=True, cycles_to_link=2)
    follow(dut, depth, 0.9, tells_all=True, cycles_to_link=2)


def follow(dut, depth, drain, *, tells_all=False, cycles_to_link=1):
    """Compare a count with the flits behind it; returns their numbers that there were."""
    rng, behind, seen, under_way = Random(depth), deque(), set(), [0] * cycles_to_link

    async def testbench(ctx):
        for _ in range(300):
            assert ctx.get(dut.room) == (len(behind) < depth)
            assert ctx.get(dut.sent) == under_way.pop(0)
            if tells_all:
                assert ctx.get(dut.all_free) == (not behind)
            seen.add(len(behind))
            sent = int(len(behind) < depth and rng.random() < 0.6)
            under_way.append(sent)
            credit = bool(behind) and rng.random() < drain
            ctx.set(dut.taken, sent)
            ctx.set(dut.credit, credit)
            if credit:
                behind.popleft()
            if sent:
                behind.append(0)
            await ctx.tick()

    run(dut, testbench)
    return seen

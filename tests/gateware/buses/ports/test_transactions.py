"""What may begin beside what is under way, against a list kept in Python."""

from random import Random

import pytest
from helpers.streams import run
from knotwork.gateware.buses.ports.transactions import Transactions
from knotwork.system import BusParameters


@pytest.mark.parametrize(("outstanding", "ids"), [(1, 1), (2, 2), (5, 2), (8, 3)])
def test_one_identifier_goes_one_way(outstanding, ids):
    bus = BusParameters(outstanding=outstanding, id_width=ids)
    dut, dice = Transactions(bus=bus, address_width=2), Random(outstanding)
    seen = set()

    async def testbench(ctx):
        under_way = {}
        for _ in range(600):
            name, node = dice.randrange(1 << ids), dice.randrange(4)
            local = dice.random() < 0.2
            ctx.set(dut.id, name)
            ctx.set(dut.node, node)
            ctx.set(dut.is_local, local)
            same = [way for other, *way in under_way.values() if other == name]
            may = len(under_way) < outstanding and all(way == [node, local] for way in same)
            assert ctx.get(dut.free) == may
            seen.add((may, bool(same), len(under_way) == outstanding))
            begins = may and dice.random() < 0.7
            ends = bool(under_way) and dice.random() < 0.3
            tag = ctx.get(dut.tag)
            ended = dice.choice([*under_way]) if ends else 0
            ctx.set(dut.begins, begins)
            ctx.set(dut.ends, ends)
            ctx.set(dut.ended, ended)
            if ends:
                assert ctx.get(dut.ended_id) == under_way[ended][0]
                del under_way[ended]
            if begins:
                assert tag not in under_way or tag == ended
                assert not (ends and tag == ended), "a number is free from the next cycle"
                under_way[tag] = (name, node, local)
            await ctx.tick()

    run(dut, testbench)
    assert len(seen) >= (2 if outstanding == 1 else 5)

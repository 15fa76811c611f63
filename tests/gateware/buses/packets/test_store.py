from random import Random

import pytest
from helpers.streams import consume, produce, put, refusal, run, watch
from knotwork.gateware.buses.packets.store import DISTRIBUTED, Stage, Store


@pytest.mark.parametrize("depth", [1, 2, 5, 16, DISTRIBUTED, DISTRIBUTED + 1])
@pytest.mark.parametrize(("bubble", "stall"), [(0, 0.6), (0.4, 0), (0.3, 0.3)])
def test_what_goes_in_comes_out_in_order(depth, bubble, stall):
    dut, taken = Store(8, depth=depth), []
    sent = Random(depth).choices(range(256), k=2 * depth + 10)
    run(
        dut,
        produce(dut.i, sent, bubble=bubble),
        consume(dut.o, taken, len(sent), stall=stall),
        background=[watch(dut.o)],
    )
    assert taken == sent


@pytest.mark.parametrize("depth", [1, 16, DISTRIBUTED, DISTRIBUTED + 1, 256])
def test_has_room_for_its_depth_and_tells_its_level(depth):
    dut = Store(8, depth=depth)
    assert dut.depth >= depth

    async def testbench(ctx):
        for number in range(dut.depth):
            assert ctx.get(dut.i.ready)
            assert ctx.get(dut.level) == number
            await put(ctx, dut.i, number % 256)
        assert not ctx.get(dut.i.ready)
        ctx.set(dut.o.ready, 1)
        await ctx.tick()
        assert ctx.get(dut.level) == dut.depth - 1

    run(dut, testbench)


@pytest.mark.parametrize("dut", [Store(8, depth=16), Store(8, depth=100), Stage(8)])
def test_one_entry_a_cycle(dut):
    taken = []

    async def taker(ctx):
        ctx.set(dut.o.ready, 1)
        for _ in range(14):
            _, _, valid, payload = await ctx.tick().sample(dut.o.valid, dut.o.p)
            taken.append(payload if valid else None)

    run(dut, produce(dut.i, range(12), bubble=0), taker)
    latency = taken.index(0)
    assert latency == (2 if isinstance(dut, Store) and dut.depth > DISTRIBUTED else 1)
    assert taken[latency : latency + 12] == [*range(12)]


@pytest.mark.parametrize(("bubble", "stall"), [(0, 0.6), (0.4, 0), (0.3, 0.3)])
def test_a_stage_keeps_what_it_offers(bubble, stall):
    dut, taken = Stage(8), []
    run(
        dut,
        produce(dut.i, range(50), bubble=bubble),
        consume(dut.o, taken, 50, stall=stall),
        background=[watch(dut.o)],
    )
    assert taken == [*range(50)]


def test_a_depth_of_0_is_refused():
    assert refusal(ValueError, lambda: Store(8, depth=0)) == "depth must be at least 1, not 0"

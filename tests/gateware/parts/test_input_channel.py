from random import Random

import pytest
from amaranth.hdl import Module
from knotwork import Hypercube, Network
from knotwork.gateware.parts.input_channel import InputChannel
from knotwork.gateware.parts.route import HighestDifference, input_turns
from knotwork.topology import LOCAL
from streams import consume, produce, put, run, watch

ADDRESS = 0b101


def channel(route=HighestDifference, **hardware):
    """Local input channel of a router of the hypercube n=3, and the ports of its turns."""
    network = Network(Hypercube(n=3), data_width=8, **hardware)
    turns = input_turns(network.router_kinds[0], LOCAL, 0)
    dut = InputChannel(network, route(network, turns))
    return dut, [turn.output_port for turn in turns]


def flit(number, destination):
    return {"data": number, "last": number & 1, "destination": destination, "source": 2}


@pytest.mark.parametrize("depth", [2, 5])
@pytest.mark.parametrize("pipeline", [1, 2])
def test_flits_leave_in_order_each_with_its_turn(pipeline, depth):
    dut, ports = channel(pipeline=pipeline, buffer_depth=depth)
    dice, taken, turns = Random(1), [], []
    sent = [flit(number, dice.randrange(8)) for number in range(60)]

    async def set_address(ctx):
        ctx.set(dut.address, ADDRESS)

    async def note_turns(ctx):
        bits = (dut.select, dut.o.valid, dut.o.ready)
        async for _, _, select, valid, ready in ctx.tick().sample(*bits):
            assert bool(select) == bool(valid)
            if valid and ready:
                turns.append(ports[select.bit_length() - 1])

    run(
        dut,
        set_address,
        produce(dut.i, sent),
        consume(dut.o, taken, len(sent)),
        background=[watch(dut.o), note_turns],
    )
    layout = dut.o.p.shape()
    assert taken == [layout.const(payload) for payload in sent]
    assert turns == [(ADDRESS ^ payload["destination"]).bit_length() for payload in sent]


@pytest.mark.parametrize("pipeline", [1, 2])
def test_one_flit_a_clock_as_many_clocks_later_as_the_pipeline_is_long(pipeline):
    dut, _ = channel(pipeline=pipeline)
    seen = []

    async def testbench(ctx):
        ctx.set(dut.address, ADDRESS)
        ctx.set(dut.i.valid, 1)
        ctx.set(dut.o.ready, 1)
        for number in range(8):
            ctx.set(dut.i.p, flit(number, ADDRESS))
            seen.append(ctx.get(dut.o.p.data) if ctx.get(dut.o.valid) else None)
            await ctx.tick()

    run(dut, testbench)
    assert seen == [None] * pipeline + list(range(8 - pipeline))


@pytest.mark.parametrize(("pipeline", "holds"), [(1, 4), (2, 5)])
def test_the_pipelines_register_holds_one_flit_more(pipeline, holds):
    dut, _ = channel(pipeline=pipeline, buffer_depth=4)
    count = 0

    async def testbench(ctx):
        nonlocal count
        ctx.set(dut.address, ADDRESS)
        ctx.set(dut.i.valid, 1)
        for _ in range(12):
            count += ctx.get(dut.i.ready)
            await ctx.tick()

    run(dut, testbench)
    assert count == holds


class AllTurns(HighestDifference):
    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.select.eq(-1)
        return m


class NoTurn(HighestDifference):
    def elaborate(self, platform):
        return Module()


@pytest.mark.parametrize("pipeline", [1, 2])
@pytest.mark.parametrize("route", [AllTurns, NoTurn])
def test_a_flit_that_takes_not_one_turn_is_caught(pipeline, route):
    dut, _ = channel(pipeline=pipeline, route=route)

    async def testbench(ctx):
        ctx.set(dut.address, ADDRESS)
        await put(ctx, dut.i, flit(0, ADDRESS))
        for _ in range(4):
            await ctx.tick()

    with pytest.raises(AssertionError, match="a flit must take one turn of its router"):
        run(dut, testbench)

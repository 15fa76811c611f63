from random import Random

import pytest
from amaranth.hdl import Module
from helpers.streams import assign, consume, produce, put, run, watch
from knotwork import Hypercube, Moebius, Network
from knotwork.gateware.packet.input_channel import InputChannel
from knotwork.gateware.packet.inputs import make_input_channel
from knotwork.gateware.parts.route import HighestDifference, input_turns
from knotwork.routing import Turn
from knotwork.topology import LOCAL

ADDRESS = 0b101


def channel(route=HighestDifference, **hardware):
    """Local input channel of a router of the hypercube n=3, and the ports of its turns."""
    network = Network(Hypercube(n=3), data_width=8, **hardware)
    turns = input_turns(network.router_kinds[0], LOCAL, 0)
    dut = InputChannel(network, turns, route(network, turns))
    return dut, [turn.output_port for turn in turns]


def flit(number, destination):
    return {"data": number, "last": number & 1, "destination": destination, "source": 2}


@pytest.mark.parametrize("depth", [2, 5])
def test_flits_leave_in_order_each_with_its_turn(depth):
    dut, ports = channel(buffer_depth=depth)
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


def test_one_flit_a_clock_a_clock_later():
    dut, _ = channel()
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
    assert seen == [None, *range(7)]


class AllTurns(HighestDifference):
    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.select.eq(-1)
        return m


class NoTurn(HighestDifference):
    def elaborate(self, platform):
        return Module()


@pytest.mark.parametrize("route", [AllTurns, NoTurn])
def test_a_flit_that_takes_not_one_turn_is_caught(route):
    dut, _ = channel(route=route)

    async def testbench(ctx):
        ctx.set(dut.address, ADDRESS)
        await put(ctx, dut.i, flit(0, ADDRESS))
        for _ in range(4):
            await ctx.tick()

    with pytest.raises(AssertionError, match="a flit must take one turn of its router"):
        run(dut, testbench)


def test_it_is_empty_while_no_flit_is_here():
    dut, _ = channel(buffer_depth=2)
    dice, here, seen = Random(1), 0, set()

    async def testbench(ctx):
        nonlocal here
        ctx.set(dut.address, ADDRESS)
        for _ in range(300):
            assert ctx.get(dut.empty) == (here == 0)
            seen.add(here)
            assign(ctx, dut.i, p=flit(1, ADDRESS), valid=dice.random() < 0.5)
            ctx.set(dut.o.ready, dice.random() < 0.5)
            here += ctx.get(dut.i.valid) and ctx.get(dut.i.ready)
            here -= ctx.get(dut.o.valid) and ctx.get(dut.o.ready)
            await ctx.tick()

    run(dut, testbench)
    assert seen == {0, 1, 2}


# Node 000 of 0-MC_3, from the node itself: to 110 by dimension 1 on virtual channel 0, or dimension
# 2 on virtual channel 1. By section 5 of the specification: b = 110, dimension 2 is plain, b[1] is
# set, a single last 0 is PP, and x[2] = 0, so dimension 1; dfr's is the highest.
ROUTE, ESCAPE, EJECT = Turn(LOCAL, 0, 2, 0), Turn(LOCAL, 0, 3, 1), Turn(LOCAL, 0, LOCAL, 0)
AWAY, HERE = 0b110, 0b000


def escaping_channel(**hardware):
    keys = {"data_width": 8, "pipeline": 1, **hardware}
    network = Network(Moebius(n=3), routing="spr", vc_scheme="escape", **keys)
    return make_input_channel(network, network.router_kinds[0], LOCAL, 0)


def bits_of(dut, *turns):
    """Number with the bits of these turns, in the order of `select`."""
    return sum(1 << dut.turns.index(turn) for turn in turns)


def beat(destination, last):
    return {"data": 0, "last": int(last), "destination": destination, "source": 0}


def test_a_packet_asks_for_one_turn_and_keeps_what_it_was_granted_until_its_tail():
    """A new one asks for its route while that is open, else for its escape; a present flit asks.

    Grants, pauses and moves are at random; packets for this node have no escape.
    """
    dut, dice = escaping_channel(buffer_depth=3), Random(1)
    flits = []
    for _ in range(80):
        length, destination = dice.randint(1, 4), dice.choice([AWAY, HERE])
        flits += [beat(destination, number == length - 1) for number in range(length)]
    packet, taken = None, []  # the turn that the packet in front was granted

    async def testbench(ctx):
        nonlocal packet
        waiting = list(flits)
        while len(taken) < len(flits):
            offered = bool(waiting) and dice.random() < 0.7
            ctx.set(dut.i.valid, offered)
            if offered:
                ctx.set(dut.i.p, waiting[0])
            is_open = dice.random() < 0.5
            others = dice.choice([(), (ESCAPE,)])  # of no account
            ctx.set(dut.open, bits_of(dut, *others, *((ROUTE,) if is_open else ())))
            expected = None
            ctx.set(dut.granted, 0)
            if ctx.get(dut.o.valid):
                away = flits[len(taken)]["destination"] == AWAY
                fresh = (ROUTE if is_open else ESCAPE) if away else EJECT
                expected = packet or fresh
            assert ctx.get(dut.select) == (bits_of(dut, expected) if expected else 0)
            granted = expected is not None and (packet is not None or dice.random() < 0.4)
            crosses = granted and dice.random() < 0.6
            if granted:
                ctx.set(dut.granted, bits_of(dut, expected))
            ctx.set(dut.o.ready, crosses)
            arrives = offered and ctx.get(dut.i.ready)
            if granted:
                packet = expected
            if crosses:
                last = ctx.get(dut.o.p.last)
                assert last == flits[len(taken)]["last"]
                taken.append(expected)
                packet = None if last else packet
            await ctx.tick()
            if arrives:
                waiting.pop(0)

    run(dut, testbench)
    assert {ROUTE, ESCAPE, EJECT} == set(taken)

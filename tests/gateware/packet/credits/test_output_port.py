from random import Random
from types import SimpleNamespace

import pytest
from amaranth.hdl import Const, Module, Value
from helpers.streams import run
from knotwork import Hypercube, Network
from knotwork.gateware.layouts import local_signature
from knotwork.gateware.packet.credits.output_port import OutputPort, eject

NETWORK = Network(Hypercube(n=2), data_width=8, pipeline=2)


class Reference:
    """Order of the inputs, and which channels packets hold."""

    def __init__(self, inputs, channels):
        self.order, self.owner = list(range(inputs)), [None] * channels

    def grant(self, fronts, room, opens):
        """Input that crosses; `fronts` are (channel, is last, packet) or None."""
        for place in self.order:
            if fronts[place] is None:
                continue
            channel, last, packet = fronts[place]
            owner = self.owner[channel]
            if (owner is None and opens[channel]) or (owner == packet and room[channel]):
                self.owner[channel] = None if last else packet
                self.order.remove(place)
                self.order.insert(len(self.order) if last else 0, place)
                return place
        return None


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("inputs", [1, 3])
@pytest.mark.parametrize("by_head", [False, True])
@pytest.mark.parametrize("staged", [False, True])
def test_grants_the_first_eligible_front_and_gives_its_flit_in_the_next_cycle(
    inputs, channels, by_head, staged
):
    """Heads ask for room as all flits do, or for more than that; a stage comes a cycle later."""
    keys = {"inputs": inputs, "channels": channels, "by_head": by_head, "staged": staged}
    dut = OutputPort(NETWORK, **keys)
    reference, rng = Reference(inputs, channels), Random(inputs)
    fronts, numbers = [None] * inputs, iter(range(1, 100_000))
    left, before = [None] * (1 + staged), [0] * inputs

    async def testbench(ctx):
        nonlocal before
        for _ in range(300):
            for place, front in enumerate(fronts):
                if front is None and rng.random() < 0.7:
                    fronts[place] = (rng.randrange(channels), rng.random() < 0.4, next(numbers))
            room = [rng.random() < 0.8 for _ in range(channels)]
            opens = [bit and rng.random() < 0.6 for bit in room] if by_head else room
            flits = [rng.randrange(1, 256) for _ in fronts]
            for place, front in enumerate(fronts):
                holds = front is not None and reference.owner[front[0]] == front[2]
                ctx.set(dut.request[place], front is not None)
                ctx.set(dut.held[place], holds)
                ctx.set(dut.last[place], front is not None and front[1])
                ctx.set(dut.channel[place], 1 << front[0] if front is not None else 0)
                ctx.set(Value.cast(dut.flits[place]), (before if staged else flits)[place])
            before = flits
            ctx.set(dut.room, sum(bit << n for n, bit in enumerate(room)))
            if by_head:
                ctx.set(dut.opens, sum(bit << n for n, bit in enumerate(opens)))
            ctx.set(dut.step, 1)
            assert ctx.get(Value.cast(dut.flit)) == (left.pop(0) or 0)
            chosen = reference.grant(fronts, room, opens)
            assert ctx.get(dut.granted) == (0 if chosen is None else 1 << chosen)
            assert ctx.get(dut.taken) == (0 if chosen is None else 1 << fronts[chosen][0])
            left.append(None)
            if chosen is not None:
                left[-1], (channel, last, packet) = flits[chosen], fronts[chosen]
                fronts[chosen] = None if last else (channel, rng.random() < 0.4, packet)
            await ctx.tick()

    run(dut, testbench)


def test_keeps_its_flit_while_it_cannot_leave():
    dut = OutputPort(NETWORK, inputs=2, channels=1)

    async def testbench(ctx):
        for member, value in (("request", 2), ("room", 1), ("step", 1), ("last", 3)):
            ctx.set(getattr(dut, member), value)
        ctx.set(dut.channel[1], 1)
        ctx.set(Value.cast(dut.flits[1]), 77)
        await ctx.tick()
        for member in ("request", "room", "step"):
            ctx.set(getattr(dut, member), 0)
        for _ in range(3):
            assert ctx.get(Value.cast(dut.flit)) == 77
            await ctx.tick()
        ctx.set(dut.step, 1)
        await ctx.tick()
        assert ctx.get(Value.cast(dut.flit)) == 0

    run(dut, testbench)


def test_only_virtual_channel_0_waits_for_its_node():
    """A store takes a packet and then no other; the node takes a flit when it likes."""
    network = Network(Hypercube(n=2), data_width=8, pipeline=2, multicast="yes", max_packet=4)
    m, rng = Module(), Random(1)
    m.submodules.output = output = OutputPort(network, inputs=2, channels=2)
    node = SimpleNamespace(i=local_signature(network).create())
    eject(m, output, node, [0, 1], "", address=Const(0, network.topology.address_width))
    sent, got, filling = [[], []], [[], []], True

    async def testbench(ctx):
        nonlocal filling
        for number in range(1, 400):
            takes, last = rng.random() < 0.4, rng.random() < 0.3
            place, filling = rng.randrange(2), filling or rng.random() < 0.2
            ctx.set(output.request, 1 << place)
            ctx.set(output.held, 3)
            ctx.set(output.channel[place], 1 << place)
            ctx.set(output.flits[place].data, number % 256)
            ctx.set(output.flits[place].last, last)
            ctx.set(node.i.ready, takes | filling << 1)
            if ctx.get(output.granted):
                sent[place].append(number % 256)
            valid, flit = ctx.get(node.i.valid), ctx.get(node.i.flit)
            assert valid != 2 or filling
            if valid == 2 or (valid == 1 and takes):
                got[valid >> 1].append(flit["data"])
            if valid == 2 and flit["last"]:
                filling = False
            await ctx.tick()

    run(m, testbench)
    assert all(len(one) > 50 for one in got)
    assert all(one == through[: len(one)] for one, through in zip(got, sent, strict=True))
    assert all(len(through) <= len(one) + 1 for one, through in zip(got, sent, strict=True))

from random import Random

import pytest
from amaranth.hdl import Value
from helpers.streams import run
from knotwork import Hypercube, Network
from knotwork.gateware.packet.credits.output_port import OutputPort

NETWORK = Network(Hypercube(n=2), data_width=8, pipeline=2)


class Reference:
    """Order of the inputs, and which channels packets hold."""

    def __init__(self, inputs, channels):
        self.order, self.owner = list(range(inputs)), [None] * channels

    def grant(self, fronts, room):
        """Input that crosses; `fronts` are (channel, is last, packet) or None."""
        for place in self.order:
            if fronts[place] is None:
                continue
            channel, last, packet = fronts[place]
            if room[channel] and self.owner[channel] in {None, packet}:
                self.owner[channel] = None if last else packet
                self.order.remove(place)
                self.order.insert(len(self.order) if last else 0, place)
                return place
        return None


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("inputs", [1, 3])
def test_grants_the_first_eligible_front_and_gives_its_flit_in_the_next_cycle(inputs, channels):
    dut = OutputPort(NETWORK, inputs=inputs, channels=channels)
    reference, rng = Reference(inputs, channels), Random(inputs)
    fronts, numbers = [None] * inputs, iter(range(1, 100_000))
    left = None

    async def testbench(ctx):
        nonlocal left
        for _ in range(300):
            for place, front in enumerate(fronts):
                if front is None and rng.random() < 0.7:
                    fronts[place] = (rng.randrange(channels), rng.random() < 0.4, next(numbers))
            room = [rng.random() < 0.8 for _ in range(channels)]
            flits = [rng.randrange(1, 256) for _ in fronts]
            for place, front in enumerate(fronts):
                holds = front is not None and reference.owner[front[0]] == front[2]
                ctx.set(dut.request[place], front is not None)
                ctx.set(dut.held[place], holds)
                ctx.set(dut.last[place], front is not None and front[1])
                ctx.set(dut.channel[place], 1 << front[0] if front is not None else 0)
                ctx.set(Value.cast(dut.flits[place]), flits[place])
            ctx.set(dut.room, sum(bit << n for n, bit in enumerate(room)))
            ctx.set(dut.step, 1)
            assert ctx.get(Value.cast(dut.flit)) == (0 if left is None else left)
            chosen = reference.grant(fronts, room)
            assert ctx.get(dut.granted) == (0 if chosen is None else 1 << chosen)
            assert ctx.get(dut.taken) == (0 if chosen is None else 1 << fronts[chosen][0])
            left = None
            if chosen is not None:
                left, (channel, last, packet) = flits[chosen], fronts[chosen]
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

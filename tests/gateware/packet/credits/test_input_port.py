"""The input port against the rule of its front, written from its docstring."""

from collections import deque
from random import Random

import pytest
from helpers.paths import arrivals
from helpers.streams import run
from knotwork import Hypercube, Mesh, Network
from knotwork.gateware.packet.credits.input_port import InputPort
from knotwork.topology import LOCAL


class Reference:
    """Channels of (data, (source, destination), last), and which is at the front."""

    def __init__(self, channels, depth):
        self.queues, self.front, self.depth = [deque() for _ in range(channels)], None, depth
        self.holds, self.shown = [False] * channels, 0

    def other(self):
        count = len(self.queues)
        behind = ((self.shown + step) % count for step in range(1, count))
        return next((channel for channel in behind if self.queues[channel]), None)

    def step(self, *, eligible, granted, arrival):
        other = self.other()
        same = self.front is not None and len(self.queues[self.front]) >= 2
        arriving = None if arrival is None else arrival[0]
        if granted:
            flit = self.queues[self.front].popleft()
            self.holds[self.front] = not flit[2]
            if same and not (flit[2] and other is not None):
                following = self.front
            else:
                following = other if other is not None else arriving
        elif self.front is None:
            following = arriving
        elif not eligible and other is not None:
            following = other
        else:
            following = self.front
        if arrival is not None:
            self.queues[arriving].append(arrival[1])
        self.front = following
        self.shown = self.shown if following is None else following


@pytest.mark.parametrize(
    "network",
    [
        Network(Hypercube(n=3), data_width=8, pipeline=2, buffer_depth=4),
        Network(Hypercube(n=4), data_width=8, pipeline=2, virtual_channels=2, buffer_depth=4),
        Network(Mesh(x=4, y=4), data_width=8, pipeline=2, virtual_channels=3, buffer_depth=5),
    ],
    ids=lambda network: network.name,
)
@pytest.mark.parametrize("is_local", [True, False])
def test_the_front_is_the_next_flit_that_may_move(network, is_local):
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    address, rng = network.topology.address(kind.router), Random(5)
    port = LOCAL if is_local else next(p for p in kind.ports[1:] if kind.input_vcs(p))
    dut = InputPort(network, kind, port)
    reference = Reference(len(dut.encoding.channels), network.hardware.input_buffer)
    asked = arrivals(network)
    turns = [asked[kind.router, port, vc] for vc in dut.encoding.channels]

    async def testbench(ctx):
        ctx.set(dut.address, address)
        for number in range(400):
            front = reference.front
            flit = None if front is None else reference.queues[front][0]
            turn = ctx.get(dut.turn)
            if flit is None:
                assert turn == 0
            else:
                assert turn == 1 << dut.encoding.outputs.index(turns[front][flit[1]].output_port)
                assert ctx.get(dut.last) == flit[2]
                assert ctx.get(dut.held) == reference.holds[front]
                assert ctx.get(dut.flit.data) == flit[0]
                codes = ctx.get(dut.flit.source), ctx.get(dut.flit.destination)
                assert codes == tuple(map(network.topology.address, flit[1]))
            for channel, queue in enumerate(reference.queues):
                assert ctx.get(dut.full[channel]) == (len(queue) == reference.depth)
            eligible = flit is not None and rng.random() < 0.7
            granted = eligible and rng.random() < 0.7
            channel = rng.randrange(len(dut.encoding.channels))
            arrival = None
            if rng.random() < 0.6 and len(reference.queues[channel]) < reference.depth:
                arrival = (
                    channel,
                    (number % 256, rng.choice(list(turns[channel])), rng.random() < 0.5),
                )
                ctx.set(dut.i.data, arrival[1][0])
                source, destination = map(network.topology.address, arrival[1][1])
                ctx.set(dut.i.source, source)
                ctx.set(dut.i.destination, destination)
                ctx.set(dut.i.last, arrival[1][2])
            ctx.set(dut.arrives, 0 if arrival is None else 1 << channel)
            ctx.set(dut.eligible, eligible)
            ctx.set(dut.granted, granted)
            reference.step(eligible=eligible, granted=granted, arrival=arrival)
            await ctx.tick()
            assert ctx.get(dut.left) == (1 << front if granted else 0)

    run(dut, testbench)

"""Input ports and buffers behind the gates of their routes, with whole flits before and behind."""

from collections import deque
from random import Random

from amaranth.hdl import Elaboratable, Module, Signal
from helpers.streams import run
from knotwork.gateware.layouts import flit_layout
from knotwork.gateware.packet.router_input import RouterInput, make_input_port


class Routed(Elaboratable):
    """Port or buffer as it stands in a router: `address`, flits `i` and `flit`, and its members.

    What it has no use for is a signal all the same.
    """

    def __init__(self, network, kind, port, make=make_input_port):
        self.inner = make(network, kind, port)
        self._input = RouterInput(network, kind, port, self.inner)
        self.address = Signal(network.topology.address_width)
        self.i = Signal(flit_layout(network))
        self.flit = None
        self._unused = {"eligible": Signal(), "channel": Signal(init=1), "front_vc": Signal(init=1)}
        self._unused["other_channel"] = Signal()

    def __getattr__(self, name):
        if name in self._unused and name not in self.inner.signature.members:
            return self._unused[name]
        return getattr(self.inner, name)

    def elaborate(self, platform):
        m = Module()
        self._input.add(m, "dut", self.address, self.i)
        self.flit = self._input.flits[False]
        return m


class Reference:
    """Channels of (data, (source, destination), last), and which is at the front.

    `way` tells of each channel which of so many `ways` its head requests, or its packet took. A
    head behind a tail begins with the way of the number `drawn`. Where heads prefer open ways,
    `open_way` gives the number of that of a head in its queue which is shown anew.
    """

    drawn = 0

    def __init__(self, channels, depth, ways, open_way=None):
        self.open_way = open_way
        self.queues, self.front, self.depth = [deque() for _ in range(channels)], None, depth
        self.holds, self.way, self.front_vc = [False] * channels, [0] * channels, 0
        self.ways = ways

    def other(self):
        count = len(self.queues)
        behind = ((self.front_vc + step) % count for step in range(1, count))
        return next((channel for channel in behind if self.queues[channel]), None)

    def next_front(self, *, eligible, granted, arriving):
        """Channel at the front in the next cycle; a granted flit has left its queue."""
        other = self.other()
        if self.front is None:
            return arriving
        if granted is not None:
            stays = self.queues[self.front] and not (granted[2] and other is not None)
            following = other if other is not None else arriving
            return self.front if stays else following
        return other if not eligible and other is not None else self.front

    def step(self, *, eligible, granted, arrival):
        here = self.front
        flit = self.queues[here].popleft() if granted else None
        arriving = None if arrival is None else arrival[0]
        stays = here is not None and eligible and not granted
        self.front = self.next_front(eligible=eligible, granted=flit, arriving=arriving)
        if granted:
            self.holds[here] = not flit[2]
            self.way[here] = self.drawn if flit[2] else self.way[here]
        elif here is not None and not eligible and not self.holds[here]:
            self.way[here] = (self.way[here] + 1) % self.ways
        shown = None if self.front is None or stays else self.queues[self.front]
        if self.open_way and shown and not self.holds[self.front]:
            self.way[self.front] = self.open_way(self.front, shown[0][1])
        if arrival is not None:
            self.queues[arriving].append(arrival[1])
        self.front_vc = self.front_vc if self.front is None else self.front


class Selecting:
    """What a router says of ways, anew in each cycle: which are open, which is drawn."""

    def __init__(self, dut, rng, all_ways):
        self.dut, self.rng, self.all_ways, self.opened = dut, rng, all_ways, set()
        self.heads_to = getattr(dut, "heads_to", None)

    @property
    def open_way(self):
        """See `Reference`."""
        return None if self.heads_to is None else self.first_open

    def first_open(self, channel, flow):
        """First way whose output is open, of a flow that has several; else 0."""
        found = (way for way, of_way in enumerate(self.all_ways) if flow in of_way[channel]
                 and of_way[channel][flow][2:] in self.opened)  # fmt: skip
        return next(found, 0)

    def draw(self, ctx, reference):
        if self.heads_to:
            self.opened = {place for place in self.heads_to if self.rng.random() < 0.4}
            bits = sum((place in self.opened) << bit for bit, place in enumerate(self.heads_to))
            ctx.set(self.dut.opens, bits)
        if "drawn" in self.dut.inner.signature.members:
            reference.drawn = self.rng.randrange(len(self.all_ways) - 1)
            ctx.set(self.dut.drawn, reference.drawn)


def follow(dut, network, address, turns, *others, clocks=400):
    """Compare a port with its reference; returns how often a head showed each of its ways.

    `turns` has the turn of each flow, by channel; each of `others` those of another way.
    """
    rng, seen = Random(5), [0] * (1 + len(others))
    all_ways = (turns, *others)
    selecting = Selecting(dut, rng, all_ways)
    reference = Reference(
        *(len(dut.encoding.channels), network.hardware.input_buffer, len(all_ways)),
        open_way=selecting.open_way,
    )

    def expected(ctx):
        front, encoding = reference.front, dut.encoding
        if front is None:
            assert ctx.get(dut.turn) == 0
            return
        data, flow, last = reference.queues[front][0]
        way = reference.way[front]
        way = way if way and flow in others[way - 1][front] else 0
        seen[way] += 1
        turn = all_ways[way][front][flow]
        assert ctx.get(dut.turn) == 1 << encoding.outputs.index(turn.output_port)
        if turn.output_port not in encoding.single_vc_ports:
            assert ctx.get(dut.channel) == 1 << encoding.output_vcs.index(turn.output_vc)
        assert ctx.get(dut.last) == last
        assert ctx.get(dut.held) == reference.holds[front]
        assert ctx.get(dut.flit.data) == data
        codes = ctx.get(dut.flit.source), ctx.get(dut.flit.destination)
        assert codes == tuple(map(network.topology.address, flow))

    def arriving(ctx, number):
        channel = rng.randrange(len(turns))
        has_room = turns[channel] and len(reference.queues[channel]) < reference.depth
        if not has_room or rng.random() >= 0.6:
            ctx.set(dut.arrives, 0)
            return None
        flit = number % 256, rng.choice(list(turns[channel])), rng.random() < 0.5
        source, destination = map(network.topology.address, flit[1])
        fields = {"data": flit[0], "source": source, "destination": destination, "last": flit[2]}
        for name, value in fields.items():
            ctx.set(getattr(dut.i, name), value)
        ctx.set(dut.arrives, 1 << channel)
        return channel, flit

    async def testbench(ctx):
        ctx.set(dut.address, address)
        for number in range(clocks):
            expected(ctx)
            for channel, queue in enumerate(reference.queues):
                assert ctx.get(dut.full[channel]) == (len(queue) == reference.depth)
            eligible = reference.front is not None and rng.random() < 0.7
            granted = eligible and rng.random() < 0.7
            left = 1 << reference.front if granted else 0
            arrival = arriving(ctx, number)
            selecting.draw(ctx, reference)
            ctx.set(dut.eligible, eligible)
            ctx.set(dut.granted, granted)
            reference.step(eligible=eligible, granted=granted, arrival=arrival)
            await ctx.tick()
            assert ctx.get(dut.left) == left

    run(dut, testbench)
    return seen

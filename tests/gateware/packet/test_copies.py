"""Ports whose broadcasts are copied, against the broadcast's rule and references in Python."""

from itertools import product
from random import Random
from typing import NamedTuple

import pytest
from amaranth.hdl import Fragment, Module, Signal
from helpers.paths import arrivals
from helpers.routed import Routed
from helpers.routes import copies
from helpers.streams import assign, run
from knotwork import Network, Tcpg, WkRecursive
from knotwork.gateware.packet.copies import (
    CopyBuffer,
    CopyPort,
    NextFlit,
    RemainingOutputs,
    numbers_by_output,
)
from knotwork.gateware.packet.input_port import InputPort
from knotwork.gateware.packet.router_input import make_input_port
from knotwork.output_ways import OutputClass, output_classes
from knotwork.topology import LOCAL


def test_a_packet_s_only_flit_may_leave_by_all_ways_and_another_by_the_highest():
    ways, last, held = Signal(4), Signal(), Signal()
    way = NextFlit.of_outputs(ways, ways, last, held).way

    async def testbench(ctx):
        for code, is_last, is_held in product(range(16), (0, 1), (0, 1)):
            for signal, value in ((ways, code), (last, is_last), (held, is_held)):
                ctx.set(signal, value)
            highest = 1 << code.bit_length() - 1 if code else 0
            assert ctx.get(way) == (code if is_last and not is_held else highest)

    run(Module(), testbench)


def test_channels_without_copies_have_no_ways_left():
    m, chosen, rests = Module(), Signal(3), RemainingOutputs.create([1, 2], 2)
    assert [*rests.registers] == [1, 2]
    m.d.comb += [rests.registers[1].eq(1), rests.registers[2].eq(2)]
    left = rests.of(chosen)

    async def testbench(ctx):
        for place in range(3):
            ctx.set(chosen, 1 << place)
            assert ctx.get(left) == place

    run(m, testbench)


def test_ways_are_numbered_by_their_outputs():
    ways = [OutputClass(0, 0), OutputClass(2, 0), OutputClass(2, 1), OutputClass(3, 1)]
    assert numbers_by_output(ways, [0, 2, 3]) == [[0], [1, 2], [3]]


NETWORKS = [
    Network(WkRecursive(w=4, levels=2), data_width=8, pipeline=2, buffer_depth=4),
    Network(WkRecursive(w=2, levels=3), data_width=8, pipeline=2, broadcast="mask"),
    Network(Tcpg(k=1, m=1), data_width=8, pipeline=2, buffer_depth=4),
]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_ways_before_the_queue_and_labels_behind_the_ram_are_the_rule_s(network):
    asked, address = copies(network), network.topology.address
    field = network.routing.broadcast.field
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    number, compared = network.router_kinds.index(kind), 0
    for port in kind.ports:
        if not any(kind.branches(port, vc) for vc in kind.input_vcs(port)):
            continue
        dut = Routed(network, kind, port, CopyBuffer)
        ways, places = output_classes(network, kind, port), list(dut.turns)
        cases = [
            (vc, one, sent)
            for vc in places
            for one, sent in asked.get((number, port, vc), {}).items()
            if kind.branches(port, vc)
        ]

        async def testbench(ctx, dut=dut, ways=ways, places=places, cases=cases, port=port):
            nonlocal compared
            for vc, (router, source, label), sent in cases:
                ctx.set(dut.address, address(router))
                ctx.set(dut.arrives, 1 << places.index(vc))
                ctx.set(dut.front_vc, 1 << places.index(vc))
                ctx.set(dut.repeats, 0)
                assign(
                    ctx,
                    dut.i,
                    broadcast=1,
                    last=1,
                    source=address(source),
                    destination=field(label),
                )
                taken = {
                    OutputClass(turn.output_port, turn.output_vc): one for turn, one in sent.items()
                }
                assert ctx.get(dut.arriving) == sum(1 << ways.index(way) for way in taken)
                assert ctx.get(dut.seen) == 1 << places.index(vc)
                await ctx.tick()
                ctx.set(dut.arrives, 0)
                for way, one in taken.items():
                    if way.output != LOCAL and len(dut.labels[0]):
                        assert ctx.get(dut.labels[ways.index(way)]) == field(one)
                        compared += 1
                assign(ctx, dut, leaves=1 << places.index(vc), last=1)
                await ctx.tick()
                ctx.set(dut.leaves, 0)
                assert ctx.get(dut.nonempty) == 0

        run(dut, testbench)
        assert port == LOCAL or cases
    assert compared > 4


def test_a_packet_to_one_node_keeps_its_destination():
    network = NETWORKS[0]
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    dut = Routed(network, kind, LOCAL, CopyBuffer)
    width = len(dut.labels[0])

    async def testbench(ctx):
        ctx.set(dut.address, network.topology.address(kind.router))
        for node in range(network.topology.nodes):
            code = network.topology.address(node)
            assign(ctx, dut, arrives=1, front_vc=1)
            assign(ctx, dut.i, destination=code, last=1)
            assert bin(ctx.get(dut.arriving)).count("1") == 1
            await ctx.tick()
            assign(ctx, dut, arrives=0, leaves=1)
            assert {ctx.get(label) for label in dut.labels} == {code % (1 << width)}
            await ctx.tick()
            ctx.set(dut.leaves, 0)

    run(dut, testbench)


WK42 = Network(WkRecursive(w=4, levels=2), data_width=8, pipeline=2, buffer_depth=4)
TCPG = Network(Tcpg(k=1, m=1), data_width=8, pipeline=2, buffer_depth=5)


class Flit(NamedTuple):
    """A flit: its data, the outputs that its packet takes, and whether it is the last."""

    data: int
    outputs: frozenset
    last: bool


class Channel:
    """Flits of one channel, those of a broadcast that is not complete, and the copy that leaves."""

    def __init__(self):
        self.flits, self.hidden, self.read, self.rest, self.holds = [], [], 0, None, False

    @property
    def head(self):
        return self.flits[self.read] if self.read < len(self.flits) else None

    def wants(self):
        """Outputs that the head asks for: all of a packet's only flit, else the highest left."""
        head = self.head
        self.rest = set(head.outputs) if self.rest is None else self.rest
        return set(self.rest) if head.last and not self.holds else {max(self.rest)}

    def leave(self, granted):
        """The head leaves by these outputs; returns whether it leaves the front, and is freed."""
        head, wanted = self.head, self.wants()
        if head.last:
            self.rest -= granted
        if granted != wanted:
            return False, False
        repeats = bool(self.rest - wanted) if not head.last else bool(self.rest)
        self.holds = not head.last
        if repeats:
            self.read = 0 if head.last else self.read + 1
        else:
            self.flits.pop(0)
            self.rest = None if head.last else self.rest
        return True, not repeats


class Reference:
    """Channels, and which of them is at the front."""

    def __init__(self, count):
        self.channels, self.front, self.front_vc = [Channel() for _ in range(count)], None, 0

    def step(self, *, eligible, granted, arrival):
        """One cycle; returns the channel that frees a flit."""
        count, freed = len(self.channels), None
        behind = ((self.front_vc + step) % count for step in range(1, count))
        other = next((one for one in behind if self.channels[one].head), None)
        front, following = self.front, self.front
        if front is not None and granted:
            channel = self.channels[front]
            last = channel.head.last
            gone, is_freed = channel.leave(granted)
            freed = front if is_freed else None
            if gone:
                stays = channel.head is not None and not (last and other is not None)
                following = front if stays else other
        elif front is not None and not eligible and other is not None:
            following = other
        if arrival is not None:
            number, flit, partly = arrival
            channel = self.channels[number]
            channel.hidden.append(flit)
            if not partly:
                channel.flits += channel.hidden
                channel.hidden = []
                following = number if following is None else following
        self.front = following
        self.front_vc = self.front_vc if following is None else following
        return freed


class Sender:
    """Packets that come by one channel, flit by flit."""

    def __init__(self, rng, unicasts, broadcasts, longest):
        self._rng, self._longest, self.left = rng, longest, 0
        self._unicasts, self._broadcasts = unicasts, broadcasts

    @property
    def has_packets(self):
        return bool(self._unicasts or self._broadcasts)

    def flit(self):
        """Header of the next flit, the outputs, and whether it is of a broadcast, and the last."""
        if not self.left:
            self.left = self._rng.choice([1, self._rng.randrange(1, self._longest + 1)])
            is_copy = bool(self._broadcasts) and (not self._unicasts or self._rng.random() < 0.6)
            cases = self._broadcasts if is_copy else self._unicasts
            self._packet = (*self._rng.choice(list(cases.items())), is_copy)
        self.left -= 1
        return (*self._packet, self.left == 0)


def cases_of(network, kind, port, vc):
    """Outputs by (source, destination or label), of packets to one node and of broadcasts."""
    number = network.router_kinds.index(kind)
    unicasts = {
        pair: frozenset({turn.output_port})
        for pair, turn in arrivals(network).get((kind.router, port, vc), {}).items()
    }
    broadcasts = {
        (source, label): frozenset(turn.output_port for turn in sent)
        for (router, source, label), sent in copies(network).get((number, port, vc), {}).items()
        if router == kind.router
    }
    return unicasts, broadcasts


@pytest.mark.parametrize("network", [WK42, TCPG], ids=lambda network: network.name)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_front_is_the_next_copy_that_may_move(network, place):
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    port, rng, address = kind.ports[place], Random(place), network.topology.address
    dut, depth = Routed(network, kind, port), network.hardware.input_buffer
    assert isinstance(dut.inner, CopyPort)
    vcs = dut.encoding.channels
    reference, outputs = Reference(len(vcs)), dut.encoding.outputs
    senders = [Sender(rng, *cases_of(network, kind, port, vc), depth) for vc in vcs]
    field = network.routing.broadcast.field
    seen = {"copies": 0, "partly": 0, "repeats": 0}

    async def testbench(ctx):
        ctx.set(dut.address, address(kind.router))
        for number in range(1200):
            front = reference.front
            channel = None if front is None else reference.channels[front]
            wanted = set() if channel is None else channel.wants()
            assert ctx.get(dut.turn) == sum(1 << outputs.index(one) for one in wanted)
            if channel is not None:
                assert ctx.get(dut.last) == channel.head.last
                assert ctx.get(dut.held) == channel.holds
                assert ctx.get(dut.flit.data) == channel.head.data
            levels = [len(one.flits) + len(one.hidden) for one in reference.channels]
            for one, level in enumerate(levels):
                if port == LOCAL:
                    assert ctx.get(dut.full[one]) == (level == depth)
            could = {one for one in wanted if rng.random() < 0.7}
            granted = {one for one in could if rng.random() < 0.8}
            seen["copies"] += len(granted) > 1
            seen["partly"] += bool(granted) and granted != wanted
            coming = rng.choice([one for one, sender in enumerate(senders) if sender.has_packets])
            arrival = None
            if levels[coming] < depth and rng.random() < 0.7:
                pair, ways, is_copy, last = senders[coming].flit()
                partly = port == LOCAL and is_copy and not last
                arrival = coming, Flit(number % 256, ways, last), partly
                ctx.set(dut.i.data, number % 256)
                ctx.set(dut.i.source, address(pair[0]))
                ctx.set(dut.i.destination, field(pair[1]) if is_copy else address(pair[1]))
                ctx.set(dut.i.broadcast, is_copy)
                ctx.set(dut.i.last, last)
            ctx.set(dut.arrives, 0 if arrival is None else 1 << coming)
            ctx.set(dut.eligible, bool(could))
            ctx.set(dut.grants, sum(1 << outputs.index(one) for one in granted))
            freed = reference.step(eligible=bool(could), granted=granted, arrival=arrival)
            seen["repeats"] += bool(granted) and freed is None
            await ctx.tick()
            assert ctx.get(dut.left) == (0 if freed is None else 1 << freed)

    run(dut, testbench)
    assert min(seen.values()) > 10


def test_a_port_that_only_ejects_broadcasts_is_a_plain_one():
    network = Network(WkRecursive(w=2, levels=2), pipeline=2, buffer_depth=4)
    found = []
    for kind in network.router_kinds:
        for port in kind.ports:
            vcs = kind.input_vcs(port)
            if vcs:
                copies_here = any(kind.branches(port, vc) for vc in vcs)
                one = make_input_port(network, kind, port)
                assert isinstance(one, CopyPort) == copies_here
                assert isinstance(one, (CopyPort, InputPort))
                Fragment.get(one, None)
                found.append(copies_here)
    assert set(found) == {True, False}

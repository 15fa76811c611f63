from collections import defaultdict
from random import Random

import pytest
from helpers.paths import arrivals, escapes
from helpers.ring import EscapingRingRouting, Ring, RingRouting
from helpers.streams import assign, run
from knotwork import Moebius, Network
from knotwork.gateware.packet.router import PacketRouter
from knotwork.gateware.router_classes import gateware_of
from knotwork.topology import LOCAL


def escaping(**keys):
    return Network(Moebius(n=3, twist=1), routing="spr", vc_scheme="escape", **keys)


def ring(routing=RingRouting, **keys):
    return Network(Ring(nodes=6), routing=routing, **keys)


def moebius(**keys):
    return Network(Moebius(n=3), **keys)


NETWORKS = {
    "moebius_vc1": lambda **keys: Network(Moebius(n=3, twist=1), **keys),
    "moebius_vc3": lambda **keys: moebius(virtual_channels=3, **keys),
    "ring_vc2": ring,
    "ring_vc4": lambda **keys: ring(virtual_channels=4, **keys),
    "spr_ascents": lambda **keys: moebius(routing="spr", **keys),
    "spr_escape": escaping,
    "spr_escape_vc4": lambda **keys: escaping(virtual_channels=4, **keys),
    "ring_escape": lambda **keys: ring(EscapingRingRouting, **keys),
}


@pytest.mark.parametrize("name", ["moebius_vc1", "ring_vc2", "spr_escape", "ring_escape"])
def test_routers_have_the_turns_that_packets_take_and_no_others(name):
    """Escapes included; tests/routing/test_base.py has routings without."""
    network, taken = NETWORKS[name](), defaultdict(set)
    for found in (arrivals(network), escapes(network)):
        for (router, _, _), asked in found.items():
            taken[int(network.router_number[router])].update(asked.values())
    assert {n: sorted(turns) for n, turns in taken.items()} == {
        n: list(kind.turns) for n, kind in enumerate(network.router_kinds)
    }


class Traffic:
    """Packets for one router, as the routing could bring them to its inputs.

    A packet's flits carry its number, so that every flit is known again.
    """

    def __init__(self, network, router, packets, dice):
        codes = [network.topology.address(node) for node in range(network.topology.nodes)]
        inputs = {key: pairs for key, pairs in arrivals(network).items() if key[0] == router}
        ways_out = escapes(network)
        self.flits = defaultdict(list)  # by (port, vc), the last one first
        self.turns, self.length, self.source = [], [], []  # the turns: the route's, the escape's
        for number in range(packets):
            _, port, vc = key = dice.choice(sorted(inputs))
            (source, destination), turn = dice.choice(sorted(inputs[key].items()))
            length = dice.randint(1, 6)
            # All that a node sends comes by one stream, in the order of sending.
            queue = self.flits[port, 0 if port == LOCAL else vc]
            for beat in range(length):
                flit = {
                    "data": number << 4 | beat,
                    "last": int(beat == length - 1),
                    "destination": codes[destination],
                    "source": codes[source],
                }
                queue.insert(0, flit)
            escape = ways_out.get(key, {}).get((source, destination))
            self.turns.append([turn] if escape is None else [turn, escape])
            self.length.append(length)
            self.source.append(codes[source])


class RouterBench:
    """A router between senders that pause and receivers that stall.

    Where packets can escape, `empty` says in every cycle which channels are empty: at random
    by default.
    """

    def __init__(self, network, router, traffic, dice, *, empty=None):
        self.network, self.traffic, self.dice = network, traffic, dice
        kind = network.router_kinds[network.router_number[router]]
        self.dut = PacketRouter(network, kind)
        self.constants = gateware_of(network).constants(network, router)
        self.ports = kind.ports[1:]
        self.wanted = sum(map(len, traffic.flits.values()))
        self.came = defaultdict(list)  # (number, beat, last, source) by (port, vc)
        self.held, self.offered = {}, False
        self.empty = empty or (lambda: dice.getrandbits(network.routing.virtual_channels))

    def send(self, ctx):
        """Offer a flit at each input; returns the queues of those that are taken."""
        dut, taken = self.dut, []
        queue = self.traffic.flits[LOCAL, 0]
        self.offered = bool(queue) and (self.offered or self.dice.random() < 0.8)
        ctx.set(dut.inject.valid, self.offered)
        if self.offered:
            fields = ("data", "last", "destination")
            ctx.set(dut.inject.p, {field: queue[-1][field] for field in fields})
            if ctx.get(dut.inject.ready):
                taken.append(queue)
                self.offered = False
        for place, port in enumerate(self.ports):
            ready = ctx.get(dut.i[place].ready)
            vcs = range(self.network.routing.virtual_channels)
            can = [v for v in vcs if self.traffic.flits.get((port, v)) and ready >> v & 1]
            vc = self.dice.choice(can) if can and self.dice.random() < 0.8 else None
            ctx.set(dut.i[place].valid, 0 if vc is None else 1 << vc)
            if vc is not None:
                queue = self.traffic.flits[port, vc]
                ctx.set(dut.i[place].flit, queue[-1])
                taken.append(queue)
        return taken

    def receive(self, ctx):
        """Take what comes; hold each output to the rules of its link or stream."""
        dut = self.dut
        outputs = [(LOCAL, dut.eject.valid, dut.eject.ready, dut.eject.p)]
        links = zip(self.ports, dut.o, strict=True)
        outputs += [(port, link.valid, link.ready, link.flit) for port, link in links]
        vcs = self.network.routing.virtual_channels
        for port, _, ready, _ in outputs:
            width = 1 if port == LOCAL else vcs
            room = sum(1 << v for v in range(width) if self.dice.random() < 0.7)
            ctx.set(ready, room)
        for link in dut.o:
            if "empty" in link.signature.members:
                ctx.set(link.empty, self.empty())
        for port, valid, ready, payload in outputs:
            bits, flit, room = ctx.get(valid), ctx.get(payload), ctx.get(ready)
            assert bits & (bits - 1) == 0, "a link carries one flit at a time"
            vc = bits.bit_length() - 1
            seen = (vc, flit.data >> 4, flit.data & 15, flit.last, flit.source)
            assert self.held.get(port, seen) == seen, "what is offered stays"
            self.held.pop(port, None)
            if bits & room:
                self.came[port, vc].append(seen[1:])
            elif bits:
                self.held[port] = seen

    async def testbench(self, ctx):
        for pin, constant in self.constants.items():
            ctx.set(getattr(self.dut, pin), constant.value)
        while sum(map(len, self.came.values())) < self.wanted:
            self.receive(ctx)
            taken = self.send(ctx)
            await ctx.tick()
            for queue in taken:
                queue.pop()
        for _ in range(20):
            self.receive(ctx)
            self.send(ctx)
            await ctx.tick()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow)
        if name in ("spr_escape_vc4", "ring_vc4")
        else name
        for name in NETWORKS
    ],
)
def test_packets_leave_whole_by_their_turn_and_no_channel_mixes_two(name):
    network = NETWORKS[name](pipeline=1, buffer_depth=3, data_width=16)
    ways = ways_of(network, Random(name))
    assert sorted(number for number, _ in ways) == list(range(70))
    escaped = [number for number, way in ways if way > 0]
    assert bool(escaped) == (network.routing.escape_class is not None)
    assert len(escaped) < 46


def ways_of(network, dice, *, traffic=None, empty=None):
    """Packet, and place of its turn in the traffic's, of all that left router 5, by their turns."""
    traffic, arrived = traffic or Traffic(network, 5, 70, dice), []
    bench = RouterBench(network, 5, traffic, dice, empty=empty)
    run(bench.dut, bench.testbench, clocks=5_000)
    for (port, vc), flits in bench.came.items():
        place = 0
        while place < len(flits):
            number = flits[place][0]
            length, turns = traffic.length[number], traffic.turns[number]
            source = traffic.source[number]
            beats = [(number, beat, int(beat == length - 1), source) for beat in range(length)]
            assert flits[place : place + length] == beats
            way = [(turn.output_port, turn.output_vc) for turn in turns].index((port, vc))
            arrived.append((number, way))
            place += length
    return arrived


def test_no_packet_enters_a_channel_behind_which_there_is_another():
    """All escape but those that have to be ejected or are in the escape class."""
    network = escaping(pipeline=1, buffer_depth=3, data_width=16)
    dice = Random(1)
    traffic = Traffic(network, 5, 70, dice)
    ways = dict(ways_of(network, dice, traffic=traffic, empty=lambda: 0b10))
    assert ways == {number: len(traffic.turns[number]) - 1 for number in range(70)}
    assert {0, 1} == set(ways.values())


def test_a_packet_whose_channel_is_held_escapes():
    """The holder's tail does not come; its flits are gone, so that the channel is empty."""
    network = escaping(pipeline=1)
    asked, ways_out = arrivals(network), escapes(network)
    asking = defaultdict(list)  # by way out, inputs and the destinations that they ask it for
    for (router, port, vc), pairs in sorted(asked.items()):
        for pair, turn in sorted(pairs.items()):
            if router == 5 and vc == 0 and LOCAL not in {port, turn.output_port}:
                asking[turn.output_port].append((port, pair))
    output, ((holder, first), *others) = max(asking.items(), key=lambda item: len(item[1]))
    other, second = next(entry for entry in others if entry[0] != holder)
    escape = ways_out[5, other, 0][second]
    dut, seen = PacketRouter(network, network.router_kinds[0]), []

    async def testbench(ctx):
        ctx.set(dut.address, 5)
        for link in dut.o:
            assign(ctx, link, ready=0b11, empty=0b11)
        for clock in range(12):
            for port, pair, last, begin in ((holder, first, 0, 0), (other, second, 1, 4)):
                ctx.set(dut.i[port - 1].flit, {"last": last, "destination": pair[1]})
                ctx.set(dut.i[port - 1].valid, int(clock == begin))
            valid = [(port, ctx.get(dut.o[port - 1].valid)) for port in (1, 2, 3)]
            seen.extend((port, bits.bit_length() - 1) for port, bits in valid if bits)
            await ctx.tick()

    run(dut, testbench)
    assert seen == [(output, 0), (escape.output_port, 1)]


def test_no_packet_escapes_that_finds_its_channel_empty():
    """One packet at a time, from one input."""
    network = escaping(pipeline=1, buffer_depth=3, data_width=16)
    dice = Random(2)
    traffic = Traffic(network, 5, 70, dice)
    kept = {(port, vc): flits for (port, vc), flits in traffic.flits.items() if port == LOCAL}
    numbers = {flit["data"] >> 4 for flits in kept.values() for flit in flits}
    traffic.flits.clear()
    traffic.flits.update(kept)
    ways = dict(ways_of(network, dice, traffic=traffic, empty=lambda: 0b11))
    assert ways == dict.fromkeys(numbers, 0)
    assert any(len(traffic.turns[number]) == 2 for number in numbers)

from collections import defaultdict
from random import Random

import pytest
from helpers.paths import arrivals
from helpers.streams import assign, consume, produce, run, watch
from knotwork import Hypercube, Mesh, Moebius, Network
from knotwork.gateware.packet.plain import PacketArbiter, PlainInput, PlainRouter
from knotwork.gateware.router_classes import gateware_of
from knotwork.topology import LOCAL
from knotwork_sim.model.reference import RoundRobin

ADDRESS = 0b101


@pytest.mark.parametrize("requesters", [1, 2, 5])
def test_the_arbiter_grants_as_the_reference_does(requesters):
    """Round robin from the first grant of a packet to its tail; requests come and go at random."""
    dut, reference, dice = PacketArbiter(requesters=requesters), RoundRobin(requesters), Random(1)
    waited = [0] * requesters

    async def testbench(ctx):
        showed = None
        for _ in range(600):
            asks = {place for place in range(requesters) if dice.random() < 0.6}
            if showed is not None:
                asks.add(showed)  # a flit that is shown stays
            ready, last = (int(dice.random() < 0.6) for _ in range(2))
            assign(ctx, dut, request=sum(1 << place for place in asks), ready=ready, last=last)
            granted = reference.grant(asks)
            assert ctx.get(dut.grant) == (0 if granted is None else 1 << granted)
            assert ctx.get(dut.valid) == (granted is not None)
            reference.update(granted, ends=bool(ready and last))
            showed = granted if not ready else None
            if granted is not None:
                waited[granted] += 1
            await ctx.tick()

    run(dut, testbench)
    assert min(waited) > 400 / requesters / 2


def plain_input(**hardware):
    """Local input of a router of the hypercube n=3, and the ports of its turns."""
    network = Network(Hypercube(n=3), data_width=8, pipeline=1, **hardware)
    dut = PlainInput(network, network.router_kinds[0], LOCAL)
    return dut, [turn.output_port for turn in dut.turns]


def flit(number, destination):
    return {"data": number, "last": number & 1, "destination": destination, "source": ADDRESS}


@pytest.mark.parametrize("depth", [2, 5])
def test_flits_leave_an_input_in_order_each_with_its_turn(depth):
    dut, ports = plain_input(buffer_depth=depth)
    dice, taken, turns = Random(1), [], []
    sent = [flit(number, dice.randrange(8)) for number in range(60)]

    async def set_address(ctx):
        ctx.set(dut.address, ADDRESS)

    async def note_turns(ctx):
        bits = (dut.request, dut.o.valid, dut.o.ready)
        async for _, _, request, valid, ready in ctx.tick().sample(*bits):
            assert bool(request) == bool(valid)
            if valid and ready:
                turns.append(ports[request.bit_length() - 1])

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


NETWORKS = {
    "moebius": lambda: Network(Moebius(n=3, twist=1), pipeline=1, buffer_depth=3, data_width=16),
    "mesh": lambda: Network(Mesh(x=3, y=3), pipeline=1, buffer_depth=2, data_width=16),
    "table": lambda: Network(
        Mesh(x=3, y=3), routing="updown", pipeline=1, buffer_depth=2, data_width=16
    ),
}


class Traffic:
    """Packets for one router, as the routing could bring them to its inputs.

    A packet's flits carry its number, so that every flit is known again.
    """

    def __init__(self, network, router, packets, dice):
        codes = [network.topology.address(node) for node in range(network.topology.nodes)]
        inputs = {key: pairs for key, pairs in arrivals(network).items() if key[0] == router}
        self.flits = defaultdict(list)  # by port, the last one first
        self.output, self.length, self.source = [], [], []
        for number in range(packets):
            _, port, _ = key = dice.choice(sorted(inputs))
            (source, destination), turn = dice.choice(sorted(inputs[key].items()))
            length = dice.randint(1, 6)
            for beat in range(length):
                flit = {
                    "data": number << 4 | beat,
                    "last": int(beat == length - 1),
                    "destination": codes[destination],
                    "source": codes[source],
                }
                self.flits[port].insert(0, flit)
            self.output.append(turn.output_port)
            self.length.append(length)
            self.source.append(codes[source])


@pytest.mark.parametrize("name", NETWORKS)
def test_packets_leave_whole_by_their_turn_and_no_output_mixes_two(name):
    """Senders pause and receivers stall; what is offered stays until it is taken."""
    network, dice, number = NETWORKS[name](), Random(name), 4
    kind = network.router_kinds[network.router_number[number]]
    traffic = Traffic(network, number, 70, dice)
    dut, came, held, offered = PlainRouter(network, kind), defaultdict(list), {}, set()
    sides = dict(zip(kind.sending, dut.o, strict=True))

    def streams():
        yield LOCAL, dut.eject.valid, dut.eject.ready, dut.eject.p
        for port, link in sides.items():
            yield port, link.valid, link.ready, link.flit

    def receive(ctx):
        for _, _, ready, _ in streams():
            ctx.set(ready, int(dice.random() < 0.7))
        for port, valid, ready, payload in streams():
            found = ctx.get(payload)
            seen = (found.data >> 4, found.data & 15, found.last, found.source)
            if port in held:
                assert ctx.get(valid), "valid stays"
                assert held[port] == seen, "what is offered stays"
                del held[port]
            if ctx.get(valid) and ctx.get(ready):
                came[port].append(seen)
            elif ctx.get(valid):
                held[port] = seen

    def send(ctx):
        taken = []
        inputs = [(LOCAL, dut.inject.valid, dut.inject.ready, dut.inject.p)]
        links = zip(kind.receiving, dut.i, strict=True)
        inputs += [(port, link.valid, link.ready, link.flit) for port, link in links]
        for port, valid, ready, payload in inputs:
            queue = traffic.flits[port]
            if queue and (port in offered or dice.random() < 0.8):
                offered.add(port)
            ctx.set(valid, int(port in offered))
            if port in offered:
                names = ("data", "last", "destination", "source")[: 3 if port == LOCAL else 4]
                ctx.set(payload, {name: queue[-1][name] for name in names})
                if ctx.get(ready):
                    taken.append(port)
        return taken

    async def testbench(ctx):
        for pin, constant in gateware_of(network).constants(network, number).items():
            ctx.set(getattr(dut, pin), constant.value)
        wanted = sum(traffic.length)
        while sum(map(len, came.values())) < wanted:
            receive(ctx)
            taken = send(ctx)
            await ctx.tick()
            for port in taken:
                traffic.flits[port].pop()
                offered.discard(port)

    run(dut, testbench, clocks=5_000)
    arrived = []
    for port, flits in came.items():
        while flits:
            packet = flits[0][0]
            length = traffic.length[packet]
            source = traffic.source[packet]
            beats = [(packet, beat, int(beat == length - 1), source) for beat in range(length)]
            assert flits[:length] == beats
            assert traffic.output[packet] == port
            arrived.append(packet)
            del flits[:length]
    assert sorted(arrived) == list(range(70))


def test_a_flit_takes_a_cycle_and_an_output_never_idles_between_packets():
    """Two nodes' worth of packets to one node: from both inputs, a flit in every cycle."""
    network = Network(Hypercube(n=1), pipeline=1, buffer_depth=2, data_width=8)
    dut, seen = PlainRouter(network, network.router_kinds[0]), []

    async def testbench(ctx):
        assign(ctx, dut, address=0)
        ctx.set(dut.eject.ready, 1)
        ctx.set(dut.inject.p, {"data": 1, "last": 1, "destination": 0})
        ctx.set(dut.i[0].flit, {"data": 2, "last": 1, "destination": 0, "source": 1})
        for clock in range(12):
            ctx.set(dut.inject.valid, int(clock >= 1))
            ctx.set(dut.i[0].valid, int(clock >= 1))
            seen.append(ctx.get(dut.eject.p.data) if ctx.get(dut.eject.valid) else None)
            await ctx.tick()

    run(dut, testbench)
    assert seen[:2] == [None, None]
    assert seen[2:] == [1, 2] * 5

from dataclasses import dataclass
from random import Random

import pytest
from amaranth.hdl import Module, Signal
from helpers.ring import Ring, RingRouting
from helpers.streams import run
from knotwork import Hypercube, Network, WkRecursive
from knotwork.gateware.packet.inputs import constants
from knotwork.gateware.parts.injector import Injector, flow_lane, is_node
from knotwork.routing import lane
from knotwork.routing.draws import drawn, first_state, next_state


@dataclass(frozen=True, kw_only=True)
class ScatteredRing(Ring):
    """Ring whose addresses are neither its indices nor without gaps."""

    @property
    def address_width(self):
        return 5

    def address(self, node):
        return (3, 30, 0, 17, 9, 12)[node]

    def node_at(self, address):
        return {3: 0, 30: 1, 0: 2, 17: 3, 9: 4, 12: 5}.get(address)


@pytest.mark.parametrize(
    "topology",
    [Hypercube(n=3), Ring(nodes=8), Ring(nodes=6), Ring(nodes=5), ScatteredRing(nodes=6)],
    ids=["full", "full_ring", "contiguous_6", "contiguous_5", "scattered"],
)
def test_is_node_tells_addresses_from_other_codes(topology):
    address = Signal(topology.address_width)
    answer = is_node(topology, address)

    async def testbench(ctx):
        for code in range(1 << topology.address_width):
            ctx.set(address, code)
            assert ctx.get(answer) == (topology.node_at(code) is not None)

    run(Module(), testbench)


@pytest.mark.parametrize("lanes", range(1, 9))
def test_flow_lane_is_the_routings_lane(lanes):
    dice = Random(lanes)

    async def testbench(ctx):
        for width in range(1, 21):
            source, destination = Signal(width), Signal(width)
            result = flow_lane(source, destination, lanes)
            for _ in range(12):
                a, b = dice.getrandbits(width), dice.getrandbits(width)
                ctx.set(source, a)
                ctx.set(destination, b)
                assert ctx.get(result) == lane(a, b, lanes)

    run(Module(), testbench)


OWN = 4


def beats_of(packets, width):
    """Beats (data, last, destination) of packets (destination, length); numbered data.

    All but the first carry the complement of their destination, which no one may read.
    """
    beats = []
    for destination, length in packets:
        for number in range(length):
            code = destination if number == 0 else ~destination & (1 << width) - 1
            beats.append((len(beats), int(number == length - 1), code))
    return beats


def inject(network, packets, *, bubble=0.3, stall=0.3, seed=1):
    """Run an injector: flits by cycle, cycles in which packets' last beats were taken, refusals.

    A flit is (channel, data, last, destination, source).
    """
    dut, dice = Injector(network), Random(seed)
    channels = network.routing.virtual_channels
    beats = beats_of(packets, network.topology.address_width)
    flits, ends, refused = [], [], []

    async def testbench(ctx):
        ctx.set(dut.address, OWN)
        place, offered, clock, held, quiet = 0, False, 0, None, 0
        while quiet < 3:
            if not offered and place < len(beats):
                offered = dice.random() >= bubble
            ctx.set(dut.i.valid, offered)
            if offered:
                data, last, destination = beats[place]
                ctx.set(dut.i.p, {"data": data, "last": last, "destination": destination})
            ready = sum(1 << v for v in range(channels) if dice.random() >= stall)
            ctx.set(dut.o.ready, ready)
            valid, flit = ctx.get(dut.o.valid), ctx.get(dut.o.flit)
            if ctx.get(dut.refused):
                refused.append(clock)
            assert valid & (valid - 1) == 0
            seen = (valid.bit_length() - 1, *(flit.data, flit.last, flit.destination, flit.source))
            assert held in (None, seen), "a flit stays until it has crossed"
            held = seen if valid and not valid & ready else None
            if valid & ready:
                assert ctx.get(dut.i.ready), "what crosses is taken"
                flits.append(seen)
            if offered and ctx.get(dut.i.ready):
                if beats[place][1]:
                    ends.append(clock)
                place, offered = place + 1, False
            quiet = quiet + 1 if place == len(beats) else 0
            clock += 1
            await ctx.tick()

    run(dut, testbench)
    return flits, ends, refused


def expected_flits(network, packets):
    routing, width = network.routing, network.topology.address_width
    beats, flits = iter(beats_of(packets, width)), []
    for destination, length in packets:
        channel = lane(OWN, destination, routing.lanes) * routing.classes
        for _ in range(length):
            data, last, _ = next(beats)
            if network.topology.node_at(destination) is not None:
                flits.append((channel, data, last, destination, OWN))
    return flits


@pytest.mark.parametrize("virtual_channels", [2, 4, 6])
@pytest.mark.parametrize("seed", [1, 2])
def test_packets_to_no_node_vanish_whole_and_harm_no_other(virtual_channels, seed):
    network = Network(Ring(nodes=6), routing=RingRouting, virtual_channels=virtual_channels)
    dice = Random(seed)
    packets = [(dice.randrange(8), dice.randint(1, 5)) for _ in range(60)]
    flits, ends, refused = inject(network, packets, seed=seed)
    assert flits == expected_flits(network, packets)
    illegal = [end for end, (destination, _) in zip(ends, packets, strict=True) if destination >= 6]
    assert len(illegal) > 5
    assert refused == [end + 1 for end in illegal]


@pytest.mark.parametrize(
    ("packets", "stall", "ends", "refused"),
    [
        # 5 is legal and its complement 2 is; 1 is and 6 is not; 6 is not and 1 is.
        ([(5, 3), (1, 3), (6, 3), (1, 1), (7, 2), (0, 4)], 0, [2, 5, 8, 9, 11, 15], [9, 12]),
        ([(7, 1), (6, 1), (6, 2)], 0, [0, 1, 3], [1, 2, 4]),
        ([(7, 4)], 1, [3], [4]),  # needs no room in the router
    ],
)
def test_a_beat_per_cycle_is_taken_and_a_refusal_lasts_for_one(packets, stall, ends, refused):
    network = Network(Ring(nodes=6), routing=RingRouting)
    found = inject(network, packets, bubble=0, stall=stall)
    assert found == (expected_flits(network, packets), ends, refused)


def test_where_every_code_is_a_node_nothing_is_refused():
    network = Network(Hypercube(n=3), virtual_channels=3)
    packets = [(code, 1 + code % 3) for code in range(8)]
    flits, _, refused = inject(network, packets)
    assert (flits, refused) == (expected_flits(network, packets), [])
    assert {flit[0] for flit in flits} == {0, 1, 2}


def test_a_scattered_address_is_taken_and_its_neighbours_are_not():
    network = Network(ScatteredRing(nodes=6), routing=RingRouting)
    packets = [(code, 2) for code in range(32)]
    flits, _, refused = inject(network, packets)
    assert flits == expected_flits(network, packets)
    assert {flit[3] for flit in flits} == {3, 30, 0, 17, 9, 12}
    assert len(refused) == 26


@pytest.mark.parametrize("lanes", [1, 2])
def test_broadcasts_are_marked_and_too_long_ones_cancelled_and_told(lanes):
    """One lane for all of a source's; the destination is not read; unicasts may be longer."""
    topology = WkRecursive(w=3, levels=2)
    network = Network(topology, virtual_channels=2 * lanes, max_packet=3, buffer_depth=4)
    dut, dice, own = Injector(network), Random(lanes), 0b0110
    packets = [(dice.random() < 0.5, dice.randint(1, 6)) for _ in range(80)]
    beats = [
        (number, place, length, broadcast)
        for number, (broadcast, length) in enumerate(packets)
        for place in range(length)
    ]
    got, cancelled, refused = [[] for _ in packets], [], 0

    async def testbench(ctx):
        nonlocal refused
        ctx.set(dut.address, own)
        while beats:
            number, place, length, broadcast = beats[0]
            first = place == 0
            ctx.set(dut.i.valid, 1)
            mark = broadcast if first else not broadcast
            code = (0b1111 if broadcast else 0b0001) if first else 0b1111
            beat = {"data": number, "last": int(place == length - 1), "destination": code}
            ctx.set(dut.i.p, beat | {"broadcast": int(mark)})
            ready = dice.getrandbits(2 * lanes)
            ctx.set(dut.o.ready, ready)
            valid, cancel = ctx.get(dut.o.valid), ctx.get(dut.o.cancel)
            home = 2 * lane(own, own if broadcast else 0b0001, lanes)
            assert valid in (0, 1 << home)
            assert cancel in (0, 1 << home)
            if cancel:
                cancelled.append(number)
                assert (broadcast, place, valid) == (True, 3, 0)
            taken = ctx.get(dut.i.ready)
            if valid:
                assert ctx.get(dut.o.flit.broadcast) == broadcast
                assert taken == ready >> home & 1
                if taken:
                    got[number].append(place)
            else:
                assert taken
            if taken:
                beats.pop(0)
            refused += ctx.get(dut.refused)
            await ctx.tick()
        refused += ctx.get(dut.refused)

    run(dut, testbench)
    long = [n for n, (broadcast, length) in enumerate(packets) if broadcast and length > 3]
    assert cancelled == long
    assert refused == len(long) > 5
    for number, (broadcast, length) in enumerate(packets):
        assert got[number] == list(range(min(length, 3) if broadcast else length))


@pytest.mark.parametrize("word", ["mesh:x=3,y=3,routing=valiant", "ccc:n=3,routing=valiant",
                                  "mesh:x=3,y=2,routing=o1turn", "ccc:n=3,routing=romm",
                                  "mesh:x=3,y=2,nodes_per_router=2,routing=romm"])  # fmt: skip
def test_the_header_has_what_the_source_writes(word):
    """Drawn anew with each packet, of one flit or of three, to a node or to none."""
    network = Network.from_word(word)
    routing, width = network.routing, network.topology.address_width
    node = network.topology.nodes - 2
    m = Module()
    m.submodules.injector = injector = Injector(network)

    async def testbench(ctx):
        state = first_state(network.topology.address(node), width)
        ctx.set(injector.address, network.topology.address(node))
        pins = constants(network, network.topology.router_of(node))
        if routing.written is not None:
            ctx.set(injector.written, pins["written"].value)
        ctx.set(injector.o.ready, (1 << network.virtual_channels) - 1)
        for number in range(40):
            length = (1, 3)[number % 2]
            known = number % 5 < 4
            for beat in range(length):
                end = 0 if known else (1 << width) - 1
                ctx.set(injector.i.p.destination, end if beat == 0 else 1)
                ctx.set(injector.i.p.last, beat == length - 1)
                ctx.set(injector.i.valid, 0)
                await ctx.tick()
                ctx.set(injector.i.valid, 1)
                field = ctx.get(injector.o.flit.destination)
                label = routing.label(node, 0, drawn(state, routing.draws))
                code = routing.draw_codes[label // network.topology.nodes]
                assert not known or field >> width == code
                await ctx.tick()
            state = next_state(state)

    run(m, testbench)

from collections import Counter
from dataclasses import dataclass
from random import Random

import pytest
from helpers.ring import Ring, RingRouting
from helpers.self_tests import pulse
from knotwork import Hypercube, Moebius, Network, WkRecursive
from knotwork_boards.selftest import Fault, PacketFormat
from knotwork_boards.selftest.packet.generator import CopyAnnouncer, FaultInjector, Generator

NETWORKS = {
    "moebius_n2_8bit": lambda: Network(Moebius(n=2), data_width=8),
    "hypercube_n3": lambda: Network(Hypercube(n=3)),
    "coded_ring_of_5": lambda: Network(CodedRing(nodes=5), routing=RingRouting, data_width=12),
}


@dataclass(frozen=True, kw_only=True)
class CodedRing(Ring):
    """Ring whose addresses are not its indices."""

    def address(self, node):
        return 7 - node

    def node_at(self, address):
        return 7 - address if 7 - address in range(self.nodes) else None


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("smooth", [True, False])
def test_every_window_sends_every_node_the_same_numbered_packets(collect, beats_of, name, smooth):
    network = NETWORKS[name]()
    form = PacketFormat(network)
    nodes = network.topology.nodes
    node, rounds_log2 = nodes - 2, 2
    dut = Generator(format=form, node=node, rounds_log2=rounds_log2)
    ready = (lambda cycle: True) if smooth else (lambda cycle: cycle * 7 % 5 < 2)
    dice = Random(1)
    random = (lambda cycle: cycle * 5 % 4) if smooth else (lambda cycle: dice.randrange(16))
    windows = collect(dut, windows=2, ready=ready, random=random)
    for packets in windows:
        assert len(packets) == nodes << rounds_log2
        for number, packet in enumerate(packets):
            destination = form.addresses[(node + number) % nodes]
            sequence = number // nodes
            data = [beat[0] for beat in packet]
            assert packet[0][1] == destination
            assert data == beats_of(form, form.addresses[node], destination, sequence, len(packet))
    lengths = Counter(len(packet) for packets in windows for packet in packets)
    assert set(lengths) == {1, 2, 3, 4}


TO_SEVERAL = [
    (Hypercube(n=2), {"multicast": "yes", "max_packet": 5}, {1, 2}),  # with 3 named before
    (Hypercube(n=2), {"multicast": "yes", "max_packet": 6}, {1, 2}),
    (Hypercube(n=2), {"multicast": "yes", "max_packet": 16}, {1, 2, 3, 4}),
    (WkRecursive(w=2, levels=2), {"max_packet": 1}, {1}),
    (WkRecursive(w=2, levels=2), {"max_packet": 3}, {1, 2}),
    (WkRecursive(w=2, levels=2), {}, {1, 2, 3, 4}),
]


@pytest.mark.parametrize(("topology", "keys", "of_copies"), TO_SEVERAL)
def test_a_round_ends_with_a_packet_to_several_where_there_are_any(
    collect, beats_of, topology, keys, of_copies
):
    form = PacketFormat(Network(topology, data_width=16, **keys))
    dut = Generator(format=form, node=1, rounds_log2=3)
    dice = Random(3)
    windows = collect(
        dut,
        windows=2,
        ready=lambda cycle: dice.randrange(2),
        random=lambda cycle: dice.randrange(16),
    )
    lengths = set()
    for packets in windows:
        assert len(packets) == (4 + 1) << 3
        for number, packet in enumerate(packets):
            sequence, step = divmod(number, 5)
            data, _, marks = zip(*packet, strict=True)
            destination = (1 + step) % 4
            expected = beats_of(form, 1, destination, sequence, len(packet), copy=int(step == 4))
            assert list(data) == expected
            assert set(marks) == {int(step == 4)}
            if step == 4:
                lengths.add(len(packet))
            else:
                assert packet[0][1] == destination
    assert lengths == of_copies


def test_where_packets_may_overtake_each_other_it_halts_until_all_is_quiet(run):
    network = Network(Moebius(n=2), routing="spr", vc_scheme="escape", data_width=8)
    form = PacketFormat(network)
    assert form.window == 4
    dut = Generator(format=form, node=1, rounds_log2=3)
    sent = []

    async def testbench(ctx):
        ctx.set(dut.o.ready, 1)
        for _ in range(2):
            await pulse(ctx, dut.start)
            for quiet in (0, 1, 0, 1):
                ctx.set(dut.quiet, quiet)
                await ctx.tick()
                ctx.set(dut.quiet, 0)
                count = 0
                for cycle in range(200):
                    ctx.set(dut.random, cycle * 7 % 16)
                    count += ctx.get(dut.sent)
                    await ctx.tick()
                sent.append(count)

    run(dut, testbench)
    assert sent == [16, 16, 0, 0] * 2  # four rounds of four packets, and four more when let go


def test_sequence_numbers_wrap(collect):
    form = PacketFormat(Network(Hypercube(n=1), data_width=8))
    dut = Generator(format=form, node=0, rounds_log2=5)
    ((*packets,),) = collect(dut, windows=1)
    sequences = [packet[0][0] >> 1 & 7 for packet in packets]
    assert sequences == [number // 2 % 8 for number in range(64)]


def test_without_pauses_packets_follow_each_other_at_once(run):
    form = PacketFormat(Network(Hypercube(n=1), data_width=8))
    dut = Generator(format=form, node=0, rounds_log2=3)

    async def testbench(ctx):
        ctx.set(dut.start, 1)
        ctx.set(dut.o.ready, 1)
        await ctx.tick().until(dut.o.valid)
        for number in range(1, 17):
            assert ctx.get(dut.o.valid) == (number < 16)
            await ctx.tick()

    run(dut, testbench)


@pytest.mark.parametrize("longest", [1, 2, 4])
def test_packets_are_no_longer_than_allowed(collect, longest):
    form = PacketFormat(Network(Hypercube(n=1), data_width=8))
    dut = Generator(format=form, node=0, rounds_log2=4, longest=longest)
    (packets,) = collect(dut, windows=1, random=lambda cycle: cycle & 3)
    assert max(len(packet) for packet in packets) == longest


def test_a_longest_packet_of_3_beats_is_refused(refusal):
    form = PacketFormat(Network(Hypercube(n=1), data_width=8))
    text = refusal(ValueError, lambda: Generator(format=form, node=0, rounds_log2=1, longest=3))
    assert text == "longest packet must be 1, 2 or 4 beats, not 3"


def write(run, form, address, packets):
    """Beats (data, last, destination, mark) that packets (beats, destination) become.

    A destination of None stands for all members. Both ends make pauses. The second result says for
    each beat how many copies were signalled: with it (with a chain) or before it (without).
    """
    dut = CopyAnnouncer(format=form, address=address)
    dice = Random(2)
    mark = "multicast" if form.chained else "broadcast"
    beats = [
        {
            "data": data,
            "last": int(place == len(packet) - 1),
            "destination": address if destination is None else destination,
            mark: int(destination is None),
        }
        for packet, destination in packets
        for place, data in enumerate(packet)
    ]
    out = []
    sent = []

    async def testbench(ctx):
        held, announced = None, 0
        for beat in beats:
            while dice.randrange(3) == 0:
                assert not ctx.get(dut.sent)
                await ctx.tick()
            ctx.set(dut.i.payload, beat)
            ctx.set(dut.i.valid, 1)
            taken = False
            while not taken:
                ctx.set(dut.o.ready, dice.randrange(2))
                if not ctx.get(dut.o.valid):
                    assert not ctx.get(dut.i.ready)
                    assert held is None
                    announced += ctx.get(dut.sent)
                    await ctx.tick()
                    continue
                payload = ctx.get(dut.o.payload)
                marked = payload.multicast if form.chained else payload.broadcast
                offered = (payload.data, payload.last, payload.destination, marked)
                assert held in (None, offered)
                held = offered
                if ctx.get(dut.o.ready):
                    out.append(offered)
                    sent.append(announced + ctx.get(dut.sent))
                    held, announced = None, 0
                else:
                    assert not ctx.get(dut.sent)
                taken = ctx.get(dut.i.ready)
                await ctx.tick()
            ctx.set(dut.i.valid, 0)

    run(dut, testbench)
    return out, sent


@pytest.mark.parametrize(
    ("network", "members"),
    [
        (Network(Hypercube(n=1), multicast="yes", data_width=8), 1),
        (Network(Hypercube(n=2), multicast="yes", data_width=8), 3),
        (Network(Moebius(n=3), multicast="yes", max_packet=6), 5),
    ],
    ids=["one", "all", "some"],
)
def test_a_multicast_is_led_by_its_members_in_xor_order(run, network, members):
    form = PacketFormat(network)
    own = network.topology.nodes - 1
    packets = [([7, 9], 0), ([5], None), ([6, 1, 3], None), ([4], own), ([8, 2], None)]
    out, sent = write(run, form, own, packets)
    expected, of_chain = [], []
    for data, destination in packets:
        chain = [own ^ step for step in range(1, members + 1)] if destination is None else []
        number = members if destination is None else destination
        beats = [*chain, *data]
        for place, beat in enumerate(beats):
            last = int(place == len(beats) - 1)
            expected.append((beat, last, number, int(destination is None)))
            of_chain.append(int(place < len(chain)))
    assert out == expected
    assert sent == of_chain


@pytest.mark.parametrize(("w", "levels"), [(2, 1), (2, 2), (3, 2)])
def test_a_broadcast_waits_until_its_copies_are_reported(run, w, levels):
    form = PacketFormat(Network(WkRecursive(w=w, levels=levels)))
    own = form.addresses[-1]
    packets = [([7, 9], 0), ([5], None), ([6, 1, 3], None), ([4], own), ([8, 2], None)]
    out, sent = write(run, form, own, packets)
    expected, of_copies = [], []
    for data, destination in packets:
        for place, beat in enumerate(data):
            named = own if destination is None else destination
            expected.append((beat, int(place == len(data) - 1), named, int(destination is None)))
            of_copies.append(w**levels - 1 if destination is None and place == 0 else 0)
    assert out == expected
    assert sent == of_copies


FORM = PacketFormat(Network(Hypercube(n=2), data_width=16))
ELSEWHERE, NOWHERE = 3, 2  # the test sends nothing to node 2
PACKETS = [([1, 2], 0), ([3], ELSEWHERE), ([4], 1), ([6], 0), ([7, 8, 9], 1)]
CHOSEN = 2
"""Place of the first packet of one beat that does not go to `ELSEWHERE`."""


@pytest.fixture
def packets_of(inject):
    """Packets (beats, destination) that leave the injector, one list per window."""

    def packets_of(fault, windows=1, **keys):
        dut = FaultInjector(
            format=FORM, wrong_address=ELSEWHERE, **(keys or {"invalid_address": NOWHERE})
        )
        beats = [
            {"data": beat, "last": place == len(data) - 1, "destination": destination}
            for data, destination in PACKETS
            for place, beat in enumerate(data)
        ]
        found = []
        for window in inject(dut, fault, beats, windows):
            found.append([])
            data = []
            for beat, last, destination in window:
                data.append(beat)
                if last:
                    found[-1].append((data, destination))
                    data = []
        return found

    return packets_of


def test_without_a_fault_all_packets_pass(packets_of):
    assert packets_of(Fault.NONE) == [PACKETS]


@pytest.mark.parametrize(
    ("fault", "becomes"),
    [
        (Fault.LOST, []),
        (Fault.DUPLICATED, [([4], 1), ([4], 1)]),
        (Fault.CORRUPTED, [([5], 1)]),
        (Fault.MISROUTED, [([4], ELSEWHERE)]),
        (Fault.REFUSED, [([4], NOWHERE)]),
    ],
)
def test_one_packet_per_window_goes_wrong(packets_of, fault, becomes):
    expected = [*PACKETS[:CHOSEN], *becomes, *PACKETS[CHOSEN + 1 :]]
    assert packets_of(fault, windows=2) == [expected, expected]


def test_without_a_free_address_a_packet_of_one_beat_is_refused_as_one_of_two(packets_of):
    expected = [*PACKETS[:CHOSEN], ([4, 4], 1), *PACKETS[CHOSEN + 1 :]]
    assert packets_of(Fault.REFUSED, windows=2, single=True) == [expected, expected]
    assert packets_of(Fault.REFUSED, single=False) == [PACKETS]

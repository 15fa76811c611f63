from collections import Counter
from dataclasses import dataclass
from random import Random

import pytest
from helpers.pulses import pulse
from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Moebius, Network, WkRecursive
from knotwork_boards.selftest.packet.generator import Generator
from knotwork_boards.selftest.packet_format import PacketFormat

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

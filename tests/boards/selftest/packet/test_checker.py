from random import Random

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from knotwork import Hypercube, Moebius, Network, WkRecursive
from knotwork_boards.selftest.packet.checker import (
    Arrival,
    Checker,
    judge_in_order,
    judge_in_window,
    judge_of,
)
from knotwork_boards.selftest.packet_format import PacketFormat

OWN = 2


@pytest.fixture(params=[8, 16])
def data_width(request):
    return request.param


@pytest.fixture(params=["unicasts", "multicasts", "broadcasts"])
def form(request, data_width):
    keys = {"multicast": "yes"} if request.param == "multicasts" else {}
    topology = WkRecursive(w=2, levels=2) if request.param == "broadcasts" else Hypercube(n=2)
    return PacketFormat(Network(topology, data_width=data_width, **keys))


@pytest.fixture
def maker(beats_of):
    """Maker, by format, of makers of packets; these are sound and for this node by default."""

    def make_for(form):
        def make(source, sequence, *, length=1, destination=OWN, copy=0, flip=None):
            wrapped = sequence % (1 << form.sequence_width)
            beats = beats_of(form, source, destination, wrapped, length, copy)
            if flip is not None:
                beats[flip[0]] ^= 1 << flip[1]
            return source, beats, [0] * (length - 1) + [1]

        return make

    return make_for


@pytest.fixture
def require(judge):
    """Hold the checker to the verdict on each packet; an empty one is that it is good."""

    def require(form, *judged):
        found = judge(Checker(format=form, address=OWN), [packet for packet, _ in judged])
        assert found == [{verdict} - {""} for _, verdict in judged]

    return require


def flipped(form, packet, *flow, length, **keys):
    """Packets with a bit flipped each, and a good one."""
    flips = [(beat, place) for beat in range(length) for place in range(form.data_width)]
    wrong = [packet(*flow, length=length, flip=flip, **keys) for flip in flips]
    return [*((one, "corrupted") for one in wrong), (packet(*flow, **keys), "")]


def test_flows_in_order_are_good_across_the_wrap_and_interleaved(require, form, maker):
    sequences = range((1 << form.sequence_width) + 4)
    packet = maker(form)
    packets = [
        packet(source, sequence, length=1 + (source + sequence) % 4)
        for sequence in sequences
        for source in (3, 0, 2, 1)
    ]
    require(form, *((one, "") for one in packets))


CASES = {
    "a_missing_packet_is_skipped_once": lambda packet: [
        *((packet(1, 0), ""), (packet(1, 2), "skipped"), (packet(1, 3), ""), (packet(0, 0), ""))
    ],
    "a_packet_twice_is_duplicated_once": lambda packet: [
        *((packet(1, 0), ""), (packet(1, 1), ""), (packet(1, 1), "duplicated")),
        *((packet(1, 0), "duplicated"), (packet(1, 2), "")),
    ],
    "a_packet_of_another_node_is_misrouted": lambda packet: [
        *((packet(1, 0), ""), (packet(1, 5, destination=0, length=3), "misrouted")),
        (packet(1, 1), ""),
    ],
    "a_wrong_source_is_corruption": lambda packet: [
        ((0, *packet(1, 0, length=3)[1:]), "corrupted"),
        (packet(1, 0, length=3), ""),
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_a_packet_out_of_its_flow_is_reported(require, form, maker, case):
    require(form, *CASES[case](maker(form)))


@pytest.mark.parametrize("length", [1, 4])
def test_any_flipped_bit_is_corruption(require, form, maker, length):
    require(form, *flipped(form, maker(form), 3, 0, length=length))


def test_packets_run_together_cut_short_or_shuffled_are_corruption(require, form, maker):
    packet = maker(form)
    (_, three, _), (_, two, _) = packet(1, 0, length=3), packet(1, 1, length=2)
    wrong = [
        (1, three + two, [0, 0, 0, 0, 1]),
        (1, three[:2], [0, 1]),
        (1, three[:1], [1]),
        (1, [three[0], three[2]], [0, 1]),
        (1, [three[1], three[0], three[2]], [0, 0, 1]),
        (1, [three[0], three[1], two[1]], [0, 0, 1]),
    ]
    require(form, *((one, "corrupted") for one in wrong), (packet(1, 0), ""))


def test_clear_forgets_a_source(judge, form, maker):
    packet, clear = maker(form), {"clear": 1, "clear_source": 1}
    packets = [packet(1, 0), packet(3, 0), clear, packet(1, 0), packet(3, 0)]
    dut = Checker(format=form, address=OWN)
    assert judge(dut, packets) == [set(), set(), set(), {"duplicated"}]


@pytest.fixture(params=["multicasts", "broadcasts"])
def with_copies(request, data_width):
    """Format of a network with broadcasts, or with multicasts to the next two nodes of three."""
    if request.param == "broadcasts":
        return PacketFormat(Network(WkRecursive(w=2, levels=2), data_width=data_width))
    network = Network(Hypercube(n=2), data_width=data_width, multicast="yes", max_packet=3)
    return PacketFormat(network)


def test_copies_are_a_separate_flow(require, with_copies, maker):
    packet = maker(with_copies)
    packets = []
    for sequence in range((1 << with_copies.sequence_width) + 4):
        packets.append(packet(3, sequence, length=1 + sequence % 4))
        if sequence >= 2:  # the multicasts lag behind
            packets.append(packet(3, sequence - 2, copy=1, length=1 + sequence % 3))
    require(with_copies, *((one, "") for one in packets))
    wrong = [(packet(3, 0), ""), (packet(3, 0), "duplicated"), (packet(3, 0, copy=1), "")]
    require(with_copies, *wrong, (packet(3, 5, destination=1), "misrouted"))


def test_a_copy_is_judged_like_any_packet(require, with_copies, maker):
    packet = maker(with_copies)
    verdicts = [(0, ""), (1, ""), (1, "duplicated"), (3, "skipped")]
    of_0 = [(packet(0, n, copy=1, length=2), verdict) for n, verdict in verdicts]
    require(with_copies, *of_0)
    # 3 is 2 XOR 1, 0 is 2 XOR 2; 1 is 2 XOR 3, and 2 the node itself
    members = {0, 3} if with_copies.chained else {0, 1, 3}
    of_all = [(packet(source, 0, copy=1, length=2), source) for source in range(4)]
    require(with_copies, *((one, "" if n in members else "misrouted") for one, n in of_all))


@pytest.mark.parametrize("length", [1, 3])
def test_a_wrong_copy_is_corruption(require, with_copies, maker, length):
    """With a bit flipped, of another source, or with its chain."""
    packet = maker(with_copies)
    require(with_copies, *flipped(with_copies, packet, 3, 0, copy=1, length=length))
    _, beats, lasts = packet(3, 0, copy=1, length=2)
    wrong = [(0, beats, lasts), (3, [2, 1, *beats], [0, 0, *lasts]), (3, [1, *beats], [0, *lasts])]
    require(with_copies, *((one, "corrupted") for one in wrong), ((3, beats, lasts), ""))


def test_packets_may_overtake_each_other_where_the_network_says_so(require, data_width, maker):
    form = PacketFormat(
        Network(Moebius(n=2), data_width=data_width, routing="spr", vc_scheme="escape")
    )
    packet = maker(form)
    numbers = [*zip((1, 0, 2, 5, 3, 4), [""] * 6, strict=True), (3, "duplicated"), (6, "")]
    judged = [(packet(1, n, length=1 + n % 4), verdict) for n, verdict in numbers]
    judged += [(packet(3, 0, destination=0), "misrouted"), (packet(3, 1, flip=(0, 3)), "corrupted")]
    require(form, *judged, (packet(3, 0), ""))
    ordered = PacketFormat(Network(Moebius(n=2), data_width=data_width))
    packet = maker(ordered)
    require(ordered, (packet(1, 1), "skipped"), (packet(1, 0), "duplicated"))


@pytest.fixture(params=[8, 10, 32])
def overtaking_form(request):
    network = Network(Moebius(n=2), routing="spr", vc_scheme="escape", data_width=request.param)
    return PacketFormat(network)


class WindowJudge(wiring.Component):
    """Component with the ports of `judge_in_window`."""

    def __init__(self, overtaking_form):
        self._form = overtaking_form
        inputs = {"judged": 1, "flow": 2, "sequence": overtaking_form.sequence_width}
        inputs |= {"clear": 1, "clear_flow": 2}
        super().__init__(
            {name: In(width) for name, width in inputs.items()}
            | {"duplicated": Out(1), "skipped": Out(1)}
        )

    def elaborate(self, platform):
        m = Module()
        arrival = Arrival(
            judged=self.judged,
            flow=self.flow,
            sequence=self.sequence,
            clear=self.clear,
            clear_flow=self.clear_flow,
        )
        verdict = judge_in_window(m, self._form, arrival)
        m.d.comb += [self.duplicated.eq(verdict.duplicated), self.skipped.eq(verdict.skipped)]
        return m


class Reference:
    """What `judge_in_window` must say, by sequence numbers that never wrap."""

    def __init__(self, window):
        self.window = window
        self.newest = -1
        self.missing = set()

    def judge(self, number):
        if number <= self.newest:
            if number in self.missing:
                self.missing.remove(number)
                return "good"
            return "duplicated"
        self.missing |= set(range(self.newest + 1, number))
        self.newest = number
        gone = {old for old in self.missing if old <= number - self.window}
        self.missing -= gone
        return "skipped" if gone else "good"


def verdicts(run, overtaking_form, arrivals):
    """Verdicts, by name, on arrivals (flow, number); a number of None clears the flow."""
    dut = WindowJudge(overtaking_form)
    dice = Random(1)
    result = []

    async def testbench(ctx):
        for flow, number in arrivals:
            ctx.set(dut.clear, number is None)
            ctx.set(dut.clear_flow, flow)
            ctx.set(dut.judged, number is not None)
            ctx.set(dut.flow, flow)
            ctx.set(dut.sequence, (number or 0) % (1 << overtaking_form.sequence_width))
            names = [name for name in ("duplicated", "skipped") if ctx.get(getattr(dut, name))]
            result.append(" and ".join(names) or "good")
            await ctx.tick()
            ctx.set(dut.clear, 0)
            ctx.set(dut.judged, 0)
            ctx.set(dut.sequence, dice.randrange(1 << overtaking_form.sequence_width))
            for _ in range(dice.randrange(2)):
                await ctx.tick()

    run(dut, testbench)
    return result


@pytest.mark.parametrize("seed", range(4))
def test_any_order_is_judged_as_by_numbers_that_never_wrap(run, overtaking_form, seed):
    dice = Random(seed)
    half = 1 << overtaking_form.sequence_width - 1
    references = [Reference(overtaking_form.window) for _ in range(4)]
    arrivals, expected = [], []
    for _ in range(400):
        flow = dice.randrange(4)
        reference = references[flow]
        following = reference.newest + 1
        near = following + dice.randint(-overtaking_form.window, 2)
        far = following + dice.randint(-half, half - 1)
        number = dice.choice([near, near, following, far])
        if dice.randrange(50) == 0:
            references[flow] = Reference(overtaking_form.window)
            arrivals.append((flow, None))
            expected.append("good")
            continue
        arrivals.append((flow, number))
        expected.append(reference.judge(number))
    assert {"good", "duplicated", "skipped"} == set(expected)
    assert verdicts(run, overtaking_form, arrivals) == expected


def test_networks_that_keep_order_get_the_cheaper_judge(overtaking_form):
    assert judge_of(overtaking_form) is judge_in_window
    assert judge_of(PacketFormat(Network(Moebius(n=2)))) is judge_in_order

from random import Random

import pytest
from amaranth.hdl import Module, Signal
from knotwork import CubeConnectedCycles, Hypercube, Network
from knotwork.routing.scheduling.linear_complement import LinearComplement
from knotwork_boards.selftest.batch.nodes import BatchChecker, BatchSource
from knotwork_boards.selftest.batch.tables import Permutations, of_batch
from knotwork_boards.selftest.packet_format import PacketFormat

ADDRESS = 2
DESTINATIONS = [3, 1, 0, 2]


def source(words, data_width=32, rounds_log2=0):
    network = Network(Hypercube(n=2), routing="lc1", words=words, data_width=data_width)
    form = PacketFormat(network)
    dut = BatchSource(
        format=form,
        words=words,
        address=ADDRESS,
        destinations=DESTINATIONS,
        rounds_log2=rounds_log2,
    )
    return form, dut


@pytest.mark.parametrize("data_width", [8, 32])
@pytest.mark.parametrize("words", [1, 3, 16])
def test_every_batch_has_its_packet_for_its_destination(collect, beats_of, words, data_width):
    form, dut = source(words, data_width, rounds_log2=1)
    dice = Random(1)
    windows = collect(
        dut,
        windows=2,
        ready=lambda cycle: dice.randrange(2),
        random=lambda cycle: dice.randrange(4),
    )
    beat_width = (words - 1).bit_length()
    for packets in windows:
        assert len(packets) == 2 * len(DESTINATIONS) << 1
        for batch, packet in enumerate(packets):
            destination = DESTINATIONS[batch // 2 % len(DESTINATIONS)]
            sequence = batch % (1 << form.sequence_width)
            data, destinations, _ = map(list, zip(*packet, strict=True))
            expected = beats_of(form, ADDRESS, destination, sequence, words, beat_width=beat_width)
            assert data == expected
            assert set(destinations) == {destination}


def test_without_pauses_packets_follow_each_other_at_once(run):
    _, dut = source(words=3)

    async def testbench(ctx):
        ctx.set(dut.start, 1)
        ctx.set(dut.o.ready, 1)
        await ctx.tick().until(dut.o.valid)
        ctx.set(dut.start, 0)
        for number in range(1, 3 * 8 + 1):
            assert ctx.get(dut.o.valid) == (number < 3 * 8)
            await ctx.tick()

    run(dut, testbench)


def test_nothing_begins_by_itself(run):
    _, dut = source(words=1)

    async def testbench(ctx):
        ctx.set(dut.o.ready, 1)
        for _ in range(20):
            assert not ctx.get(dut.o.valid)
            await ctx.tick()

    run(dut, testbench)


@pytest.mark.parametrize("n", range(1, 11))
def test_the_first_permutation_is_the_bit_reversal(n):
    expected = [int(f"{node:0{n}b}"[::-1], 2) for node in range(1 << n)]
    assert Permutations(n).destinations[0].tolist() == expected


@pytest.mark.parametrize(("n", "count"), [(1, 2), (2, 16), (3, 16), (6, 16)])
def test_all_are_distinct_and_linear_complement(n, count):
    permutations = Permutations(n)
    rows = permutations.destinations
    assert len(rows) == len(permutations.tables) == count
    assert len({tuple(row) for row in rows.tolist()}) == count
    assert all(LinearComplement.of(row) is not None for row in rows)
    assert 1 << permutations.batches_log2 == 2 * count


def test_they_are_the_same_every_time():
    assert (Permutations(5).destinations == Permutations(5).destinations).all()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_sources_are_those_whose_packets_come(n):
    permutations = Permutations(n)
    for row, sources in zip(permutations.destinations, permutations.sources, strict=True):
        for node in range(1 << n):
            assert row[sources[node]] == node


@pytest.mark.parametrize(
    "network",
    [Network(Hypercube(n=n), routing="lc1") for n in range(1, 7)]
    + [Network(CubeConnectedCycles(n=n), routing="lc2") for n in range(2, 7)],
    ids=lambda network: network.name,
)
def test_their_tables_route_them(network):
    permutations = Permutations(network.topology.address_width)
    for row, table in zip(permutations.destinations, permutations.tables, strict=True):
        assert not network.routing.flags(row, table).any()
    collision = permutations.destinations[-1].copy()
    collision[0] = collision[1]
    assert network.routing.flags(collision, permutations.tables[-1]).any()


def test_each_holds_for_two_batches(run):
    m = Module()
    batch, value = Signal(6), Signal(8)
    m.d.comb += value.eq(of_batch(batch, [50, 60, 70, 80], 8))

    async def testbench(ctx):
        for number in range(64):
            ctx.set(batch, number)
            assert ctx.get(value) == 50 + 10 * (number // 2 % 4)
            await ctx.tick()

    m.d.sync += Signal().eq(0)
    run(m, testbench)


OWN = 2
SOURCES = [3, 0, 2, 1] * 4


@pytest.fixture(params=[1, 3, 16])
def words(request):
    return request.param


@pytest.fixture(params=[8, 32])
def form(request, words):
    keys = {"data_width": request.param, "words": words}
    return PacketFormat(Network(Hypercube(n=2), routing="lc1", **keys))


@pytest.fixture
def packet(form, words, beats_of):
    """Maker of the packet (source, beats, lasts, flags) of a batch; it is sound by default."""

    def make(batch, *, source=None, destination=OWN, flags=(), flip=None):
        source = SOURCES[batch // 2 % len(SOURCES)] if source is None else source
        sequence = batch % (1 << form.sequence_width)
        width = (words - 1).bit_length()
        beats = beats_of(form, source, destination, sequence, words, beat_width=width)
        if flip is not None:
            beats[flip[0]] ^= 1 << flip[1]
        raised = [0] * words
        for beat, flag in flags:
            raised[beat] |= flag
        return source, beats, [0] * (words - 1) + [1], raised

    return make


@pytest.fixture
def judge(judge, form, words):
    """Verdict on each packet."""
    keys = {"format": form, "words": words, "address": OWN, "sources": SOURCES}
    return lambda packets: judge(BatchChecker(**keys), packets)


def test_the_packets_of_all_batches_are_good_across_the_wrap(judge, form, words, packet):
    count = (1 << form.sequence_width) + 7
    assert judge([packet(batch) for batch in range(count)]) == [set()] * count


def test_any_flipped_bit_is_corruption_and_the_next_packet_good(judge, form, words, packet):
    beats = {0, words // 2, words - 1}
    flips = [(beat, place) for beat in sorted(beats) for place in range(form.data_width)]
    packets = [packet(batch, flip=flip) for batch, flip in enumerate(flips)]
    assert judge([*packets, packet(len(flips))]) == [{"corrupted"}] * len(flips) + [set()]


def test_a_wrong_source_is_corruption(judge, packet):
    _, *rest = packet(0)
    assert judge([(SOURCES[0] ^ 1, *rest), packet(1)]) == [{"corrupted"}, set()]


def test_a_packet_too_long_or_too_short_is_corruption(judge, words, packet):
    source, beats, lasts, flags = packet(0)
    wrong = [(source, [*beats, beats[-1]], [0] * words + [1], [*flags, 0])]
    wrong.append((source, beats * 2, ([0] * words + lasts), flags * 2))
    if words > 1:
        wrong.append((source, beats[:-1], [*lasts[:-2], 1], flags[:-1]))
        wrong.append((source, beats[:1], [1], [0]))
    good = packet(len(wrong))
    assert judge([*wrong, good]) == [{"corrupted"}] * len(wrong) + [set()]


@pytest.mark.parametrize("words", [3, 16], indirect=True)
def test_beats_out_of_place_or_of_another_packet_are_corruption(judge, packet):
    source, beats, *rest = packet(0)
    exchanged = [beats[1], beats[0], *beats[2:]]
    last_two = [*beats[:-2], beats[-1], beats[-2]]
    foreign = [*beats[:-1], packet(1)[1][-1]]
    wrong = [(source, data, *rest) for data in (exchanged, last_two, foreign)]
    assert judge([*wrong, packet(3)]) == [{"corrupted"}] * 3 + [set()]


def test_a_packet_of_another_node_is_misrouted(judge, packet):
    packets = [packet(0), packet(1, destination=OWN ^ 1), packet(2)]
    assert judge(packets) == [set(), {"misrouted"}, set()]


def test_a_packet_from_another_node_than_the_permutation_says_is_misrouted(judge, packet):
    wrong = [packet(0, source=source) for source in range(4) if source != SOURCES[0]]
    for one in wrong:
        assert judge([one, packet(1)]) == [{"misrouted"}, set()]


@pytest.mark.parametrize("flag", [1, 2, 4, 8])
def test_a_flag_with_any_beat_is_misrouting(judge, words, packet, flag):
    places = sorted({0, words // 2, words - 1})
    packets = [packet(batch, flags=[(place, flag)]) for batch, place in enumerate(places)]
    assert judge([*packets, packet(len(places))]) == [{"misrouted"}] * len(places) + [set()]


def test_corruption_is_reported_before_misrouting(judge, packet):
    assert judge([packet(0, flags=[(0, 1)], flip=(0, 5)), packet(1)]) == [{"corrupted"}, set()]


def test_a_packet_of_an_earlier_batch_is_duplicated(judge, packet):
    packets = [packet(0), packet(0), packet(1), packet(2), packet(2), packet(1), packet(3)]
    dup = {"duplicated"}
    assert judge(packets) == [set(), dup, set(), set(), dup, dup, set()]


def test_a_packet_of_a_later_batch_skips_those_between(judge, packet):
    packets = [packet(0), packet(2), packet(3), packet(5), packet(6)]
    assert judge(packets) == [set(), {"skipped"}, set(), {"skipped"}, set()]


def test_a_window_begins_with_batch_0(judge, packet):
    packets = [packet(0), packet(1), {"start": 1}, packet(0), packet(1), packet(2)]
    assert judge(packets) == [set()] * 5

from random import Random

import pytest
from amaranth.hdl import Module, Signal
from knotwork import CubeConnectedCycles, Hypercube, Network
from knotwork.routing.scheduling.linear_complement import LinearComplement
from knotwork_boards.selftest.batch.permutations import Permutations, of_batch
from knotwork_boards.selftest.batch.source import BatchSource
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

import pytest
from amaranth.hdl import Module, Signal
from knotwork import CubeConnectedCycles, Hypercube, Network
from knotwork.routing.scheduling.linear_complement import LinearComplement
from knotwork_boards.selftest.batch.permutations import Permutations, of_batch


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

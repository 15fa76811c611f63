import numpy as np
import pytest
from helpers.ancestors import every
from knotwork.topology import Baseline, Lcan
from knotwork.topology.accounting import blind_crosspoints, crossings, crosspoints, cut_facts


@pytest.mark.parametrize(
    ("d", "u", "row"), [(2, 2, (16, 12, 10)), (4, 2, (36, 32, 28)), (4, 4, (64, 48, 44))]
)
def test_crosspoints_of_a_switch(d, u, row):  # section 2
    full, lowest, above = row
    levels = Lcan(d=d, u=u, levels=3)
    low, middle, top = levels.level_sizes
    counts = crosspoints(levels)
    assert counts["full"] == sum(levels.level_sizes) * full
    assert counts["needed"] == low * lowest + (middle + top) * above
    assert counts["built"] == low * lowest + middle * above + top * (d * d - d)
    assert crosspoints(Lcan(d=d, u=u, levels=1)) == {"full": full, "needed": lowest, "built": d * d}


@every
def test_blind_crosspoints_are_those_that_no_pair_turns_by(topology):
    # At an LCA above level 0 the two PEs are below different children.
    for level in range(topology.levels):
        wires = range(topology.downers[level])
        children = [c // topology.wires[level] for c in wires]
        alike = sum(children[a] == children[c] for a in wires for c in wires)
        assert blind_crosspoints(topology, level) == (alike if level else 0)


def test_cuts_of_a_thousand_and_twenty_four():  # section 10
    facts = {fact["cut"]: fact for fact in cut_facts(Baseline(levels=10))}
    assert list(facts) == list(range(1, 10))
    chip = {"cut": 4, "packages": 64, "pes": 16, "switches": 32, "links": 16}
    assert facts[4] == chip | {"random_crossings": 1008}
    board = {"cut": 8, "packages": 4, "pes": 256, "switches": 1024, "links": 256}
    assert facts[8] == board | {"random_crossings": 768}


def rotated(x, by, bits):
    return (x << by | x >> bits - by) & (1 << bits) - 1


def test_packets_that_cross_a_cut():  # section 10
    topology, pes = Baseline(levels=10), np.arange(1024)
    reversal = sum((pes >> bit & 1) << 9 - bit for bit in range(10))
    table = {
        "identity": (pes, 0, 0),
        "shuffle": (rotated(pes, 1, 10), 1008, 768),
        "transpose": (rotated(pes, 5, 10), 992, 768),
        "reversal": (reversal, 992, 768),
    }
    for destinations, chip, board in table.values():
        assert crossings(topology, 4, pes, destinations) == chip
        assert crossings(topology, 8, pes, destinations) == board
    rng = np.random.default_rng(1)
    drawn = [rng.permutation(1024) for _ in range(60)]
    for cut, expected in ((4, 1008), (8, 768)):
        counts = [crossings(topology, cut, pes, permutation) for permutation in drawn]
        error = np.std(counts) / np.sqrt(len(counts))
        assert abs(np.mean(counts) - expected) < 4 * error

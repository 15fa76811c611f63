"""Batches through the golden model, and through the Verilog cycle by cycle."""

import itertools

import numpy as np
import pytest
from helpers.batches import (
    all_matrices,
    batch_packets,
    ccc,
    cube,
    offset,
    period,
    random_permutations,
    steps,
    with_tables,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.routing.scheduling.linear_complement import LinearComplement
from knotwork_sim.model.run import run_log, run_model
from knotwork_sim.scoreboard.score import score
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

NO_TABLE = 16
"""Bit of the status."""


def check_clocks_and_flags(network, packets, record, batches):
    """Check that every node gets its packet, unflagged, after the cycles that the steps take."""
    result = score(network, packets, record)
    assert (result.delivered, result.lost, result.corrupted) == (len(packets), 0, 0)
    assert not record.user.any()
    words, nodes = network.hardware.words, network.topology.nodes
    last_beat = np.arange(batches) * period(network) + offset(network) + words - 1
    first = last_beat + 1 + steps(network) * words
    expected = np.repeat((first[:, None] + np.arange(words)).ravel(), nodes)
    assert record.clock.tolist() == expected.tolist()
    assert record.last.tolist() == np.repeat([*[0] * (words - 1), 1] * batches, nodes).tolist()
    # There is no table before the first one, and while another one comes.
    starts = [1 + k * period(network) for k in range(1, batches)]
    n = network.topology.n
    shown = [(0, NO_TABLE), (n, 0)]
    shown += [row for start in starts for row in ((start, NO_TABLE), (start + n - 1, 0))]
    assert record.status.tolist() == [list(row) for row in shown]


def on_the_model(network, permutations):
    batches = with_tables(permutations)
    packets = batch_packets(network, batches)
    check_clocks_and_flags(network, packets, run_model(network, Traffic(), packets), len(batches))


def every_permutation(n):
    return [LinearComplement(t, c) for t in all_matrices(n) for c in range(1 << n)]


@pytest.mark.parametrize("make", [ccc, cube])
@pytest.mark.parametrize(("n", "count"), [(2, 24), pytest.param(3, 1344, marks=pytest.mark.slow)])
def test_every_permutation_on_the_model(make, n, count):
    permutations = every_permutation(n)
    assert len(permutations) == count
    on_the_model(make(n, words=1), permutations)


@pytest.mark.parametrize("make", [ccc, cube])
@pytest.mark.parametrize("words", [1, 3])
@pytest.mark.parametrize(("n", "count"), [
    (3, 60), (4, 40), (5, 20), (7, 5), *(pytest.param(n, 40 if n < 9 else 5, marks=pytest.mark.slow)
                                        for n in range(4, 13)),
])  # fmt: skip
def test_random_permutations_on_the_model(make, n, words, count):
    on_the_model(make(n, words=words), random_permutations(n, count, seed=n))


LARGER = (
    ccc(3, control="entry", sequencer="distributed"), ccc(4, words=3, data_width=72),
    ccc(4, words=3, control="entry"), ccc(5, words=2, sequencer="distributed"), ccc(6),
    ccc(7, data_width=8, control="entry"), ccc(7, data_width=8),
    cube(4, words=2), cube(4, words=3, sequencer="distributed"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("network", "count"),
    [
        (ccc(3, words=3), 40),
        (ccc(2, control="entry", sequencer="distributed"), 40),
        (cube(3, words=2, sequencer="distributed"), 40),
        *(pytest.param(network, 200, marks=pytest.mark.slow) for network in LARGER),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_random_permutations_in_the_verilog(equal, network, count):
    batches = with_tables(random_permutations(network.topology.n, count))
    packets, record = equal(network, batch_packets(network, batches))
    check_clocks_and_flags(network, packets, record, count)


@pytest.mark.slow
@pytest.mark.parametrize("keys", [{}, {"control": "entry", "sequencer": "distributed"}])
def test_every_permutation_of_8_nodes_in_the_verilog(equal, keys):
    network, batches = ccc(3, **keys), with_tables(every_permutation(3))
    packets, record = equal(network, batch_packets(network, batches))
    check_clocks_and_flags(network, packets, record, len(batches))


@settings(max_examples=25)
@given(
    make=st.sampled_from([ccc, cube]),
    n=st.integers(2, 5),
    words=st.integers(1, 5),
    batches=st.integers(1, 4),
    bubble=st.sampled_from([0.0, 0.4]),
    stall=st.sampled_from([0.0, 0.6]),
    seed=st.integers(0, 2**30),
)
def test_pauses_change_no_packet(judged, make, n, words, batches, bubble, stall, seed):
    network = make(n, words=words)
    keys = {"traffic": "permutation", "permutation": "random", "packets": batches << n}
    _, record = judged(network, **keys, bubble=bubble, stall=stall, seed=seed)
    assert not record.user.any()


@pytest.mark.parametrize("network", [cube(3, words=2), ccc(3, words=2)])
def test_what_moves_is_counted_along_the_ways_of_the_packets(network):
    permutation = np.arange(8)[::-1].copy()
    packets = make_packets(network, Traffic(traffic="permutation", permutation="complement"))
    run = run_log(network, Traffic(), packets, counts=True)
    topology, schedule = network.topology, network.routing.schedule(permutation)
    expected = np.zeros(topology.neighbours.shape, np.int64)
    expected[:, 0] = 2  # each node takes two words
    for transfer in schedule.rounds[0]:
        for begin, end in itertools.pairwise(transfer.path):
            expected[begin, topology.neighbours[begin].tolist().index(end)] += 2
        number = packets.source.tolist().index(transfer.source)
        assert run.tally.hops[number] == len(transfer.path) - 1
    assert (run.tally.crossings == expected.ravel()).all()
    assert expected[:, 1:].sum() > 0

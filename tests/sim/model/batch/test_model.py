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
from knotwork_sim.check.score import mismatches, score
from knotwork_sim.model.run import run_log, run_model
from knotwork_sim.rtl.cocotb_run import run_rtl
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

WRONG, F1, F2, F3, NO_TABLE = 1, 2, 4, 8, 16

SHIFT_AND_DISTRIBUTED = {"control": "shift", "sequencer": "distributed"}


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


def every_permutation(n):
    return [LinearComplement(t, c) for t in all_matrices(n) for c in range(1 << n)]


@pytest.mark.parametrize("make", [ccc, cube])
@pytest.mark.parametrize("n", [2, 3])
def test_every_permutation_on_the_model(make, n):
    network = make(n, words=1)
    batches = with_tables(every_permutation(n))
    assert len(batches) == {2: 24, 3: 1344}[n]
    packets = batch_packets(network, batches)
    check_clocks_and_flags(network, packets, run_model(network, Traffic(), packets), len(batches))


@pytest.mark.parametrize("words", [1, 3])
@pytest.mark.parametrize("n", range(4, 13))
def test_random_permutations_on_the_model(n, words):
    for network in (ccc(n, words=words), cube(n, words=words)):
        batches = with_tables(random_permutations(n, 40 if n < 9 else 5, seed=n))
        packets = batch_packets(network, batches)
        record = run_model(network, Traffic(), packets)
        check_clocks_and_flags(network, packets, record, len(batches))


def equal_batches(network, batches):
    packets = batch_packets(network, batches)
    rtl = run_rtl(network, Traffic(), packets)
    assert mismatches(rtl, run_model(network, Traffic(), packets)) == 0
    check_clocks_and_flags(network, packets, rtl, len(batches))


@pytest.mark.parametrize("keys", [{}, SHIFT_AND_DISTRIBUTED], ids=["default", "other"])
def test_every_permutation_of_8_nodes_in_the_verilog(keys):
    equal_batches(ccc(3, **keys), with_tables(every_permutation(3)))


@pytest.mark.parametrize(
    "network",
    [
        pytest.param(ccc(4, words=3, data_width=72), marks=pytest.mark.slow),
        pytest.param(ccc(4, words=3, control="shift"), marks=pytest.mark.slow),
        pytest.param(ccc(5, words=2, sequencer="distributed"), marks=pytest.mark.slow),
        pytest.param(ccc(6), marks=pytest.mark.slow),
        pytest.param(ccc(7, data_width=8, control="shift"), marks=pytest.mark.slow),
        pytest.param(ccc(7, data_width=8), marks=pytest.mark.slow),
        cube(4, words=2),
        pytest.param(cube(4, words=3, sequencer="distributed"), marks=pytest.mark.slow),
    ],
    ids=lambda network: network.name,
)
def test_200_random_permutations_in_the_verilog(network):
    equal_batches(network, with_tables(random_permutations(network.topology.n, 200)))


@settings(max_examples=40)
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


def test_pauses_in_the_verilog(equal):
    keys = {"traffic": "permutation", "permutation": "reversal", "packets": 40 * 8}
    equal(ccc(3, words=3), **keys, bubble=0.3, stall=0.4)
    equal(cube(3, sequencer="distributed"), **keys, bubble=0.3, stall=0.4)


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

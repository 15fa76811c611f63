"""Packets that are not routed, or refused."""

import itertools

import numpy as np
import pytest
from helpers.batches import (
    batch_packets,
    ccc,
    cube,
    naive,
    random_permutations,
    with_tables,
)
from knotwork.routing.scheduling.linear_complement import JumpTable
from knotwork_sim.check.score import mismatches
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl.cocotb_run import run_rtl
from knotwork_sim.traffic.jump_tables import Loading
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packet_table import packet_table

WRONG, F1, F2, F3, NO_TABLE = 1, 2, 4, 8, 16


def test_packets_of_another_length_are_refused(equal):
    """Up to three bad packets, of 1 to 6 beats but not 3, come between two good ones of a node."""
    network = ccc(3, words=3)
    rng = np.random.default_rng(4)
    source, length = [], []
    for node, _ in itertools.product(range(8), range(20)):
        lengths = [*rng.choice([1, 2, 4, 5, 6], rng.integers(4)).tolist(), 3]
        source += [node] * len(lengths)
        length += lengths
    bad = sum(beats != 3 for beats in length)
    packets = packet_table(
        network,
        source=np.array(source),
        destination=np.array(source) ^ 5,
        length=np.array(length),
        time=np.zeros(len(source), np.int64),
        seed=1,
        loadings=[Loading.of(JumpTable.naive(3))],
    )
    _, record = equal(network, packets, bubble=0.2, stall=0.2)
    assert len(record.refused) == bad > 100
    assert len(record.clock) == 8 * 20 * 3


def test_a_refusal_is_told_in_the_cycle_after_the_last_beat():
    network = ccc(2, words=2)
    packets = packet_table(
        network,
        source=np.array([0, 1, 3]),
        destination=np.array([0, 1, 3]),
        length=np.array([1, 3, 7]),
        time=np.array([5, 6, 7]),
        seed=1,
    )
    record = run_model(network, Traffic(), packets)
    assert record.refused.tolist() == [[6, 0], [9, 1], [14, 3]]


def test_all_words_of_a_packet_stay_together():
    network = ccc(5, words=7, data_width=128)
    batches = with_tables(random_permutations(5, 3))
    packets = batch_packets(network, batches)
    record = run_model(network, Traffic(), packets)
    words = packets.words(128)
    for node, batch in itertools.product(range(32), range(3)):
        rows = np.nonzero(record.node == node)[0][7 * batch : 7 * batch + 7]
        (source,) = set(record.source[rows].tolist())
        first = packets.first_flit[packets.first_packet[source] + batch]
        assert (record.data[rows] == words[first : first + 7]).all()


def unroutable(network, count):
    """Random permutations with random tables, which may not fit them."""
    rng = np.random.default_rng(7)
    n = network.topology.n
    batches = []
    for _ in range(count):
        jump = (1, *rng.integers(0, 2, n - 1).tolist())
        buddy = tuple(int(rng.integers(k)) if k and rng.random() < 0.5 else n for k in range(n))
        batches.append((rng.permutation(1 << n), JumpTable(jump, buddy)))
    return batches


@pytest.mark.parametrize("network", [ccc(3), cube(3, words=2)], ids=lambda network: network.name)
def test_what_cannot_be_routed_is_flagged_alike(network):
    batches = unroutable(network, 500)
    packets = batch_packets(network, batches)
    model = run_model(network, Traffic(), packets)
    rtl = run_rtl(network, Traffic(), packets)
    assert mismatches(rtl, model) == 0
    nodes, words = network.topology.nodes, network.hardware.words
    assert len(model.clock) == 500 * nodes * words  # every packet comes out somewhere
    seen = {False: 0, True: 0}
    rows = np.arange(len(model.clock)).reshape(500, words, nodes)
    ends = [*model.status[1:, 0].tolist(), model.clocks]
    for (destinations, _), beats in zip(batches, rows, strict=True):
        assert sorted(model.node[beats[0]]) == list(range(nodes))
        arrives = destinations[model.source[beats]] == model.node[beats]
        flags = model.user[beats]
        assert ((flags & WRONG == 0) == arrives).all()
        blamed = (flags & (F2 | F3)).any()
        assert arrives.all() == (not blamed)
        seen[bool(arrives.all())] += 1
        # While the packets are given, the status is the union of all flags.
        clock = model.clock[beats[0, 0]]
        (shown,) = [
            status
            for (start, status), end in zip(model.status.tolist(), ends, strict=True)
            if start <= clock < end
        ]
        assert shown == np.bitwise_or.reduce(flags.ravel())
    assert min(seen.values()) > 5


def test_two_packets_for_one_node_are_flagged_and_nothing_is_lost():
    network = ccc(4)
    batches = [(np.where(np.arange(16) == 9, 3, np.arange(16)), naive(network))]
    packets = batch_packets(network, batches)
    record = run_model(network, Traffic(), packets)
    assert sorted(record.source) == list(range(16))
    wrong = batches[0][0][record.source] != record.node
    assert 0 < wrong.sum() < 16
    assert ((record.user & WRONG != 0) == wrong).all()
    assert record.status[-1, 1] & WRONG

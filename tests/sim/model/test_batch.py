"""Batches through the golden model, and through the Verilog clock by clock."""

import dataclasses
import itertools

import numpy as np
import pytest
from helpers.batches import (
    all_matrices,
    batch_packets,
    naive,
    offset,
    period,
    random_permutations,
    with_tables,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import CubeConnectedCycles, Hypercube, Network
from knotwork.routing.scheduling.linear_complement import JumpTable, LinearComplement
from knotwork_sim.check.score import mismatches, score
from knotwork_sim.model.record import PATIENCE
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl.cocotb_run import run_rtl
from knotwork_sim.traffic.jump_tables import Loading
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packet_table import packet_table

WRONG, F1, F2, F3, NO_TABLE = 1, 2, 4, 8, 16


def ccc(n, **hardware):
    return Network(CubeConnectedCycles(n=n), routing="lc2", **hardware)


def cube(n, **hardware):
    return Network(Hypercube(n=n), routing="lc1", **hardware)


def steps(network):
    """5 * 2^y on the cycles (y the least with y + 2^y >= n), 2 n - 1 on the cube."""
    n = network.topology.n
    if network.routing.name == "lc1":
        return 2 * n - 1
    return 5 * 2 ** next(y for y in range(n) if y + 2**y >= n)


def check_clocks_and_flags(network, packets, record, batches):
    """Every node gets its packet, unflagged, in the clock that the steps make of it."""
    result = score(network, packets, record)
    assert (result.delivered, result.lost, result.corrupted) == (len(packets), 0, 0)
    assert not record.user.any()
    words, nodes = network.hardware.words, network.topology.nodes
    last_beat = np.arange(batches) * period(network) + offset(network) + words - 1
    first = last_beat + 1 + steps(network) * words
    expected = np.repeat((first[:, None] + np.arange(words)).ravel(), nodes)
    assert record.clock.tolist() == expected.tolist()
    assert record.last.tolist() == np.repeat([*[0] * (words - 1), 1] * batches, nodes).tolist()
    # No table only until the first one, and while another comes.
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


def test_every_permutation_of_8_nodes_in_the_verilog():
    equal_batches(ccc(3), with_tables(every_permutation(3)))


@pytest.mark.parametrize(
    "network",
    [
        pytest.param(ccc(4, words=3, data_width=72), marks=pytest.mark.slow),
        pytest.param(ccc(6), marks=pytest.mark.slow),
        pytest.param(ccc(7, data_width=8), marks=pytest.mark.slow),
        cube(4, words=2),
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
    equal(cube(3), **keys, bubble=0.3, stall=0.4)


def unroutable(network, count):
    """Random permutations with random tables, whether they fit or not."""
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


def config_packets(network, loadings):
    nodes, words = network.topology.nodes, network.hardware.words
    index = np.arange(nodes)
    return packet_table(
        network,
        source=index,
        destination=index,
        length=np.full(nodes, words),
        time=np.zeros(nodes, np.int64),
        seed=1,
        loadings=loadings,
    )


def entries(*buddies):
    return tuple((1, buddy) for buddy in buddies)


@pytest.mark.parametrize(
    "wrong",
    [entries(3, 3), entries(3, 3, 3, 3), entries(3, 3, 3, 3, 3, 3, 3), entries(3, 5, 3)],
    ids=["too few", "too many", "twice and one", "a buddy above n"],
)
def test_no_batch_starts_on_a_wrong_table(wrong):
    if len(wrong) == 3:  # with n = 3 every number of a buddy is right
        network, n = ccc(4), 4
        wrong = (*wrong, (1, 4))
    else:
        network, n = ccc(3), 3
    good = Loading.of(JumpTable.naive(n), time=100)
    packets = config_packets(network, [Loading(0, wrong), good])
    record = run_rtl(network, Traffic(), packets)
    assert mismatches(record, run_model(network, Traffic(), packets)) == 0
    # Its last entry is taken at 100 + n - 1, and two clocks later comes the first step.
    assert set(record.clock.tolist()) == {100 + n + 1 + steps(network)}
    assert record.status.tolist() == [[0, NO_TABLE], [100 + n, 0]]


def test_without_a_table_nothing_starts():
    network = ccc(3)
    record = run_model(network, Traffic(), config_packets(network, []))
    assert len(record.clock) == 0
    assert record.clocks == PATIENCE + 1
    assert record.status.tolist() == [[0, NO_TABLE]]


def test_a_table_waits_while_a_batch_runs():
    """One that comes in the middle is taken behind the batch, and serves the next."""
    network = ccc(3, words=2)
    (reversal,) = with_tables([LinearComplement(np.eye(3, dtype=bool)[::-1])])
    destinations, table = reversal
    packets = packet_table(
        network,
        source=np.repeat(np.arange(8), 2),
        destination=np.repeat(destinations, 2),
        length=np.full(16, 2),
        time=np.tile([4, 5], 8),
        seed=1,
    )
    started = 4 + 2
    again = started + steps(network) * 2 + 2 + 2  # the beats from the nodes and to them
    flagged = {}
    for late in range(started, again + 5):
        loadings = (Loading.of(table), Loading.of(naive(network), time=late))
        record = run_model(network, Traffic(), dataclasses.replace(packets, loadings=loadings))
        assert not record.user[:16].any()
        flagged[late] = record.user[16:].any()
    assert {late for late in flagged if not flagged[late]} == set(range(again, again + 5))


def test_packets_of_another_length_are_refused(equal):
    """Between two good packets of a node come up to three bad ones, of 1 to 6 beats but 3."""
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


def test_a_refusal_is_told_in_the_clock_after_the_last_beat():
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

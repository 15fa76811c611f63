"""Batches through the golden model, and through the Verilog cycle by cycle."""

import dataclasses
import itertools

import numpy as np
import pytest
from helpers.batches import (
    all_matrices,
    batch_packets,
    ccc,
    cube,
    naive,
    offset,
    period,
    random_permutations,
    steps,
    with_tables,
)
from helpers.packet_columns import packets_of
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork.routing.scheduling.linear_complement import JumpTable, LinearComplement
from knotwork_sim.model.record import PATIENCE
from knotwork_sim.model.run import run_log, run_model
from knotwork_sim.rtl.cocotb_run import run_rtl
from knotwork_sim.scoreboard.score import count_mismatches, score
from knotwork_sim.traffic.jump_tables import Loading
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


WRONG, F2, F3 = 1, 4, 8
"""Flags of a packet."""


def test_packets_of_another_length_are_refused(equal):
    """Up to three bad packets, of 1 to 6 beats but not 3, come between two good ones of a node."""
    network = ccc(3, words=3)
    rng = np.random.default_rng(4)
    rows = []
    for node, _ in itertools.product(range(8), range(10)):
        lengths = [*rng.choice([1, 2, 4, 5, 6], rng.integers(4)).tolist(), 3]
        rows += [(node, node ^ 5, beats) for beats in lengths]
    bad = sum(beats != 3 for _, _, beats in rows)
    packets = packets_of(network, *np.array(rows).T, loadings=[Loading.of(JumpTable.naive(3))])
    _, record = equal(network, packets, bubble=0.2, stall=0.2)
    assert len(record.refused) == bad > 50
    assert len(record.clock) == 8 * 10 * 3


def test_a_refusal_comes_in_the_cycle_after_the_last_beat():
    network, nodes = ccc(2, words=2), np.array([0, 1, 3])
    record = run_model(network, Traffic(), packets_of(network, nodes, nodes, [1, 3, 7], [5, 6, 7]))
    assert record.refused.tolist() == [[6, 0], [9, 1], [14, 3]]


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


@pytest.mark.parametrize(
    "network",
    [ccc(3, words=3), cube(3, words=2, sequencer="distributed")],
    ids=lambda network: network.name,
)
@pytest.mark.parametrize("count", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_what_cannot_be_routed_is_flagged_alike(network, count):
    batches = unroutable(network, count)
    packets = batch_packets(network, batches)
    model = run_model(network, Traffic(), packets)
    rtl = run_rtl(network, Traffic(), packets)
    assert count_mismatches(rtl, model) == 0
    nodes, words = network.topology.nodes, network.hardware.words
    assert len(model.clock) == count * nodes * words  # every packet comes out somewhere
    seen = {False: 0, True: 0}
    rows = np.arange(len(model.clock)).reshape(count, words, nodes)
    changes = model.status[:, 0]
    for (destinations, _), beats in zip(batches, rows, strict=True):
        assert sorted(model.node[beats[0]]) == list(range(nodes))
        arrives = destinations[model.source[beats]] == model.node[beats]
        flags = model.user[beats]
        assert ((flags & WRONG == 0) == arrives).all()
        blamed = (flags & (F2 | F3)).any()
        assert arrives.all() == (not blamed)
        seen[bool(arrives.all())] += 1
        # While the packets come out, the status is the union of all flags.
        shown = np.searchsorted(changes, model.clock[beats[0, 0]], side="right") - 1
        assert model.status[shown, 1] == np.bitwise_or.reduce(flags.ravel())
    assert min(seen.values()) > 5


def test_two_packets_for_one_node_are_flagged_and_nothing_is_lost():
    network = ccc(4)
    batches = [(np.where(np.arange(16) == 9, 3, np.arange(16)), naive(network))]
    record = run_model(network, Traffic(), batch_packets(network, batches))
    assert sorted(record.source) == list(range(16))
    wrong = batches[0][0][record.source] != record.node
    assert 0 < wrong.sum() < 16
    assert ((record.user & WRONG != 0) == wrong).all()
    assert record.status[-1, 1] & WRONG


"""Bit of the status."""


def config_packets(network, loadings):
    """A packet of each node to itself, in the first cycle."""
    nodes = np.arange(network.topology.nodes)
    return packets_of(network, nodes, nodes, network.hardware.words, loadings=loadings)


@pytest.mark.parametrize("keys", [{}, {"control": "entry", "sequencer": "distributed"}])
def test_no_batch_starts_on_a_wrong_table(equal, keys):
    """Too few entries, too many, twice as many and one, and a buddy above n."""
    network, n = ccc(2, **keys), 2
    buddies = (2,), (2, 2, 2), (2,) * 5, (2, 3)
    wrong = [
        Loading(20 * number, tuple((1, buddy) for buddy in each))
        for number, each in enumerate(buddies)
    ]
    good = Loading.of(JumpTable.naive(n), time=100)
    _, record = equal(network, config_packets(network, [*wrong, good]))
    # The last entry is taken at 100 + n - 1; the first step follows two cycles later.
    assert set(record.clock.tolist()) == {100 + n + 1 + steps(network)}
    assert record.status.tolist() == [[0, NO_TABLE], [100 + n, 0]]


def test_without_a_table_nothing_starts():
    network = ccc(3)
    record = run_model(network, Traffic(), config_packets(network, []))
    assert len(record.clock) == 0
    assert record.clocks == PATIENCE + 1
    assert record.status.tolist() == [[0, NO_TABLE]]


def test_a_table_waits_while_a_batch_runs():
    """A table that comes during a batch is taken after it, and serves the next batch."""
    network = ccc(3, words=2)
    (reversal,) = with_tables([LinearComplement(np.eye(3, dtype=bool)[::-1])])
    destinations, table = reversal
    source = np.repeat(np.arange(8), 2)
    packets = packets_of(network, source, destinations[source], 2, np.tile([4, 5], 8))
    started = 4 + 2
    again = started + steps(network) * 2 + 2 + 2  # beats from the nodes, and to them
    flagged = {}
    for late in range(started, again + 5):
        loadings = (Loading.of(table), Loading.of(naive(network), time=late))
        record = run_model(network, Traffic(), dataclasses.replace(packets, loadings=loadings))
        assert not record.user[:16].any()
        flagged[late] = record.user[16:].any()
    assert {late for late in flagged if not flagged[late]} == set(range(again, again + 5))

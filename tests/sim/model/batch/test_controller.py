"""Jump tables on their way into a batch network, and what a wrong one does."""

import dataclasses

import numpy as np
import pytest
from helpers.batches import (
    ccc,
    naive,
    steps,
    with_tables,
)
from knotwork.routing.scheduling.linear_complement import JumpTable, LinearComplement
from knotwork_sim.check.score import mismatches
from knotwork_sim.model.record import PATIENCE
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl.cocotb_run import run_rtl
from knotwork_sim.traffic.jump_tables import Loading
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packet_table import packet_table

WRONG, F1, F2, F3, NO_TABLE = 1, 2, 4, 8, 16


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
    if len(wrong) == 3:  # with n = 3 every buddy number is valid
        network, n = ccc(4), 4
        wrong = (*wrong, (1, 4))
    else:
        network, n = ccc(3), 3
    good = Loading.of(JumpTable.naive(n), time=100)
    packets = config_packets(network, [Loading(0, wrong), good])
    record = run_rtl(network, Traffic(), packets)
    assert mismatches(record, run_model(network, Traffic(), packets)) == 0
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
    packets = packet_table(
        network,
        source=np.repeat(np.arange(8), 2),
        destination=np.repeat(destinations, 2),
        length=np.full(16, 2),
        time=np.tile([4, 5], 8),
        seed=1,
    )
    started = 4 + 2
    again = started + steps(network) * 2 + 2 + 2  # beats from the nodes, and to them
    flagged = {}
    for late in range(started, again + 5):
        loadings = (Loading.of(table), Loading.of(naive(network), time=late))
        record = run_model(network, Traffic(), dataclasses.replace(packets, loadings=loadings))
        assert not record.user[:16].any()
        flagged[late] = record.user[16:].any()
    assert {late for late in flagged if not flagged[late]} == set(range(again, again + 5))

import numpy as np
from knotwork import Hypercube, Network
from knotwork_sim.model.log import Log, LogWriter
from knotwork_sim.traffic.packet_table import packet_table
from knotwork_sim.traffic.packets import NOWHERE

# Two packets of three beats in all, and one that is refused.
PACKETS = packet_table(
    Network(Hypercube(n=2)),
    source=np.array([0, 1, 2]),
    destination=np.array([1, 0, NOWHERE]),
    length=np.array([1, 2, 4]),
    time=np.zeros(3),
    seed=1,
)


def columns(log):
    return [column.tolist() for column in log]


def test_a_log_has_room_for_what_is_due():
    log = Log.with_room(PACKETS)
    assert [len(column) for column in log] == [3] * 4 + [1] * 2


def test_a_log_is_cut_to_what_a_run_filled():
    log = Log.with_room(PACKETS)
    log.node[:] = 5, 6, 7
    log.refused_node[:] = 8
    assert columns(log.up_to(2, 0)) == [[0, 0], [5, 6], [0, 0], [0, 0], [], []]
    assert columns(log.up_to(3, 1))[5] == [8]


def test_a_writer_notes_cycle_after_cycle():
    writer = LogWriter(PACKETS)
    writer.note_beats(4, np.array([0, 1]), np.array([1, 0]), np.array([0, 0]))
    writer.note_refusals(5, np.array([2]))
    assert not writer.is_full
    writer.note_beats(6, np.array([], int), np.array([], int), np.array([], int))
    assert columns(writer.log) == [[4, 4], [0, 1], [1, 0], [0, 0], [5], [2]]
    writer.note_beats(7, np.array([0]), np.array([1]), np.array([1]))
    assert writer.is_full
    assert columns(writer.log)[:4] == [[4, 4, 7], [0, 1, 0], [1, 0, 1], [0, 0, 1]]

"""What every router class's model promises of its runs."""

import io
import time

import numpy as np
import pytest
from helpers.packet_columns import packets_of
from knotwork import Hypercube, Network, progress
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork_sim.model.record import PATIENCE, Record, TakenBeat, patience_with
from knotwork_sim.model.router_model import Log, LogWriter, Tally, filled, run_with_progress
from knotwork_sim.model.run import MODELS, run_log, run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import NOWHERE

NETWORKS = {
    "packet": "hypercube:n=3,virtual_channels=2",
    "batch": "hypercube:n=3,routing=lc1,words=2",
    "circuit": "lcan:d=2,u=2,levels=3",
    "deflection": "torus:x=4,y=2,router=deflection,sequence_width=3",
}
TRAFFIC = Traffic(traffic="permutation", permutation="reversal", packets=80, stall=0.3)


def made(name):
    """Network of a router class, and packets of its traffic."""
    network = Network.from_word(NETWORKS[name])
    assert network.router_class == name
    return network, make_packets(network, TRAFFIC)


@pytest.mark.parametrize("name", MODELS)
def test_a_run_logs_every_beat_in_order_and_its_user(name):
    network, packets = made(name)
    run = run_log(network, TRAFFIC, packets)
    assert len(run.log.clock) == packets.due.sum()
    assert (np.lexsort((run.log.node, run.log.clock)) == np.arange(len(run.log.clock))).all()
    assert (run.copies.destination[run.log.packet] == run.log.node).all()
    assert run.clocks > run.log.clock.max()
    user = MODELS[name].user(network, packets, run)
    assert user.dtype == np.int64
    assert user.shape == run.log.clock.shape


@pytest.mark.parametrize("name", [name for name in NETWORKS if MODELS[name].counts_crossings])
def test_a_run_notes_what_it_counts(name):
    network, packets = made(name)
    run = run_log(network, TRAFFIC, packets, counts=True, event_limit=5000)
    events = run.tally.events[: int(run.tally.noted[0])]
    counts = np.bincount(events[:, 1], minlength=len(run.tally.crossings))
    assert (counts == run.tally.crossings).all()
    assert 0 < len(events) < 5000
    part = run_log(network, TRAFFIC, packets, counts=True, event_limit=7).tally
    assert part.events.tolist() == run.tally.events[:7].tolist()
    assert part.noted == run.tally.noted


@pytest.mark.parametrize("name", MODELS)
def test_a_run_ends_after_the_cycles_that_its_caller_names(name):
    network, packets = made(name)
    full = run_log(network, TRAFFIC, packets)
    cycles = int(np.median(full.log.clock))
    part = run_log(network, TRAFFIC, packets, clocks=cycles)
    assert part.clocks == cycles
    seen = full.log.clock < cycles
    assert 0 < seen.sum() < len(seen)
    for one, other in zip(part.log[:4], full.log[:4], strict=True):
        assert one.tolist() == other[seen].tolist()


def test_every_router_class_has_its_model():
    assert MODELS.keys() == ROUTER_PARAMETERS.keys()


def test_a_log_is_the_record_without_payloads():
    network, traffic = Network(Hypercube(n=3)), Traffic(rate=0.5, packets=200, length=(1, 4))
    packets = make_packets(network, traffic)
    run, record = (each(network, traffic, packets, clocks=70) for each in (run_log, run_model))
    assert (run.log.clock == record.clock).all()
    assert (run.log.node == record.node).all()
    assert (packets.source[run.log.packet] == record.source).all()
    assert run.clocks == record.clocks == 70
    assert 0 < len(record.clock) < packets.due.sum()


# Two packets of three beats in all, and one that is refused.
PACKETS = packets_of(Network(Hypercube(n=2)), [0, 1, 2], [1, 0, NOWHERE], [1, 2, 4])


def columns(log):
    return [column.tolist() for column in log]


def test_a_log_has_room_for_what_is_due_and_is_cut_to_what_a_run_filled():
    log = Log.for_packets(PACKETS)
    assert [len(column) for column in log] == [3] * 4 + [1] * 2
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


def test_patience_is_what_the_routing_promises():
    # 36 routers, 144 links: a turn of 8192 hops of two cycles, 64 addresses, two phases.
    torus = Network.from_word("torus:x=6,y=6,router=deflection")
    assert torus.routing.most_hops == 2 * 8192 * 64
    assert patience_with(torus) == 2 * torus.routing.most_hops
    assert patience_with(Network.from_word("torus:x=6,y=6")) == PATIENCE
    assert patience_with(Network.from_word("hypercube:n=20,router=deflection")) == 2**62


def test_a_record_of_single_beats_holds_them_and_what_came_with_them():
    beats = [TakenBeat(4, 1, 9, 0, 2, (7 << 64) + 5), TakenBeat(6, 0, 8, 1, 0, 3)]
    record = Record.from_beats(beats, [(5, 1)], status=[(0, 16)], words=2, clocks=20)
    assert record.rows().tolist() == [[4, 1, 9, 0, 2, 5, 7], [6, 0, 8, 1, 0, 3, 0]]
    assert record.refused.tolist() == [[5, 1]]
    assert record.status.tolist() == [[0, 16]]
    assert (record.clocks, record.network_cycles) == (20, None)


def test_a_record_may_be_empty():
    record = Record.from_beats([], [], words=3, clocks=1)
    assert record.rows().shape == (0, 8)
    assert record.refused.shape == record.status.shape == (0, 2)
    assert record.rows().dtype == np.uint64


def test_crossings_beyond_the_room_are_counted_and_not_kept():
    tally = Tally.of(Network.from_word("ring:n=3"), 2, event_limit=3)
    tally.note_all(5, np.array([7, 8]), np.array([0, 1]), 0)
    tally.note_all(6, np.array([9, 10]), np.array([0, 1]), np.array([1, 2]))
    assert tally.noted[0] == 4
    assert tally.events.tolist() == [[5, 7, 0, 0], [5, 8, 1, 0], [6, 9, 0, 1]]


def log_of(beats: int) -> Log:
    none = np.zeros(0, np.int64)
    return Log(np.zeros(beats, np.int64), none, none, none, none, none)


@pytest.mark.parametrize("count", [0, 1, 7, 63, 64])
def test_filled_entries_are_counted(count):
    clock = np.zeros(64, np.int64)
    clock[:count] = np.arange(count) // 3 + 1
    assert filled(clock) == count


def test_a_loop_s_outcome_and_progress(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.1)
    stream, log = io.StringIO(), log_of(4)
    progress.show_progress(stream)

    def loop(log, word):
        log.clock[:3] = 1
        time.sleep(0.5)
        return word

    assert run_with_progress(loop, log, "done", log=log) == "done"
    progress.hide_progress()
    assert "knotwork: running the golden model, 3 of 4 flits, after " in stream.getvalue()


def test_what_a_loop_raises_is_raised():
    def loop():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_with_progress(loop, log=log_of(1))

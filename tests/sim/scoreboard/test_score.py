import dataclasses

import numpy as np
import pytest
from helpers.packet_columns import packets_of
from knotwork import Hypercube, Network
from knotwork_sim.check.result import Latency
from knotwork_sim.model.record import Record, TakenBeat
from knotwork_sim.scoreboard.score import count_mismatches, score

NETWORK = Network(Hypercube(n=2))
TABLE = packets_of(NETWORK, [0, 0, 1, 2], [3, 1, 3, 2], [2, 3, 1, 2], [0, 4, 0, 5])
ARRIVALS = [(10, 3, 0), (20, 1, 1), (30, 3, 2), (40, 2, 3)]
"""(clock of the first beat, node, packet) of a run in which all goes well."""


def record(arrivals, network=NETWORK, packets=TABLE):
    """Record of packets, whole; ~number stands for a packet without its last beat."""
    words, beats = packets.words(network.hardware.data_width), []
    for clock, node, number in arrivals:
        packet, kept = (number, None) if number >= 0 else (~number, -1)
        flits = range(packets.length[packet])[:kept]
        for beat in flits:
            place, last = packets.first_flit[packet] + beat, int(beat == flits[-1])
            data = sum(int(word) << 64 * at for at, word in enumerate(words[place]))
            source = int(packets.source[packet])
            beats.append(TakenBeat(clock + beat, node, source, last, 0, data))
    beats.sort(key=lambda beat: beat[:2])
    return Record.from_beats(beats, [], words=words.shape[1], clocks=100)


def faults(seen, packets=TABLE):
    result = score(NETWORK, packets, seen)
    assert result.injected == result.delivered + result.lost
    names = ("lost", "duplicated", "misrouted", "corrupted")
    return {name: getattr(result, name) for name in names if getattr(result, name)}


def changed(seen, **columns):
    """Record with some values replaced, each as ``column=(place, value)``."""
    copies = {name: getattr(seen, name).copy() for name in columns}
    for name, (place, value) in columns.items():
        copies[name][place] = value
    return dataclasses.replace(seen, **copies)


def test_a_good_run_has_no_faults():
    result = score(NETWORK, TABLE, record(ARRIVALS))
    assert faults(record(ARRIVALS)) == {}
    assert (result.injected, result.delivered, result.flits) == (4, 4, 8)
    assert sorted(result.latency.tolist()) == [11, 18, 30, 36]  # creation to last beat
    assert (result.cycles, result.nodes, result.refused) == (42, 4, 0)
    assert result.throughput == pytest.approx(8 / (4 * 42), abs=1e-6)
    assert Latency.of(result.latency).as_json() == {
        "mean": 23.75,
        "p50": 24.0,
        "p99": pytest.approx(30 + 0.97 * 6),
        "max": 36,
    }


@pytest.mark.parametrize(
    ("arrivals", "expected"),
    [
        (ARRIVALS[:3], {"lost": 1}),
        ([], {"lost": 4}),
        ([*ARRIVALS, (50, 3, 0)], {"duplicated": 1}),
        ([*ARRIVALS, (50, 3, 0), (60, 3, 0)], {"duplicated": 2}),
        ([*ARRIVALS[:3], (40, 0, 3)], {"lost": 1, "misrouted": 1}),
        ([*ARRIVALS, (50, 0, 3)], {"misrouted": 1}),
        ([*ARRIVALS[:3], (40, 2, ~3)], {"lost": 1, "corrupted": 1}),
    ],
    ids=["lost", "all", "twice", "thrice", "elsewhere", "also elsewhere", "truncated"],
)
def test_fates_of_packets_are_counted(arrivals, expected):
    assert faults(record(arrivals)) == expected


def test_a_wrong_bit_or_source_is_corruption():
    good = record(ARRIVALS)
    assert faults(changed(good, data=(3, 12345))) == {"lost": 1, "corrupted": 1}
    assert faults(changed(good, source=(5, 2))) == {"lost": 1, "corrupted": 1}
    assert faults(changed(good, source=(5, 7))) == {"lost": 1, "corrupted": 1}  # no node's address


def test_packets_that_run_together_or_do_not_end_are_corruption():
    good = record([(10, 3, 0), (12, 3, 2), (20, 1, 1), (40, 2, 3)])
    assert faults(good) == {}
    assert faults(changed(good, last=(1, 0))) == {"lost": 2, "corrupted": 1}
    assert faults(changed(good, last=(-1, 0))) == {"lost": 1, "corrupted": 1}


def test_refused_packets_are_none_to_deliver():
    packets = dataclasses.replace(TABLE, destination=np.array([3, -1, 3, 2]))
    seen = record([arrival for arrival in ARRIVALS if arrival[2] != 1])
    seen = dataclasses.replace(seen, refused=np.array([[9, 0]]))
    result = score(NETWORK, packets, seen)
    assert (result.injected, result.delivered, result.lost, result.refused) == (3, 3, 0, 1)
    assert faults(record(ARRIVALS), packets) == {"corrupted": 1}  # it came all the same


def test_a_run_without_any_delivery_has_no_latency():
    result = score(NETWORK, TABLE, record([]))
    assert Latency.of(result.latency) == Latency()
    assert (result.cycles, result.throughput) == (100, 0.0)


@pytest.mark.parametrize(
    "change",
    [{"clock": (2, 11)}, {"node": (3, 0)}, {"source": (3, 1)}, {"last": (3, 1)}, {"data": (3, 1)}],
    ids=lambda change: next(iter(change)),
)
def test_a_beat_that_differs_is_a_mismatch_on_both_sides(change):
    good = record(ARRIVALS)
    assert count_mismatches(changed(good, **change), good) == 2
    assert count_mismatches(good, changed(good, **change)) == 2


def test_beats_that_only_one_saw_are_mismatches():
    good, more = record(ARRIVALS), record([*ARRIVALS, (50, 1, 1)])
    assert count_mismatches(good, record(ARRIVALS)) == count_mismatches(record([]), record([])) == 0
    assert count_mismatches(good, more) == count_mismatches(more, good) == 3
    assert count_mismatches(good, record([])) == count_mismatches(record([]), good) == 8


def test_refusals_are_compared_too():
    good = dataclasses.replace(record(ARRIVALS), refused=np.array([[5, 1], [6, 0]]))
    late = dataclasses.replace(good, refused=np.array([[5, 1], [7, 0]]))
    assert count_mismatches(good, good) == 0
    assert count_mismatches(good, late) == 2
    assert count_mismatches(record(ARRIVALS), good) == 2


def test_injections_are_compared_where_both_saw_them():
    plain = record(ARRIVALS)
    early, late = (dataclasses.replace(plain, injected=np.array([0, at])) for at in (3, 4))
    assert count_mismatches(early, late) == 1
    assert count_mismatches(early, plain) == count_mismatches(early, early) == 0


def test_wide_payloads_are_compared_whole():
    network = Network(Hypercube(n=2), data_width=72)
    good = record(ARRIVALS, network)
    assert good.data.shape == (8, 2)
    assert count_mismatches(good, changed(good, data=((3, 1), 300))) == 2
    assert score(network, TABLE, good).lost == 0
    assert score(network, TABLE, changed(good, data=((3, 1), 300))).corrupted == 1

"""The scoreboard on golden runs of every router class, and on what is wrong in them."""

import pickle
from functools import cache

import pytest
from knotwork import Network
from knotwork_sim.model.record import TakenBeat
from knotwork_sim.model.run import run_model
from knotwork_sim.scoreboard.exact_cycles import beats_of
from knotwork_sim.scoreboard.mismatch import Mismatch
from knotwork_sim.scoreboard.network_facts import NetworkFacts
from knotwork_sim.scoreboard.scoreboard import Scoreboard, check_record
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

RUNS = {
    "packets": ("moebius n=3", {"rate": 0.4, "length": (1, 4), "stall": 0.2}),
    "parity": ("hypercube n=3 parity=yes", {"rate": 0.4, "length": (1, 4)}),
    "circuits": ("lcan d=2 u=2 levels=2", {"rate": 0.3, "length": (1, 4)}),
    "batches": ("ccc n=3 routing=lc2 words=2", {"traffic": "permutation", "permutation": "random"}),
    "deflection": ("torus x=3 y=3 router=deflection", {"rate": 0.6, "stall": 0.2}),
    "numbers": ("torus x=4 y=4 router=deflection sequence_width=2", {"rate": 0.6}),
    "nameless": ("torus x=3 y=3 directions=one router=deflection source=no", {"rate": 0.6}),
    "broadcasts": ("wk w=3 levels=2 data_width=8", {"rate": 0.4, "broadcast_share": 0.3}),
    "multicasts": ("hypercube n=3 multicast=yes", {"rate": 0.3, "multicast_share": 0.3}),
    "wide": ("mesh x=2 y=2 data_width=72", {"rate": 0.5, "length": (1, 3)}),
}


@cache
def golden(name):
    """Network, packets and golden run."""
    words, keys = RUNS[name]
    network = Network.from_words(words.split())
    count = 4 * network.topology.nodes if network.router_class == "batch" else 150
    traffic = Traffic(packets=count, **keys)
    packets = make_packets(network, traffic)
    return network, packets, run_model(network, traffic, packets)


def replay(network, packets, record, *, beats=None, exact=True):
    """Scoreboard that has seen beats, by default those of the record."""
    facts = pickle.loads(pickle.dumps(NetworkFacts.of(network)))
    judge = Scoreboard(facts)
    judge.expect_packets(packets)
    if exact:
        judge.expect_cycles(record)
    if beats is None:
        check_record(judge, record)
        return judge
    for beat in beats:
        judge.passed(beat.clock - 1)
        judge.beat(beat)
    judge.finish()
    return judge


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "free"])
def test_a_golden_run_is_right(name, exact):
    network, packets, record = golden(name)
    judge = replay(network, packets, record, exact=exact)
    assert judge.is_complete
    due = [(int(packets.source[packet]), node) for packet, node in packets.deliveries()]
    assert sum(judge.pairs.values()) == len(due)
    assert set(judge.pairs) == set(due)


def without(beats):
    """A packet drops out."""
    last = next(place for place, beat in enumerate(beats) if beat.last)
    node = beats[last].node
    return [beat for beat in beats[: last + 1] if beat.node != node] + beats[last + 1 :]


def elsewhere(beats):
    """Two nodes change places."""
    swap = {0: 1, 1: 0}
    return [beat._replace(node=swap.get(beat.node, beat.node)) for beat in beats]


def twice(beats):
    """The last packet of a node comes again."""
    own = [beat for beat in beats if beat.node == beats[-1].node]
    before = [place for place, beat in enumerate(own[:-1]) if beat.last]
    return [*beats, *own[before[-1] + 1 if before else 0 :]]


def first_beat(change):
    """The first beat has another value."""
    return lambda beats: [change(beats[0]), *beats[1:]]


FAULTS = {
    "without": without,
    "elsewhere": elsewhere,
    "twice": twice,
    "flipped": first_beat(lambda beat: beat._replace(data=beat.data ^ 1)),
    "marked": first_beat(lambda beat: beat._replace(user=beat.user ^ 1)),
}
early = first_beat(lambda beat: beat._replace(clock=beat.clock - 1))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ["parity", "circuits", "batches", "numbers", "multicasts"])
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "free"])
def test_every_fault_is_found(name, fault, exact):
    network, packets, record = golden(name)
    beats = FAULTS[fault](beats_of(record))
    with pytest.raises(Mismatch, match=network.name):
        replay(network, packets, record, beats=beats, exact=exact)


@pytest.mark.parametrize("name", RUNS)
def test_a_beat_a_cycle_early_is_found_by_the_golden_model_alone(name):
    network, packets, record = golden(name)
    beats = early(beats_of(record))
    replay(network, packets, record, beats=beats, exact=False)
    with pytest.raises(Mismatch) as caught:
        replay(network, packets, record, beats=beats)
    assert caught.value.what == "wrong cycle"


def test_packets_are_sent_one_by_one_too():
    judge = Scoreboard(Network.from_words(["wk", "w=2", "levels=2"]))
    assert judge.is_complete
    packet = judge.sent(1, 3, [7, 8], cycle=2)
    everyone = judge.sent(1, None, [9])
    assert judge.packets == [packet, everyone]
    assert (packet.nodes, everyone.nodes) == ((3,), (0, 2, 3))
    assert judge.beat(TakenBeat(5, 3, 1, 0, 0, 7)) is None
    assert not judge.is_complete
    assert judge.beat(TakenBeat(6, 3, 1, 1, 0, 8)) == packet
    for node in everyone.nodes:
        assert judge.received(node, [9], tid=1) == everyone
    judge.finish()
    assert judge.is_complete
    assert judge.pairs == {(1, 3): 2, (1, 0): 1, (1, 2): 1}


def test_packets_that_cannot_go_must_be_refused():
    judge = Scoreboard(Network.from_words(["lcan", "d=2", "u=2", "levels=2", "max_packet=2"]))
    long = judge.sent(1, 3, [1, 2, 3])
    nowhere = judge.sent(1, 4, [1])
    assert not judge.is_complete
    with pytest.raises(Mismatch, match="must refuse packet 0"):
        judge.finish()
    with pytest.raises(Mismatch, match="must refuse no packet"):
        judge.refused(0, 5)
    assert [judge.refused(1, 5), judge.refused(1, 6)] == [long, nowhere]
    judge.finish()


def test_beats_of_two_sources_are_no_packet():
    judge = Scoreboard(Network.from_words(["hypercube", "n=2"]))
    judge.sent(1, 3, [7, 8])
    judge.beat(TakenBeat(5, 3, 1, 0, 0, 7))
    with pytest.raises(Mismatch, match="must have one source"):
        judge.beat(TakenBeat(6, 3, 2, 1, 0, 8))

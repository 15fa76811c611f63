"""The golden model on observed beats, against cycles worked out by hand."""

import pytest
from knotwork import Hypercube, Network
from knotwork_sim.model.record import TakenBeat
from knotwork_sim.testbench.golden import first_difference, observed_packets
from knotwork_sim.testbench.observation import Observation, OfferedPacket
from knotwork_sim.traffic.packets import EVERYONE, NEVER, NOWHERE

NETWORK = Network(Hypercube(n=2), pipeline=2)
DATA = [0x11, 0x22, 0x33]


def packet(source, destination, data, *, at, gaps=None):
    """Packet of which the network takes a beat in each of these cycles."""
    offered = [at + beat + (gaps or [0] * len(data))[beat] for beat in range(len(data))]
    return OfferedPacket(source, destination, 0, list(data), offered, offered[0], True)


def observed(sent, beats, cycles=40, stalls=()):
    """Observation in which all nodes are ready, but in `stalls`, (cycle, node)."""
    seen = Observation.of(4)
    for each in sent:
        seen.sent[each.source].append(each)
    seen.beats += beats
    seen.ready += [0b1111] * cycles
    for cycle, node in stalls:
        seen.ready[cycle] &= ~(1 << node)
    return seen


def at_node(node, source, data, cycles):
    last = len(data) - 1
    return [
        TakenBeat(cycle, node, source, int(place == last), 0, beat)
        for place, (cycle, beat) in enumerate(zip(cycles, data, strict=True))
    ]


# t + pipeline * (hops + 1): two hops from node 0 to node 3, and the beats behind in line.
ARRIVES = [5 + 2 * 3, 5 + 2 * 3 + 1, 5 + 2 * 3 + 2]


def test_a_packet_in_its_cycles_differs_in_nothing():
    assert first_difference(NETWORK, observed([], [])) is None
    sent = [packet(0, 3, DATA, at=5)]
    assert first_difference(NETWORK, observed(sent, at_node(3, 0, DATA, ARRIVES))) is None


def test_pauses_at_source_and_sink_are_those_that_were_seen():
    sent = [packet(0, 3, DATA, at=5, gaps=[0, 4, 4])]
    # The flits behind the head take a cycle per hop: offered in 10 and 11, there in 13 and 14.
    late = [ARRIVES[0], 13, 15]
    stalls = [(14, 3)]
    seen = observed(sent, at_node(3, 0, DATA, late), stalls=stalls)
    assert first_difference(NETWORK, seen) is None


def test_a_beat_a_cycle_later_is_told():
    beats = at_node(3, 0, DATA, [cycle + 1 for cycle in ARRIVES])
    found = first_difference(NETWORK, observed([packet(0, 3, DATA, at=5)], beats))
    assert (found.cycle, found.node, found.packet) == (11, 3, (0, 0))
    assert found.headline == "a beat must leave in the cycle of the golden model"
    assert (found.design, found.golden) == ("no beat", "a beat of a packet of node 0, data 0x11")


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"data": 0x32}, "the last beat of a packet of node 0, data 0x32"),
        ({"source": 2}, "the last beat of a packet of node 2, data 0x33"),
        ({"last": 0}, "a beat of a packet of node 0, data 0x33"),
    ],
)
def test_a_changed_beat_is_told(changed, told):
    beats = at_node(3, 0, DATA, ARRIVES)
    beats[2] = beats[2]._replace(**changed)
    found = first_difference(NETWORK, observed([packet(0, 3, DATA, at=5)], beats))
    assert (found.cycle, found.design) == (13, told)


def test_a_beat_that_is_lost_or_comes_twice_is_told():
    sent = [packet(0, 3, DATA, at=5)]
    beats = at_node(3, 0, DATA, ARRIVES)
    assert first_difference(NETWORK, observed(sent, beats[:2])).cycle == ARRIVES[2]
    twice = [*beats, beats[2]._replace(clock=20)]
    found = first_difference(NETWORK, observed(sent, twice))
    assert (found.cycle, found.golden) == (20, "no beat")


def test_a_packet_that_enters_late_is_told():
    sent = [packet(0, 0, [1], at=5)]
    sent[0].injected = 6
    found = first_difference(NETWORK, observed(sent, at_node(0, 0, [1], [5 + 2])))
    assert (found.cycle, found.golden, found.design) == (5, "in cycle 5", "in cycle 6")


def test_a_wrong_refusal_is_told():
    seen = observed([packet(0, 0, [1], at=5)], at_node(0, 0, [1], [5 + 2]))
    seen.refused.append((9, 2))
    found = first_difference(NETWORK, seen)
    assert (found.cycle, found.node, found.golden) == (9, 2, "none is refused")


def test_a_packet_on_its_way_in_has_a_beat_to_come():
    begun = OfferedPacket(1, 2, 0, [7], [3], 3, whole=False)
    packets = observed_packets(NETWORK, observed([begun], []))
    assert packets.length.tolist() == [2]
    assert packets.observed.offers.tolist() == [3, NEVER]


def test_broadcasts_multicasts_and_refused_packets_are_known_by_their_marks():
    wk = Network.from_word("wk:w=2,levels=2")
    sent = observed([OfferedPacket(1, 0, 1, [7], [0], 0, True)], [])
    assert observed_packets(wk, sent).destination.tolist() == [EVERYONE]
    able = Network(Hypercube(n=2), multicast=True)
    sent = observed([OfferedPacket(0, 2, 1, [1, 3, 9, 9], [0] * 4, 0, True)], [])
    packets = observed_packets(able, sent)
    assert (packets.members, packets.chain_length.tolist()) == ({0: [1, 3]}, [2])
    three = Network.from_word("mesh:x=3,y=2")
    unused = three.topology.unused_addresses[0]
    sent = observed([OfferedPacket(0, unused, 0, [1], [0], 0, True)], [])
    assert observed_packets(three, sent).destination.tolist() == [NOWHERE]

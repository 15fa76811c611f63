"""What a watcher notes cycle by cycle, and the golden model on it."""

from types import SimpleNamespace

import pytest
from knotwork import Hypercube, Network
from knotwork_sim.model.record import TakenBeat
from knotwork_sim.scoreboard import Scoreboard
from knotwork_sim.testbench.golden import golden_cycles, injections, observed_packets
from knotwork_sim.testbench.observation import Observation, OfferedPacket
from knotwork_sim.testbench.ports import Ports, Stream
from knotwork_sim.testbench.watcher import Watcher
from knotwork_sim.traffic.packets import EVERYONE, NEVER, NOWHERE

SIGNALS = ("tvalid", "tready", "tlast", "tdata", "tdest", "tid", "tuser")


def stream(prefix):
    handles = {name: SimpleNamespace(value=0, _path=f"noc.{prefix}_{name}") for name in SIGNALS}
    return Stream(prefix, **handles)


class Bench:
    """A network of one node, whose packets, beats and refusals are listed."""

    def __init__(self):
        self.inject, self.eject, self.config = stream("s_axis_0"), stream("m_axis_0"), stream("c")
        self.refused, self.status = SimpleNamespace(value=0), SimpleNamespace(value=16)
        ports = Ports(
            scope=None,
            clock=None,
            reset=None,
            inject=(self.inject,),
            eject=(self.eject,),
            refused=(self.refused,),
            config=self.config,
            status=self.status,
        )
        self.packets, self.beats, self.refusals = [], [], []
        self.watcher = Watcher(
            ports,
            on_reset=lambda: None,
            on_packet=self.packets.append,
            on_beat=self.beats.append,
            on_refusal=lambda *event: self.refusals.append(event),
        )

    def cycle(self, inject=None, eject=None, config=None, refused=0, status=16):
        """One cycle with these signals high or of this value, all others 0."""
        for each, values in ((self.inject, inject), (self.eject, eject), (self.config, config)):
            for name in SIGNALS:
                getattr(each, name).value = (values or {}).get(name, 0)
        self.refused.value, self.status.value = refused, status
        self.watcher._watch_cycle(self.watcher.seen.cycles)
        return self.watcher.seen


def test_a_packet_is_offered_from_the_cycle_in_which_its_beat_is_first_seen():
    bench = Bench()
    bench.cycle()
    first = {"tvalid": 1, "tdata": 7, "tdest": 2, "tuser": 1}
    bench.cycle(inject=first)
    bench.cycle(inject=first | {"tready": 1})
    bench.cycle()
    assert not bench.packets
    bench.cycle(inject={"tvalid": 1, "tready": 1, "tlast": 1, "tdata": 8, "tdest": 5})
    (packet,) = bench.packets
    assert (packet.tdest, packet.tuser, packet.data) == (2, 1, [7, 8])
    assert (packet.offered, packet.injected, packet.is_complete) == ([1, 4], 2, True)


def test_a_packet_whose_last_beat_waits_is_known_to_end_there():
    bench = Bench()
    seen = bench.cycle(inject={"tvalid": 1, "tlast": 1, "tdata": 7, "tdest": 2})
    (packet,) = seen.sent[0]
    assert (packet.is_complete, packet.injected) == (True, NEVER)
    assert not bench.packets


def test_a_beat_counts_once_it_is_taken():
    bench = Bench()
    beat = {"tvalid": 1, "tdata": 9, "tid": 3, "tuser": 2, "tlast": 1}
    bench.cycle(eject=beat)
    seen = bench.cycle(eject=beat | {"tready": 1})
    assert bench.beats == seen.beats == [TakenBeat(1, 0, 3, 1, 2, 9)]
    assert seen.ready == [0, 1]


class Unknown:
    def __int__(self):
        raise ValueError("x")

    def __str__(self):
        return "X"


@pytest.mark.parametrize(
    ("second", "line"),
    [
        ({"eject": {"tvalid": 1, "tdata": 8}}, "m_axis_0 must not change before tready"),
        ({}, "m_axis_0_tvalid must stay high"),
        ({"inject": {"tvalid": Unknown()}}, "noc.s_axis_0_tvalid must be known, and is X"),
    ],
)
def test_breaches_of_the_rules_of_axi_and_unknown_values_are_errors(second, line):
    bench = Bench()
    bench.cycle(eject={"tvalid": 1, "tdata": 9})
    with pytest.raises(AssertionError, match=f"cycle 1: {line}"):
        bench.cycle(**second)


def test_refusals_tables_and_status_are_noted_and_packets_begin_outside():
    bench = Bench()
    bench.cycle(refused=1)
    bench.cycle(config={"tvalid": 1, "tdata": 5})
    bench.cycle(config={"tvalid": 1, "tdata": 5, "tready": 1})
    seen = bench.cycle(config={"tvalid": 1, "tdata": 6, "tready": 1, "tlast": 1}, status=0)
    assert bench.refusals == seen.refused == [(0, 0)]
    assert [(load.time, load.entries, load.is_complete) for load in seen.loaded] == [
        (1, [5, 6], True)
    ]
    assert seen.status == [(0, 16), (3, 0)]
    seen = Observation.of(3)
    assert (seen.sent, seen.cycles) == ([[], [], []], 0)
    seen.ready += [0b111, 0b101]
    assert seen.cycles == 2
    packet = OfferedPacket(0, 1, 0)
    assert (packet.injected, packet.is_complete) == (NEVER, False)


NETWORK = Network(Hypercube(n=2), pipeline=2)
MESH = Network.from_word("mesh:x=3,y=2")
DATA = [0x11, 0x22, 0x33]


def packet(source, destination, data, *, at, gaps=None):
    """Packet of which the network takes a beat in each of these cycles."""
    offered = [at + beat + (gaps or [0] * len(data))[beat] for beat in range(len(data))]
    return OfferedPacket(source, destination, 0, list(data), offered, offered[0], True)


def observed(sent, cycles=40, stalls=()):
    """Observation in which all nodes are ready, but in `stalls`, (cycle, node)."""
    seen = Observation.of(4)
    for each in sent:
        seen.sent[each.source].append(each)
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


def sent(*packets):
    """Packets as a scoreboard numbers them."""
    board = Scoreboard(NETWORK)
    for each in packets:
        board.sent(each.source, each.tdest, each.data)
    return board.packets


def test_a_packet_has_its_cycles_with_the_pauses_and_up_to_the_last_one_seen():
    one = packet(0, 3, DATA, at=5)
    golden = golden_cycles(NETWORK, observed([one]), sent(one))
    assert golden.beats == at_node(3, 0, DATA, ARRIVES)
    assert golden.injected == [5]
    assert golden.next_refusal(0) is None
    assert list(golden.status) == []
    golden = golden_cycles(NETWORK, observed([one], cycles=12), sent(one))
    assert golden.beats == at_node(3, 0, DATA, ARRIVES)[:1]
    one = packet(0, 3, DATA, at=5, gaps=[0, 4, 4])
    # Every flit takes two cycles per hop: offered in 10 and 11, there in 16 and 17.
    late = [ARRIVES[0], 16, 18]
    seen = observed([one], stalls=[(17, 3)])
    assert golden_cycles(NETWORK, seen, sent(one)).beats == at_node(3, 0, DATA, late)


def test_a_packet_to_no_node_is_refused_in_its_cycle():
    seen = Observation.of(6)
    bad = OfferedPacket(1, MESH.topology.unused_addresses[0], 0, [1], [5], 5, True)
    seen.sent[1].append(bad)
    seen.ready += [0b111111] * 9
    board = Scoreboard(MESH)
    board.sent(1, 6, [1])
    assert golden_cycles(MESH, seen, board.packets).next_refusal(1) == 6
    seen.ready[6:] = []
    assert golden_cycles(MESH, seen, board.packets).next_refusal(1) is None


def test_packets_have_their_numbers_beats_to_come_and_marks():
    first, other = packet(2, 3, [1], at=4), packet(0, 3, [2], at=6)
    behind = OfferedPacket(0, 1, 0, [3], [8], is_complete=True)  # not taken yet
    later = packet(2, 1, [4], at=9)  # no port has had it
    seen = observed([first, other, behind])
    assert injections(seen, sent(first, other, behind, later)) == [4, 6, -1, -1]
    assert injections(seen, sent(other, first)) == [6, 4]
    begun = OfferedPacket(1, 2, 0, [7], [3], 3, is_complete=False)
    packets = observed_packets(NETWORK, observed([begun]))
    assert packets.length.tolist() == [2]
    assert packets.observed.offers.tolist() == [3, NEVER]

    def packets(network, tdest, tuser, data):
        offered = OfferedPacket(0, tdest, tuser, data, [0] * len(data), 0, True)
        return observed_packets(network, observed([offered]))

    wk = Network.from_word("wk:w=2,levels=2")
    assert packets(wk, 0, 1, [7]).destination.tolist() == [EVERYONE]
    found = packets(Network(Hypercube(n=2), multicast=True), 2, 1, [1, 3, 9, 9])
    assert (found.members, found.chain_length.tolist()) == ({0: [1, 3]}, [2])
    unused = MESH.topology.unused_addresses[0]
    assert packets(MESH, unused, 0, [1]).destination.tolist() == [NOWHERE]

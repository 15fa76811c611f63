"""What a watcher notes of signals that a test sets, cycle by cycle."""

from types import SimpleNamespace

import pytest
from knotwork_sim.model.record import TakenBeat
from knotwork_sim.testbench.observation import Observation, OfferedPacket
from knotwork_sim.testbench.ports import Ports, Stream
from knotwork_sim.testbench.watcher import Watcher
from knotwork_sim.traffic.packets import NEVER

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


@pytest.fixture
def bench():
    return Bench()


def test_a_packet_is_offered_from_the_cycle_in_which_its_beat_is_first_seen(bench):
    bench.cycle()
    first = {"tvalid": 1, "tdata": 7, "tdest": 2, "tuser": 1}
    bench.cycle(inject=first)
    bench.cycle(inject=first | {"tready": 1})
    bench.cycle()
    assert not bench.packets
    bench.cycle(inject={"tvalid": 1, "tready": 1, "tlast": 1, "tdata": 8, "tdest": 5})
    (packet,) = bench.packets
    assert (packet.tdest, packet.tuser, packet.data) == (2, 1, [7, 8])
    assert (packet.offered, packet.injected, packet.whole) == ([1, 4], 2, True)


def test_a_beat_counts_once_it_is_taken(bench):
    beat = {"tvalid": 1, "tdata": 9, "tid": 3, "tuser": 2, "tlast": 1}
    bench.cycle(eject=beat)
    seen = bench.cycle(eject=beat | {"tready": 1})
    assert bench.beats == seen.beats == [TakenBeat(1, 0, 3, 1, 2, 9)]
    assert seen.ready == [0, 1]


def test_a_breach_of_the_rules_of_axi_is_told(bench):
    bench.cycle(eject={"tvalid": 1, "tdata": 9})
    with pytest.raises(AssertionError, match="cycle 1: m_axis_0 must not change before tready"):
        bench.cycle(eject={"tvalid": 1, "tdata": 8})
    other = Bench()
    other.cycle(eject={"tvalid": 1, "tdata": 9})
    with pytest.raises(AssertionError, match="cycle 1: m_axis_0_tvalid must stay high"):
        other.cycle()


def test_an_unknown_value_is_told(bench):
    class Unknown:
        def __int__(self):
            raise ValueError("x")

        def __str__(self):
            return "X"

    bench.cycle()
    with pytest.raises(
        AssertionError, match=r"cycle 1: noc\.s_axis_0_tvalid must be known, and is X"
    ):
        bench.cycle(inject={"tvalid": Unknown()})


def test_refusals_tables_and_status_are_noted_and_packets_begin_outside(bench):
    bench.cycle(refused=1)
    bench.cycle(config={"tvalid": 1, "tdata": 5})
    bench.cycle(config={"tvalid": 1, "tdata": 5, "tready": 1})
    seen = bench.cycle(config={"tvalid": 1, "tdata": 6, "tready": 1, "tlast": 1}, status=0)
    assert bench.refusals == seen.refused == [(0, 0)]
    assert [(load.time, load.entries, load.whole) for load in seen.loaded] == [(1, [5, 6], True)]
    assert seen.status == [(0, 16), (3, 0)]
    seen = Observation.of(3)
    assert (seen.sent, seen.cycles) == ([[], [], []], 0)
    seen.ready += [0b111, 0b101]
    assert seen.cycles == 2
    packet = OfferedPacket(0, 1, 0)
    assert (packet.injected, packet.whole) == (NEVER, False)

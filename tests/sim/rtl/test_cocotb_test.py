"""The cocotb testbench, on signals that a test sets; whole runs are in test_cocotb_run."""

import dataclasses
import pickle
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.ring import Ring, RingRouting
from knotwork import Network
from knotwork_sim.rtl import cocotb_test
from knotwork_sim.rtl.job import Job
from knotwork_sim.traffic.addresses import address_codes
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packet_table import packet_table
from knotwork_sim.traffic.replies.receiver import Receiver

NODES, WIDTH = 6, 72
NETWORK = Network(Ring(nodes=NODES), routing=RingRouting, data_width=WIDTH)
SIGNALS = ("flags_in", "flags_out", "s_tdata", "s_tdest", "s_tlast", "m_tdata", "m_tid", "m_tlast")


@pytest.fixture
def testbench():
    packets = packet_table(
        NETWORK,
        source=np.array([1, 1, 5]),
        destination=np.array([4, -1, 2]),
        length=np.array([2, 1, 1]),
        time=np.array([0, 0, 3]),
        seed=1,
    )
    job = Job(
        addresses=address_codes(NETWORK, packets),
        address_width=3,
        user_width=0,
        flag_width=0,
        buddy_width=0,
        data_width=WIDTH,
        traffic=Traffic(),
        packets=packets,
        record=Path(),
        progress=Path(),
        patience=100,
        receiver=Receiver.of(NETWORK, packets),
    )
    dut = SimpleNamespace(**{name: SimpleNamespace(value=0) for name in SIGNALS})
    return cocotb_test.Testbench(dut, pickle.loads(pickle.dumps(job)))


def clock(testbench, number, valid=(), ready=(), refused=()):
    """One clock with the nodes named whose flags the network raises."""
    flags = [sum(1 << node for node in nodes) for nodes in (valid, ready, refused)]
    testbench.set_inputs(number)
    testbench.dut.flags_out.value = flags[0] | flags[1] << NODES | flags[2] << 2 * NODES
    testbench.read_outputs(number)


def field(testbench, name, node, width):
    return getattr(testbench.dut, name).value >> node * width & (1 << width) - 1


def test_beats_are_held_out_until_they_are_taken(testbench):
    words = testbench.job.packets.words(WIDTH)

    def contents(flit):
        return int(words[flit, 0]) | int(words[flit, 1]) << 64

    clock(testbench, 0)
    assert testbench.dut.flags_in.value == (1 << NODES) - 1 | 1 << NODES + 1  # sinks; node 1 offers
    for number in (1, 2):
        clock(testbench, number, ready=[1] if number == 2 else [])
        assert field(testbench, "s_tdata", 1, WIDTH) == contents(0)
        assert field(testbench, "s_tdest", 1, 3) == 4
        assert field(testbench, "s_tlast", 1, 1) == 0
    clock(testbench, 3, ready=[1])
    assert field(testbench, "s_tdata", 1, WIDTH) == contents(1)
    assert field(testbench, "s_tdest", 1, 3) == 7 - 4  # read on the first beat only
    assert field(testbench, "s_tlast", 1, 1) == 1
    assert field(testbench, "s_tdata", 5, WIDTH) == contents(3)
    clock(testbench, 4)
    assert field(testbench, "s_tdest", 1, 3) == 6  # no node
    assert testbench.accepted == 2


def test_beats_and_refusals_are_noted(testbench):
    clock(testbench, 0)
    contents = (1 << 70) + 5
    testbench.dut.m_tdata.value = contents << 2 * WIDTH | 9
    testbench.dut.m_tid.value = 3 << 2 * 3 | 1
    testbench.dut.m_tlast.value = 1 << 2
    clock(testbench, 7, valid=[0, 2], refused=[4])
    record = testbench.record(9)
    assert record.rows().tolist() == [[7, 0, 1, 0, 0, 9, 0], [7, 2, 3, 1, 0, 5, 1 << 6]]
    assert record.refused.tolist() == [[7, 4]]
    assert record.clocks == 9


def test_a_beat_that_no_sink_takes_is_none(testbench):
    testbench.job = dataclasses.replace(testbench.job, traffic=Traffic(stall=0.99))
    testbench.ends = testbench.ends._replace(stall=np.uint64(2**64 - 1))
    clock(testbench, 0, valid=[0, 1, 2])
    assert testbench.beats == []


def test_it_is_idle_when_nothing_is_offered_or_under_way(testbench):
    clock(testbench, 0)
    assert not testbench.idle  # node 1 offers
    clock(testbench, 1, ready=[1])
    clock(testbench, 2, ready=[1])
    clock(testbench, 3, ready=[1, 5])
    assert testbench.accepted == 4
    clock(testbench, 4)
    assert not testbench.idle  # three flits are under way
    clock(testbench, 5, valid=[4], refused=[1])
    clock(testbench, 6, valid=[4, 2])
    assert testbench.idle


def test_a_job_needs_no_class_of_the_network():
    assert "network" not in {field.name for field in dataclasses.fields(Job)}

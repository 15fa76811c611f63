"""The testbench within the simulator, on signals that a test sets; runs are in test_cocotb_run."""

import dataclasses
import pickle
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Mesh, Network, without
from knotwork_sim.rtl import cocotb_test, wrapper
from knotwork_sim.rtl.job import Job
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packets import address_codes, packet_table
from knotwork_sim.traffic.replies import Receiver

NODES, WIDTH = 6, 72
NETWORK = Network(Ring(nodes=NODES), routing=RingRouting, data_width=WIDTH)
SIGNALS = ("flags_in", "flags_out", "s_tdata", "s_tdest", "s_tlast", "m_tdata", "m_tid", "m_tlast")


def clock(testbench, number, ready=()):
    """One clock, in which the network takes the beats of these nodes."""
    testbench.set_inputs(number)
    testbench.dut.flags_out.value = sum(1 << node for node in ready) << NODES
    testbench.read_outputs(number)


def field(testbench, name, node, width):
    return getattr(testbench.dut, name).value >> node * width & (1 << width) - 1


def test_beats_are_held_out_until_they_are_taken():
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
        **dict.fromkeys(("user_width", "flag_width", "buddy_width"), 0),
        data_width=WIDTH,
        traffic=Traffic(),
        packets=packets,
        **dict.fromkeys(("record", "progress"), Path()),
        patience=100,
        receiver=Receiver.of(NETWORK, packets),
    )
    dut = SimpleNamespace(**{name: SimpleNamespace(value=0) for name in SIGNALS})
    testbench = cocotb_test.Testbench(dut, pickle.loads(pickle.dumps(job)))
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
    clock(testbench, 5, ready=[1, 5])
    clock(testbench, 6)
    assert not (testbench.ends.offered.any() or testbench.idle)  # flits are under way


def test_every_bit_of_the_wrapper_belongs_to_one_pin_and_a_job_has_no_network():
    text = wrapper.wrapper_verilog(Network(Hypercube(n=2), data_width=8))
    found = re.findall(r"^  (?:in|out)put (?:\[(\d+):0\] )?(\w+) /\* (.*) \*/", text, re.MULTILINE)
    assert {comment for *_, comment in found} == {"verilator public_flat_rw"}
    taken = {name: [0] * (int(high or 0) + 1) for high, name, _ in found}
    for wires in re.findall(r"\.\w+\(([^)]*)\)", text):
        name, first, width = re.fullmatch(r"(\w+)(?:\[(\d+)(?: \+: (\d+))?\])?", wires).groups()
        for bit in range(int(first or 0), int(first or 0) + int(width or 1)):
            taken[name][bit] += 1
    assert len(taken) == 10
    assert all(count == 1 for bits in taken.values() for count in bits)
    assert "network" not in {field.name for field in dataclasses.fields(Job)}


def test_the_wrapper_of_one_node_selects_bits_of_vectors_alone():
    text = wrapper.wrapper_verilog(Network(without(Mesh(x=2, y=1), "0")))
    selected = set(re.findall(r"\((\w+)\[", text))
    streams = {"s_tdata", "s_tlast", "s_tdest", "m_tdata", "m_tlast", "m_tid"}
    assert selected == {"flags_in", "flags_out"} | streams
    assert selected <= set(re.findall(r"put \[\d+:0\] (\w+) ", text))

"""Run before a simulation, which a reset breaks off: it is compared too, and finds a lost reset."""

import dataclasses

import pytest
from helpers.cases import slow
from helpers.faults import changing
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork_sim.check import simulate
from knotwork_sim.check.simulate import CYCLES, run_before
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl import driver
from knotwork_sim.rtl.cocotb_run import run_rtl
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

MESH = "mesh:x=3,y=2,data_width=8"
BATCHES = "ccc:n=2,routing=lc2,data_width=8"


def job(word):
    network = Network.from_word(word)
    traffic = (
        Traffic(packets=20)
        if network.routing.arrivals == "any_time"
        else Traffic(traffic="permutation", permutation="random")
    )
    packets = make_packets(network, traffic)
    return network, traffic, packets, run_model(network, traffic, packets)


@pytest.mark.parametrize("word", [MESH, BATCHES])
def test_all_nodes_send_until_the_reset(word):
    network, traffic, packets, golden = job(word)
    before = run_before(network, traffic, packets, golden)
    assert 0 < before.cycles <= CYCLES
    whole = run_model(network, before.traffic, before.packets)
    assert whole.clocks > before.cycles
    assert (whole.clock > before.cycles).any()
    assert before.golden is not None
    assert run_before(network, traffic, packets, None).golden is None


def test_what_must_be_refused_is_refused_before_the_reset():
    network, traffic, packets, golden = job(MESH)
    before = run_before(network, traffic, packets, golden)
    assert (before.golden.refused[:, 0] < before.cycles).sum() == network.topology.nodes
    assert not packets.refused.any()  # what a simulation counts is the traffic that was asked for


def test_a_difference_before_the_reset_is_a_fault():
    network, traffic, packets, golden = job(MESH)
    before = run_before(network, traffic, packets, golden)
    wrong = dataclasses.replace(before.golden, refused=before.golden.refused + 1)
    before = before._replace(golden=wrong)
    record = run_rtl(network, traffic, packets, golden=golden, before=before)
    assert record.mismatch.startswith("before the reset in mid-traffic: mesh_x3_y2_data_width8: ")
    assert len(record.clock) == packets.due.sum()  # the run itself goes on


@pytest.mark.fault
@pytest.mark.parametrize(
    ("word", "line"),
    [
        (f"{MESH},buffer_depth=4", "busy <= 1'b0;"),
        slow(f"{MESH},pipeline=1", "held <= 1'b0;"),
    ],
)
def test_a_register_that_outlives_the_reset_is_found(word, line, monkeypatch):
    def broken(network):
        return changing(line, "", places=None)(network_verilog(network))

    network, traffic = job(word)[:2]
    monkeypatch.setattr(driver, "network_verilog", broken)
    result = simulate.simulate(network, traffic)
    assert result.first_fault is not None
    assert result.mismatches

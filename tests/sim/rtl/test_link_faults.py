"""A wrong link makes the cocotb test itself fail, in networks of every kind."""

import dataclasses
import pickle
import re
from functools import partial

import pytest
from helpers.link_faults import dropped, flipped, swapped
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork.errors import ToolError
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl.cocotb_run import make_job
from knotwork_sim.rtl.job import JOB_VARIABLE
from knotwork_sim.rtl.verilator import build_simulator
from knotwork_sim.rtl.wrapper import TOP, wrapper_verilog
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

DRAWN = {"rate": 0.4, "packets": 200, "stall": 0.2}
LONGER = {**DRAWN, "length": (1, 4)}
BATCHES = {"traffic": "permutation", "permutation": "complement", "packets": 40}
FLITS = ("valid", "flit")
DEFLECTING = "hypercube n=2 router=deflection sequence_width=4 data_width=16"
KINDS = {  # network, traffic, and the members of a link that say and hold what crosses it
    "packets": ("hypercube n=2 buffer_depth=4", LONGER, *FLITS),
    "circuits": ("lcan d=2 u=2 levels=2", LONGER, "kind", "data"),
    "batches": ("hypercube n=2 routing=lc1", BATCHES, "message", "message"),
    "deflection": (DEFLECTING, DRAWN, "valid", "packet"),
    "broadcasts": ("wk w=2 levels=2", LONGER | {"broadcast_share": 0.3}, *FLITS),
    "multicasts": ("hypercube n=2 multicast=yes", LONGER | {"multicast_share": 0.3}, *FLITS),
    "parity": ("hypercube n=2 parity=yes", LONGER, *FLITS),
}
FAULTS = {
    "swapped": lambda gate, payload: swapped,
    "dropped": lambda gate, payload: partial(dropped, gate=gate, payload=payload),
    "flipped": lambda gate, payload: partial(flipped, payload=payload),
}
QUICK = {("deflection", "dropped")}
WITHOUT_GOLDEN = {
    *(("packets", fault) for fault in FAULTS),
    ("circuits", "dropped"),
    ("batches", "swapped"),
    ("deflection", "dropped"),
}
"""Where the deliveries alone must tell. Elsewhere the cycles may be all that is wrong: a circuit is
asked for until it leads to its node, and a deflected packet goes on until it meets its own."""
NO_INVARIANTS = "`define SYNTHESIS\n"
"""Else an invariant of a router may stop the simulation before the scoreboard sees the fault."""


def run_failing(network, verilog, keys, work, *, exact):
    """Log of a simulation whose test must fail, and where its record is."""
    simulator = build_simulator({"wrong.v": verilog, "testbench.v": wrapper_verilog(network)}, TOP)
    traffic = Traffic(**keys)
    packets = make_packets(network, traffic)
    golden = run_model(network, traffic, packets) if exact else None
    job = make_job(network, traffic, packets, work, golden=golden)
    (work / "job").write_bytes(pickle.dumps(dataclasses.replace(job, patience=300)))
    environment = {JOB_VARIABLE: str(work / "job")}
    with pytest.raises(ToolError, match="the simulation must finish, but failed"):
        simulator.run("knotwork_sim.rtl.cocotb_test", work, environment=environment)
    log = (simulator.directory / "simulation.log").read_text()
    assert "FAIL=1" in log
    return log, job.record


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        pytest.param(kind, fault, marks=() if (kind, fault) in QUICK else pytest.mark.slow)
        for kind in KINDS
        for fault in FAULTS
    ],
)
def test_a_wrong_link_fails_the_cocotb_test(kind, fault, tmp_path):
    words, keys, gate, payload = KINDS[kind]
    network = Network.from_words(words.split())
    right = network_verilog(network)
    wrong = FAULTS[fault](gate, payload)(network, right)
    assert wrong != right
    for exact in (True, False) if (kind, fault) in WITHOUT_GOLDEN else (True,):
        work = tmp_path / str(exact)
        work.mkdir()
        log, record = run_failing(network, NO_INVARIANTS + wrong, keys, work, exact=exact)
        assert re.search(r"Mismatch: \w+: ", log)
        assert pickle.loads(record.read_bytes()).mismatch.startswith(f"{network.name}: ")


@pytest.mark.slow
def test_an_invariant_of_a_router_fails_the_cocotb_test(tmp_path):
    words, keys, gate, payload = KINDS["broadcasts"]
    network = Network.from_words(words.split())
    wrong = FAULTS["dropped"](gate, payload)(network, network_verilog(network))
    log, _ = run_failing(network, wrong, keys, tmp_path, exact=True)
    assert "branching channel: a packet to one node must not branch" in log

"""Generated testbenches, run as their users run them, on sound networks and on faulty ones."""

import os
import shutil
import subprocess
import sys

import pytest
from helpers.faults import FAULTS
from knotwork import Network
from knotwork.emit import write_network

NETWORKS = {
    "packet": "hypercube:n=2,data_width=8,buffer_depth=2,name=noc",
    "pipeline": "moebius:n=2,pipeline=2,virtual_channels=2,name=noc",
    "multicast": "hypercube:n=2,multicast=yes,max_packet=8,name=noc",
    "broadcast": "wk:w=2,levels=2,max_packet=4,name=noc",
    "parity": "mesh:x=3,y=2,parity=yes,name=noc",
    "circuit": "lcan:d=2,u=2,levels=2,max_packet=4,name=noc",
    "scheduled": "lcan:d=2,u=2,levels=2,routing=scheduled,max_packet=4,name=noc",
    "batch": "ccc:n=2,routing=lc2,words=2,name=noc",
    "deflection": "torus:x=3,y=2,router=deflection,sequence_width=3,name=noc",
    "ring deflection": "torus:x=3,y=2,directions=one,router=deflection,source=no,name=noc",
}
"""A network of each class, and of what a network may have."""

needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="no Icarus")
SIMULATORS = [pytest.param("icarus", marks=needs_icarus), "verilator"]


@pytest.fixture
def run(tmp_path):
    """Run the generated testbench of a network, with a fault in its Verilog if one is named."""

    def run(word, simulator, fault=None, arguments=()):
        write_network(Network.from_word(word), tmp_path, testbench=True)
        if fault is not None:
            path = tmp_path / "noc.v"
            path.write_text(FAULTS[fault](path.read_text()))
        done = subprocess.run(
            [sys.executable, "run_noc.py", simulator, "--seed", "1", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "COCOTB_ANSI_OUTPUT": "0"},
        )
        return done.returncode, done.stdout + done.stderr

    return run


@needs_icarus
def test_a_sound_network_passes_and_is_told_to(run):
    status, told = run(NETWORKS["packet"], "icarus")
    assert status == 0, told
    assert "16 packets, 16 of 16 pairs of nodes" in told
    assert "all as in the golden model" in told
    assert "3 of 3 tests passed" in told


@needs_icarus
def test_a_faulty_network_fails_in_words(run):
    status, told = run(NETWORKS["packet"], "icarus", "flipped bit", ["--test", "every_pair"])
    assert status == 1, told
    # The last lines name the test, the packet, what is wrong with it and its last hops.
    last = told[told.rindex("every_pair: noc: a packet at node ") :]
    assert last.splitlines()[-1] == "0 of 1 tests passed"
    assert "wrong bits: 0" in last
    assert "way by the rule: " in last


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_of_every_kind_pass(run, kind, simulator):
    status, told = run(NETWORKS[kind], simulator)
    assert status == 0, told
    assert "all as in the golden model" in told


@pytest.mark.slow
@needs_icarus
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_of_every_kind_fail_for_each_fault(run, kind, fault):
    status, told = run(NETWORKS[kind], "icarus", fault)
    assert status == 1, told
    assert "Mismatch: noc: " in told or "AssertionError: cycle" in told, told

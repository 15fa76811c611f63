"""The testbench in SystemVerilog, over networks of every kind.

Its inputs are unknown until the reset ends; then nothing of the network may be.
"""

import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
from helpers.cases import slow
from helpers.edalize_tools import edalize_environment
from helpers.emitted import verilog_of
from helpers.faults import changing
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork.emit.flows.sends import SENDING, sends_name, sends_testbench
from quality.unchanged.networks import NETWORKS

icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")

TWELVE = (
    f"graph:file={Path(__file__).parents[2] / 'helpers' / 'graphs' / 'twelve_routers.json'},"
    "routing=shortest,data_width=32,buffer_depth=8,name=soc12"
)
"""Links of 1 to 5 cycles, and routers without nodes: the first packet of some goes to node 0."""

QUICK = [
    "torus:x=3,y=3,router=deflection",
    "torus:x=3,y=2,directions=one,router=deflection,source=no,data_width=28",
    "lcan:d=2,u=2,levels=2",
    "lcan:d=2,u=2,levels=2,routing=scheduled",
    "hypercube:n=2,multicast=yes",
    "wk:w=3,levels=2",
    "moebius:n=3,routing=spr,vc_scheme=escape",
    "mesh:x=2,y=2,tables=loaded",
    pytest.param(TWELVE, id="twelve_routers"),
]

COVERING = [words.replace(" ", ":", 1).replace(" ", ",") for words in NETWORKS]


def run(network, verilog, folder, simulator="icarus"):
    """Exit status and output of the testbench over this Verilog."""
    (folder / "network.v").write_text(verilog)
    (folder / "tb.sv").write_text(sends_testbench(network))
    environment = edalize_environment(folder / "programs")
    step = partial(subprocess.run, cwd=folder, env=environment, capture_output=True, text=True)
    if simulator == "icarus":
        step(["iverilog", "-g2012", "-o", "tb", "network.v", "tb.sv"], check=True)
        done = step(["vvp", "-n", "tb"], check=False)
    else:
        options = ["--binary", "--timing", "--assert", "-CFLAGS", "-O0", "-Wno-fatal"]
        unknown = ["--x-initial", "unique", "--x-assign", "unique"]
        build = ["verilator", *options, *unknown, "--top-module", sends_name(network)]
        step([*build, "-o", "tb", "tb.sv", "network.v"], check=True)
        done = step([folder / "obj_dir" / "tb", "+verilator+rand+reset+2"], check=False)
    return done.returncode, done.stdout + done.stderr


def passes(network, verilog, folder, simulator="icarus"):
    status, told = run(network, verilog, folder, simulator)
    assert status == 0, told
    assert "ERROR" not in told, "an assertion does not stop Icarus"
    arrived = re.search(rf"^{sends_name(network)}: (\d+) packets", told, re.MULTILINE)
    assert arrived, told
    assert int(arrived[1]) == 16 * network.topology.nodes


@icarus
@pytest.mark.parametrize("word", [*QUICK, slow("mesh:x=3,y=1,nodes_per_router=2,data_width=128")])
def test_packets_arrive_in_networks_of_every_kind(word, tmp_path):
    passes(*verilog_of(word), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("simulator", [pytest.param("icarus", marks=icarus), "verilator"])
@pytest.mark.parametrize("word", [QUICK[-1], *COVERING])
def test_packets_arrive_in_the_networks_that_stand_for_all(word, simulator, tmp_path):
    network = Network.from_word(word)
    if network.routing.arrivals not in SENDING or network.routing.unbuildable:
        pytest.skip("its nodes do not send to any node at any time, or it has no gates")
    passes(network, network_verilog(network), tmp_path, simulator)


@icarus
def test_what_stays_unknown_is_an_error(tmp_path):
    network, text = verilog_of("mesh:x=2,y=2,tables=loaded")
    unknown = changing("assign grant = ", "assign grant = 1'bx & ", places=None)(text)
    status, told = run(network, unknown, tmp_path)
    assert status != 0
    assert "tready, tvalid or refused of some node is x" in told

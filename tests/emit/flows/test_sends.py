"""The testbench in SystemVerilog, over networks of every kind."""

import re
import shutil
import subprocess
from functools import partial

import pytest
from helpers.cases import slow
from helpers.emitted import verilog_of
from knotwork.emit.flows.sends import sends_name, sends_testbench

pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")


@pytest.mark.parametrize(
    "word",
    [
        "torus:x=3,y=3,router=deflection",
        "torus:x=3,y=2,directions=one,router=deflection,source=no,data_width=28",
        "lcan:d=2,u=2,levels=2",
        "lcan:d=2,u=2,levels=2,routing=scheduled",
        "hypercube:n=2,multicast=yes",
        "wk:w=3,levels=2",
        "moebius:n=3,routing=spr,vc_scheme=escape",
        "mesh:x=2,y=2,tables=loaded",
        slow("mesh:x=3,y=1,nodes_per_router=2,data_width=128"),
    ],
)
def test_packets_arrive_in_networks_of_every_kind(word, tmp_path):
    network, text = verilog_of(word)
    (tmp_path / "network.v").write_text(text)
    (tmp_path / "tb.sv").write_text(sends_testbench(network))
    run = partial(subprocess.run, cwd=tmp_path, check=True, capture_output=True, text=True)
    run(["iverilog", "-g2012", "-o", "tb", "network.v", "tb.sv"])
    told = run(["vvp", "-n", "tb"]).stdout
    arrived = re.search(rf"^{sends_name(network)}: (\d+) packets", told, re.MULTILINE)
    assert arrived
    assert int(arrived[1]) == 16 * network.topology.nodes

"""Files of a system, and what its manifest tells."""

import json

import yaml
from helpers.refusals import refuses
from knotwork import Hypercube, Network
from knotwork.emit import manifest, write_network
from knotwork.emit.flows import FLOWS
from knotwork_soc import System
from knotwork_soc.emit import system_manifest, write_system


def test_the_files_name_each_other(tmp_path):
    system = System.from_words(["hypercube", "n=2", "node.1.width=64", "name=chip"])
    files = write_system(system, tmp_path)
    headers = ["chip_addresses.h", "chip_addresses.vh"]
    names = ["chip.v", "chip.vlt", "chip.core", *headers, "manifest.json"]
    assert [file.name for file in files] == names
    core = yaml.safe_load((tmp_path / "chip.core").read_text().removeprefix("CAPI=2:\n"))
    assert core["targets"]["lint"]["toplevel"] == "chip"
    included = {"file_type": "verilogSource", "is_include_file": True}
    assert core["filesets"]["rtl"]["files"] == [
        {"chip.v": {"file_type": "verilogSource"}},
        {"chip_addresses.vh": included},
    ]
    assert core["description"] == "Network-on-chip with ports of 4 nodes"
    told = json.loads((tmp_path / "manifest.json").read_text())
    assert (told["files"], told["headers"]) == (["chip.v"], headers)


def test_each_file_is_the_users_and_says_so(tmp_path):
    """`manifest.json` has a key; a licence's line is a comment, which JSON has none of."""
    network = Network(Hypercube(n=1), data_width=8, buffer_depth=2)
    crossing = System.from_words(["hypercube", "n=1", "name=chip", "keep=yes", "node.1.clock=own"])
    files = write_network(network, tmp_path / "a", testbench=True, flows=list(FLOWS))
    flows = [name for name, flow in FLOWS.items() if flow.of_top is not None]
    files += write_system(crossing, tmp_path / "b", testbench=True, flows=flows)
    kinds = {file.suffix for file in files}
    assert kinds >= {".v", ".vlt", ".core", ".json", ".py", "", ".sv", ".xml", ".tcl", ".sdc"}
    assert kinds >= {".xdc", ".lpf", ".pcf"}
    for file in files:
        if file.suffix == ".json":
            assert json.loads(file.read_text())["license"] == "0BSD"
        else:
            head = file.read_text().split("\n")[:4]
            assert any("SPDX-License-Identifier: 0BSD" in line for line in head), file


def test_several_clocks_have_constraints(tmp_path):
    system = System.from_words(["hypercube", "n=1", "node.1.clock=own", "name=chip"])
    names = {file.suffix for file in write_system(system, tmp_path)}
    assert {".xdc", ".sdc", ".lpf"} <= names
    assert "get_ports clk_1" in (tmp_path / "chip.sdc").read_text()


def test_those_of_a_network_alone_are_the_networks(tmp_path):
    system = System.from_words(["hypercube", "n=2"])
    ours = write_system(system, tmp_path / "a", testbench=True)
    theirs = write_network(system.network, tmp_path / "b", testbench=True)
    assert [file.read_bytes() for file in ours] == [file.read_bytes() for file in theirs]


def test_flows_of_a_networks_own_ports_are_of_networks_alone(tmp_path):
    system = System.from_words(["hypercube", "n=2", "keep=yes"])
    with refuses(
        "hypercube_n2_keepyes: --for systemverilog must go with a network whose nodes have its own "
        "streams, not keep=yes"
    ):
        write_system(system, tmp_path, flows=["systemverilog"])
    assert list(tmp_path.iterdir()) == []


def test_flows_of_any_top_go_with_systems(tmp_path):
    system = System.from_words(["hypercube", "n=1", "keep=yes", "name=chip"])
    flows = ["ipxact", "litex", "vivado", "quartus", "ipxact"]
    names = [file.name for file in write_system(system, tmp_path, flows=flows)]
    assert names[6:] == ["chip.xml", "chip_litex.py", "chip_vivado.tcl", "chip_quartus.sdc"]


def test_the_core_of_a_system_has_a_top_of_pins(tmp_path):
    system = System.from_words(["hypercube", "n=1", "keep=yes", "name=chip"])
    names = [file.name for file in write_system(system, tmp_path, flows=["fusesoc"])]
    assert names[6:] == ["chip_pins.v"]
    core = yaml.safe_load((tmp_path / "chip.core").read_text().removeprefix("CAPI=2:\n"))
    assert core["targets"]["ecp5"]["toplevel"] == "chip_pins"
    assert core["filesets"]["pins"]["files"] == [{"chip_pins.v": {"file_type": "verilogSource"}}]


def test_it_tells_every_nodes_ports():
    words = "hypercube n=2 node.1.width=64 node.2.bus=none reset=low name=chip"
    told = system_manifest(System.from_words(words.split()))
    assert told["top"] == "chip"
    assert told["reset"] == {"port": "rst_n", "active": "low", "synchronous": True}
    assert told["planes"] == [
        {"name": "streams", "module": "chip_network", "data_width": 32, "ports": []}
    ]
    one, none = told["nodes"][1], told["nodes"][2]
    assert (one["inject"], one["eject"], one["clock"]) == ("s_axis_1", "m_axis_1", "clk")
    assert one["ports"]["s_axis_1_tdata"] == {"bits": 64, "direction": "in"}
    assert one["ports"]["s_axis_1_tready"] == {"bits": 1, "direction": "out"}
    assert (none["bus"], none["ports"]) == ("none", {})


def test_that_of_a_network_alone_is_the_networks():
    system = System.from_words(["hypercube", "n=2"])
    assert system_manifest(system) == manifest(system.network)

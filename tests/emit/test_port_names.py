"""Ports that bear the names of their nodes, in all that is generated."""

import json
import shutil
import subprocess
import sys

import pytest
from helpers.emitted import lint, module_ports
from helpers.refusals import refuses
from knotwork import Network
from knotwork.emit import write_network
from knotwork.emit.flows import FLOWS
from knotwork_soc import System
from knotwork_soc.emit import write_system
from lxml import etree

NODES = {"hub": 2, "hub_w": 1, "cpu0": 1, "tdata": 1}
"""Nodes of each router, by its name."""

NAMES = ["hub_0", "hub_1", "hub_w", "cpu0", "tdata"]
"""What names the ports of each node."""


def write_graph(folder, labels=None):
    """Write the graph, or a ring of routers with these labels; words of a network of it."""
    nodes = NODES if labels is None else dict.fromkeys(labels, 1)
    count = len(nodes)
    graph = {
        "directed": False,
        "multigraph": False,
        "graph": {},
        "nodes": [
            {"id": number, "label": label, "nodes": each}
            for number, (label, each) in enumerate(nodes.items())
        ],
        "links": [{"source": n, "target": (n + 1) % count} for n in range(count)][: count - 1],
    }
    file = folder / "named.json"
    file.write_text(json.dumps(graph))
    return f"graph file={file} data_width=8 buffer_depth=2 name=soc ports=names"


SIGNALS = {"s": ("tvalid", "tready", "tdata", "tlast", "tdest"),
           "m": ("tvalid", "tready", "tdata", "tlast", "tid")}  # fmt: skip
SPACE = {"x": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}


def ports_of(name):
    """Ports of a node of this name."""
    streams = {f"{side}_axis_{name}_{one}" for side, all_of in SIGNALS.items() for one in all_of}
    return streams | {f"refused_{name}"}


@pytest.fixture
def generated(tmp_path):
    """Folder with a network's files for every flow."""
    network = Network.from_words(write_graph(tmp_path).split())
    write_network(network, tmp_path, flows=list(FLOWS), testbench=True)
    return tmp_path


def test_each_node_has_ports_of_its_name(generated):
    found = module_ports((generated / "soc.v").read_text(), "soc")
    assert found.keys() == {"clk", "rst"}.union(*map(ports_of, NAMES))
    nodes = json.loads((generated / "manifest.json").read_text())["nodes"]
    assert [node["inject"] for node in nodes] == [f"s_axis_{name}" for name in NAMES]
    assert [node["eject"] for node in nodes] == [f"m_axis_{name}" for name in NAMES]
    assert [node["refused"] for node in nodes] == [f"refused_{name}" for name in NAMES]
    assert nodes[1]["label"] == "hub.1"
    header = (generated / "soc_addresses.vh").read_text()
    assert "`define SOC_ADDRESS_HUB_W 3'h2 // node 2, label hub_w\n" in header


def test_a_bus_of_another_tool_has_the_ports_of_its_node_alone(generated):
    root = etree.parse(generated / "soc.xml")
    for name in NAMES:
        for side, signals in SIGNALS.items():
            bus = f"//x:busInterface[x:name='{side}_axis_{name}']//x:physicalPort/x:name"
            found = [each.text for each in root.xpath(bus, namespaces=SPACE)]
            assert sorted(found) == sorted(f"{side}_axis_{name}_{one}" for one in signals)


@pytest.mark.parametrize("top", ["soc_sv.sv", "soc_pins.v"])
def test_tops_of_flows_connect_them(generated, top):
    files = [str(generated / name) for name in ("soc.vlt", "soc.v", top)]
    said = lint(*files[::-1], top=top.partition(".")[0], options=["-Wno-DECLFILENAME"])
    wrong = [line for line in said.split("\n") if "PIN" in line or "%Error: /" in line]
    assert wrong == []


REFUSED = {
    ("a", "3d"): "not '3d' of node 1",
    ("a", "wire"): "not 'wire' of node 1",
    ("config", "b"): "not 'config' of node 0",
    ("a", "b", "monitor"): "not 'monitor' of node 2",
}


@pytest.mark.parametrize("labels", REFUSED, ids=lambda labels: labels[-1][:9])
def test_a_name_that_no_port_can_have_is_refused(tmp_path, labels):
    with refuses(
        "graph: with ports=names a node's label must be an identifier of at most 128 letters, "
        f"digits and _, not a Verilog keyword and not config or monitor, {REFUSED[labels]}"
    ):
        Network.from_words(write_graph(tmp_path, labels).split())


def test_names_that_differ_in_case_or_dots_alone_are_refused(tmp_path):
    with refuses(
        "graph: with ports=names a node's label must differ from any other by more than case and "
        "dots, not 'CPU' of node 1 beside 'cpu' of node 0"
    ):
        Network.from_words(write_graph(tmp_path, ("cpu", "CPU")).split())


def test_labels_that_are_numbers_are_no_names():
    with refuses(
        "mesh: with ports=names a node's label must be an identifier of at most 128 letters, "
        "digits and _, not a Verilog keyword and not config or monitor, not '0.0' of node 0"
    ):
        Network.from_words(["mesh", "x=2", "y=2", "ports=names"])
    with refuses("packet router: ports must be one of numbers, names, not 'labels'"):
        Network.from_words(["mesh", "x=2", "y=2", "ports=labels"])


SYSTEM = (
    "reset=low node.bus=none node.0.bus=axi4 node.0.side=initiator node.2.bus=axi4 "
    "node.2.side=target node.2.clock=own map.ram.base=0 map.ram.size=4K map.ram.node=2 "
    "node.4.bus=stream buffer_depth=8"
)


def test_a_systems_buses_and_clocks_bear_them_too(tmp_path):
    words = write_graph(tmp_path).replace("buffer_depth=2", SYSTEM).split()
    files = write_system(System.from_words(words), tmp_path, flows=["ipxact", "litex"])
    found = module_ports(files[0].read_text(), "soc")
    assert {"clk", "rst_n", "clk_hub_w", "rst_n_hub_w"} < found.keys()
    assert {"s_axi_hub_0_awaddr", "m_axi_hub_w_awaddr", "s_axis_tdata_tdata"} < found.keys()
    starts = ("clk", "rst", "s_axi_hub_0_", "m_axi_hub_w_", "s_axis_tdata_", "m_axis_tdata_")
    others = {name for name in found if not name.startswith(starts)}
    assert {name.rpartition("_hub_w")[0] or name for name in others} <= {
        *("refused_tdata", "cut", "slipped", "dropped", "silent", "sparse")
    }
    told = json.loads((tmp_path / "manifest.json").read_text())["nodes"]
    assert (told[0]["prefix"], told[2]["prefix"]) == ("s_axi_hub_0", "m_axi_hub_w")
    assert (told[4]["inject"], told[4]["refused"]) == ("s_axis_tdata", "refused_tdata")
    assert (told[2]["clock"], told[2]["reset"]) == ("clk_hub_w", "rst_n_hub_w")
    constraints = (tmp_path / "soc.xdc").read_text()
    assert "set soc_clk_hub_w [get_clocks -of_objects [get_ports clk_hub_w]]" in constraints
    assert lint(tmp_path / "soc.v", tmp_path / "soc.vlt", top="soc") == ""


@pytest.mark.slow
@pytest.mark.parametrize("more", ["", SYSTEM], ids=["network", "system"])
def test_the_testbench_drives_them(tmp_path, more):
    if shutil.which("iverilog") is None:
        pytest.skip("Icarus Verilog is not installed")
    words = write_graph(tmp_path).replace("buffer_depth=2", more or "buffer_depth=2").split()
    write_system(System.from_words(words), tmp_path, testbench=True)
    command = [sys.executable, "run_soc.py", "icarus"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

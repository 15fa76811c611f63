"""Files of systems: manifest, constraints, top, and what is refused."""

import json
import re
from collections import defaultdict

import pytest
import yaml
from helpers.emitted import OF_BRIDGES, OF_STREAMS, ports_of, system_and_verilog
from helpers.refusals import refuses
from knotwork import Hypercube, Network
from knotwork.emit import manifest, write_network
from knotwork.emit.flows import FLOWS
from knotwork.tools import run_tool
from knotwork_soc import System
from knotwork_soc.emit import system_manifest, write_system
from knotwork_soc.emit.nodes import clock_ports, named, outside_ports
from knotwork_soc.emit.package import node_interfaces, system_top


def test_its_regions_stand_behind_the_buses_of_their_nodes():
    system, _ = system_and_verilog(OF_BRIDGES)
    top = system_top(system)
    assert {name: region.prefix for name, region in top.regions.items()} == {
        "registers": "apbm_2",
        "ram": "m_axi_3",
        "rom": "m_axi_3",
    }
    assert top.clocks == {"clk": "rst_n", "clk_3": "rst_n_3"}
    assert top.is_reset_low
    assert top.description == "Network-on-chip with ports of 4 nodes"


def test_a_node_without_a_bus_has_no_interface():
    system, _ = system_and_verilog(OF_STREAMS)
    bridges, _ = system_and_verilog(OF_BRIDGES)
    assert [len(node_interfaces(system, node)) for node in system.nodes] == [2, 2]
    (bus,) = node_interfaces(bridges, bridges.nodes[0])
    assert (bus.prefix, bus.bus, bus.is_driven, bus.is_mapped) == ("s_axi_0", "axi4", True, True)


@pytest.mark.parametrize(
    ("pin", "name"),
    [
        ("s_axis_tdata", "s_axis_7_tdata"),
        ("m_axi_awaddr", "m_axi_7_awaddr"),
        ("s_axil_wdata", "s_axil_7_wdata"),
        ("wbs_adr", "wbs_7_adr"),
        ("apbm_psel", "apbm_7_psel"),
        ("requests_s_axis_tdata", "requests_s_axis_7_tdata"),
        ("streams_m_axis_tvalid", "streams_m_axis_7_tvalid"),
        ("refused", "refused_7"),
        ("sparse", "sparse_7"),
    ],
)
def test_what_names_a_node_stands_behind_the_prefix(pin, name):
    assert named(pin, "7") == name
    assert named(pin, "gpu_s_axi") == name.replace("7", "gpu_s_axi")


def test_a_planes_monitor_is_told_of_by_its_plane():
    words = (
        "hypercube n=2 watchdog=100 node.bus=none node.1.bus=axi4 node.1.side=target "
        "node.0.bus=axi4 node.0.side=initiator map.a.base=0 map.a.size=4K map.a.node=1"
    )
    two, one = (System.from_words(each.split()) for each in (words, "hypercube n=2 watchdog=9"))
    names = {port.name for port in outside_ports(two.planes[0])}
    assert {"alarm", "s_axil_monitor_awaddr"} <= names
    assert not any(name.startswith(("s_axis", "m_axis", "refused")) for name in names)
    assert two.planes[0].outside("alarm") == "requests_alarm"
    assert one.planes[0].outside("alarm") == "alarm"


def test_nodes_have_clocks_of_their_own():
    system = System.from_words(["hypercube", "n=2", "node.3.clock=own", "reset=low"])
    assert list(clock_ports(system)) == [("clk", "rst_n"), ("clk_3", "rst_n_3")]


def test_a_nodes_ports_are_those_of_its_keys():
    ports = ports_of("hypercube n=2 node.1.width=64 keep=yes user_width=5")
    assert ports["s_axis_1_tdata"] == (64, True)
    assert ports["s_axis_1_tkeep"] == (8, True)
    assert ports["s_axis_1_tuser"] == (5, True)
    assert ports["m_axis_1_tid"] == (2, False)
    assert ports["m_axis_0_tkeep"] == (4, False)
    assert ports["sparse_2"] == ports["refused_2"] == (1, False)


def test_a_packets_user_stands_above_the_networks():
    """A broadcast's mark stays bit 0 of `tuser`."""
    ports = ports_of("wk w=2 levels=2 broadcast=address max_packet=8 user_width=5")
    assert ports["s_axis_1_tuser"] == (6, True)
    assert ports["m_axis_1_tuser"] == (5, False)


SYSTEMS = {
    "streams": "hypercube n=2 name=chip data_width=8 buffer_depth=2 node.1.clock=own "
    "node.2.clock=mesochronous node.3.clock=mesochronous node.3.width=16",
    "buses": "mesh x=2 y=1 name=chip buffer_depth=2 node.bus=none node.0.bus=apb "
    "node.0.side=initiator node.0.clock=own node.1.bus=axi4 node.1.side=target node.1.clock=own "
    "bus.data_width=8 bus.burst=2 bus.outstanding=2 map.ram.base=0 map.ram.size=4K map.ram.node=1",
}
LINE = re.compile(
    r"set_max_delay -datapath_only -from \$chip_(\w+) "
    r"(?:-to|-through \[get_pins -filter {DIRECTION == OUT} -of_objects) "
    r"\[get_cells {([^}]*)}\](?:\] -to \$chip_\w+)? \[expr "
)


class Netlist:
    """Flat design as Yosys has it: cells, and what launches and takes the value of each bit."""

    def __init__(self, folder):
        script = (
            "read_verilog chip.v; hierarchy -top chip; proc; flatten; memory_collect; opt_clean"
        )
        run_tool(["yosys", "-q", "-p", f"{script}; write_json chip.json"], folder)
        self.module = json.loads((folder / "chip.json").read_text())["modules"]["chip"]
        self.names = defaultdict(set)
        for name, net in self.module["netnames"].items():
            for bit in net["bits"]:
                self.names[bit].add(name.replace(".", "/"))
        ports = self.module["ports"]
        self.clocks = {port["bits"][0]: name for name, port in ports.items() if "clk" in name}
        # A reset is launched by its own clock: rst_3 by clk_3.
        self.launch = {
            port["bits"][0]: {(name.replace("rst", "clk"), None)}
            for name, port in ports.items()
            if name.startswith("rst")
        }
        self.sources = {}
        for name, cell in self.module["cells"].items():
            self._read(name, cell)

    def _read(self, name, cell):
        pins, kind = cell["connections"], cell["type"]
        if "dff" in kind:
            self.launch |= {bit: {(self.clocks[pins["CLK"][0]], None)} for bit in pins["Q"]}
        elif kind == "$mem_v2":
            clock = self.clocks[pins["WR_CLK"][0]]
            self.launch |= {bit: {(clock, cell["parameters"]["MEMID"])} for bit in pins["RD_DATA"]}
            self.sources |= dict.fromkeys(pins["RD_DATA"], pins["RD_ADDR"])
        elif "port_directions" in cell:
            ways = cell["port_directions"]
            ins = [bit for pin, bits in pins.items() if ways[pin] == "input" for bit in bits]
            for pin, bits in pins.items():
                if ways[pin] == "output":
                    self.sources |= dict.fromkeys(bits, ins)

    def launched(self, bits):
        """Clocks, and memories or none, that launch these bits over gates."""
        waiting, seen, found = [*bits], set(), set()
        while waiting:
            bit = waiting.pop()
            if bit not in seen:
                seen.add(bit)
                found |= self.launch.get(bit, set())
                waiting += self.sources.get(bit, ())
        return found

    def crossed(self):
        """For each register with another clock's values: that clock, and its bits' names."""
        for cell in self.module["cells"].values():
            pins = cell["connections"]
            if "dff" in cell["type"]:
                own = self.clocks[pins["CLK"][0]]
                launched = self.launched([*pins["D"], *pins.get("ARST", [])])
                for clock in {clock for clock, _ in launched} - {own}:
                    yield clock, set.intersection(*(self.names[bit] for bit in pins["Q"]))

    def leaving(self):
        """Clock and memory of values that leave beside another clock's."""
        for port in self.module["ports"].values():
            if port["direction"] == "output":
                found = self.launched(port["bits"])
                if len({clock for clock, _ in found}) > 1:
                    yield from ((clock, memory) for clock, memory in found if memory)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_register_that_takes_another_clocks_values_is_named_and_no_other(name, tmp_path):
    write_system(System.from_words(SYSTEMS[name].split()), tmp_path)
    named = defaultdict(set)
    lines = [x for x in (tmp_path / "chip.xdc").read_text().splitlines() if "set_max_delay" in x]
    for line in lines:
        clock, cells = LINE.match(line).groups()
        named["-through" in line, clock] |= {cell.removesuffix("_reg*") for cell in cells.split()}
    netlist = Netlist(tmp_path)
    used = defaultdict(set)
    for clock, aliases in netlist.crossed():
        found = aliases & named[False, clock]
        assert found, f"{clock} is taken by {sorted(aliases)}, which no line names"
        used[False, clock] |= found
    for clock, memory in netlist.leaving():
        used[True, clock].add(memory.removeprefix("\\").replace(".", "/"))
    assert named == used
    assert any(through for through, _ in used) == ("mesochronous" in SYSTEMS[name])


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
        "hypercube_n2_keepyes: --for systemverilog must be used with a network whose nodes have "
        "the network's own streams, not keep=yes"
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

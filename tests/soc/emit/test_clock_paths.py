"""Paths between clocks that constraints name, beside those that Yosys finds in the Verilog."""

import json
import re
from collections import defaultdict

import pytest
from knotwork.tools import run_tool
from knotwork_soc import System
from knotwork_soc.emit import write_system

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

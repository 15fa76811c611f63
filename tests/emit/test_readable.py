"""Verilog that an engineer reads: names of Python, short lines, a comment per module."""

import importlib
import re

import pytest
from helpers.cases import slow
from helpers.emitted import verilog_of
from helpers.reference import prove_equal, reference, shells
from knotwork import Network
from knotwork.emit.modules import add_module, module_verilog, planned_shell
from knotwork.emit.writer.library import Library
from knotwork.gateware.component import Component
from knotwork.gateware.wiring_plan import router_module

NETS = [
    "hypercube:n=4",
    "moebius:n=3,twist=1,virtual_channels=3,data_width=8",
    "moebius:n=2,twist=1,routing=spr,vc_scheme=escape,pipeline=2,virtual_channels=4",
    "moebius:n=2,multicast=yes,max_packet=7,pipeline=2",
    "hypercube:n=2,parity=yes,pipeline=2",
    "ccc:n=2,routing=lc2,words=3,data_width=8",
    "hypercube:n=1,routing=lc1",
    "lcan:d=2,u=2,levels=3,data_width=8",
    "wk:w=2,levels=2,data_width=8,buffer_depth=2",
    "torus:x=3,y=2,data_width=8",
    "ring:n=2,routing=updown,data_width=8,tables=loaded",
    "torus:x=3,y=3,router=deflection,data_width=8",
    "hypercube:n=2,router=deflection,data_width=8",
]


def of_modules(text):
    """Name, ports and body of every module but the top."""
    found = re.findall(r"^module (\w+) \(\n(.*?)\n\);(.*?)^endmodule$", text, re.M | re.S)
    return found[:-1]


@pytest.mark.parametrize("word", NETS)
def test_it_reads_as_if_written(word):
    _, text = verilog_of(word)
    assert max(map(len, text.splitlines())) < 160
    assert "\\" not in text, "no escaped name"
    assert re.findall(r"\$(?!display\()\w*", text) == [], "no name that a tool made"
    assert not re.search(r"(\b[\w\[\]]+), \1, \1, \1\b", text), "replication is short"
    assert "1'h1)" not in text
    for name, ports, body in of_modules(text):
        lines = ports.split(",\n")
        kinds = [line.split()[0] for line in lines]
        assert {*kinds} <= {"input", "output"}, name
        names = [line.partition(" = ")[0].split()[-1] for line in lines]
        assert len(names) == len({*names})
        assert not re.search(r"^ *(input|output)\b", body, re.MULTILINE)
        clocks = [one for one in ("clk", "rst") if one in names]
        assert names[: len(clocks)] == clocks


@pytest.mark.parametrize("word", NETS)
def test_each_module_says_what_it_is_and_which_class(word):
    network, text = verilog_of(word)
    top_names = {kind.name for kind in network.router_kinds} | {
        network.module_name(role) for role in ("interface", "chooser", "controller")
    }
    found = re.findall(r"((?:^// .*\n)+)^(?:\(\*.*\n)?module (\w+) \(", text, re.MULTILINE)
    assert [name for _, name in found] == [name for name, _, _ in of_modules(text)]
    for comment, name in found:
        assert re.match(r"// \w.*\.\n", comment), name
        said = re.search(r"^// In Python: (knotwork(?:\.\w+)+)\.(\w+)\.\n\Z", comment, re.MULTILINE)
        kind = getattr(importlib.import_module(said[1]), said[2])
        if issubclass(kind, Component) and name not in top_names:
            words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", said[2]).lower()
            assert name.startswith(f"{network.name}_{words}"), name


class Members(Library):
    """Library that keeps the names of the members of what it places, by module."""

    def __init__(self, prefix):
        super().__init__(prefix)
        self.members = {}

    def place(self, component):
        found = super().place(component)
        if found is not None:
            paths = (path for path, *_ in component.signature.flatten(component))
            self.members[found.type] = {"_".join(map(str, path)) for path in paths}
        return found


@pytest.mark.parametrize("word", ["moebius:n=2,data_width=8", "hypercube:n=2,router=deflection"])
def test_ports_of_submodules_are_the_members_of_their_signatures(word):
    network = Network.from_word(word)
    library = Members("net")
    module = router_module(network, network.router_kinds[0])
    add_module(library, planned_shell(network, module), "router")
    text = "\n".join(library.texts.values()) + "module top (\n\n);\nendmodule\n"
    ports = {name: heading for name, heading, _ in of_modules(text)}
    for name, members in library.members.items():
        found = {line.partition(" = ")[0].split()[-1] for line in ports[name].split(",\n")}
        assert found <= members | {"clk", "rst"}
    assert library.members.keys() == ports.keys() - {"router"}
    assert library.members


@pytest.mark.parametrize(
    "word",
    [
        "moebius:n=2,data_width=8,buffer_depth=4,pipeline=1",
        "hypercube:n=2,routing=lc1,data_width=8",
        "lcan:d=2,u=1,levels=2,data_width=8,max_packet=2",
        slow("ring:n=2,routing=updown,data_width=8,tables=loaded"),
    ],
)
def test_it_is_what_amaranth_makes_of_the_same(word):
    for build in shells(Network.from_word(word)).values():
        prove_equal(reference(build()), module_verilog(build(), "gate"))

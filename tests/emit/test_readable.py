"""Verilog that an engineer reads: names of Python, short lines, a comment per module."""

import re

import pytest
from amaranth.hdl import Fragment
from amaranth.lib.wiring import Component
from helpers.cases import slow
from helpers.emitted import verilog_of
from helpers.reference import prove_equal, reference, shells
from knotwork import Network
from knotwork.emit.modules import module_verilog, router_shell

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
def test_each_module_says_what_it_is_and_where(word):
    _, text = verilog_of(word)
    found = re.findall(r"((?:^// .*\n)+)^(?:\(\*.*\n)?module (\w+) \(", text, re.MULTILINE)
    assert [name for _, name in found] == [name for name, _, _ in of_modules(text)]
    for comment, name in found:
        assert re.match(r"// \w.*\.\n", comment), name
        place = " ".join(comment.replace("// ", "").split("Place: ")[1].split())
        assert re.fullmatch(r"\w+(\.\w+)*; in Python knotwork(\.\w+)+\.", place)
        assert place.partition(";")[0].replace(".", "_") == name


@pytest.mark.parametrize("word", ["moebius:n=2,data_width=8", "hypercube:n=2,router=deflection"])
def test_ports_of_submodules_are_the_members_of_their_signatures(word):
    network = Network.from_word(word)
    kind = network.router_kinds[0]
    text = module_verilog(router_shell(network, kind), "router") + "module top (\n\n);\nendmodule\n"
    ports = {name: heading for name, heading, _ in of_modules(text)}
    waiting = [(Fragment.get(router_shell(network, kind).core, None), "router")]
    seen = 0
    while waiting:
        fragment, path = waiting.pop()
        waiting += [(one, f"{path}_{name}") for one, name, _ in fragment.subfragments]
        component = (fragment.origins or (None,))[0]
        if path != "router" and path in ports and isinstance(component, Component):
            members = {
                "_".join(map(str, one)) for one, *_ in component.signature.flatten(component)
            }
            found = {line.partition(" = ")[0].split()[-1] for line in ports[path].split(",\n")}
            assert found <= members | {"clk", "rst"}
            seen += 1
    assert seen == len(ports) - 1 > 0


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

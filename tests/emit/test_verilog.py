import cProfile
import os
import re
import subprocess
import sys

import pytest
from helpers.cases import slow
from helpers.emitted import cocotb_build, instances, lint, module_ports, modules, verilog_of
from helpers.ring import CyclicRingRouting, Ring, RingRouting
from knotwork import Graph, GraphFile, Network, __version__
from knotwork.emit import network_verilog, verilog
from knotwork.emit.verilog import header, lint_waivers
from knotwork.errors import DeadlockError
from knotwork.tools import run_tool

LINTED = [
    "hypercube:n=1,buffer_depth=2,data_width=8",
    "moebius:n=2,twist=1,routing=spr,vc_scheme=escape,pipeline=2,virtual_channels=4",
    "moebius:n=2,multicast=yes,max_packet=7,pipeline=2",
    "mesh:x=2,y=2,tables=loaded",
    "ccc:n=2,routing=lc2,words=3,data_width=8",
    "hypercube:n=1,routing=lc1",
    "lcan:d=2,u=1,levels=2,routing=scheduled,max_packet=2",  # a way of no bits
    *map(
        slow,
        [
            "hypercube:n=1,virtual_channels=8,buffer_depth=7",
            "hypercube:n=3,pipeline=2,buffer_depth=7,data_width=8",
            "hypercube:n=4",
            "moebius:n=2,virtual_channels=2,pipeline=2,buffer_depth=4",
            "moebius:n=3,twist=1,virtual_channels=3,data_width=8",
            "moebius:n=4,twist=1,buffer_depth=2",
            "moebius:n=3,routing=spr",
            "moebius:n=3,twist=1,routing=spr,vc_scheme=escape,pipeline=2,virtual_channels=4",
            "hypercube:n=1,multicast=yes,data_width=8",
            "moebius:n=3,multicast=yes,max_packet=7,pipeline=2",
            "ccc:n=3,buffer_depth=4",
            "lcan:d=2,u=2,levels=3,data_width=8",
            "lcan:d=3,u=3,levels=2,routing=scheduled,max_packet=1",
            "fattree:r=4,2,u=2,3,max_packet=3",
            "ccc:n=6,routing=lc2",
            "hypercube:n=3,routing=lc1,words=64",
        ],
    ),
]


def lint_of(network, text, folder):
    verilog, waivers = folder / f"{network.name}.v", folder / f"{network.name}.vlt"
    verilog.write_text(text)
    waivers.write_text(lint_waivers(network))
    return lint(verilog, waivers, top=network.name)


@pytest.mark.parametrize("word", LINTED)
def test_a_file_is_clean(word, tmp_path):
    """One test for each, so that each is made once."""
    network, text = verilog_of(word)
    assert lint_of(network, text, tmp_path) == ""
    assert tells_of_the_machine(text) == []
    assert_only_simulators_see_assertions(text)


@pytest.mark.parametrize(
    "word",
    [
        # The scan of `spr` has a bit per position: a signal for each would cost 0.5 to 4 % of area.
        *(word for word in LINTED if "spr" not in str(word)),
        "hypercube:n=1,parity=yes,data_width=8",
    ],
)
def test_cocotb_builds_it_without_a_warning(word, tmp_path):
    """No signal looks as if it depended on itself."""
    network, text = verilog_of(word)
    verilog = tmp_path / f"{network.name}.v"
    verilog.write_text(text)
    assert cocotb_build(verilog, top=network.name) == ""


def tells_of_the_machine(text):
    """Paths and dates in a text."""
    paths = re.findall(r"/(?:home|root|tmp|usr|work|var|opt)\b|\.py\b|site-packages", text)
    return paths + re.findall(r"\b20\d\d-\d\d-\d\d\b", text)


def assert_only_simulators_see_assertions(text):
    outside = re.sub(r"^`ifndef SYNTHESIS$.*?^`endif$", "", text, flags=re.MULTILINE | re.DOTALL)
    for word in ("assert", "$write", "$display", "$check", "assume", "$finish"):
        assert word not in outside
    assert text.count("assert (") >= 2  # more where there are buffers and arbiters
    guards = text.count("`ifdef ALTERA_RESERVED_QIS\n`define SYNTHESIS")
    assert guards == 1
    assert text.count("`ifndef SYNTHESIS") + guards == text.count("`endif")


def test_a_path_would_be_seen():
    assert tells_of_the_machine('(* src = "/home/me/router.py:7" *)') == ["/home", ".py"]


# No packet goes by router 2, which has no node.
UNCROSSED = GraphFile.of([(0, 1), (1, 0), (0, 2), (2, 1)], nodes=[1, 1, 0], directed=True)


@pytest.mark.parametrize(
    ("network", "uncrossed"),
    [
        (Network(Ring(nodes=5), routing=RingRouting), 0),
        (Network(Ring(nodes=5), routing=CyclicRingRouting, allow_deadlock="yes"), 0),
        (Network(Graph(file=UNCROSSED), data_width=8), 1),
    ],
    ids=["table", "links_that_no_route_takes", "uncrossed"],
)
def test_routers_that_no_packet_crosses_by_some_link_are_clean(network, uncrossed, tmp_path):
    assert lint_of(network, network_verilog(network), tmp_path) == ""
    assert [kind.turns for kind in network.router_kinds].count(()) == uncrossed


def test_a_fault_is_found_in_spite_of_the_waivers(tmp_path):
    network, text = verilog_of("hypercube:n=1,buffer_depth=2,data_width=8")
    broken = text.replace(".address(1'd1)", ".adress(1'd1)")
    assert broken != text
    assert "adress" in lint_of(network, broken, tmp_path)


def test_every_waiver_has_its_reason_and_is_for_the_networks_file_alone(tmp_path):
    network, text = verilog_of("hypercube:n=1,buffer_depth=2,data_width=8,name=soc")
    lines = lint_waivers(network).splitlines()
    reason = ""
    for line in lines[lines.index("`verilator_config") + 1 :]:
        if line.startswith("//"):
            reason = line
        else:
            assert re.match(r"// \w.{20}", reason)
            assert re.fullmatch(r'lint_off -rule \w+ -file "(\*/)?soc\.v"', line)
    assert lint_of(network, text, tmp_path) == ""
    mine = tmp_path / "my_soc.v"
    mine.write_text("module my_soc(input a); endmodule\n")
    (tmp_path / "soc.vlt").write_text(lint_waivers(network))
    assert "UNUSEDSIGNAL" in lint(mine, tmp_path / "soc.vlt", top="my_soc")


def test_a_network_is_written_once_however_often_it_is_run(monkeypatch):
    network = Network.from_word("hypercube:n=1,data_width=8")
    text = network_verilog(network)
    monkeypatch.delattr(verilog, "add_modules")
    assert network_verilog(network) is text
    assert "keep_hierarchy" in network_verilog(network, keep_hierarchy=True)
    with pytest.raises(NameError):
        network_verilog(Network.from_word("hypercube:n=1,data_width=9"))


def test_the_same_bytes_in_every_process():
    """Whatever the order in which Python's sets come."""
    word = "moebius:n=2,virtual_channels=2"
    script = f"""
from knotwork import Network
from knotwork.emit import network_verilog
print(network_verilog(Network.from_word({word!r})), end="")
"""
    _, text = verilog_of(word)
    assert network_verilog(Network.from_word(word)) == text
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONHASHSEED": "7"},  # here it is random
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == text


LARGER = ["hypercube:n=2", slow("moebius:n=4,twist=1,virtual_channels=2")]


@pytest.mark.parametrize("word", LARGER)
def test_each_kind_of_router_is_a_module_placed_many_times(word):
    network, text = verilog_of(word)
    topology = network.topology
    assert len(modules(text)) == len(set(modules(text)))
    assert modules(text)[-2:] == [network.module_name("router"), network.name]
    assert all(name.startswith(f"{network.name}_") for name in modules(text)[:-1])
    assert instances(text, network.module_name("router")) == [
        f"router_{node:0{topology.n}b}" for node in range(topology.nodes)
    ]
    addresses = re.findall(rf"\.address\({topology.n}'d(\d+)\)", text)
    assert [int(address) for address in addresses] == list(range(topology.nodes))


@pytest.mark.parametrize("word", LARGER)
def test_links_join_each_port_with_its_peer(word):
    """Follow every wire from the router that drives it to the one that reads it."""
    network, text = verilog_of(word)
    topology = network.topology
    drives, reads = {}, {}
    for label, pins in re.findall(r"_router router_(\d+) \((.*?)\n  \);", text, re.DOTALL):
        for port, way, wire in re.findall(r"\.(\w+)_(i|o)_flit\((\w+)\)", pins):
            (drives if way == "o" else reads)[wire] = (int(label, 2), topology.ports.index(port))
    assert drives.keys() == reads.keys()
    assert len(drives) == topology.nodes * topology.n
    for wire, (router, port) in drives.items():
        peer = topology.neighbours[router, port], topology.peer_ports[router, port]
        assert reads[wire] == peer


@pytest.mark.parametrize(
    ("word", "dead"),
    [("moebius:n=3", ()), ("moebius:n=3,twist=1,dead=0-1", ("000_dim0", "001_dim0"))],
)
def test_the_links_of_a_moebius_cube_say_that_they_are_twisted(word, dead):
    """A link of dimension i > 0 is twisted where bit i + 1 is 1; bit n is the twist."""
    network, text = verilog_of(word)
    upper, twisted = network.parameters["twist"] << 3, set()
    for node in range(8):
        for i in (1, 2):
            if (node | upper) >> (i + 1) & 1:
                twisted.add(f"{node:03b}_dim{i}")
    found = set(re.findall(r"link_(\w+)_valid;  // twisted$", text, re.M))
    assert found == twisted
    everything = set(re.findall(r"wire link_(\w+)_valid;", text))
    assert everything == {f"{node:03b}_dim{i}" for node in range(8) for i in range(3)} - {*dead}


def test_the_gates_of_a_petersen_torus_say_that_they_read_johnson_codes():
    _, text = verilog_of("tcpg:k=1,m=2,data_width=8,broadcast=no")
    assert re.search(r"wire route_\w+_factor_1_johnson_back;", text)
    _, text = verilog_of("torus:x=3,y=2,data_width=8")
    assert "johnson" not in text.split("module", 1)[1]


def test_the_header_says_what_made_it_and_of_what():
    network, text = verilog_of("moebius:n=3,twist=1,virtual_channels=3,data_width=8")
    first, licence, second, *_ = text.splitlines()
    assert first == f"// Generated by Knotwork {__version__}; do not edit."
    assert licence == "// SPDX-License-Identifier: 0BSD"
    assert second == (
        "// moebius n=3 twist=1 routing=dfr multicast=no data_width=8 virtual_channels=3 "
        "buffer_depth=16 pipeline=2 allow_deadlock=no"
    )
    assert header(network, "#") == "".join(f"#{line[2:]}\n" for line in (first, licence, second))


def test_a_network_that_can_deadlock_is_refused():
    with pytest.raises(DeadlockError, match="routing=one_way must be free of deadlock"):
        network_verilog(Network(Ring(nodes=6), routing=CyclicRingRouting))


def test_a_thousand_routers_take_seconds_and_megabytes():
    before = os.times()
    network, text = verilog_of("hypercube:n=10")
    after = os.times()
    seconds = sum(after[:4]) - sum(before[:4])  # of the processor, its children's too
    assert seconds < 20
    assert len(text.encode()) < 12e6
    assert len(instances(text, "hypercube_n10_router")) == 1024
    assert modules(text).count("hypercube_n10_router") == 1
    assert len(module_ports(text, network.name)) == 2 + 1024 * 11


@pytest.mark.parametrize("keep", [False, True])
def test_synthesis_keeps_each_router_a_module_if_asked(keep, tmp_path):
    network = Network.from_word("lcan:d=2,u=2,levels=2,data_width=8")
    text = network_verilog(network, keep_hierarchy=keep)
    (tmp_path / "top.v").write_text(text)
    script = f"read_verilog -DSYNTHESIS top.v; hierarchy -top {network.name}; proc; flatten; ls"
    output = run_tool(["yosys", "-p", script], tmp_path)
    left = re.findall(r"^  (\w+)$", output.split("modules:")[-1], re.MULTILINE)
    parts = [kind.name for kind in network.router_kinds]
    parts += [network.module_name(role) for role in ("interface", "controller")]
    assert sorted(left) == sorted([network.name, *(parts if keep else [])])
    plain = text.replace('(* keep_hierarchy = "yes" *)\n', "")
    assert plain == network_verilog(network)


@pytest.mark.parametrize(
    "word",
    ["torus:x=3,y=2,data_width=8", "ccc:n=2,routing=lc2,data_width=8", "lcan:d=2,u=2,levels=2"],
)
def test_for_synthesis_it_is_verilog_of_2001(word, tmp_path):
    """The oldest that front ends of today read; assertions are for simulators."""
    network, text = verilog_of(word)
    file, waivers = tmp_path / f"{network.name}.v", tmp_path / "old.vlt"
    file.write_text(text)
    waivers.write_text(lint_waivers(network))
    old = ["+define+SYNTHESIS", "--default-language", "1364-2001"]
    assert lint(waivers, file, top=network.name, options=old) == ""
    file.write_text(text.replace("  input clk,", "  input logic clk,", 1))
    assert "Can't find typedef" in lint(waivers, file, top=network.name, options=old)


@pytest.mark.parametrize(
    "word", ["hypercube:n=2", "torus:x=3,y=3,pipeline=2", slow("wk:w=2,levels=2")]
)
def test_without_parity_nothing_tells_that_there_is_such_a_key(word):
    plain = network_verilog(Network.from_word(word))
    assert network_verilog(Network.from_word(f"{word},parity=no")) == plain
    assert "parity" not in plain
    assert "m_axis_0_tuser" not in plain


def calls_of_generation(word):
    """Calls of functions that the writing of a network's Verilog takes."""
    network = Network.from_word(word)
    network.require_deadlock_free()
    profile = cProfile.Profile()
    profile.runcall(network_verilog, network)
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize(
    "word",
    [
        "hypercube:n=1",
        "hypercube:n=1,pipeline=2,buffer_depth=4",
        "hypercube:n=1,parity=yes",
        "moebius:n=2,multicast=yes",
        "wk:w=2,levels=2,broadcast=stack",
        "hypercube:n=1,routing=lc1",
        "lcan:d=2,u=2,levels=2",
        "mesh:x=2,y=2,router=deflection",
    ],
)
def test_the_work_is_linear_in_the_width_of_data(word):
    narrow, wide = (calls_of_generation(f"{word},data_width={width}") for width in (32, 128))
    assert wide < 4 * narrow

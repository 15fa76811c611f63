"""Verilog of systems: clean, the same at every call, and that of the network where it is one."""

import os
import subprocess
import sys

import pytest
from helpers.emitted import (
    OF_BRIDGES,
    OF_STREAMS,
    cocotb_build,
    instances,
    lint,
    module_ports,
    modules,
)
from knotwork.emit import network_verilog
from knotwork.emit.writer.component import module_texts
from knotwork_soc import System
from knotwork_soc.emit import system_manifest, system_verilog, write_system
from knotwork_soc.emit.nodes import node_module, node_modules
from knotwork_soc.emit.verilog import release_design

SYSTEMS = [
    "hypercube n=2 node.1.width=64 node.2.width=8 node.3.bus=none keep=yes user_width=5 reset=low",
    "hypercube n=2 node.1.width=64 name=chip",
    "hypercube n=1 node.1.clock=own counters=yes reset_style=asynchronous name=chip",
    "hypercube n=2 node.0.bus=axi4 node.0.side=initiator node.1.bus=apb node.1.side=target "
    "node.2.bus=wishbone node.2.side=target node.3.bus=axi_lite node.3.side=initiator "
    "node.3.clock=own node.1.clock=own map.a.base=0 map.a.size=4K map.a.node=1 map.b.base=4K "
    "map.b.size=4K map.b.node=2 name=chip",
    "hypercube n=2 node.0.bus=axi_lite node.0.side=initiator node.1.bus=axi_lite "
    "node.1.side=target map.a.base=0 map.a.size=4K map.a.node=1 node.2.clock=own node.3.bus=none "
    "reset=low collectives=yes groups=all/0-1 collective_watchdog=9 name=chip",
]


def made(words):
    return System.from_words(words.split())


def test_a_network_alone_is_the_same_file():
    system = made("hypercube n=2 node.width=32")
    assert system_verilog(system) == network_verilog(system.network)


@pytest.mark.parametrize("words", SYSTEMS)
def test_a_file_is_clean_and_the_same_again(words, tmp_path):
    system, again = made(words), made(words)
    verilog, waivers, *_ = write_system(system, tmp_path)
    assert lint(verilog, waivers, top=system.name) == ""
    assert verilog.read_text() == system_verilog(again)


@pytest.mark.parametrize("words", [*SYSTEMS, OF_BRIDGES, OF_STREAMS])
def test_cocotb_builds_it_without_a_warning(words, tmp_path):
    """No signal looks as if it depended on itself."""
    system = made(words)
    verilog = tmp_path / f"{system.name}.v"
    verilog.write_text(system_verilog(system))
    assert cocotb_build(verilog, top=system.name) == ""


def test_the_top_places_each_plane_and_what_stands_at_nodes():
    text = system_verilog(made("hypercube n=2 node.1.width=64 name=chip"))
    assert instances(text, "chip_network") == ["streams"]
    assert instances(text, "chip_node_stream64") == ["node_1"]
    assert modules(text)[-1] == "chip"
    ports = module_ports(text, "chip")
    assert ports["s_axis_0_tdata"] == ("input", 32)
    assert ports["m_axis_1_tdata"] == ("output", 64)
    assert [name for name in ports if name.startswith("refused")] == [
        f"refused_{node}" for node in range(4)
    ]


def test_keep_hierarchy_goes_to_the_routers():
    text = system_verilog(made(SYSTEMS[1]), keep_hierarchy=True)
    assert '(* keep_hierarchy = "yes" *)\nmodule chip_network_router' in text


def test_nodes_of_equal_keys_share_a_module():
    words = "hypercube n=2 name=a node.0.width=64 node.1.width=64 node.2.width=16"
    system = System.from_words(words.split())
    shells = node_modules(system)
    assert list(shells) == ["a_node_stream64", "a_node_stream16", "a_node_stream32"]
    assert node_module(system, system.nodes[1]) == "a_node_stream64"
    found = modules(system_verilog(system))
    assert [name for name in found if name in shells] == [*shells]


def test_nodes_have_the_same_parts_for_the_same():
    """At the same clocks, whatever the widths; a crossing is told by its width and its way."""
    text = system_verilog(
        made(
            "hypercube n=2 name=chip node.1.clock=own node.2.clock=own "
            "node.2.width=64 node.3.clock=own"
        )
    )
    found = modules(text)
    assert len(found) == len({*found})
    kinds = ["chip_node_stream32_own_clock", "chip_node_stream64_own_clock"]
    assert [name for name in found if name.startswith("chip_node_stream")] == kinds
    for part in ("chip_link_resets", "chip_clock_watch", "chip_injection_guard"):
        assert found.count(part) == 1
        assert len(instances(text, part)) == len(kinds)


WORDS = "hypercube n=1 name=chip node.1.clock=own {}"


@pytest.mark.parametrize(
    ("keys", "port", "releases"),
    [
        ("", "rst", 0),
        ("reset=low", "rst_n", 0),
        ("reset_style=asynchronous", "rst", 2),
        ("reset=low reset_style=asynchronous", "rst_n", 2),
    ],
)
def test_each_clock_has_a_reset(keys, port, releases):
    system = System.from_words(WORDS.format(keys).split())
    text = system_verilog(system)
    ports = module_ports(text, "chip")
    assert [name for name in ports if name.startswith("rst")] == [port, f"{port}_1"]
    assert len(instances(text, "chip_release")) == releases
    told = system_manifest(system)
    assert told["reset"]["synchronous"] is (releases == 0)
    assert told["nodes"][1]["reset"] == f"{port}_1"


def test_a_reset_begins_at_once_and_ends_at_edges():
    """The clock need not run for it to begin: its registers have asynchronous resets."""
    keys = "reset=low reset_style=asynchronous"
    release = release_design(System.from_words(WORDS.format(keys).split()))
    text = "\n".join(module_texts(release).values())
    assert "always @(posedge clk or posedge requested)" in text
    assert text.count("ASYNC_REG") == 2
    assert "assign release_requested = ~i;" in text


def test_the_order_of_clocks_is_the_same_in_every_process():
    """Python orders a set of words anew in each process."""
    program = (
        "from knotwork_soc.emit.verilog import system_verilog\n"
        "from knotwork_soc import System\n"
        "words = 'hypercube n=1 name=chip node.1.width=16 node.1.clock=own'.split()\n"
        "print(system_verilog(System.from_words(words)))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in range(4)
    }
    assert len(texts) == 1

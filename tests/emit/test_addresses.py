"""Addresses of nodes by name: in a network's top, in a header for C and in one for Verilog."""

import re
import shutil
import subprocess

import pytest
from helpers.emitted import verilog_of
from helpers.refusals import refuses
from knotwork_soc import System
from knotwork_soc.emit import system_files

MESH = "mesh:x=3,y=2,data_width=8,buffer_depth=2"
# Four bits of which the upper two are a node's row, of three nodes each.
ADDRESSES = [0, 1, 2, 4, 5, 6]


def headers(words):
    """Names of a network's or a system's headers, and their texts: for C, for Verilog."""
    files = system_files(System.from_words(words.split())).generated
    return {name: text for name, text in files.items() if "_addresses." in name}


def test_the_top_names_the_address_of_each_node():
    _, text = verilog_of(MESH)
    found = re.findall(r"^  localparam \[2:0\] ADDRESS_(\d) = 3'd(\d);$", text, re.MULTILINE)
    assert found == [(str(node), str(code)) for node, code in enumerate(ADDRESSES)]


def test_the_header_for_verilog_has_them_with_their_widths():
    text = headers("mesh x=3 y=2 name=noc")["noc_addresses.vh"]
    found = re.findall(r"^`define NOC_ADDRESS_(\d) 3'h(\d) // node \1, ", text, re.MULTILINE)
    assert found == [(str(node), str(code)) for node, code in enumerate(ADDRESSES)]
    assert text.count("`ifndef NOC_ADDRESSES_VH\n`define NOC_ADDRESSES_VH\n") == 1


@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no compiler")
def test_a_c_compiler_reads_those_of_two_networks_twice(tmp_path):
    """The map of a system stands there too, to its last byte."""
    buses = (
        "node.bus=none node.0.bus=axi4 node.0.side=initiator node.3.bus=axi4 node.3.side=target "
        "bus.address_width=64 map.ram.base=0xffffffff80000000 map.ram.size=2G map.ram.node=3"
    )
    for words in ("mesh x=3 y=2 name=noc", f"mesh x=2 y=2 name=chip {buses}"):
        for name, text in headers(words).items():
            (tmp_path / name).write_text(text)
    includes = '#include "noc_addresses.h"\n#include "chip_addresses.h"\n'
    checks = [f"NOC_ADDRESS_{node} == {code}" for node, code in enumerate(ADDRESSES)]
    checks += ["CHIP_RAM_BASE + CHIP_RAM_SIZE == 0", "CHIP_RAM_SIZE >> 31 == 1"]
    lines = [f'static_assert({check}, "{check}");\n' for check in checks]
    (tmp_path / "main.cpp").write_text(2 * includes + "".join(lines))
    command = ["c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "main.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "CHIP_ADDRESS_" not in (tmp_path / "chip_addresses.h").read_text()


def test_only_streams_of_a_system_have_an_address():
    words = "mesh x=3 y=2 name=noc node.bus=none node.0.bus=stream node.3.bus=stream"
    for text in headers(words).values():
        assert re.findall(r"NOC_ADDRESS_(\d)", text) == ["0", "3"]


def test_regions_that_differ_in_case_alone_are_refused():
    words = (
        "mesh x=2 y=2 node.bus=none node.0.bus=axi4 node.0.side=initiator node.3.bus=axi4 "
        "node.3.side=target map.ram.base=0 map.ram.size=4K map.ram.node=3 map.RAM.base=4K "
        "map.RAM.size=4K map.RAM.node=3"
    )
    with refuses(
        "map.RAM: a region's name must differ from any other by more than case, not 'RAM' beside "
        "'ram'"
    ):
        System.from_words(words.split())

"""Verilog of a top as one file, and as a file per module."""

import json
import re
import shutil
import subprocess

import pytest
import yaml
from helpers.emitted import instances, lint, modules
from knotwork import Network
from knotwork.emit import write_network
from knotwork.emit.flows import FLOWS
from knotwork.emit.package import network_files
from knotwork_soc import System
from knotwork_soc.emit.package import system_files
from lxml import etree

NETWORKS = [
    "mesh:x=2,y=2,data_width=8,name=noc",
    "lcan:d=2,u=2,levels=2,data_width=8,name=noc",
    "torus:x=3,y=2,router=deflection,data_width=16,name=noc",
]
SYSTEM = (
    "mesh x=2 y=1 name=noc buffer_depth=2 node.bus=none node.0.bus=apb node.0.side=initiator "
    "node.0.clock=own node.1.bus=axi4 node.1.side=target bus.data_width=8 bus.burst=2 "
    "bus.outstanding=2 map.ram.base=0 map.ram.size=4K map.ram.node=1"
)


def files_of(word, **keys):
    """Files of a network or a system by name."""
    if " " in word:
        return system_files(System.from_words(word.split()), **keys).generated
    return network_files(Network.from_word(word), **keys).generated


def without_head(text):
    """What stands behind the comments and the guard at the head of a file."""
    return text.partition("\n\n")[2]


def listed(text):
    return [line for line in text.splitlines() if not line.startswith("//")]


@pytest.mark.parametrize("word", [*NETWORKS, SYSTEM])
def test_the_files_of_modules_are_the_one_file(word):
    whole, files = files_of(word), files_of(word, split=True)
    names = listed(files["noc.f"])
    assert "\n".join(without_head(files[name]) for name in names) == without_head(whole["noc.v"])
    assert len(names) > 2
    for name in names:
        assert modules(files[name]) == [name.removesuffix(".v")]
        guards = files[name].count("`ifdef ALTERA_RESERVED_QIS\n`define SYNTHESIS\n`endif\n")
        assert guards == ("`ifndef SYNTHESIS" in files[name])
    assert not files.keys() & {name for name in whole if name.endswith(".v")} - {"noc.v"}
    assert files_of(word, split=True) == files


@pytest.mark.parametrize("word", [NETWORKS[0], SYSTEM])
def test_tools_read_the_list(word, tmp_path):
    for name, text in files_of(word, split=True).items():
        (tmp_path / name).write_text(text)
    options = ["-F", str(tmp_path / "noc.f")]
    assert lint(tmp_path / "noc.vlt", top="noc", options=options) == ""
    (tmp_path / "none.vlt").write_text("`verilator_config\n")
    assert "UNUSEDSIGNAL" in lint(tmp_path / "none.vlt", top="noc", options=options)


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
def test_icarus_reads_the_list(tmp_path):
    write_network(Network.from_word(NETWORKS[0]), tmp_path, split=True)
    words = ["iverilog", "-g2012", "-o", "noc.vvp", "-s", "noc", "-f", "noc.f"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert (tmp_path / "noc.vvp").exists()


@pytest.mark.parametrize("word", [NETWORKS[0], SYSTEM])
def test_core_manifest_and_ipxact_have_the_files_of_the_list(word):
    flows = [name for name, flow in FLOWS.items() if flow.of_top is not None]
    files = files_of(word, split=True, flows=flows)
    names = listed(files["noc.f"])
    assert json.loads(files["manifest.json"])["files"] == names
    core = yaml.safe_load(files["noc.core"].removeprefix("CAPI=2:\n"))
    assert core["filesets"]["rtl"]["files"][:-1] == [
        {name: {"file_type": "verilogSource"}} for name in names
    ]
    component = etree.fromstring(files["noc.xml"].encode())
    space = {"x": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
    assert component.xpath("//x:fileSet/x:file/x:name/text()", namespaces=space) == names
    assert names[-1] == "noc.v"


def test_another_parameter_changes_the_modules_that_it_means():
    shallow, deep = (
        files_of(f"mesh:x=2,y=1,data_width=8,buffer_depth={depth},name=noc", split=True)
        for depth in (4, 8)
    )
    # The depth is in the names of the modules that have one.
    named = re.compile(r"\b(noc_(?:turn_queue|credit_count)_)4\b")
    shallow = {
        named.sub(r"\g<1>8", name): named.sub(r"\g<1>8", text) for name, text in shallow.items()
    }
    assert shallow.keys() == deep.keys()
    changed = {
        name.removesuffix(".v")
        for name in listed(deep["noc.f"])
        if shallow[name] != deep[name] and name != "noc.v"
    }
    parts = {re.sub(r"_(\d+bit|8)$", "", name.removeprefix("noc_")) for name in changed}
    assert parts == {"turn_queue", "input_buffer_1way", "input_buffer_2way", "credit_count"}
    assert without_head(shallow["noc.v"]) == without_head(deep["noc.v"])


def test_attributes_stand_in_the_files_of_their_modules():
    files = files_of(NETWORKS[0], split=True, keep_hierarchy=True, hints=True)
    whole = files_of(NETWORKS[0], keep_hierarchy=True, hints=True)["noc.v"]
    assert whole.count("keep_hierarchy") == len(Network.from_word(NETWORKS[0]).router_kinds)
    assert whole.count("ram_style") >= 1
    names = listed(files["noc.f"])
    assert "\n".join(without_head(files[name]) for name in names) == without_head(whole)


def test_a_system_has_the_modules_of_its_planes_once():
    words = (
        "mesh x=2 y=1 name=noc node.0.bus=axi4 node.0.side=initiator node.1.bus=axi4 "
        "node.1.side=target bus.data_width=32 map.ram.base=0 map.ram.size=4K map.ram.node=1"
    )
    text = files_of(words)["noc.v"]
    found = modules(text)
    assert len(found) == len({*found})
    assert instances(text, "noc_network") == ["requests", "responses"]
    assert [name for name in found if "credit_count" in name] == ["noc_credit_count_16"]
    assert re.search(r"^// mesh x=2 y=1 .*\nmodule noc_network \(", text, re.MULTILINE)

"""Ends at a system's nodes: its manifest, and where a node's bus is."""

import json

import pytest
from helpers.systems import OF_BRIDGES, OF_STREAMS, system_and_verilog
from knotwork.emit.system import system_manifest
from knotwork.errors import ConfigurationError
from knotwork.system import System
from knotwork_sim.testbench.system.ends import _prefix, _told


def test_buses_are_found_by_their_ports():
    system, _ = system_and_verilog(OF_BRIDGES)
    nodes = system_manifest(system)["nodes"]
    found = [_prefix(node["ports"], node["index"]) for node in nodes]
    assert found == ["s_axi_0", "wbs_1", "apbm_2", "m_axi_3"]


def test_the_manifest_must_be_a_systems(tmp_path):
    file = tmp_path / "manifest.json"
    plain = System.from_words(["hypercube", "n=2"])
    file.write_text(json.dumps(system_manifest(plain)))
    with pytest.raises(ConfigurationError) as refused:
        _told(file, None)
    assert str(refused.value) == (
        f"{file}: must be the manifest of a system that `knotwork generate` wrote"
    )


def test_the_manifest_must_be_of_the_version(tmp_path):
    system, _ = system_and_verilog(OF_STREAMS)
    told = system_manifest(system)
    file = tmp_path / "manifest.json"
    file.write_text(json.dumps(told))
    assert _told(file, told["version"])["top"] == "chip"
    with pytest.raises(ConfigurationError, match="version must be 9, for which this testbench"):
        _told(file, "9")

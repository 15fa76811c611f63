"""Shares of the ideal throughput: what `make bench-saturation` writes and prints."""

import json

import pytest
from click.testing import CliRunner
from knotwork import Network
from quality.benchmarks import shares
from quality.benchmarks.cases import PIPELINES
from quality.benchmarks.saturation import Saturation
from quality.benchmarks.shares import BOUNDS, FLITS, LOADS


@pytest.mark.parametrize("load", LOADS, ids=lambda load: load.name)
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_every_network_has_64_nodes_and_the_same_buffers(load, pipeline):
    network = Network.from_word(load.word(pipeline))
    keys = network.parameters
    assert network.topology.nodes == 64
    assert (keys["virtual_channels"], keys["pipeline"]) == (load.channels, pipeline)
    assert keys["virtual_channels"] * keys["buffer_depth"] == FLITS == 16


def test_the_bounds_are_those_agreed_for_both_lengths():
    agreed = [0.82, 0.92, 0.90, 0.94, 0.90, 0.94, 0.72]
    assert [bound.least["share_4"] for bound in BOUNDS] == agreed
    assert [bound.least["share_1"] for bound in BOUNDS] == agreed


def test_rows_and_bounds_are_printed_and_written(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    accepted = {("pipeline=1", 1): 0.3, ("pipeline=2", 1): 0.45}

    def kept(net, length):
        flits = accepted.get((net.rpartition(",")[2], length), 0.42)
        return Saturation(net, length, 0.5, flits, 0.5)

    monkeypatch.setattr(shares, "saturation", kept)
    result = CliRunner().invoke(shares.main, ["mesh_8x8_vcs1"], catch_exceptions=False)
    assert result.exit_code == 0
    first, second = json.loads((tmp_path / shares.FILE).read_text())
    assert first == {
        "name": "mesh_8x8_vcs1_p1",
        "network": "mesh:x=8,y=8,virtual_channels=1,buffer_depth=16,pipeline=1",
        "ideal_throughput": 0.5,
        "saturation_1": 0.3,
        "share_1": 0.6,
        "saturation_4": 0.42,
        "share_4": 0.84,
    }
    assert (second["name"], second["share_1"]) == ("mesh_8x8_vcs1_p2", 0.9)
    # The second meets both bounds, and so is the best.
    judged = [line for line in result.output.splitlines() if "at least 0.82" in line]
    assert len(judged) == 2
    assert all("mesh_8x8_vcs1_p2" in line and "not met" not in line for line in judged)


def test_a_network_that_is_none_is_refused():
    result = CliRunner().invoke(shares.main, ["mesh_9x9"])
    assert (result.exit_code, "'mesh_9x9' is not one of" in result.output) == (2, True)

"""Ports bound by the manifest, in a scope that a test makes."""

import json
from types import SimpleNamespace

import pytest
from knotwork import Hypercube, Network
from knotwork.emit import manifest as manifest_of
from knotwork.errors import ConfigurationError
from knotwork_sim.testbench.manifest import Manifest
from knotwork_sim.testbench.ports import bind


class Handle:
    def __init__(self, width):
        self.width = width

    def __len__(self):
        return self.width


@pytest.fixture
def manifest(tmp_path):
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(manifest_of(Network(Hypercube(n=1)))))
    return Manifest.read(path)


@pytest.fixture
def scope(manifest):
    handles = {name: Handle(width) for name, width in manifest.ports()}
    return SimpleNamespace(_path="chip.noc", **handles)


def test_every_stream_has_its_signals(scope, manifest):
    ports = bind(scope, manifest)
    assert ports.clock is scope.clk
    assert ports.inject[1].tdest is scope.s_axis_1_tdest
    assert ports.eject[0].tid is scope.m_axis_0_tid
    assert (ports.inject[0].tuser, ports.config, ports.status) == (None, None, None)


def refusal(scope, manifest):
    with pytest.raises(ConfigurationError) as error:
        bind(scope, manifest)
    return str(error.value).replace(manifest.where, "FILE")


def test_a_missing_port_is_named(scope, manifest):
    del scope.m_axis_1_tready
    expected = "chip.noc: must have the port m_axis_1_tready, which FILE names"
    assert refusal(scope, manifest) == expected


def test_another_width_is_named(scope, manifest):
    scope.s_axis_0_tdata = Handle(64)
    expected = "chip.noc.s_axis_0_tdata: must have 32 bits, as FILE says, not 64"
    assert refusal(scope, manifest) == expected


def test_a_design_with_more_nodes_is_refused(scope, manifest):
    scope.s_axis_2_tvalid = Handle(1)
    expected = "FILE: must name node 2, as chip.noc has the port s_axis_2_tvalid"
    assert refusal(scope, manifest) == expected

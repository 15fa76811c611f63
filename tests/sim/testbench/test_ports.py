"""Ports bound by the manifest, in a scope that a test makes."""

import json
from types import SimpleNamespace

import pytest
from helpers.refusals import refuses
from knotwork import Hypercube, Network
from knotwork.emit import manifest as manifest_of
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


@pytest.mark.parametrize(
    ("port", "handle", "line"),
    [
        (
            "m_axis_1_tready",
            None,
            "chip.noc: must have the port m_axis_1_tready, which FILE names",
        ),
        (
            "s_axis_0_tdata",
            Handle(64),
            "chip.noc.s_axis_0_tdata: must have 32 bits, as FILE says, not 64",
        ),
        (
            "s_axis_2_tvalid",
            Handle(1),
            "FILE: must name node 2, as chip.noc has the port s_axis_2_tvalid",
        ),
    ],
    ids=["missing", "another width", "more nodes"],
)
def test_a_port_that_does_not_fit_is_named(scope, manifest, port, handle, line):
    setattr(scope, port, handle)
    if handle is None:
        delattr(scope, port)
    with refuses(line.replace("FILE", manifest.where)):
        bind(scope, manifest)

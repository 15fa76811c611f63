"""The input port against the rule of its front, written from its docstring."""

import pytest
from helpers.fronts import follow
from helpers.paths import arrivals
from knotwork import Hypercube, Mesh, Network
from knotwork.gateware.packet.credits.input_port import InputPort
from knotwork.topology import LOCAL


@pytest.mark.parametrize(
    "network",
    [
        Network(Hypercube(n=3), data_width=8, pipeline=2, buffer_depth=4),
        Network(Hypercube(n=4), data_width=8, pipeline=2, virtual_channels=2, buffer_depth=4),
        Network(Mesh(x=4, y=4), data_width=8, pipeline=2, virtual_channels=3, buffer_depth=5),
    ],
    ids=lambda network: network.name,
)
@pytest.mark.parametrize("is_local", [True, False])
def test_the_front_is_the_next_flit_that_may_move(network, is_local):
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    port = LOCAL if is_local else next(p for p in kind.ports[1:] if kind.input_vcs(p))
    dut, asked = InputPort(network, kind, port), arrivals(network)
    turns = [asked[kind.router, port, vc] for vc in dut.encoding.channels]
    shown = follow(dut, network, network.topology.address(kind.router), turns)
    assert shown[0] > 200

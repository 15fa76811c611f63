"""The front of an input port where packets can escape, against the rule of its docstring."""

import pytest
from helpers.fronts import follow
from helpers.paths import arrivals, choosing_port, escapes
from knotwork import Moebius, Network
from knotwork.gateware.packet.credits.copy_port import make_input_port
from knotwork.gateware.packet.credits.escapes import EscapePort
from knotwork.topology import LOCAL

KEYS = {"data_width": 8, "pipeline": 2, "buffer_depth": 4}
SPR = {"routing": "spr", "vc_scheme": "escape"}
NETWORKS = [
    Network(Moebius(n=3), **SPR, **KEYS),
    Network(Moebius(n=3, twist=1), **SPR, **KEYS, virtual_channels=4),
]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
@pytest.mark.parametrize("is_local", [True, False])
def test_a_blocked_head_asks_for_its_way_and_its_escape_in_turn(network, is_local):
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    routes, ways_out = arrivals(network), escapes(network)
    port = LOCAL if is_local else choosing_port(kind, routes, ways_out)
    dut = make_input_port(network, kind, port)
    assert isinstance(dut, EscapePort)
    turns, others = (
        [found.get((kind.router, port, vc), {}) for vc in dut.encoding.channels]
        for found in (routes, ways_out)
    )
    shown = follow(dut, network, network.topology.address(kind.router), turns, others)
    assert min(shown) >= 10

"""What outputs ask of an input port: the virtual channels that its front can take at all."""

import pytest
from amaranth.hdl import Const, Fragment
from knotwork import Network, Tcpg, Torus, WkRecursive
from knotwork.gateware.packet.credits.copy_port import make_input_port


def _never(value):
    return isinstance(value, Const) and value.value == 0


@pytest.mark.parametrize(
    "network",
    [
        Network(Torus(x=3, y=3), pipeline=2, buffer_depth=4),
        Network(Torus(x=3, y=3), pipeline=2, buffer_depth=4, virtual_channels=4),
        Network(WkRecursive(w=3, levels=2), pipeline=2, buffer_depth=4),
        Network(Tcpg(k=1, m=1), pipeline=2, buffer_depth=4),
    ],
    ids=lambda network: network.name,
)
def test_a_front_takes_a_channel_of_a_link_only_where_a_turn_does(network):
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    compared = 0
    for port in kind.ports:
        turns = [turn for turn in kind.turns if turn.input_port == port]
        if not turns:
            continue
        one = make_input_port(network, kind, port)
        reached = {turn.output_port for turn in turns} - set(kind.node_ports)
        for output in reached:
            for vc in kind.output_vcs(output):
                way = any(
                    turn.output_port == output
                    and turn.output_vc % network.routing.classes == vc % network.routing.classes
                    for turn in turns
                )
                lane = any(
                    turn.input_vc // network.routing.classes == vc // network.routing.classes
                    for turn in turns
                )
                if _never(one.takes(output, vc)):
                    assert not (way and lane)
                compared += 1
        Fragment.get(one, None)
    assert compared > 5

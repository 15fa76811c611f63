"""What stands at a bus: its members, its bridge, and that each channel crosses clocks."""

import pytest
from amaranth.hdl import Fragment
from amaranth.lib.wiring import In, Out
from knotwork.gateware.system.bus_node import BusNode
from knotwork.system import System

WORDS = (
    "mesh x=2 y=2 node.bus=none bus.data_width=32 node.0.bus={0} node.0.side=initiator "
    "node.3.bus={1} node.3.side=target node.3.clock=own map.ram.base=0 map.ram.size=4K "
    "map.ram.node=3"
)


def nodes_of(initiator, target):
    system = System.from_words(WORDS.format(initiator, target).split())
    return [
        BusNode(system=system, node=node, domain=domain)
        for node, domain in ((system.nodes[0], "sync"), (system.nodes[3], "node"))
    ]


def parts(component):
    """Names of what a component consists of."""
    fragment = Fragment.get(component, None)
    return {name for _, name, _ in fragment.subfragments}


@pytest.mark.parametrize("bus", ["axi4", "axi_lite", "wishbone", "apb"])
def test_a_bridge_stands_at_buses_other_than_axi4(bus):
    initiator, target = nodes_of(bus, bus)
    assert initiator.signature.members["bus"].flow == In
    assert target.signature.members["bus"].flow == Out
    assert "silent" in target.signature.members
    bridge = {"bridge"} if bus != "axi4" else set()
    crossings = {f"{channel}_crossing" for channel in ("aw", "w", "b", "ar", "r")}
    assert parts(initiator) == {"port"} | bridge
    assert parts(target) == {"port", "resets"} | bridge | crossings

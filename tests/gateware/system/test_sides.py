"""Which planes a node uses, and how."""

from amaranth.lib.wiring import In, Out
from knotwork.gateware.system.sides import Side, plane_member, sides_of
from knotwork.system import System

WORDS = (
    "mesh x=2 y=2 node.1.bus=axi4 node.1.side=initiator node.2.bus=axi4 node.2.side=target "
    "node.3.bus=none map.ram.base=0 map.ram.size=4K map.ram.node=2"
)


def test_sides_follow_from_what_is_at_a_node():
    nodes = System.from_words(WORDS.split()).nodes
    assert [sides_of(node) for node in nodes] == [
        (("streams", "inject"), ("streams", "eject")),
        (("requests", "inject"), ("responses", "eject")),
        (("responses", "inject"), ("requests", "eject")),
        (),
    ]
    assert Side("requests", "inject").member == "to_plane"
    assert Side("responses", "eject").member == "from_plane"


def test_a_node_sends_what_a_plane_injects():
    network = System.from_words(WORDS.split()).planes[0].network
    assert plane_member(network, "inject").flow == Out
    assert plane_member(network, "eject").flow == In
    assert list(plane_member(network, "eject").signature.members["payload"].shape.members) == [
        "data",
        "last",
        "source",
    ]

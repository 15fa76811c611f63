"""Which planes a system has, and which networks can carry them."""

from knotwork.system import System

BUS = (
    "node.0.bus=axi4 node.0.side=initiator node.1.bus=axi4 node.1.side=target map.ram.base=0 "
    "map.ram.size=4K map.ram.node=1"
)


def planes(words):
    system = System.from_words(words.split())
    return [
        (plane.name, plane.network.name, plane.network.hardware.data_width)
        for plane in system.planes
    ]


def test_streams_alone_have_one_plane():
    assert planes("mesh x=2 y=2 name=a keep=yes user_width=5") == [("streams", "a_network", 40)]


def test_requests_and_responses_share_a_module():
    found = planes(f"mesh x=2 y=2 name=a node.bus=none {BUS}")
    assert found == [("requests", "a_network", 32), ("responses", "a_network", 32)]


def test_streams_of_the_same_width_share_it_too():
    assert planes(f"mesh x=2 y=2 name=a {BUS}") == [
        ("streams", "a_network", 32),
        ("requests", "a_network", 32),
        ("responses", "a_network", 32),
    ]
    found = planes(f"mesh x=2 y=2 name=a user_width=1 {BUS}")
    assert [name for _, name, _ in found] == ["a_streams", "a_network", "a_network"]

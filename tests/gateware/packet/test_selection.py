"""Input ports whose heads do not request their ways from the first on."""

import pytest
from helpers.paths import choosing_port, ways_of
from helpers.routed import Routed, follow
from knotwork import Moebius, Network
from knotwork.gateware.packet.selection import DrawnWaysPort, OpenWaysPort
from knotwork.routing.selection import CREDITS
from knotwork.topology import LOCAL


def adaptive(word):
    return Network.from_word(f"{word},routing=adaptive,data_width=8,buffer_depth=4")


OPEN = [
    adaptive("mesh:x=3,y=3,selection=credits"),
    adaptive("mesh:x=3,y=3,virtual_channels=4,selection=credits"),
    adaptive("hypercube:n=3,ways=3,selection=credits"),
]
DRAWN = [
    adaptive("mesh:x=3,y=3,selection=random"),
    adaptive("hypercube:n=3,ways=3,virtual_channels=4,selection=random"),
]


def assert_follows(network, kind_of_port, is_local):
    """Assert that a port is as its reference, which shows a head by each of its ways."""
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    ways = ways_of(network)
    port = LOCAL if is_local else choosing_port(kind, ways[0], ways[-1])
    dut = Routed(network, kind, port)
    assert type(dut.inner) is kind_of_port
    turns = [
        [found.get((kind.router, port, vc), {}) for vc in dut.encoding.channels] for found in ways
    ]
    address = network.topology.address(kind.router)
    seen = follow(dut, network, address, *turns, clocks=400 * len(turns))
    # From a link of the cube a packet has but two: its third begins again, and is never open first.
    assert min(seen[0], seen[1], seen[-1]) >= 10


@pytest.mark.parametrize("network", OPEN, ids=lambda network: network.name)
@pytest.mark.parametrize("is_local", [True, False])
def test_a_head_that_is_shown_requests_the_first_of_its_ways_that_is_open(network, is_local):
    assert_follows(network, OpenWaysPort, is_local)


@pytest.mark.parametrize("is_local", [True, False])
def test_so_it_does_where_its_only_other_way_is_the_escape(is_local, monkeypatch):
    keys = {"routing": "spr", "vc_scheme": "escape", "data_width": 8, "buffer_depth": 4}
    network = Network(Moebius(n=3, twist=1), **keys, virtual_channels=4)
    monkeypatch.setattr(type(network.routing), "selection", CREDITS)
    assert_follows(network, OpenWaysPort, is_local)


@pytest.mark.parametrize("network", DRAWN, ids=lambda network: network.name)
@pytest.mark.parametrize("is_local", [True, False])
def test_a_head_requests_its_ways_in_turn_from_one_that_is_drawn(network, is_local):
    assert_follows(network, DrawnWaysPort, is_local)

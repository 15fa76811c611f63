import pytest
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.routing import routings_of
from knotwork.routing.network_keys import all_network_keys, goes_with, network_keys
from knotwork.routing.router_classes import router_names
from knotwork.topology import TOPOLOGIES

EVERY = [
    (name, routing, router)
    for name in TOPOLOGIES
    for routing, made in routings_of(name).items()
    for router in router_names(made)
]


def refused(name, routing, router, key):
    """Whether a network refuses a key as unknown, whatever its value."""
    with pytest.raises(ConfigurationError) as error:
        Network.from_texts(name, {"routing": routing, "router": router, key: "#"})
    return ": a key must be one of " in str(error.value)


@pytest.mark.parametrize(("name", "routing", "router"), EVERY)
def test_keys_are_those_that_a_network_takes(name, routing, router):
    known = network_keys(name, routing, router)
    for key in {*all_network_keys(name), "rate", "N", ""}:
        assert refused(name, routing, router, key) == (key not in known)


def test_every_key_of_a_network_is_found_with_its_topology_s_first():
    keys = list(all_network_keys("moebius"))
    assert keys[:4] == ["n", "twist", "routing", "router"]
    for router in ("packet", "deflection"):
        assert set(ROUTER_PARAMETERS[router].keys()) <= set(keys)
    assert {"multicast", "vc_scheme"} <= set(keys)


def test_what_is_no_routing_counts_as_none():
    assert list(network_keys("hypercube", ["x"], 3)) == list(network_keys("hypercube"))


@pytest.mark.parametrize(
    ("name", "key", "routing", "end"),
    [
        ("moebius", "vc_scheme", None, "; vc_scheme goes with routing=spr"),
        ("hypercube", "words", None, "; words goes with routing=lc1"),
        ("mesh", "source", None, "; source goes with router=deflection"),
        ("mesh", "n", None, ""),
    ],
)
def test_where_a_key_would_be_known(name, key, routing, end):
    assert goes_with(name, key, routing) == end

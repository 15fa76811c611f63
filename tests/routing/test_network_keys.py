"""Router classes of routings, and the keys that networks with them take."""

import re

import pytest
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.routing import routings_of
from knotwork.routing.network_keys import (
    ADAPTERS,
    all_network_keys,
    key_hint,
    network_keys,
    router_names,
    with_router,
)
from knotwork.topology import TOPOLOGIES, Mesh

ROUTINGS = [routing for network in TOPOLOGIES for routing in routings_of(network).values()]


@pytest.mark.parametrize("routing", ROUTINGS, ids=lambda routing: routing.__qualname__)
def test_names_are_those_of_router_classes_the_own_one_first(routing):
    own, *others = router_names(routing)
    assert own == routing.router_class
    assert {own, *others} <= ROUTER_PARAMETERS.keys()
    assert bool(others) == routing.is_adaptable


@pytest.mark.parametrize("router", ADAPTERS)
def test_an_adapted_routing_belongs_to_the_class_named(router):
    mesh = Mesh(x=3, y=2)
    base = routings_of("mesh")["dimension_order"]
    adapted = with_router(base, router, mesh)
    assert adapted.router_class == router
    assert adapted.name == base.name
    assert with_router(base, None, mesh) is with_router(base, base.router_class, mesh) is base


def test_a_class_that_cannot_carry_a_routing_is_refused():
    words = "router must be one of packet, deflection with routing=dimension_order, not 'batch'"
    with pytest.raises(ConfigurationError, match=f"^mesh: {re.escape(words)}$"):
        with_router(routings_of("mesh")["dimension_order"], "batch", Mesh(x=2, y=2))


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
    assert key_hint(name, key, routing) == end

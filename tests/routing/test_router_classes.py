"""Router classes that can carry a routing."""

import pytest
from knotwork import Hypercube, Lcan, Network
from knotwork.errors import ConfigurationError
from knotwork.routing import routings_of
from knotwork.routing.router_classes import ADAPTERS, router_names, with_router


def test_a_rule_of_packets_can_be_carried_by_all_adapters():
    ecube = routings_of("hypercube")["ecube"]
    assert router_names(ecube) == ("packet", *ADAPTERS)
    assert router_names(routings_of("lcan")["updown"]) == ("circuit",)


def test_the_own_class_leaves_the_routing_as_it_is():
    ecube, topology = routings_of("hypercube")["ecube"], Hypercube(n=3)
    assert with_router(ecube, None, topology) is with_router(ecube, "packet", topology) is ecube
    assert with_router(ecube, "deflection", topology).router_class == "deflection"


def test_another_class_is_refused():
    with pytest.raises(ConfigurationError) as refusal:
        Network(Lcan(d=2, u=2, levels=2), router="deflection")
    assert str(refusal.value) == (
        "lcan: router must be one of circuit with routing=updown, not 'deflection'"
    )

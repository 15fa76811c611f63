import re

import pytest
from knotwork.errors import ConfigurationError
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.routing import routings_of
from knotwork.routing.router_classes import ADAPTERS, router_names, with_router
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

import numpy as np
import pytest
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.parameters import Choice, Integer, Integers, Text
from knotwork.routing import routings_of
from knotwork.topology import TOPOLOGIES
from quality.coverage.verilog import PORTS
from quality.soak import random_networks as draws
from quality.soak.random_networks import Family, draw_network, draw_traffic, drawn, families


def test_every_network_is_there_with_all_that_can_be_built():
    known = families()
    drawable = set(TOPOLOGIES) - {"graph"}
    assert {family.topology for family in known} == drawable
    assert Family("hypercube", "lc1", "batch") in known
    assert Family("torus", "dimension_order", "deflection") in known
    assert Family("moebius", "approx_spr", "packet") not in known  # it must not be built
    built = {(f.topology, f.routing) for f in known}
    unbuilt = {(name, rule) for name in drawable for rule in routings_of(name)} - built
    assert unbuilt == {("moebius", name) for name in ("approx_spr", "set_spr", "rsa")}


@pytest.mark.parametrize("kind", [Integer(3, 9), Integers(1, 4), Choice(("a", "b"))])
def test_values_are_of_their_kind_and_differ(kind):
    rng = np.random.default_rng(1)
    values = {drawn(kind, rng, 4) for _ in range(100)}
    assert all(kind.accepts(value) for value in values)
    assert len(values) > 1
    if isinstance(kind, Integer):
        assert values == set(range(3, 10))


def test_a_kind_without_a_range_is_told():
    with pytest.raises(TypeError, match="a key must have a range to draw from"):
        drawn(Text(), np.random.default_rng(1), 4)


@pytest.mark.parametrize("family", families(), ids=str)
def test_a_familys_networks_are_what_their_word_says(family):
    rng = np.random.default_rng(2)
    word, network = draw_network(family, rng, most=16)
    assert network.deadlock_report.deadlock_free
    assert (network.topology.name, network.routing.name) == (family.topology, family.routing)
    assert network.topology.nodes >= 2
    assert Network.from_word(word).parameters == network.parameters
    assert draw_network(family, np.random.default_rng(2), most=16)[0] == word
    traffic, packets = draw_traffic(network, rng, flits=500)
    assert len(packets) > 0
    assert packets.due.sum() <= 1000
    assert traffic.seed == packets.seed


def test_routers_have_no_more_ports_than_asked_for():
    family = Family("wk", "shortest", "deflection")

    def largest(**bound):
        rng = np.random.default_rng(1)
        drawn = [draw_network(family, rng, most=12, **bound)[1] for _ in range(20)]
        return max(len(kind.ports) for network in drawn for kind in network.router_kinds)

    assert largest() > PORTS
    assert largest(ports=PORTS) <= PORTS
    assert largest(ports=5) <= 5


def test_what_is_never_legal_is_given_up(monkeypatch):
    def refuse(*_, **__):
        raise ConfigurationError("no")

    monkeypatch.setattr(draws, "ATTEMPTS", 50)
    rng = np.random.default_rng(1)
    _, network = draw_network(Family("mesh", "dimension_order", "packet"), rng, most=16)
    monkeypatch.setattr(draws, "make_packets", refuse)
    monkeypatch.setattr(draws.Network, "from_texts", refuse)
    with pytest.raises(LookupError, match="mesh/dimension_order/packet: no network of at most"):
        draw_network(Family("mesh", "dimension_order", "packet"), rng, most=16)
    with pytest.raises(LookupError, match="no traffic was drawn"):
        draw_traffic(network, rng, flits=10)

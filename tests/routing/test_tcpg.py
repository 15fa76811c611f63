"""Sections 4 and 5 of the specification."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Network, Tcpg
from knotwork.errors import ConfigurationError
from knotwork.routing import check_deadlock
from knotwork.routing.compiled.compilable import compilable
from knotwork.routing.options import Broadcast
from knotwork.routing.product import factor_by_factor
from knotwork.routing.tcpg import PetersenFirst, by_ttl
from knotwork.routing.walks.broadcasts import broadcast_tree
from knotwork.topology import metrics

SIZES = [
    pytest.param(k, m, marks=[pytest.mark.slow] if k * m > 2 else [])
    for k in (1, 2, 3)
    for m in (1, 2, 3)
]
PROFILES = {
    (1, 1): [1, 5, 13, 15, 6],
    (2, 2): [1, 7, 24, 46, 49, 27, 6],
    (2, 3): [1, 7, 25, 52, 67, 55, 27, 6],
    (3, 3): [1, 7, 26, 58, 86, 88, 61, 27, 6],
}
each_size = pytest.mark.parametrize(("k", "m"), SIZES)
each_rule = pytest.mark.parametrize("rule", ["ttl", "address"])


def way(tcpg, source, destination):
    hops = Network(tcpg).routing.hops(source, destination)
    steps = [f"{tcpg.ports[hop.port]}/{hop.virtual_channel}" for hop in hops[:-1]]
    return steps, [tcpg.label(hop.router) for hop in hops]


def test_the_worked_examples():
    tcpg = Tcpg(k=2, m=3)
    steps, labels = way(tcpg, 0, (2 * 6 + 3) * 10 + 7)
    assert steps == ["S/0", "Pplus/1", "L/0", "L/1", "L/1", "U/0", "U/1"]
    assert labels == [
        *("00.000.0000aa", "00.000.ab00ba", "00.000.abbabb", "00.100.abbabb"),
        *("00.110.abbabb", "00.111.abbabb", "10.111.abbabb", "11.111.abbabb"),
    ]
    steps, labels = way(tcpg, (3 * 6 + 5) * 10 + 2, (1 * 6 + 1) * 10 + 2)
    assert steps == ["R/0", "R/1", "U/1", "U/1"]
    codes = ["10.100", "10.000", "10.001", "11.001", "01.001"]
    assert labels == [f"{code}.aa0abb" for code in codes]


@each_size
def test_which_part_can_do_with_one(k, m):
    class OneInPetersenGraphs(PetersenFirst):
        petersen_classes = 1

    class OneOnRings(PetersenFirst):
        ring_classes = 1

    tcpg, options = Tcpg(k=k, m=m), PetersenFirst.options_class(broadcast="no")
    petersen, rings = (
        check_deadlock(routing(tcpg, options=options))
        for routing in (OneInPetersenGraphs, OneOnRings)
    )
    assert not petersen.deadlock_free
    assert rings.deadlock_free == ((k, m) == (1, 1))


@settings(max_examples=40)
@given(k=st.integers(1, 16), m=st.integers(1, 16), data=st.data())
def test_every_hop_is_nearer_in_any_size(k, m, data):
    tcpg = Tcpg(k=k, m=m)
    source, destination = (data.draw(st.integers(0, tcpg.nodes - 1)) for _ in range(2))
    path = PetersenFirst(tcpg).path(source, destination)
    assert len(path) == tcpg.distance(source, destination) + 1 <= k + m + 3


def paths(tree, source):
    """Way of the copy that each node has."""
    found = {source: [source]}
    for node in np.argsort(tree.arrival).tolist():
        if node != source:
            found[node] = [*found[int(tree.parent[node])], node]
    return found


@each_size
@each_rule
def test_exactly_once_at_its_distance_from_every_source(k, m, rule):
    tcpg = Tcpg(k=k, m=m)
    routing = Network(tcpg, broadcast=rule).routing
    hops = metrics.distances(tcpg.neighbours)
    for source in range(tcpg.nodes):
        tree = broadcast_tree(tcpg, routing.broadcast.rule, routing.parameters, source)
        assert tree.duplicates == 0
        assert tree.arrival.tolist() == hops[source].tolist()
        assert tree.arrival.max() == k + m + 2
        assert tree.label.max() < 1 << routing.broadcast.label_width
        assert tree.label.min() == 0


@pytest.mark.parametrize(("size", "profile"), PROFILES.items(), ids=str)
def test_new_nodes_a_step(size, profile):
    tcpg = Tcpg(k=size[0], m=size[1])
    tree = broadcast_tree(tcpg, by_ttl, Network(tcpg).routing.parameters, 7)
    assert np.bincount(tree.arrival).tolist() == profile


@each_rule
@settings(max_examples=25)
@given(k=st.integers(1, 16), m=st.integers(1, 16), data=st.data())
def test_in_any_size_copies_go_the_way_of_a_unicast(rule, k, m, data):
    tcpg = Tcpg(k=k, m=m)
    routing = Network(tcpg, broadcast=rule).routing
    source, destination = (data.draw(st.integers(0, tcpg.nodes - 1)) for _ in range(2))
    tree = broadcast_tree(tcpg, routing.broadcast.rule, routing.parameters, source)
    assert tree.duplicates == 0
    assert tree.arrival.min() == 0
    assert paths(tree, source)[destination] == routing.path(source, destination)


@pytest.mark.parametrize(
    ("k", "m", "bits"), [(1, 1, 1), (2, 1, 1), (2, 3, 2), (4, 4, 2), (5, 2, 3), (16, 3, 4)]
)
def test_bits_of_the_header(k, m, bits):
    ttl = Network(Tcpg(k=k, m=m)).routing.broadcast
    assert (ttl.name, ttl.label_width, ttl.header_bits) == ("ttl", bits, bits)
    address = Network(Tcpg(k=k, m=m), broadcast="address").routing.broadcast
    assert (address.name, address.label_width, address.header_bits) == ("address", 0, 0)
    assert Network(Tcpg(k=k, m=m), broadcast="no").routing.broadcast is None


@compilable
def late_first(parameters, router, port, channel_class, destination):
    """Unicast with class 1 up to the dateline and 0 after it and off it."""
    output, vc_class = factor_by_factor(parameters, router, port, channel_class, destination)
    return output, 1 - vc_class if output > 3 else vc_class


@compilable
def early_dateline(parameters, router, port, channel_class, label, source, output):
    """Broadcast that is in class 1 at the dateline hop already."""
    sent, vc_class = by_ttl(parameters, router, port, channel_class, label, source, output)
    if sent >= 0 and output > 3:
        ring, size = router // 10, parameters[1]
        here = ring % size
        if output > 5:
            here, size = ring // size, parameters[2]
        if here == (size - 1 if output % 2 else 0):
            vc_class = 1
    return sent, vc_class


class Mixed(PetersenFirst):
    """Conventions that section 5 warns of."""

    @property
    def rule(self):
        return late_first

    @property
    def broadcasts(self):
        return {"ttl": Broadcast("ttl", early_dateline, self.ttl_bits, self.ttl_bits)}


@compilable
def nothing(parameters, router, port, channel_class, destination):
    """Stands for no unicasts: every packet is taken where it is."""
    return 0, 0


def copies_alone(tcpg, kind):
    """Report on the broadcasts of a routing whose packets stay where they are."""
    routing = type("Alone", (kind,), {"rule": property(lambda _: nothing)})(
        tcpg, options=kind.options_class()
    )
    routing.is_trusted = True
    return check_deadlock(routing)


@each_size
def test_two_good_conventions_mixed_are_cyclic(k, m):
    tcpg, options = Tcpg(k=k, m=m), PetersenFirst.options_class
    assert check_deadlock(Mixed(tcpg, options=options(broadcast="no"))).deadlock_free
    for kind in (PetersenFirst, Mixed):
        report = copies_alone(tcpg, kind)
        assert report.deadlock_free
        assert report.dependencies > 0
    both = check_deadlock(Mixed(tcpg, options=options()))
    assert both.deadlock_free == ((k, m) == (1, 1))


def test_defaults_and_refusals_of_options():
    parameters = Network(Tcpg(k=1, m=1)).parameters
    assert parameters["broadcast"] == "ttl"
    assert parameters["max_packet"] == parameters["buffer_depth"] == 16
    assert "max_packet" not in Network(Tcpg(k=1, m=1), broadcast="no").parameters


def test_a_packet_longer_than_a_buffer_is_refused(refused):
    assert refused(lambda: Network(Tcpg(k=1, m=1), max_packet=17, buffer_depth=16)) == (
        "tcpg: buffer_depth must be at least max_packet with broadcast=ttl, 17, not 16"
    )


def test_an_unknown_rule_is_refused():
    with pytest.raises(ConfigurationError, match="broadcast must be one of ttl, address, no"):
        Network(Tcpg(k=1, m=1), broadcast="label")

"""Topologies of a user's that contradict themselves: each is refused in one line."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from helpers.circulant import BACK, FAR, NEXT, PREVIOUS, Circulant
from helpers.random_links import RandomLinks, RandomRouting
from helpers.refusals import refuses
from knotwork import Integer, Network, Routing, Topology, parameter
from knotwork.errors import ConfigurationError
from knotwork.user_defined.checks import RESERVED, require_sound_class, require_sound_topology
from knotwork_sim.traffic.keys import Traffic


def refused(topology):
    with pytest.raises(ConfigurationError) as refusal:
        Network(topology)
    return str(refusal.value)


def with_members(**members):
    """Circulant of 11 nodes with members of its class replaced."""
    return type("Wrong", (Circulant,), members)()


def with_arrays(**changes):
    """Circulant of 11 nodes with entries of its arrays changed: ``{(router, port): value}``."""

    def changed(name):
        def member(self):
            table = getattr(super(type(self), self), name)
            table = np.ones_like(self.neighbours) if table is None else table.copy()
            for place, value in changes[name].items():
                table[place] = value
            return table

        return property(member)

    return with_members(**{name: changed(name) for name in changes})


BACK_FROM = "must lead to a port that leads back, not to port"
ARRAYS = {
    "neighbours must be -1 or in 0..10, not 11": {"neighbours": {(3, NEXT): 11}},
    "neighbours must be -1 or in 0..10, not -2": {"neighbours": {(3, NEXT): -2}},
    "peer_ports must be -1 where neighbours is, not 3": {
        "neighbours": {(3, NEXT): -1}, "peer_ports": {(3, NEXT): 3},
    },
    f"{BACK_FROM} previous of router 5, which leads to router 4, port next": {
        "neighbours": {(3, NEXT): 5}, "peer_ports": {(3, NEXT): PREVIOUS, (4, PREVIOUS): NEXT},
    },
    f"{BACK_FROM} back of router 4, which leads to router 1, port far": {
        "peer_ports": {(3, NEXT): BACK},
    },
    "must lead to a port that leads back, not to router 5, which has none": {
        "neighbours": {(3, NEXT): 5},
    },
    "peer_ports must be -1 or in 0..4, not 5": {"peer_ports": {(3, NEXT): 5}},
    "peer_ports must not be local, its node's, not 0": {"peer_ports": {(3, NEXT): 0}},
    "must lead to another router, not 3": {
        "neighbours": {(3, FAR): 3}, "peer_ports": {(3, FAR): FAR, (6, BACK): FAR},
    },
    "must have no link, because local is the node's, not 5": {
        "neighbours": {(3, 0): 5}, "peer_ports": {(3, 0): 1},
    },
    "attached must be -1 where a link is, not 4": {"attached": {(3, NEXT): 4}},
    "link_latency must be in 1..16, not 17": {"link_latency": {(3, NEXT): 17}},
    "link_latency must be 1 without a link, not 2": {"link_latency": {(3, 0): 2}},
    "link_latency must be that of the way back, not 1": {"link_latency": {(4, PREVIOUS): 2}},
}  # fmt: skip
"""What is said of a port of router 3, by what is changed."""


@pytest.mark.parametrize("text", ARRAYS)
def test_arrays_that_contradict_one_another(text):
    (_, number), *_ = next(iter(ARRAYS[text].values()))
    port = "next" if number == PREVIOUS else Circulant().ports[number]
    assert refused(with_arrays(**ARRAYS[text])) == f"circulant: router 3, port {port}: {text}"


@pytest.mark.parametrize("key", ["length", "rate", "data_width", "routing", "seed", "words"])
def test_a_reserved_key_is_none_of_a_network(key):
    """Else `sweep` would take ``length=4`` for its traffic, and the network keep its default."""
    field = parameter(Integer(1, 9), help="", default=3)
    members = {"name": "odd", "__annotations__": {key: int}, key: field}
    kind = dataclass(frozen=True, kw_only=True)(type("Odd", (Circulant,), members))
    line = f"odd: a key must not have the name of a routing, hardware or traffic key, as {key} has"
    with refuses(line):
        require_sound_class(kind)


def test_all_keys_of_traffic_are_reserved():
    assert set(Traffic.keys()) | {"network", "routing", "router", "name"} == set(RESERVED)


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"name": "a-b"}, "Wrong: name must be letters, digits and _, as circulant is, not 'a-b'"),
        (
            {"name": "mesh"},
            "Wrong: name must not be that of one of Knotwork's networks, as 'mesh' is",
        ),
        ({"nodes": 0}, "circulant: nodes must be an integer in 1..1048576, not 0"),
        ({"nodes": 11.0}, "circulant: nodes must be an integer in 1..1048576, not 11.0"),
        ({"routers": 12}, "circulant: neighbours must be an int32 array of shape (12, 5), routers "
         "by ports, not int32 of shape (11, 5)"),
        ({"address_width": 33}, "circulant: address_width must be an integer in 1..32, not 33"),
        ({"address_width": 3}, "circulant: address(8) must be an integer in 0..7, not 8"),
        ({"ports": ["local"]}, "circulant: ports must be a tuple of names, not ['local']"),
        ({"ports": ("node", "a", "b", "c", "d")}, "circulant: ports must begin with 'local', not "
         "('node',)"),
        ({"ports": ("local", "a", "b", "c", "9")}, "circulant: a port's name must be letters, "
         "digits and _, not '9'"),
        ({"ports": ("local", "a", "b", "b", "d")}, "circulant: a port's name must be unique, not "
         "'b' twice"),
        ({"ports": property(lambda self: 1 / 0)}, "circulant: ports must be computed, not raise "
         "ZeroDivisionError: division by zero"),
        ({"neighbours": None}, "circulant: neighbours must be an int32 array of shape (11, 5), "
         "routers by ports, not None"),
        (
            {"neighbours": property(lambda self: np.zeros((11, 5)))},
            "circulant: neighbours must be an int32 array of shape (11, 5), routers by ports, not "
            "float64 of shape (11, 5)",
        ),
        ({"address": lambda self, node: node // 2}, "circulant: address(1) must be "
         "unique, not 0, as for node 0"),
        ({"address": lambda self, node: str(node)}, "circulant: address(0) must be an integer in "
         "0..15, not '0'"),
        ({"node_at": lambda self, address: address}, "circulant: node_at(11) must be None, by "
         "`address`, not 11"),
        ({"label": lambda self, node: "a"}, "circulant: label(1) must be unique, not 'a', as for "
         "0"),
        ({"label": lambda self, node: "a b"}, "circulant: label(0) must be letters, digits, _ and "
         "., not 'a b'"),
        ({"router_of": lambda self, node: 0}, "circulant: node 1 must have a port of its own, not "
         "local of router 0, as 0"),
        ({"router_of": lambda self, node: 11}, "circulant: router_of(0) must be an integer in "
         "0..10, not 11"),
        ({"node_port": lambda self, node: 1}, "circulant: node_port(0) must be an integer in 0..0, "
         "not 1"),
        ({"local_nodes": np.zeros((11, 1), np.int32)}, "circulant: local_nodes must agree with "
        "router_of and node_port, not differ"),
        ({"local_ports": 65}, "circulant: local_ports must be an integer in 1..64, not 65"),
        ({"local_ports": 2}, "circulant: ports must begin with 'local0', 'local1', not ('local', "
         "'next')"),
        ({"representatives": np.array([11])}, "circulant: representatives must be routers in "
         "0..10, not [11]"),
        ({"routings": (), "is_direct": False}, "circulant: routing must be a class of your own, "
         "not None, where routers have no nodes"),
        ({"routings": (int,)}, "circulant: routing must be a class of Routing, not <class 'int'>"),
    ],
)  # fmt: skip
def test_members_that_are_wrong(members, text):
    assert refused(with_members(**members)) == text


def test_arrays_networks_in_parts_and_keys_without_a_kind():
    def drawn(self):
        return np.random.default_rng().permutation(Circulant(n=11).neighbours)

    topology = with_members(neighbours=property(drawn))
    text = "neighbours must be the same at every access, not different each time"
    assert refused(topology) == f"circulant: {text}"

    def parts(self):
        table = np.full((11, 5), -1, np.int32)
        for first, size in ((0, 5), (5, 6)):
            here = np.arange(size)
            table[first : first + size, NEXT] = first + (here + 1) % size
            table[first : first + size, PREVIOUS] = first + (here - 1) % size
        return table

    assert refused(with_members(neighbours=cached(parts))) == (
        "circulant: router 5 must be reachable from router 0, and is not"
    )

    @dataclass(frozen=True, kw_only=True)
    class Plain(Topology):
        name = "plain"
        n: int = 5

    with pytest.raises(ConfigurationError) as refusal:
        Plain()
    assert str(refusal.value) == (
        "plain: n must be declared by parameter(...), as in n: int = parameter(Integer(2, 64), "
        "help='...')"
    )

    class Empty(Topology):
        name = "empty"
        nodes = 4

    assert refused(Empty()) == "empty: ports must be defined, as a property of Empty"


def cached(function):
    made = cached_property(function)
    made.__set_name__(None, "neighbours")
    return made


def test_one_way_links_may_come_in_elsewhere_but_one_by_one():
    def ahead(self):
        table = np.full((11, 5), -1, np.int32)
        table[:, NEXT] = (np.arange(11) + 1) % 11
        return table

    def into(port):
        return property(lambda self: np.where(ahead(self) < 0, -1, port).astype(np.int32))

    members = {"neighbours": cached(ahead), "is_one_way": True}
    for port in (NEXT, FAR):
        require_sound_topology(with_members(peer_ports=into(port), **members))

    def double(self):
        table = ahead(self)
        table[3, FAR] = 4
        return table

    into_one = property(lambda self: np.where(double(self) < 0, -1, NEXT).astype(np.int32))
    assert refused(
        with_members(**members | {"neighbours": cached(double), "peer_ports": into_one})
    ) == ("circulant: router 4, port next: must receive from one link, not 2")


class Unnamed(Routing):
    @staticmethod
    def rule(parameters, router, port, channel_class, destination):
        return 0, 0


class Ruleless(Routing):
    name = "ruleless"


@pytest.mark.parametrize(
    ("routing", "text"),
    [
        (Unnamed, "Unnamed: name must be letters, digits and _, as shortest is, not None"),
        (
            Ruleless,
            "circulant: routing=ruleless must have a rule, a function of parameters, router, port, "
            "channel_class and destination",
        ),
        (int, "circulant: routing must be a class of Routing, not <class 'int'>"),
    ],
)
def test_classes_that_are_no_routings(routing, text):
    with pytest.raises(ConfigurationError) as refusal:
        Network(Circulant(), routing=routing)
    assert str(refusal.value) == text


@pytest.mark.parametrize("one_way", ["no", "yes"])
@pytest.mark.parametrize("seed", range(5))
def test_sound_topologies_are_taken(one_way, seed):
    topology = RandomLinks(size=9, more=4, one_way=one_way, links_seed=seed)
    require_sound_topology(topology)
    assert Network(topology, routing=RandomRouting).topology is topology


def test_arrays_are_joined_in_the_order_of_their_ports_and_cannot_be_written():
    topology = Network(Circulant()).topology
    with pytest.raises(ValueError, match="read-only"):
        topology.neighbours[0, 1] = 3
    topology = Circulant(n=11)
    assert (topology.peer_ports == [-1, PREVIOUS, BACK, NEXT, FAR]).all()


def test_one_way_links_do_not_deflect_and_nodes_have_ports_of_their_own():
    with pytest.raises(ConfigurationError) as refusal:
        Network(
            RandomLinks(size=6, more=1, one_way="yes"), routing=RandomRouting, router="deflection"
        )
    assert str(refusal.value) == (
        "random_links: router must not be deflection, because links lead one way and the network "
        "is no torus of two dimensions"
    )
    from helpers.networks import Served

    wrong = type("Wrong", (Served,), {"node_port": lambda self, node: 0})()
    assert refused(wrong) == (
        "served: node 1 must have a port of its own, not local0 of router 0, as 0"
    )

"""Rules as tables: what is exported takes every packet the same way, hop by hop."""

import numpy as np
import pytest
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.table_file import export_table

WORDS = [
    *("mesh x=3 y=2", "mesh x=3 y=2 nodes_per_router=2", "torus x=4 y=3", "hypercube n=3"),
    *("moebius n=4 twist=1", "moebius n=4 routing=spr", "ccc n=3", "tcpg k=1 m=1", "rp k=3"),
    *("wk w=3 levels=3", "wk w=3 levels=3 routing=shortest"),
]


@pytest.mark.parametrize("words", WORDS)
def test_a_table_takes_every_packet_the_same_way(words):
    network = Network.from_words(words.split())
    again = Network(network.topology, routing="table", table_file=export_table(network.routing))
    nodes = range(network.topology.nodes)
    assert all(
        again.routing.hops(source, destination) == network.routing.hops(source, destination)
        for source in nodes
        for destination in nodes
    )
    assert again.deadlock_report.deadlock_free


def test_rows_name_an_input_only_where_the_rule_depends_on_it():
    # A hypercube of two dimensions, e-cube: the higher dimension first.
    plain = export_table(Network.from_words(["hypercube", "n=2"]).routing)
    assert plain.text().splitlines()[:4] == [
        "router,destination,port,vc",
        "0,1,dim0,0",
        "0,2,dim1,0",
        "0,3,dim1,0",
    ]
    assert len(plain) == 4 * 3
    # In WK-recursive networks a packet is in class 1 from its top crossing on.
    late = export_table(Network.from_words(["wk", "w=3", "levels=3"]).routing)
    assert late.text().startswith("router,destination,port,vc,input_vc\n")


@pytest.mark.parametrize(
    ("words", "virtual_channels"),
    # Section 6 of the specification on Möbius cubes: one per hop of the diameter.
    [
        *(("moebius n=3 routing=set_spr", 2), ("moebius n=4 twist=1 routing=rsa", 3)),
        pytest.param("moebius n=5 routing=rsa", 4, marks=pytest.mark.slow),
    ],
)
def test_a_routing_of_the_source_is_a_table_with_a_virtual_channel_per_hop(words, virtual_channels):
    network = Network.from_words(words.split())
    again = Network(network.topology, routing="table", table_file=export_table(network.routing))
    assert (again.routing.first_hops() == network.routing.first_hops()).all()
    assert (again.routing.walk_lengths() == network.routing.walk_lengths()).all()
    assert again.virtual_channels == virtual_channels
    assert again.deadlock_report.deadlock_free
    assert not network.deadlock_report.deadlock_free
    for source, destination in np.ndindex(network.routing.first_hops().shape):
        channels = [hop.virtual_channel for hop in again.routing.hops(source, destination)[:-1]]
        assert channels == list(range(len(channels)))[::-1]


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("hypercube n=3 routing=lc1", "have a rule by destination X, not none"),
        ("lcan d=2 u=1 levels=2", "have a rule by destination X, not none"),
        (
            "moebius n=4 routing=spr vc_scheme=escape",
            "give each packet one way X, not an escape class beside it",
        ),
        ("moebius n=4 multicast=yes", "inject packets in class 0 X, not in 0, 1, 2, 3"),
        (
            "mesh x=64 y=64",
            "have at most 8388608 states (router, input port, class, destination) X, not 83886080",
        ),
    ],
)
def test_a_routing_that_no_table_tells_is_refused(words, rule):
    network = Network.from_words(words.split())
    with pytest.raises(ConfigurationError) as refused:
        export_table(network.routing)
    name = f"{network.topology.name}: routing={network.routing.name}"
    assert str(refused.value) == f"{name} must {rule}".replace("X", "to be written as a table")

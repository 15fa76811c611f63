"""Outputs of the flits from an input, and ways of packets: against the paths of all packets."""

import pytest
from helpers.paths import ways_of
from knotwork import Network
from knotwork.output_ways import OutputClass, way_combinations


@pytest.mark.parametrize(
    "word",
    [
        "mesh:x=3,y=3",
        "mesh:x=3,y=3,virtual_channels=4",
        "hypercube:n=3,ways=3",
        "torus:x=5,y=3",
        "wk:w=3,levels=2",
        "ccc:n=3",
    ],
)
def test_ways_that_packets_have_together_are_those_of_the_rule(word):
    """And of packets that have escaped the last of one is theirs."""
    network = Network.from_word(f"{word},routing=adaptive,data_width=8,buffer_depth=4")
    classes, ways = network.routing.classes, ways_of(network)
    for kind in network.router_kinds:
        routers = {r for r, number in enumerate(network.router_number)
                   if network.router_kinds[number] is kind}  # fmt: skip
        for port in kind.ports:
            wanted, escaped = set(), set()
            for (router, input_port, vc), flows in ways[0].items():
                if router not in routers or input_port != port:
                    continue
                for flow, first in flows.items():
                    found = [first] + [
                        other[router, port, vc].get(flow, first) if (router, port, vc) in other
                        else first
                        for other in ways[1:]
                    ]  # fmt: skip
                    one = tuple(OutputClass(t.output_port, t.output_vc % classes) for t in found)
                    if vc % classes:
                        escaped.add(one[-1])
                    else:
                        wanted.add(one)
            together = set(way_combinations(network, kind, port))
            assert wanted <= together
            assert {one[-1] for one in together} == {one[-1] for one in wanted} | escaped
            assert len(together) == len(wanted) + len(escaped - {one[-1] for one in wanted})

from collections import Counter

import numpy as np
import pytest
from knotwork import Network
from knotwork_sim.check.links import LinkLoads
from knotwork_sim.check.simulate import simulate
from knotwork_sim.model.tally import Tally
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets


@pytest.mark.parametrize("word", ["torus:x=4,y=3", "moebius:n=3", "wk:w=3,levels=2"])
def test_loads_are_those_of_the_packets_walked_one_by_one(word):
    network, traffic = Network.from_word(word), Traffic(packets=200, length=(1, 4), rate=0.3)
    result = simulate(network, traffic, engine="model")
    packets, expected = make_packets(network, traffic), Counter()
    for number in range(len(packets)):
        ends = int(packets.source[number]), int(packets.destination[number])
        for hop in network.routing.hops(*ends)[:-1]:
            expected[hop.router, hop.port, hop.virtual_channel] += int(packets.length[number])
    topology = network.topology
    seen = set()
    for row in result.links.table.rows():
        at = row["router"], topology.ports.index(row["port"]), row["virtual_channel"]
        assert row["to"] == topology.neighbours[at[:2]]
        assert row["flits"] == expected[at]
        assert row["utilization"] == pytest.approx(expected[at] / result.cycles, abs=1e-6)
        seen.add(at)
    assert set(expected) <= seen
    assert len(seen) == (topology.neighbours >= 0).sum() * network.routing.virtual_channels
    wires = Counter()
    for (router, port, _), flits in expected.items():
        wires[router, port] += flits
    directions = (topology.neighbours >= 0).sum()
    assert result.links.max == pytest.approx(max(wires.values()) / result.cycles, abs=1e-6)
    assert result.links.mean == pytest.approx(
        sum(wires.values()) / directions / result.cycles, abs=1e-5
    )


def test_loads_of_several_runs_are_added():
    network = Network.from_word("torus:x=3,y=3")
    parts = [simulate(network, Traffic(packets=50, seed=s), engine="model").links for s in (1, 2)]
    total = LinkLoads.sum(parts)
    assert (total.flits == parts[0].flits + parts[1].flits).all()
    assert total.cycles == parts[0].cycles + parts[1].cycles
    assert list(total.as_json()) == ["mean", "max", "channels"]
    assert repr(total).startswith("<LinkLoads of 36 directions: mean 0.")


def test_a_run_without_cycles_or_links_has_no_load():
    network = Network.from_word("hypercube:n=1")
    loads = LinkLoads.of(network, Tally.of(network, 0), 0)
    assert (loads.mean, loads.max) == (0, 0)
    none = LinkLoads(
        **dict.fromkeys(("router", "port", "to", "virtual_channel", "flits"), np.zeros(0, int)),
        ports=("local",),
        cycles=5,
    )
    assert (none.mean, none.max, repr(none)) == (None, None, "<LinkLoads of no links>")

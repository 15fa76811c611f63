from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from helpers.long_links import network_of
from helpers.packet_columns import packets_of
from helpers.refusals import refuses
from knotwork.network import Network
from knotwork_sim.model.run import run_model
from knotwork_sim.sweep import channel_load as module
from knotwork_sim.sweep.channel_load import channel_load, ideal_throughput, zero_load_latency
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.patterns import HOTSPOT_SHARE


def ideal(word, **keys):
    network, traffic = Network.from_word(word), Traffic(**keys)
    return ideal_throughput(network, traffic, channel_load(network, traffic))


def loads_by_paths(network, pattern):
    """Largest channel load in exact numbers, over the paths that `Routing.path` tells."""
    nodes = network.topology.nodes
    loads, hops = defaultdict(Fraction), Fraction(0)
    for source in range(nodes):
        for destination in range(nodes):
            share = pattern(source, destination, nodes)
            if not share:
                continue
            walk = network.routing.hops(source, destination)
            loads["eject", destination] += share
            loads["inject", source] += share
            for hop in walk[:-1]:
                loads[hop.router, hop.port] += share
                hops += share
    return max(loads.values()), hops / nodes


def uniform(source, destination, nodes):
    return Fraction(source != destination, nodes - 1)


def complement(source, destination, nodes):
    return Fraction(source + destination == nodes - 1)


def hotspot(source, destination, nodes):
    share = Fraction(HOTSPOT_SHARE)
    return share * (destination == 0) + (1 - share) * uniform(source, destination, nodes)


@pytest.mark.parametrize("pattern", [uniform, complement, hotspot])
@pytest.mark.parametrize(
    "word",
    ["hypercube:n=4", "moebius:n=4,routing=spr", "ccc:n=2", "wk:w=3,levels=2", "tcpg:k=1,m=1",
     "torus:x=4,y=3", "mesh:x=4,y=4,virtual_channels=4", "rp:k=3"],
)  # fmt: skip
def test_loads_are_those_of_all_paths(word, pattern):
    network = Network.from_word(word)
    largest, hops = loads_by_paths(network, pattern)
    found = channel_load(network, Traffic(traffic=pattern.__name__))
    assert found is not None
    assert found.largest == pytest.approx(float(largest))
    assert found.average_hops == pytest.approx(float(hops))


def test_ideal_throughputs_worked_out_by_hand():
    # Half of a row of a mesh sends half of its packets, and a little more as none goes to itself,
    # over the one link in the row's middle: 4 nodes, 32 of the 63 others.
    assert ideal("mesh:x=8,y=8") == round(63 / (4 * 32), 9)
    # With half a round of credits a link carries half of that, or with two virtual channels all.
    small = "mesh:x=8,y=8,pipeline=2,buffer_depth=2"
    assert ideal(small) == round(63 / (4 * 32 * 2), 9)
    assert ideal(f"{small},virtual_channels=2") == round(63 / (4 * 32), 9)
    # A hypercube's dimension carries 2^(n-1) of the 2^n - 1 others' packets on a link each.
    assert ideal("hypercube:n=4") == 1.0
    # All eight of a dimension's low half meet in the middle of their row, for both directions.
    assert ideal("mesh:x=8,y=8", traffic="complement") == 0.25
    assert ideal("torus:x=8,y=8", traffic="complement") == 0.5
    # Node 0 gets a quarter of all, and as much of the rest as any other.
    assert ideal("hypercube:n=4", traffic="hotspot") == round(1 / (16 / 4 + 3 / 4), 9)


def test_a_node_may_send_to_itself():
    assert ideal("mesh:x=4,y=4", traffic="permutation", permutation="identity") == 1.0


def test_a_random_permutation_is_that_of_the_seed():
    keys = {"traffic": "permutation", "permutation": "random"}
    assert ideal("mesh:x=4,y=4", **keys) == ideal("mesh:x=4,y=4", **keys)
    found = {ideal("mesh:x=4,y=4", seed=seed, **keys) for seed in range(6)}
    assert len(found) > 1


def test_circuits_share_the_wires_and_wait_for_network_cycles():
    # Two levels of two children and one upper: both nodes of a switch send two thirds of their
    # packets by its one wire up, a packet a network cycle of 6 + 16 + 6 clocks.
    found = ideal("lcan:d=2,u=1,levels=2", length=(4, 4))
    assert found == pytest.approx(3 / 4 * 4 / 28)
    # As many uppers as children: the nodes' own links are the narrowest.
    assert ideal("lcan:d=2,u=2,levels=3", length=(2, 4)) == pytest.approx(3 / 34)
    # Of 7 others 1 is on level 0, 2 on level 1 and 4 on level 2: 10 / 7 on average.
    found = ideal("lcan:d=2,u=2,levels=3,cycle=adaptive", length=(2, 4))
    assert found == pytest.approx(3 / (6 * 10 / 7 + 3 + 6))


def test_one_way_use_fills_the_links_where_paths_meet():
    # 4 uppers serve 9 PEs: a network cycle of 3 * 2 + 16 + 3 clocks a packet of each.
    assert ideal("banyan:d=3,u=2,levels=2", length=(4, 4)) == pytest.approx(4 / 9 * 4 / 25)
    # The 8 terminals of 4 PEs' one link down are in each other's way.
    assert ideal("banyan:d=2,u=4,levels=2", length=(2, 4)) == pytest.approx(4 / 16 * 3 / 25)
    # Each PE to the terminal whose digits are its own in reverse, and back: no two paths meet.
    order = ",".join(map(str, [8, 12, 10, 14, 9, 13, 11, 15, 0, 4, 2, 6, 1, 5, 3, 7]))
    keys = {"traffic": "permutation", "permutation": order, "length": (4, 4)}
    found = ideal("banyan:d=2,u=2,levels=3,cycle=adaptive", **keys)
    assert found == pytest.approx(4 / (3 * 3 + 4 + 3))


def test_what_is_too_large_to_walk_is_not_guessed(monkeypatch):
    monkeypatch.setattr(module, "PAIR_LIMIT", 100)
    assert ideal("hypercube:n=4") is None
    assert ideal("hypercube:n=4", traffic="complement") == 1.0
    assert ideal("hypercube:n=4", traffic="neighbour") == 1.0


def test_neighbours_of_nodes_that_are_no_routers_are_refused():
    line = "traffic: neighbour must be used with a network whose routers are nodes, not"
    with refuses(f"{line} lcan_d2_u2_levels2_interconnectcomplete"):
        ideal("lcan:d=2,u=2,levels=2", traffic="neighbour")


def mean_alone(network, length):
    """Mean cycles that the model takes for packets that have the network to themselves."""
    nodes, to = range(network.topology.nodes), network.topology.receivers
    pairs = [(a, b) for a in nodes for b in to(a) if a != b]
    runs = (run_model(network, Traffic(), packets_of(network, [a], b, length)) for a, b in pairs)
    return np.mean([run.clock[-1] for run in runs])


@pytest.mark.parametrize(
    "word",
    ["hypercube:n=3", "moebius:n=3,pipeline=2", "mesh:x=3,y=2,pipeline=2,buffer_depth=2",
     "mesh:x=3,y=2,pipeline=3,buffer_depth=3,virtual_channels=2",
     "moebius:n=3,routing=spr,pipeline=3", "mesh:x=3,y=2,virtual_channels=4",
     "lcan:d=2,u=2,levels=3",
     "lcan:d=2,u=1,levels=2,interconnect=tree,max_packet=5",
     "banyan:d=2,u=3,levels=2,max_packet=5"],
)  # fmt: skip
@pytest.mark.parametrize("length", [1, 4])
def test_it_is_the_mean_over_packets_sent_one_by_one(word, length):
    network, traffic = Network.from_word(word), Traffic(length=(length, length))
    found = zero_load_latency(network, traffic, channel_load(network, traffic))
    assert found == pytest.approx(mean_alone(network, length), abs=1e-4)


def test_lengths_count_by_their_mean():
    network = Network.from_word("lcan:d=2,u=2,levels=2")
    of_range, of_mean = Traffic(length=(1, 7)), Traffic(length=(4, 4))
    load = channel_load(network, of_range)
    assert zero_load_latency(network, of_range, load) == zero_load_latency(network, of_mean, load)


def test_it_is_not_known_where_the_hops_are_not():
    assert zero_load_latency(Network.from_word("hypercube:n=3"), Traffic(), None) is None


@pytest.mark.parametrize("routing", ["updown", "shortest"])
def test_cycles_of_long_links_count(routing):
    links = [(0, 1, 3), (1, 2), (2, 3, 16), (3, 0), (0, 2, 5)]
    network = network_of(links, directed=True, nodes=[1, 2, 0, 1], routing=routing)
    traffic = Traffic(length=(2, 2))
    found = zero_load_latency(network, traffic, channel_load(network, traffic))
    assert found == pytest.approx(mean_alone(network, 2), abs=1e-4)

import numpy as np
from knotwork import Network
from knotwork_sim.traffic.make import make_packets
from quality.mutation.loads import LOADS, traffic_of, vary
from quality.mutation.runs import beats, make_runs


def test_packets_go_to_their_own_node_too_and_some_are_refused():
    network = Network.from_word("mesh:x=3,y=3,data_width=8")
    load = LOADS[1]._replace(packets=40, spoiled=0.2)
    packets = make_packets(network, traffic_of(network, load, 1))
    varied = vary(network, packets, load, 1)
    own = (varied.destination == varied.source).sum()
    refused = varied.refused.sum()
    assert 10 < own < 80
    assert 30 < refused < 120
    expected = [run.expected for run in make_runs(network)]
    assert sum(len(record.refused) for record in expected) > 100
    code = beats(network, varied)[:, 2]
    heads = code[varied.first_flit[:-1]]
    assert set(heads[varied.refused]) <= set(network.topology.unused_addresses)
    assert not set(heads[~varied.refused]) & set(network.topology.unused_addresses)


def test_too_long_packets_are_refused_where_there_is_a_limit():
    network = Network.from_word("wk:w=3,levels=1,data_width=8,buffer_depth=3")
    packets = make_packets(network, traffic_of(network, LOADS[0], 1))
    varied = vary(network, packets, LOADS[0]._replace(spoiled=0.5), 1)
    assert packets.broadcast.any()
    assert (varied.length[varied.broadcast & varied.refused] > 3).all()
    assert (varied.length[varied.broadcast & ~varied.refused] <= 3).all()
    assert (varied.broadcast & varied.refused).any()
    # A unicast may have any length.
    long = ~varied.broadcast & (varied.length > 3)
    assert (long & ~varied.refused).sum() > 5


def test_multicasts_with_a_wrong_chain_or_too_many_beats_are_refused():
    network = Network.from_word("hypercube:n=3,multicast=yes,max_packet=8,data_width=8")
    load = LOADS[8]._replace(spoiled=0.3)
    packets = make_packets(network, traffic_of(network, load, 1))
    varied = vary(network, packets, load, 1)
    assert not packets.refused.any()
    assert (varied.refused <= varied.multicast).all()
    refused = np.flatnonzero(varied.refused).tolist()
    assert 0.2 < len(refused) / varied.multicast.sum() < 0.4
    long = [number for number in refused if varied.length[number] > 8]
    wrong = [number for number in refused if varied.chains[number] != packets.chains[number]]
    assert sorted(long + wrong) == refused
    assert min(len(long), len(wrong)) > 10
    chains = [varied.chains[number] for number in wrong]
    repeated = [chain for chain in chains if len(set(chain)) < len(chain)]
    own = [n for n in wrong if network.topology.address(int(varied.source[n])) in varied.chains[n]]
    assert len(repeated) + len(own) == len(wrong)
    assert min(len(repeated), len(own)) > 5


def test_long_chains_name_more_than_half_as_many_nodes_as_they_can():
    network = Network.from_word("hypercube:n=3,multicast=yes,max_packet=8,data_width=8")
    load = next(load for load in LOADS if load.long_chains)
    packets = make_packets(network, traffic_of(network, load, 1))
    assert {len(chain) for chain in packets.chains.values()} == {4, 5, 6}  # and 2 flits of data

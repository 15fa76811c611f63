import subprocess
import sys

import knotwork_sim
import pytest
from knotwork import Hypercube, Mesh, Network
from knotwork.errors import ConfigurationError
from knotwork_sim import simulate
from knotwork_sim.check import simulate as core
from knotwork_sim.check.from_python import network_of, traffic_of
from knotwork_sim.traffic.keys import Traffic


def test_a_network_is_given_in_three_ways():
    named = network_of("mesh:x=3,y=2")
    assert named.parameters == network_of(Mesh(x=3, y=2)).parameters
    assert network_of(named) is named
    with pytest.raises(ConfigurationError, match="a network must be a Network, a Topology or a "):
        network_of(3)


def test_traffic_is_a_pattern_and_keys_or_all_of_it():
    whole = Traffic(traffic="permutation", permutation="1,0,3,2", length=(1, 4), rate=0.5)
    keys = {"permutation": [1, 0, 3, 2], "length": (1, 4), "rate": 0.5}
    assert traffic_of("permutation", keys) == whole
    assert traffic_of(whole, {}) is whole
    assert traffic_of(None, {"length": 4, "rate": 1}) == Traffic(length=(4, 4), rate=1.0)
    assert traffic_of(None, {"length": "1-4"}) == Traffic(length=(1, 4))
    with pytest.raises(ConfigurationError, match="not beside it: rate"):
        traffic_of(whole, {"rate": 0.1})
    with pytest.raises(ConfigurationError, match="rate must be a number in "):
        traffic_of(None, {"rate": 2})
    with pytest.raises(ConfigurationError, match="traffic: a key must be one of "):
        traffic_of(None, {"rat": 2})


def test_the_answer_is_that_of_the_command():
    network, traffic = Network(Hypercube(n=3)), Traffic(rate=0.2, packets=100, seed=3)
    expected = core.simulate(network, traffic, engine="model")
    assert simulate("hypercube:n=3", rate=0.2, packets=100, seed=3, engine="model") == expected
    assert simulate(Hypercube(n=3), traffic, engine="model") == expected


def test_packets_of_ones_own_are_taken():
    def one_way(network):
        return [(cycle, 0, network.topology.nodes - 1, 2) for cycle in range(0, 40, 10)]

    result = simulate("hypercube:n=2", one_way, engine="model")
    rows = result.packets.rows()
    assert [(row["source"], row["destination"], row["offered"]) for row in rows] == [
        (0, 3, cycle) for cycle in range(0, 40, 10)
    ]
    assert {row["latency"] for row in rows} == {7}  # two cycles at three routers, a second flit


def test_runs_are_repeated():
    result = simulate("hypercube:n=2", packets=20, repeat=3, engine="model")
    assert (result.repeat, result.delivered, result.packets) == (3, 60, None)
    assert sum(result.latency_histogram.counts) == 60
    with pytest.raises(
        ConfigurationError, match="repeat must not be used with trace_file or rounds"
    ):
        simulate("hypercube:n=2", repeat=3, trace_file="a.vcd")


def test_a_data_frame_has_a_row_for_each_packet():
    pytest.importorskip("pandas")
    result = simulate("hypercube:n=3", packets=50, length=(1, 4), engine="model")
    frame = result.to_pandas()
    assert len(frame) == 50
    assert frame.latency.mean() == pytest.approx(result.latency.mean, abs=1e-3)
    assert (frame.latency == frame.ejected - frame.offered).all()
    links = result.links.table.to_pandas()
    assert links.flits.sum() == (frame.hops * frame.length).sum()


def test_names_are_loaded_when_they_are_used():
    code = (
        "import sys, knotwork_sim\n"
        "assert not {'numpy', 'numba', 'knotwork_sim.check'} & set(sys.modules)\n"
        "assert {'simulate', 'sweep'} <= set(dir(knotwork_sim))\n"
        "from knotwork_sim import simulate"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="has no attribute 'simulat'"):
        knotwork_sim.simulat  # noqa: B018

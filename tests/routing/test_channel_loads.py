"""Loads of channels under rates that a user gives."""

import numpy as np
import pytest
from knotwork import Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork.routing.channel_loads import channel_loads


def test_a_cube_is_loaded_evenly():
    """Eight nodes, 12 / 7 hops each, on 24 channels."""
    loads = Network(Hypercube(n=3)).channel_loads()
    assert loads.shape == (8, 4)
    assert loads[:, 1:] == pytest.approx(12 / 7 * 8 / 24)
    assert not loads[:, 0].any()


def test_rates_load_the_path_of_their_pair_alone():
    network = Network.from_word("mesh:x=3,y=1")
    rates = np.zeros((3, 3))
    rates[0, 2] = 0.25
    loads = network.channel_loads(rates)
    used = [(int(r), int(network.topology.neighbours[r, p])) for r, p in np.argwhere(loads)]
    assert used == [(0, 1), (1, 2)]
    assert set(loads[loads > 0]) == {0.25}
    assert channel_loads(network.routing, rates.tolist()) == pytest.approx(loads)


def test_what_has_no_one_path_or_no_rates_is_refused():
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_word("lcan:d=2,u=2,levels=2").channel_loads()
    text = "lcan: channel_loads must have a network whose packets have one path each"
    assert str(refusal.value) == text
    cube = Network(Hypercube(n=1))
    for rates in ([[0, 1]], [[0, -1], [1, 0]], [[0, np.nan], [1, 0]]):
        with pytest.raises(ConfigurationError) as refusal:
            cube.channel_loads(rates)
        assert str(refusal.value) == (
            "hypercube: the rates of channel_loads must be 2 rows of 2 numbers of 0 or more"
        )
    with pytest.raises(ConfigurationError) as refusal:
        cube.channel_loads(3)
    assert str(refusal.value) == (
        "hypercube: the traffic of channel_loads must be a matrix of rates, or rows of "
        "destinations and shares, not 3"
    )
    for traffic in ([[0, 1], [1]], [[0, np.inf], [1, 0]], [[0, "a"], [1, 0]]):
        with pytest.raises(ConfigurationError, match="2 rows of 2 numbers of 0 or more"):
            cube.channel_loads(traffic)
    with pytest.raises(ConfigurationError, match="destinations and shares, not 'uniform'"):
        cube.channel_loads("uniform")


def test_nodes_send_only_within_their_class():
    """Two nodes at each of two routers, each sending a flit to the one other of its class."""
    loads = Network.from_word("mesh:x=2,y=1,classes=2,buffer_depth=4").channel_loads()
    assert sorted(loads[loads > 0]) == [2.0, 2.0]

"""What the form offers: every network of the registry, with the keys and ranges of the commands."""

import pytest
from knotwork import Network
from knotwork.routing import routings_of
from knotwork.topology import TOPOLOGIES
from knotwork_sim.studio.form import LARGEST, form, starting_values


@pytest.fixture(scope="module")
def told():
    return form({})


def test_all_networks_are_there_with_their_routings(told):
    assert [network["name"] for network in told["networks"]] == list(TOPOLOGIES)
    for network in told["networks"]:
        offered = [routing["name"] for routing in network["routings"]]
        assert set(routings_of(network["name"])) - {"table"} <= set(offered)
        assert "table" not in offered  # which must be given a file


def test_keys_have_their_ranges(told):
    ring = next(network for network in told["networks"] if network["name"] == "ring")
    places = ring["routings"][0]["keys"]["packet"]
    keys = {told["keys"][place]["key"]: told["keys"][place] for place in places}
    assert (keys["n"]["low"], keys["n"]["high"], keys["n"]["required"]) == (2, 4096, True)
    assert keys["directions"]["words"] == ["two", "one"]
    assert keys["data_width"]["default"] == 32
    assert not {"routing", "router", "table_file"} & set(keys)


def test_only_the_graph_is_drawn(told):
    assert [network["name"] for network in told["networks"] if network["drawn"]] == ["graph"]


@pytest.mark.parametrize("name", [name for name in TOPOLOGIES if name != "graph"])
def test_the_form_begins_with_a_network_that_can_be_built(name):
    words = [f"{key}={value}" for key, value in starting_values(TOPOLOGIES[name]).items()]
    assert Network.from_words([name, *words]).topology.nodes <= LARGEST

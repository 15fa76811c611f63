import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_sim.datasheet.running import running
from knotwork_sim.live.module import live_module


def test_a_page_has_the_module_and_what_runs_the_same_load():
    network = Network.from_words(["hypercube", "n=2"])
    told = running(network, "hypercube n=2")
    live = live_module(network)
    assert told == {
        "command": "knotwork simulate hypercube n=2",
        "module": live.packed,
        "description": live.description,
    }


def test_what_cannot_be_live_is_not_in_a_page():
    with pytest.raises(ConfigurationError, match="live: hypercube_n3_lc1 must take packets"):
        running(Network.from_words(["hypercube", "n=3", "routing=lc1"]), "")

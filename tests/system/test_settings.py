"""Keys of a whole system."""

from knotwork.routing.network_keys import all_network_keys
from knotwork.system import SystemParameters
from knotwork.topology import TOPOLOGIES


def test_no_network_has_a_key_of_the_same_name():
    for name in TOPOLOGIES:
        assert not set(SystemParameters.keys()) & set(all_network_keys(name))

"""Router classes that the self-test knows; one line per class."""

from knotwork.network import Network

from .batch import BatchSelfTest
from .circuit import CircuitSelfTest
from .deflection import DeflectionSelfTest
from .packet import PacketSelfTest
from .router_self_test import RouterSelfTest

SELF_TESTS: dict[str, RouterSelfTest] = {
    "packet": PacketSelfTest(),
    "circuit": CircuitSelfTest(),
    "batch": BatchSelfTest(),
    "deflection": DeflectionSelfTest(),
}
"""Self-test by router class."""


def self_test_of(network: Network) -> RouterSelfTest:
    """Entry of the network's router class."""
    return SELF_TESTS[network.router_class]

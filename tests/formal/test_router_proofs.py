"""What a router class gives to be proven, unless it says otherwise."""

from helpers.counter import harness
from knotwork import Network
from knotwork.formal.property import RouterProofs


class Plain(RouterProofs):
    """A router class that says nothing more."""

    def __init__(self):
        self.made = []

    def harness(self, network, kind):
        self.made.append(kind)
        one = harness()
        one.rtlil("used")
        return one

    def properties(self, network, kind):
        return ()


def test_a_class_that_says_no_more_lacks_nothing_and_has_routers_only():
    plain, network = Plain(), Network.from_word("hypercube:n=2")
    assert plain.unmet_requirement(network) is None
    assert plain.parts(network) == ()


def test_unless_a_class_says_more_its_harness_is_all_that_is_known():
    plain, network = Plain(), Network.from_word("hypercube:n=2")
    plain.reachable_harness(network, network.router_kinds[0])
    assert plain.made == [network.router_kinds[0]]

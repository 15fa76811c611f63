import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.routing.collectives import Collective
from knotwork_sim.collectives import copies
from knotwork_sim.collectives.unicasts import Goal
from knotwork_sim.traffic.keys import Traffic


def goal(kind, members, length, receivers=None, root=0):
    return Goal(kind, tuple(members), root, tuple(receivers or members), length)


def refusal(require, word, wanted):
    with pytest.raises(ConfigurationError) as refused:
        require(Network.from_word(word), wanted)
    return str(refused.value)


def test_a_relay_sends_copies_on():
    network = Network.from_word("hypercube:n=3,multicast=yes")
    wanted = goal(Collective.MULTICAST, range(8), 8, receivers=(1,))
    copies.require_relay(network, wanted)
    (one,) = copies.relay_cycles(network, wanted, Traffic()).values()
    more = goal(Collective.MULTICAST, range(8), 8, receivers=(1, 2, 3, 4, 5, 6, 7))
    (found,) = copies.relay_cycles(network, more, Traffic()).values()
    # rounds double the nodes that have it: 3 of them for 7, none shorter than its 8 flits
    assert 8 < one < found
    assert found >= 3 * 8


def test_a_vector_longer_than_a_packet_is_several():
    network = Network.from_word("hypercube:n=3,multicast=yes")
    limit = network.longest_copied_packet - 2
    times = [
        copies.relay_cycles(
            network, goal(Collective.MULTICAST, range(8), length, receivers=(1, 2)), Traffic()
        )["relay"]
        for length in (limit, 4 * limit)
    ]
    assert times[1] >= times[0] + 3 * limit


def test_routers_copy_broadcasts():
    network = Network.from_word("wk:w=3,levels=2")
    wanted = goal(Collective.BROADCAST, range(9), 12)
    copies.require_broadcast(network, wanted)
    found = copies.broadcast_cycles(network, wanted, Traffic())["routers"]
    assert 12 + 2 * network.topology.diameter < found < 8 * 12  # that of unicasts
    slow = copies.broadcast_cycles(network, wanted, Traffic(bubble=0.5, stall=0.5))["routers"]
    assert slow > found


def test_networks_that_copy_nothing_are_refused():
    assert refusal(
        copies.require_relay, "hypercube:n=3,name=net", goal(Collective.BROADCAST, range(8), 4)
    ) == ("net: --against relay must be used with multicast=yes, not without")
    assert (
        refusal(copies.require_relay, "hypercube:n=3", goal(Collective.GATHER, range(8), 4))
        == "collective: --against relay must be used with broadcast or multicast, not with gather"
    )
    assert refusal(
        copies.require_relay,
        "hypercube:n=3,multicast=yes,buffer_depth=4,name=net",
        goal(Collective.BROADCAST, range(8), 4),
    ) == (
        "net: --against relay must be used with at most 3 receivers, as buffer_depth and "
        "max_packet allow, not 7"
    )
    assert refusal(
        copies.require_broadcast, "mesh:x=2,y=2,name=net", goal(Collective.BROADCAST, range(4), 4)
    ) == (
        "net: --against broadcast must be used with a network whose routers copy broadcasts, as wk "
        "or tcpg"
    )
    assert (
        refusal(
            copies.require_broadcast,
            "wk:w=3,levels=2",
            goal(Collective.MULTICAST, range(9), 4),
        )
        == "collective: --against broadcast must be used with broadcast, not with multicast"
    )

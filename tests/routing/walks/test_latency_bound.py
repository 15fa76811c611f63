"""Bounds of the latency, by hand; that simulations keep them is in tests/sim/check."""

from fractions import Fraction

import pytest
from helpers.long_links import network_of
from knotwork import Mesh, Network, Torus
from knotwork.parameters import Limit
from knotwork.routing.walks.latency_bound import LatencyBound, latency_bound


def bound(network, rate, burst=1, depth=64, **keys):
    return latency_bound(network.routing, Limit(Fraction(rate), burst), depth=depth, **keys)


def test_two_nodes_by_hand():
    """Each router has at most a flit of both nodes at once: one of them waits for a cycle.

    A path has two routers, two cycles each: 2 * (2 + 1). A buffer then holds one flit, or one more
    while a second one comes, and four places are on the way.
    """
    found = bound(Network(Mesh(x=2, y=1)), "1/256")
    assert found == LatencyBound(cycles=6, reason=None, buffer_depth=6)


def test_a_cycle_of_the_crossbar_adds_one_per_hop_and_one_to_a_round():
    """As above, with a cycle more on the link between the two routers, and on the way."""
    found = bound(Network(Mesh(x=2, y=1)), "1/256", cycles_per_hop=3)
    assert found == LatencyBound(cycles=7, reason=None, buffer_depth=7)


def test_bursts_of_two_nodes_by_hand():
    """Four flits at once: floor(4 / (1 - 2 / 100)) = 4 cycles, three of them waiting, then more.

    The second router gets what has waited before it: 2 + 3 / 100 flits of the other node, which is
    still 4 at once. So 2 * (2 + 3), and the second flit of the packet one cycle later.
    """
    assert bound(Network(Mesh(x=2, y=1)), "1/100", 2).cycles == 11


def test_grows_with_rate_burst_and_size():
    four = Network(Mesh(x=4, y=4))
    found = [bound(four, rate).cycles for rate in ("1/250", "1/150", "1/100")]
    assert found == sorted(found)
    assert bound(four, "1/200", 2).cycles > bound(four, "1/200").cycles
    assert bound(four, "1/200").cycles > bound(Network(Mesh(x=3, y=3)), "1/200").cycles


@pytest.mark.parametrize(
    ("network", "limit", "reason"),
    [
        (Network(Mesh(x=4, y=4)), None, "nothing limits what the nodes send"),
        (Network(Mesh(x=17, y=16)), (1, 1), "bounds are computed up to 256 nodes"),
        (network_of([(0, 1, 5), (1, 2)]), (1, 1), "bounds are for links that take one cycle"),
        (
            Network(Torus(x=5, y=4)), ("1/200", 2),
            "with several virtual channels of a class, bounds are for packets of one flit",
        ),
        (Network.from_word("wk:w=3,levels=1"), (1, 1), "bounds are for packets to one node"),
        (Network(Mesh(x=4, y=4)), ("1/16", 1), "the nodes send too much for a bound"),
        (Network(Mesh(x=4, y=4)), ("1/50", 1), "the nodes send too much for a bound"),
    ],
)  # fmt: skip
def test_says_why_there_is_none(network, limit, reason):
    known = None if limit is None else Limit(Fraction(limit[0]), limit[1])
    assert latency_bound(network.routing, known, depth=64) == LatencyBound(reason=reason)


def test_a_buffer_must_hold_what_gathers():
    network = Network(Mesh(x=4, y=4))
    needed = bound(network, "1/200").buffer_depth
    assert bound(network, "1/200", depth=needed).cycles is not None
    assert bound(network, "1/200", depth=needed - 1) == LatencyBound(
        reason=f"buffer_depth must be at least {needed} for a bound, not {needed - 1}",
        buffer_depth=needed,
    )

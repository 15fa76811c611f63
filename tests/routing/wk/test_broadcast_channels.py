"""Classes and keys of WK-recursive broadcasts: section 5.3 of their specification."""

from collections import deque
from functools import cache

import numpy as np
import pytest
import rustworkx as rx
from helpers.literal_wk import broadcast, corner_level, nodes_of
from knotwork import Network, WkRecursive
from knotwork.errors import ConfigurationError
from knotwork.routing import check_deadlock, routings_of
from knotwork.routing.walks.broadcasts import walk_broadcasts
from knotwork.routing.wk.digits import RuleNumbers
from knotwork.topology import LOCAL


@cache
def made(w, levels, **keys):
    return Network(WkRecursive(w=w, levels=levels), **keys)


def copies_of(network, rule, source):
    """Copies of a broadcast by calls of the rule: ``(router, sender, class, label)``."""
    topology, parameters = network.topology, network.routing.parameters
    function, queue = network.routing.broadcasts[rule].rule, deque([(source, LOCAL, 0, 0)])
    while queue:
        router, port, vc_class, label = queue.popleft()
        for output in range(1, len(topology.ports)):
            sent, out_class = function(parameters, router, port, vc_class, label, source, output)
            if sent < 0:
                continue
            far = int(topology.neighbours[router, output])
            assert far >= 0  # none by the free link, even if asked
            peer = int(topology.peer_ports[router, output])
            yield far, router, int(out_class), int(sent)
            queue.append((far, peer, int(out_class), int(sent)))


@pytest.mark.parametrize(("w", "levels"), [(2, 4), (3, 3), (4, 2), (5, 2), (3, 1)])
@pytest.mark.parametrize("channels", [None, 1, 2])
def test_the_class_of_a_copy_is_the_highest_level_crossed(w, levels, channels):
    network = made(w, levels, broadcast="label", virtual_channels=channels)
    last = network.routing.classes - 1
    for source, node in enumerate(nodes_of(w, levels)):
        highest = {
            (int(reached, w), int(sender, w), min(m, last))
            for reached, sender, _, m, _ in broadcast(node, w)
        }
        rules = ["label", "address", "mask", "stack"]
        for rule in [*rules, *(["corner"] if corner_level(node) == levels else [])]:
            found = [copy[:3] for copy in copies_of(network, rule, source)]
            assert len(found) == w**levels - 1
            assert set(found) == highest


@pytest.mark.parametrize(("w", "levels"), [(2, 4), (3, 3), (4, 2)])
@pytest.mark.parametrize("channels", [None, 1, 2])
def test_from_one_input_a_link_is_left_to_in_one_class(w, levels, channels):
    routing = made(w, levels, broadcast="mask", virtual_channels=channels).routing
    for turns in routing.walks.broadcast_turns:
        assert len({turn[:3] for turn in turns}) == len(turns)


def dependence_graph(routing):
    """Graph of the channels of broadcasts alone."""
    neighbours = routing.topology.neighbours
    routers, ports = neighbours.shape
    classes, groups = routing.classes, int(routing.router_groups.max()) + 1
    marks = np.zeros((routers * ports * classes, ports, classes), np.bool_)
    turns = np.zeros((groups, ports, classes, ports, classes), np.bool_)
    walk_broadcasts(routing, routing.router_groups, marks, turns, np.arange(routers))
    graph = rx.PyDiGraph()
    graph.add_nodes_from(range(len(marks)))
    for holder, output, vc_class in np.argwhere(marks).tolist():
        reached = int(neighbours.flat[holder // classes])
        graph.add_edge(holder, (reached * ports + output) * classes + vc_class, None)
    return graph


@pytest.mark.parametrize(
    ("w", "levels"), [(3, 2), (4, 2), (5, 2), (3, 3), (4, 3), (5, 3), (3, 4), (4, 4)]
)
def test_a_class_a_level_and_no_fewer_keeps_broadcasts_free(w, levels):
    for channels in range(1, levels + 1):
        routing = made(w, levels, broadcast="label", virtual_channels=channels).routing
        assert RuleNumbers(*routing.parameters).last_broadcast_class == channels - 1
        free = rx.is_directed_acyclic_graph(dependence_graph(routing))
        assert free == (channels == levels)


@pytest.mark.parametrize("levels", range(1, 6))
def test_on_a_line_broadcasts_are_always_free(levels):
    routing = made(2, levels, broadcast="label", virtual_channels=1).routing
    assert rx.is_directed_acyclic_graph(dependence_graph(routing))


@pytest.mark.parametrize("routing", routings_of("wk"))
@pytest.mark.parametrize("rule", ["label", "address", "mask"])
@pytest.mark.parametrize(("w", "levels"), [(3, 2), (4, 2), (3, 3), (4, 3), (3, 4), (2, 4)])
def test_broadcasts_and_packets_together_are_free(w, levels, rule, routing):
    assert check_deadlock(made(w, levels, broadcast=rule, routing=routing).routing).deadlock_free


@pytest.mark.parametrize("rule", ["label", "address", "mask"])
def test_with_fewer_channels_the_check_finds_a_ring(rule):
    network = made(3, 3, broadcast=rule, virtual_channels=2)
    report = check_deadlock(network.routing)
    assert not report.deadlock_free
    ends = [(channel[0], channel[1]) for channel in report.cycle]
    assert all(a[1] == b[0] for a, b in zip(ends, [*ends[1:], ends[0]], strict=True))
    assert check_deadlock(made(3, 3, broadcast="no", virtual_channels=2).routing).deadlock_free


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("", {"broadcast": "label", "max_packet": 16}),
        ("broadcast=mask buffer_depth=4", {"broadcast": "mask", "max_packet": 4}),
        ("broadcast=address max_packet=9", {"broadcast": "address", "max_packet": 9}),
        ("max_packet=4 buffer_depth=4", {"broadcast": "label", "max_packet": 4}),
        ("broadcast=no", {"broadcast": "no"}),
    ],
)
def test_keys_of_broadcasts(words, options):
    network = Network.from_words(["wk", "w=3", "levels=2", *words.split()])
    found = {key: network.parameters.get(key) for key in ("broadcast", "max_packet")}
    assert {key: value for key, value in found.items() if value is not None} == options
    chosen = network.routing.broadcast
    assert (chosen.name if chosen else "no") == options["broadcast"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            "levels=3 max_packet=17",
            "wk: buffer_depth must be at least max_packet with broadcast=label, 17, not 16",
        ),
        (
            "levels=3 broadcast=mask max_packet=5 buffer_depth=4",
            "wk: buffer_depth must be at least max_packet with broadcast=mask, 5, not 4",
        ),
        (
            "levels=3 broadcast=no max_packet=5",
            "wk: max_packet must go with a broadcast, because other packets have any length, "
            "not 5 with broadcast=no",
        ),
        (
            "levels=9",
            "wk: levels must be at most 8 with broadcast=label, one virtual channel per level, not "
            "9; more need broadcast=no",
        ),
        (
            "levels=3 broadcast=corner",
            "routing: broadcast must be one of label, address, mask, stack, no, not 'corner'",
        ),
        ("levels=3 max_packet=0", "routing: max_packet must be an integer in 1..1024, not 0"),
    ],
)
def test_what_no_buffer_or_channel_is_for_is_refused(words, complaint):
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words(["wk", "w=2", *words.split()])
    assert str(refusal.value) == complaint

"""What each step of a schedule highlights, held to the links and to the permutation."""

import numpy as np
import pytest
from knotwork import CubeConnectedCycles, FatTree, Hypercube, Lcan, Network
from knotwork.drawing.highlights import DESTINATION, SOURCE
from knotwork.drawing.links import box_of
from knotwork.drawing.panels.steps import highlight_steps

CIRCUITS = [
    Lcan(d=2, u=2, levels=3),
    Lcan(d=4, u=2, levels=2),
    FatTree(r=(3, 2, 2), u=(2, 3, 1)),
    Lcan(d=4, u=2, levels=3, interconnect="tree"),
]


def node_of(topology, label):
    return [topology.label(node) for node in range(topology.nodes)].index(label)


def steps_of(topology, routing, sources, destinations):
    made = Network(topology, routing=routing).routing.frames(sources, destinations)
    return highlight_steps(topology, made)


@pytest.mark.parametrize("topology", CIRCUITS, ids=lambda topology: topology.instance_name)
def test_circuits_of_a_step_lead_from_node_to_node_and_share_no_channel(topology):
    rng = np.random.default_rng(3)
    sources, destinations = rng.integers(topology.nodes, size=(2, topology.nodes))
    found = []
    steps = steps_of(topology, "scheduled", sources, destinations)
    for number, step in enumerate(steps, start=1):
        ways = {}
        for arrow in step.arrows:
            ways.setdefault((arrow.tooltip, arrow.colour), []).append(arrow)
        channels = [(arrow.router, arrow.port) for arrow in step.arrows]
        assert len(set(channels)) == len(channels)
        count = f"{len(ways)} circuit{'s' * (len(ways) != 1)}"
        assert step.title == f"network cycle {number} of {len(steps)}: {count}"
        for (text, _), arrows in ways.items():
            source, destination = (node_of(topology, word) for word in text.split(" to "))
            found.append((source, destination))
            assert arrows[0].router == box_of(topology, source)
            assert [a.after for a in arrows[:-1]] == [a.router for a in arrows[1:]]
            assert arrows[-1].after == box_of(topology, destination)
            assert [arrow.badge for arrow in arrows] == [
                *[""] * (len(arrows) - 1),
                topology.label(source),
            ]
            for arrow in arrows[1:-1]:  # each over a wire that there is
                assert topology.neighbours[arrow.router, arrow.port] == arrow.after
            last = arrows[-1]
            assert topology.attached[last.router, last.port] == destination
            assert step.parts[box_of(topology, destination)] == DESTINATION
            assert step.parts[box_of(topology, source)] in (SOURCE, DESTINATION)
    assert sorted(found) == sorted(zip(sources.tolist(), destinations.tolist(), strict=True))


BATCHES = [(Hypercube(n=4), "lc1", 7), (CubeConnectedCycles(n=4), "lc2", 20)]


@pytest.mark.parametrize(("topology", "routing", "count"), BATCHES)
def test_packets_of_a_batch_move_over_links_to_their_nodes(topology, routing, count):
    nodes = np.arange(16)
    destinations = np.array([int(f"{i:04b}"[::-1], 2) for i in nodes])  # reversal
    steps = steps_of(topology, routing, nodes, destinations)
    assert len(steps) == count
    place = nodes.copy()
    for number, step in enumerate(steps, start=1):
        moved = {arrow.tooltip for arrow in step.arrows}
        says = f"{len(moved)} packet{'s' * (len(moved) != 1)} moved"
        assert step.title == f"step {number} of {count}: {says}"
        at = place.copy()
        for arrow in step.arrows:
            source = node_of(topology, arrow.tooltip.split(" to ")[0])
            assert at[source] == arrow.router  # it goes on where it was
            assert topology.neighbours[arrow.router, arrow.port] == arrow.after
            at[source] = arrow.after
            assert arrow.colour == 1 + source
            assert arrow.badge in ("", topology.label(int(destinations[source])))
        place = at
        assert sorted(place.tolist()) == nodes.tolist()
        home = {int(place[s]) for s in nodes if place[s] == destinations[s]}
        assert step.parts == dict.fromkeys(home, DESTINATION)
    assert (place == destinations).all()


def test_messages_take_the_steps_of_several_batches():
    topology = Hypercube(n=3)
    sources, destinations = np.array([1, 1, 6]), np.array([4, 2, 3])
    steps = steps_of(topology, "lc1", sources, destinations)
    assert len(steps) == 2 * 5
    assert steps[0].title.startswith("batch 1 of 2, step 1 of 5: ")
    shown = {arrow.tooltip for step in steps for arrow in step.arrows}
    assert shown == {"001 to 100", "001 to 010", "110 to 011"}
    assert sorted(steps[4].parts) == [3, 4]
    assert sorted(steps[9].parts) == [2]

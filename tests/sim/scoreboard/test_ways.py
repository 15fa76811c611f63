"""Ways of packets by the rule, in words, and what goes to a simulator of a network."""

import pickle
import subprocess
import sys

import pytest
from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Network
from knotwork_sim.scoreboard.expected import Expected
from knotwork_sim.scoreboard.mismatch import detour_text, route_text
from knotwork_sim.scoreboard.network_facts import Kind, NetworkFacts


def packet_in(words, source, nodes, **kind):
    facts = NetworkFacts.of(Network.from_words(words.split()))
    return facts, Expected(facts).add(source, nodes, bytes(16), **kind)


@pytest.mark.parametrize(
    ("words", "nodes", "kind", "way"),
    [
        # The highest dimension first.
        ("hypercube n=3", (3,), {}, "000 -dim1-> 010 -dim0-> 011 -local-> node 3"),
        ("hypercube n=3", (0,), {}, "000 -local-> node 0"),
        # The way of a batch's packet depends on all others, which are not known.
        ("ccc n=3 routing=lc2", (3,), {}, ""),
        # Of the four in the chain the source gives the third those after it.
        (
            "hypercube n=3 multicast=yes",
            (3, 5, 6, 7),
            {"kind": Kind.MULTICAST},
            "000 -dim2-> 100 -dim1-> 110 -local-> node 6 110 -dim0-> 111 -local-> node 7",
        ),
        # Two cliques of four, joined by the link of 03 and 30.
        (
            "wk w=4 levels=2",
            tuple(range(1, 16)),
            {"kind": Kind.BROADCAST},
            "00 -digit3-> 03 -digit3-> 30 -digit3-> 33 -local-> node 15",
        ),
        (
            "wk w=3 levels=1 nodes_per_router=2 classes=2",
            tuple(range(1, 6)),
            {"kind": Kind.BROADCAST},
            "0 -digit2-> 2 -local1-> node 5",
        ),
    ],
)
def test_the_way_to_the_last_of_its_nodes(words, nodes, kind, way):
    facts, packet = packet_in(words, 0, nodes, **kind)
    assert route_text(facts, packet, nodes[-1]) == way


@pytest.fixture
def batches():
    """Two batches on a square of lc1, each by a permutation: complement, then a dimension."""
    expected = Expected(NetworkFacts.of(Network.from_word("hypercube:n=2,routing=lc1")))
    for permutation in ((3, 2, 1, 0), (2, 3, 0, 1)):
        for source, node in enumerate(permutation):
            expected.add(source, (node,), bytes(8))
            if source == 1:
                expected.add(source, (), bytes(16))  # is refused, and belongs to no batch
    return expected


def test_the_way_of_a_batch_s_packet_is_that_of_its_permutation(batches):
    facts, (first, second) = batches.facts, [p for p in batches.packets if p.source == 0]
    # The complement crosses both dimensions; the other permutation only dimension 1.
    assert route_text(facts, first, 3) in {
        "00 -dim1-> 10 -dim0-> 11 -local-> node 3",
        "00 -dim0-> 01 -dim1-> 11 -local-> node 3",
    }
    assert route_text(facts, second, 2) == "00 -dim1-> 10 -local-> node 2"
    assert detour_text(facts, second, 2) == "router 10 is on its way"
    refused = next(packet for packet in batches.packets if not packet.nodes)
    assert route_text(facts, refused, 0) == ""


def test_no_way_is_told_of_a_batch_that_is_no_permutation_or_not_whole(batches):
    third = batches.add(0, (1,), bytes(8))
    assert route_text(batches.facts, third, 1) == ""
    for source in (1, 2, 3):
        batches.add(source, (1,), bytes(8))
    assert route_text(batches.facts, third, 1) == ""


def test_of_a_long_way_the_last_hops_are_told():
    way = route_text(*packet_in("mesh x=12 y=2", 0, (11,)), 11)
    assert way.startswith("... 0.5 -R-> 0.6 ")
    assert way.endswith(" 0.11 -local-> node 11")


def test_in_a_network_with_switches_the_last_hop_is_a_switch_s_port():
    way = route_text(*packet_in("lcan d=2 u=2 levels=2", 0, (3,)), 3)
    assert way.count("->") == 3  # up, down, and out to the node
    assert way.endswith("-down1-> node 3")


@pytest.mark.parametrize(
    ("node", "aside"),
    [
        (2, "router 010 is on its way"),
        (6, "one hop from its way: 010 -dim2->"),
        (1, "one hop from its way: 011 -dim1->"),
        (5, ""),  # two hops
    ],
)
def test_a_wrong_node_is_on_the_way_or_beside_it(node, aside):
    assert detour_text(*packet_in("hypercube n=3", 2, (3,)), node) == aside


def test_where_the_network_s_classes_are_missing_no_way_is_told(monkeypatch):
    network = Network(Ring(nodes=6), routing=RingRouting)
    facts = NetworkFacts.of(network)
    packet = Expected(facts).add(0, (2,), bytes(8))
    assert route_text(facts, packet, 2).endswith("-local-> node 2")
    monkeypatch.setattr(facts.carried, "network", None)
    assert route_text(facts, packet, 2) == detour_text(facts, packet, 3) == ""
    assert pickle.loads(pickle.dumps(facts)).carried.network is None


def test_the_facts_of_a_network():
    facts = NetworkFacts.of(Network(Hypercube(n=3), data_width=72, name="cube"))
    assert (facts.name, facts.width, facts.beat_bytes) == ("cube", 72, 16)
    assert facts.codes == tuple(range(8))
    assert facts.node_at[6] == 6
    assert facts.label(5) == "node 5 (@101)"
    assert facts.contents([1, 1 << 64]) == bytes([1, *[0] * 15, *[0] * 8, 1, *[0] * 7])


def test_they_are_read_where_the_network_s_classes_are_not():
    network = Network(Ring(nodes=6), routing=RingRouting)
    given = pickle.dumps(NetworkFacts.of(network))
    code = (
        "import pickle, sys; facts = pickle.loads(sys.stdin.buffer.read()); "
        "print(facts.name, len(facts.codes), facts.label(4), facts.carried.network)"
    )
    # Isolated from the paths of this process, the test's classes are not to be found.
    lost = f"import sys; sys.path = [p for p in sys.path if not p.endswith('tests')]; {code}"
    run = subprocess.run([sys.executable, "-c", lost], input=given, capture_output=True, check=True)
    assert run.stdout.decode().split() == [network.name, "6", "node", "4", "None"]


def test_a_network_of_classes_without_names_goes_without_its_rule():
    class Nameless(RingRouting):
        pass

    network = Network(Ring(nodes=6), routing=Nameless)
    facts = pickle.loads(pickle.dumps(NetworkFacts.of(network)))
    assert facts.carried.network is None
    assert facts.label(4) == "node 4"

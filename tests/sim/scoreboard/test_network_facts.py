"""What goes to a simulator of a network, whose classes need not be there."""

import pickle
import subprocess
import sys

from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Network
from knotwork_sim.scoreboard.network_facts import NetworkFacts


def test_the_facts_of_a_network():
    facts = NetworkFacts.of(Network(Hypercube(n=3), data_width=72, name="cube"))
    assert (facts.name, facts.width, facts.beat_bytes) == ("cube", 72, 16)
    assert facts.codes == tuple(range(8))
    assert facts.node_at[6] == 6
    assert facts.label(5) == "node 5 (@101)"
    assert facts.contents([1, 1 << 64]) == bytes([1, *[0] * 15, *[0] * 8, 1, *[0] * 7])


def test_they_bring_the_network_to_another_process():
    facts = pickle.loads(pickle.dumps(NetworkFacts.of(Network(Hypercube(n=3)))))
    assert facts.carried.network.routing.path(0, 3) == [0, 2, 3]
    assert facts.label(5) == "node 5 (@101)"


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

"""Traffic of several classes."""

import numpy as np
import pytest
from knotwork import Mesh, Network, with_classes
from knotwork.errors import ConfigurationError
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.patterns.classed import ByClass
from knotwork_sim.traffic.patterns.registry import make_law, node_weights

TOPOLOGY = with_classes(Mesh(x=4, y=2), 2)


@pytest.mark.parametrize("pattern", ["uniform", "hotspot", "neighbour", "transpose", "tornado"])
def test_packets_stay_in_their_class_and_follow_the_law_of_the_nodes(pattern):
    traffic, rng = Traffic(traffic=pattern), np.random.default_rng(1)
    law, whole = (make_law(each, traffic, rng) for each in (TOPOLOGY, TOPOLOGY.whole))
    assert isinstance(law, ByClass)
    assert law.pairs == 2 * whole.pairs
    source = np.repeat(np.arange(16), 50)
    drawn = law.draw(np.random.default_rng(2), source)
    assert (drawn // 8 == source // 8).all()
    assert (drawn % 8 == whole.draw(np.random.default_rng(2), source % 8)).all()
    for node in (3, 11):
        assert (
            law.shares(node).destinations.tolist()
            == (whole.shares(3).destinations + node // 8 * 8).tolist()
        )
        assert law.shares(node).shares.tolist() == whole.shares(3).shares.tolist()


def test_classes_may_have_other_rates():
    assert node_weights(TOPOLOGY, Traffic()) is None
    weights = node_weights(TOPOLOGY, Traffic(class_rates=(0.6, 0.2)))
    assert weights == pytest.approx([1.5] * 8 + [0.5] * 8)
    packets = make_packets(
        Network(TOPOLOGY), Traffic.from_words(["class_rates=0.6,0.2", "packets=40000"])
    )
    counts = np.bincount(packets.source // 8) / (packets.time.max() + 1) / 8
    assert counts == pytest.approx([0.6, 0.2], rel=0.03)
    only = make_packets(Network(TOPOLOGY), Traffic(class_rates=(0, 0.5), packets=100))
    assert (only.source >= 8).all()


@pytest.mark.parametrize(
    ("topology", "rates", "line"),
    [
        (
            Mesh(x=2, y=2), (0.5, 0.1),
            "traffic: class_rates must be unnamed without classes of traffic, not 0.5,0.1",
        ),
        (
            TOPOLOGY, (0.5, 0.1, 0.2),
            "traffic: class_rates must be 2 rates, one for each class, not 0.5,0.1,0.2",
        ),
    ],
)  # fmt: skip
def test_refuses_rates_that_do_not_fit(topology, rates, line):
    with pytest.raises(ConfigurationError) as refused:
        make_packets(Network(topology), Traffic(class_rates=rates))
    assert str(refused.value) == line

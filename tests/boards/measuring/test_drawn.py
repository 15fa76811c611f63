from collections import Counter

import numpy as np
import pytest
from knotwork import Network
from knotwork_boards.measuring.drawn import draw
from knotwork_boards.measuring.patterns import PATTERNS
from knotwork_boards.measuring.settings import Settings


def topology(word):
    return Network.from_word(word).topology


def test_packets_are_in_order_of_source_and_time_and_as_many_as_the_rate_says():
    settings = Settings(rate=0x4000, length=2, cycles=20_000, warmup=5000, seed=3)
    drawn = draw(topology("moebius:n=3"), settings)
    order = np.lexsort((drawn.time, drawn.source))
    assert (order == np.arange(len(order))).all()
    assert drawn.time.max() < 25_000
    rate = 2 * len(drawn.time) / 25_000 / 8
    assert rate == pytest.approx(0.25, rel=0.03)


@pytest.mark.parametrize("word", ["moebius:n=3", "mesh:x=3,y=3", "banyan:d=3,u=3,levels=1"])
def test_uniform_destinations_are_the_other_receivers_alike(word):
    network = topology(word)
    drawn = draw(network, Settings(rate=0x8000, cycles=20_000, warmup=0))
    for node in range(network.nodes):
        counts = Counter(drawn.destination[drawn.source == node].tolist())
        others = set(network.receivers(node)) - {node}
        assert set(counts) == others
        mean = sum(counts.values()) / len(others)
        assert max(abs(count - mean) for count in counts.values()) < 5 * np.sqrt(mean)


def test_a_permutation_draws_nothing():
    settings = Settings(rate=0x8000, pattern=PATTERNS.index("complement"), cycles=500)
    drawn = draw(topology("moebius:n=3"), settings)
    assert (drawn.destination == 7 - drawn.source).all()


def test_without_rate_there_are_no_packets():
    assert len(draw(topology("moebius:n=3"), Settings(rate=0, cycles=500)).time) == 0

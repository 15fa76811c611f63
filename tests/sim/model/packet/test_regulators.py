"""Regulators of injection against buckets of exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from knotwork import Network
from knotwork_sim.model.packet.regulators import make_regulators
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packet_table import packet_table


def started(rate, burst, lengths, times):
    """Cycles in which packets start that nothing but their bucket holds up."""
    tokens, clock, starts = Fraction(burst), 0, []
    for length, time in zip(lengths, times, strict=True):
        for beat in range(length):
            while clock < time or tokens < (1 if beat else burst):
                tokens, clock = min(Fraction(burst), tokens + rate), clock + 1
            if beat == 0:
                starts.append(clock)
            tokens, clock = min(Fraction(burst), tokens - 1 + rate), clock + 1
    return starts


@pytest.mark.parametrize(("rate", "burst"), [("1/2", 1), ("3/7", 2), ("1/200", 3), ("250/251", 5)])
def test_packets_start_when_the_bucket_is_full(rate, burst):
    network = Network.from_word(
        f"mesh:x=2,y=1,classes=2,class_limits=1,{rate},class_bursts=9,{burst}"
    )
    rng = np.random.default_rng(burst)
    lengths = rng.integers(1, 2 * burst + 1, 40)
    times = np.cumsum(rng.choice([0, 1, 5, 700], 40))
    packets = packet_table(
        network,
        source=np.full(40, 2),  # the stream of class 1 at node 0
        destination=np.full(40, 3),
        length=lengths,
        time=times,
        seed=1,
    )
    record = run_model(network, Traffic(), packets)
    assert record.injected.tolist() == started(
        Fraction(rate), burst, lengths.tolist(), times.tolist()
    )


def test_only_limited_classes_have_one():
    network = Network.from_word("mesh:x=2,y=1,classes=2,class_limits=1,2/6,class_bursts=9,4")
    found = make_regulators(network)
    assert found["cost"].tolist() == [0, 0, 3, 3]
    assert found["gain"].tolist() == [0, 0, 1, 1]
    assert found["full"].tolist() == [0, 0, 12, 12]
    assert len(make_regulators(Network.from_word("mesh:x=2,y=1,classes=2"))) == 0

"""Traffic and schedules through circuit-switched networks."""

import numpy as np
import pytest
from helpers.circuits import CB22, SMALL
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Network
from knotwork_sim.check.score import score
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packet_table import packet_table

COPIES = [
    "kyklos:k=2,levels=4,max_packet=3",
    "kyklos:k=3,levels=2,copies=5,max_packet=2",
    "banyan:d=2,u=2,levels=3,max_packet=3",
]


@settings(max_examples=40)
@given(
    word=st.sampled_from([*SMALL, "lcan:d=2,u=1,levels=4,max_packet=1", "trac:levels=2", *COPIES]),
    cycle=st.sampled_from(["fixed", "adaptive"]),
    traffic=st.fixed_dictionaries(
        {
            "traffic": st.sampled_from(["uniform", "complement", "hotspot"]),
            "rate": st.floats(0.01, 1),
            "packets": st.integers(1, 300),
            "length": st.sampled_from([(1, 1), (1, 6), (3, 3)]),
            "bubble": st.sampled_from([0.0, 0.4]),
            "stall": st.sampled_from([0.0, 0.4, 0.9]),
            "seed": st.integers(0, 2**40),
        }
    ),
)
def test_all_is_delivered_once_in_order_or_refused(judged, word, cycle, traffic):
    network = Network.from_word(f"{word},cycle={cycle}")
    if network.hardware.max_packet == 1:  # traffic of other lengths is refused
        traffic["length"] = (1, 1)
    judged(network, **traffic)


@pytest.mark.parametrize("word", [pytest.param(CB22, marks=pytest.mark.slow), SMALL[3]])
def test_slow_sinks_and_pauses_in_the_verilog(equal, word):
    equal(
        Network.from_word(word),
        traffic="hotspot",
        rate=0.8,
        packets=500,
        length=(1, 7),
        bubble=0.2,
        stall=0.6,
    )


def test_a_packet_that_is_too_long_blocks_nobody(judged):
    network = Network.from_word(CB22)
    packets, record = judged(network, rate=0.5, packets=400, length=(3, 6))
    refused = packets.length > 4
    assert len(record.refused) == refused.sum() > 100
    assert score(network, packets, record).delivered == 400 - refused.sum()


SCHEDULED = "lcan:d=3,u=2,levels=3,routing=scheduled,max_packet=4"


@pytest.mark.parametrize("seeds", [range(1), pytest.param(range(1, 5), marks=pytest.mark.slow)])
def test_a_schedule_loses_nothing_in_the_verilog(equal, seeds):
    network = Network.from_word(SCHEDULED)
    for seed in seeds:
        traffic = Traffic(traffic="permutation", permutation="random", length=(3, 3), seed=seed)
        packets = make_packets(network, traffic)
        _, record = equal(network, packets)
        rounds = packets.time.max() // (6 * 2 + 4 + 6) + 1
        assert run_model(network, traffic, packets).network_cycles == rounds
        assert len(record.clock) == 27 * 3


@pytest.mark.slow
def test_schedules_of_64_lose_nothing_in_the_verilog(equal):
    network = Network.from_word("lcan:d=2,u=2,levels=6,routing=scheduled,max_packet=4")
    for seed in range(20):
        traffic = Traffic(traffic="permutation", permutation="random", seed=seed)
        packets = make_packets(network, traffic)
        equal(network, packets)
        assert packets.time.max() == 0  # one network cycle
        assert run_model(network, traffic, packets).network_cycles == 1


def test_scheduled_packets_that_collide_are_delivered_later(judged):
    """Words that clash: the first in the order of the switch wins, the others come again."""
    network = Network.from_word(SCHEDULED)
    rng = np.random.default_rng(2)
    packets = packet_table(
        network,
        source=np.arange(27),
        destination=rng.permutation(27),
        length=np.ones(27, np.int64),
        time=np.zeros(27, np.int64),
        seed=1,
        up_words=np.zeros((27, 2), np.int64),
    )
    judged(network, packets)
    assert run_model(network, Traffic(), packets).network_cycles > 1

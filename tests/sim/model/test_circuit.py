"""Circuits through the golden model, and through the Verilog clock by clock."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Network
from knotwork.routing.circuits import network_cycles
from knotwork.routing.scheduling.permutations import named_permutation
from knotwork_sim.check.score import score
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packet_table import packet_table

CB22 = "lcan:d=2,u=2,levels=3,max_packet=4"
CB42 = "lcan:d=4,u=2,levels=2,max_packet=4"

# Section 7.4 of the specification: the network cycle in which each packet gets its circuit.
GOLDEN = {
    CB22: ([4, 7, 5, 6, 2, 0, 3, 1], [1, 0, 0, 1, 1, 1, 0, 0]),
    CB42: (
        [5, 9, 13, 1, 0, 8, 12, 4, 2, 6, 14, 10, 3, 7, 11, 15],
        [0, 0, 2, 0, 0, 1, 3, 0, 1, 0, 1, 0, 0, 1, 0, 0],
    ),
}


def permutations_table(network, permutations, length=1, every=0):
    """Packets of permutations, each offered `every` clocks after the one before."""
    nodes, count = network.topology.nodes, len(permutations)
    source = np.repeat(np.arange(nodes), count)
    number = np.tile(np.arange(count), nodes)
    return packet_table(
        network,
        source=source,
        destination=np.array(permutations)[number, source],
        length=np.full(len(source), length),
        time=number * every,
        seed=1,
    )


def digits(number, radices):
    found = []
    for radix in radices:
        found.append(number % radix)
        number //= radix
    return found


def lca_level(topology, s, t):
    """Highest digit in which two PEs differ; 0 if in none."""
    pairs = zip(digits(s, topology.radices), digits(t, topology.radices), strict=True)
    return max((level for level, (a, b) in enumerate(pairs) if a != b), default=0)


@pytest.mark.parametrize("word", [CB22, pytest.param(CB42, marks=pytest.mark.slow)])
def test_golden_traces_in_both(equal, word):
    network = Network.from_word(word)
    permutation, cycles = GOLDEN[word]
    _, record = equal(network, permutations_table(network, [permutation], length=2))
    top, longest = network.topology.levels - 1, network.hardware.max_packet
    clocks = 6 * top + longest + 6
    first = dict(zip(record.node[::-1].tolist(), record.clock[::-1].tolist(), strict=True))
    for s, (t, cycle) in enumerate(zip(permutation, cycles, strict=True)):
        # Of two beats the last is in at clock 1; the header is on level 0 three clocks later.
        clock_0 = 1 + 3 + cycle * clocks
        flit_0 = clock_0 + 4 * top + 4 + 2 * lca_level(network.topology, s, t) + 1
        assert first[t] == flit_0 + 1  # through the queue of the interface


SMALL = [
    "lcan:d=2,u=2,levels=4,max_packet=4",
    "lcan:d=4,u=4,levels=2,max_packet=2,data_width=8",
    "lcan:d=4,u=2,levels=2,max_packet=4",
    "lcan:d=3,u=2,levels=3,max_packet=5",
    "lcan:d=4,u=2,levels=3,interconnect=tree,max_packet=3",
    "fattree:r=4,2,3,u=2,3,1,max_packet=4",
    "cm5:levels=2,max_packet=4,data_width=72",
]


def some_permutations(network):
    """50 random permutations, and all that have a name for so many PEs."""
    nodes, rng = network.topology.nodes, np.random.default_rng(3)
    names = ["identity", "complement"]
    if nodes & (nodes - 1) == 0:
        names += ["reversal", "transpose", "shuffle"]
    found = [named_permutation(nodes, name, rng, owner="test") for name in names]
    return found + [rng.permutation(nodes) for _ in range(50)]


def check_permutations(equal, word):
    network = Network.from_word(word)
    permutations = some_permutations(network)
    clocks = 6 * (network.topology.levels - 1) + network.hardware.max_packet + 6
    worst = max(network_cycles(network.topology, p) for p in permutations)
    table = permutations_table(network, permutations, length=2, every=(worst + 4) * clocks)
    _, record = equal(network, table)
    return network, record


@pytest.mark.parametrize(
    "word",
    [SMALL[3], *(pytest.param(w, marks=pytest.mark.slow) for w in SMALL if w != SMALL[3])],
)
def test_permutations_in_the_verilog(equal, word):
    check_permutations(equal, word)


@pytest.mark.slow
def test_permutations_of_64_in_the_verilog(equal):
    check_permutations(equal, "lcan:d=2,u=2,levels=6,max_packet=4")


@settings(max_examples=40)
@given(
    word=st.sampled_from([*SMALL, "lcan:d=2,u=1,levels=4,max_packet=1", "trac:levels=2"]),
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
def test_all_is_delivered_once_in_order_or_refused(judged, word, traffic):
    network = Network.from_word(word)
    if network.hardware.max_packet == 1:  # other lengths are refused with the traffic
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


def test_idle_network_cycles_step_no_state():
    """Packets far apart meet the same states as packets that follow each other."""
    network = Network.from_word(CB42)
    permutation = GOLDEN[CB42][0]
    apart = run_model(
        network, Traffic(), permutations_table(network, [permutation] * 2, every=5000)
    )
    clocks = 6 + 4 + 6
    cycles = [(clock - 4) // clocks for clock in apart.clock[apart.clock < 5000].tolist()]
    assert max(cycles) == 3
    assert apart.network_cycles >= 4 + 2
    again = run_model(network, Traffic(), permutations_table(network, [permutation], every=0))
    assert apart.clock[:16].tolist() == again.clock.tolist()


SCHEDULED = "lcan:d=3,u=2,levels=3,routing=scheduled,max_packet=4"


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 5), marks=pytest.mark.slow)])
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
    """Words that clash: the lowest in the switch's order wins, the others come again."""
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

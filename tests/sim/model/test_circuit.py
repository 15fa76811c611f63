"""Circuits in the golden model, and in the Verilog cycle by cycle."""

import numpy as np
import pytest
from helpers.circuits import CB22, CB42, SMALL, network_cycles
from helpers.packet_columns import packets_of
from helpers.routes import slow
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Network
from knotwork.routing.scheduling.messages import named_permutation
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

# Section 7.4 of the specification: the network cycle in which each packet gets its circuit.
GOLDEN = {
    CB22: ([4, 7, 5, 6, 2, 0, 3, 1], [1, 0, 0, 1, 1, 1, 0, 0]),
    CB42: (
        [5, 9, 13, 1, 0, 8, 12, 4, 2, 6, 14, 10, 3, 7, 11, 15],
        [0, 0, 2, 0, 0, 1, 3, 0, 1, 0, 1, 0, 0, 1, 0, 0],
    ),
}


def permutations_table(network, permutations, length=1, every=0):
    """Packets of permutations, each offered `every` cycles after the one before."""
    nodes, count = network.topology.nodes, len(permutations)
    source = np.repeat(np.arange(nodes), count)
    number = np.tile(np.arange(count), nodes)
    destination = np.array(permutations)[number, source]
    return packets_of(network, source, destination, length, number * every)


def lca_level(topology, s, t):
    """Highest digit in which two PEs differ; 0 if in none."""
    level = 0
    for place, radix in enumerate(topology.radices):
        if s % radix != t % radix:
            level = place
        s, t = s // radix, t // radix
    return level


@pytest.mark.parametrize("word", [CB22, pytest.param(CB42, marks=pytest.mark.slow)])
def test_golden_traces_in_both(equal, word):
    network = Network.from_word(word)
    permutation, cycles = GOLDEN[word]
    _, record = equal(network, permutations_table(network, [permutation], length=2))
    top, longest = network.topology.levels - 1, network.hardware.max_packet
    clocks = 6 * top + longest + 6
    first = dict(zip(record.node[::-1].tolist(), record.clock[::-1].tolist(), strict=True))
    for s, (t, cycle) in enumerate(zip(permutation, cycles, strict=True)):
        # Of two beats the last is in at cycle 1; the header is on level 0 three cycles later.
        clock_0 = 1 + 3 + cycle * clocks
        flit_0 = clock_0 + 4 * top + 4 + 2 * lca_level(network.topology, s, t) + 1
        assert first[t] == flit_0 + 1  # through the queue of the interface


@pytest.mark.parametrize("word", [CB22, CB42])
def test_an_adaptive_network_cycle_ends_with_its_last_circuit(word):
    """Sections 7.2 and 7.4: 6 L + B + 6 cycles for its longest circuit, 4 L + 6 for the lost.

    Each source sends in cycle 4 L + 4, whatever the level of the others.
    """
    network = Network.from_word(f"{word},cycle=adaptive")
    permutation, cycles = GOLDEN[word]
    record = run_model(network, Traffic(), permutations_table(network, [permutation], length=2))
    levels = [lca_level(network.topology, s, t) for s, t in enumerate(permutation)]
    begins = [1 + 3]
    for cycle in range(max(cycles) + 1):
        won = [6 * level + 2 + 6 for level, at in zip(levels, cycles, strict=True) if at == cycle]
        lost = [4 * level + 6 for level, at in zip(levels, cycles, strict=True) if at > cycle]
        begins.append(begins[-1] + max(won + lost))
    first = dict(zip(record.node[::-1].tolist(), record.clock[::-1].tolist(), strict=True))
    for level, t, cycle in zip(levels, permutation, cycles, strict=True):
        assert first[t] == begins[cycle] + 4 * level + 4 + 2 * level + 1 + 1


def test_the_identity_takes_10_cycles_whatever_the_number_of_levels():
    """Section 7.2: 10 cycles with packets of 4 flits, for their LCA level is 0."""
    network = Network.from_word("lcan:d=2,u=2,levels=4,max_packet=16,cycle=adaptive")
    table = permutations_table(network, [np.arange(16)] * 3, length=4)
    clocks = run_model(network, Traffic(), table).clock.reshape(3, 4, 16)
    assert (np.diff(clocks[:, 0], axis=0) == 10).all()


def test_one_way_network_cycles_last_as_the_levels_say():
    """Cycle 0 three cycles after the last beat; l = 3 switches; then 3 l + B + 3 cycles a try."""
    network = Network.from_word("banyan:d=2,u=2,levels=3,max_packet=4")
    # Two PEs ask for one terminal, which waits for nobody.
    table = packets_of(network, [0, 1, 8], [13, 13, 0], 2)
    record = run_model(network, Traffic(), table)
    first = 1 + 3 + (2 * 3 + 2) + 3 + 1
    clocks = 3 * 3 + 4 + 3
    expected = [(0, 0), (0, 13), (1, 0), (1, 13), (clocks, 13), (clocks + 1, 13)]
    seen = zip((record.clock - first).tolist(), record.node.tolist(), strict=True)
    assert sorted(seen) == expected


@pytest.mark.parametrize(
    "word",
    ["lcan:d=3,u=2,levels=2,max_packet=5", *slow([*SMALL, "lcan:d=2,u=2,levels=6,max_packet=4"])],
)
def test_permutations_in_the_verilog(equal, word):
    """Random permutations, and all that have a name for so many PEs."""
    network = Network.from_word(word)
    nodes, rng = network.topology.nodes, np.random.default_rng(3)
    names = ["identity", "complement"]
    if nodes & (nodes - 1) == 0:
        names += ["reversal", "transpose", "shuffle"]
    permutations = [named_permutation(nodes, name, rng, owner="test") for name in names]
    permutations += [rng.permutation(nodes) for _ in range(20)]
    clocks = 6 * (network.topology.levels - 1) + network.hardware.max_packet + 6
    worst = max(network_cycles(network.topology, p) for p in permutations)
    equal(network, permutations_table(network, permutations, 2, every=(worst + 4) * clocks))


def test_idle_network_cycles_step_no_state():
    """Packets far apart meet the same states as packets that follow each other."""
    network, permutation = Network.from_word(CB42), GOLDEN[CB42][0]
    table = permutations_table(network, [permutation] * 2, every=5000)
    apart = run_model(network, Traffic(), table)
    clocks = 6 + 4 + 6
    cycles = [(clock - 4) // clocks for clock in apart.clock[apart.clock < 5000].tolist()]
    assert max(cycles) == 3
    assert apart.network_cycles >= 4 + 2
    again = run_model(network, Traffic(), permutations_table(network, [permutation], every=0))
    assert apart.clock[:16].tolist() == again.clock.tolist()


COPIES = [
    "kyklos:k=2,levels=4,max_packet=3",
    "kyklos:k=3,levels=2,copies=5,max_packet=2",
    "banyan:d=2,u=2,levels=3,max_packet=3",
]


@settings(max_examples=25)
@given(
    word=st.sampled_from([*SMALL, "lcan:d=2,u=1,levels=4,max_packet=1", "trac:levels=2", *COPIES]),
    cycle=st.sampled_from(["fixed", "adaptive"]),
    traffic=st.sampled_from(["uniform", "complement", "hotspot"]),
    rate=st.floats(0.01, 1),
    packets=st.integers(1, 150),
    length=st.sampled_from([(1, 1), (1, 6), (3, 3)]),
    bubble=st.sampled_from([0.0, 0.4]),
    stall=st.sampled_from([0.0, 0.4, 0.9]),
    seed=st.integers(0, 2**40),
)
def test_all_is_delivered_once_in_order_or_refused(judged, word, cycle, length, **keys):
    network = Network.from_word(f"{word},cycle={cycle}")
    if network.hardware.max_packet == 1:  # traffic of other lengths is refused
        length = (1, 1)
    judged(network, length=length, **keys)


@pytest.mark.parametrize(
    "word",
    [
        "lcan:d=3,u=2,levels=2,max_packet=5",
        "kyklos:k=2,levels=2,max_packet=4,data_width=8,cycle=adaptive",
        "banyan:d=2,u=2,levels=2,max_packet=3,data_width=8,cycle=adaptive",
        *slow([
            "lcan:d=2,u=2,levels=3,max_packet=4,data_width=8,cycle=adaptive",
            CB22, SMALL[3],
            *(f"{word},cycle=adaptive" for word in [*SMALL, "lcan:d=4,u=2,levels=1"]),
            "kyklos:k=2,levels=3,max_packet=4",
            "kyklos:k=3,levels=2,max_packet=3,copies=3",
            "kyklos:k=2,levels=4,max_packet=2,copies=4,cycle=adaptive",
            "kyklos:k=4,levels=1,max_packet=2,copies=1",
            "banyan:d=2,u=2,levels=3,max_packet=4,data_width=8,cycle=adaptive",
            "banyan:d=3,u=2,levels=2,max_packet=4",
            "banyan:d=2,u=3,levels=2,max_packet=3,data_width=8,cycle=adaptive",
            "banyan:d=4,u=1,levels=2,max_packet=2",
            "banyan:d=3,u=4,levels=1,max_packet=4,cycle=adaptive",
        ]),
    ],
)  # fmt: skip
def test_the_verilog_of_every_network_is_equal(equal, word):
    """Packets of all lengths, some too long, so that circuits of all kinds end a network cycle."""
    network = Network.from_word(word)
    longest = min(network.hardware.max_packet, 6) + 1
    for stall, pattern in ((0.0, "uniform"), (0.6, "hotspot")):
        keys = {"traffic": pattern, "rate": 0.8, "packets": 300, "bubble": 0.1, "stall": stall}
        packets, _ = equal(network, length=(1, longest), **keys)
        assert packets.refused.any() == (longest > network.hardware.max_packet)


SCHEDULED = "lcan:d=3,u=2,levels=2,routing=scheduled,max_packet=4"


@pytest.mark.parametrize(
    "word",
    ["lcan:d=2,u=2,levels=2,routing=scheduled,max_packet=4",
     *slow([SCHEDULED, "lcan:d=3,u=2,levels=3,routing=scheduled,max_packet=4",
            "lcan:d=2,u=2,levels=6,routing=scheduled,max_packet=4"])],
)  # fmt: skip
def test_a_schedule_loses_nothing_in_the_verilog(equal, word):
    network = Network.from_word(word)
    topology = network.topology
    for seed in range(2 if topology.nodes < 10 else 20):
        traffic = Traffic(traffic="permutation", permutation="random", length=(3, 3), seed=seed)
        packets = make_packets(network, traffic)
        _, record = equal(network, packets)
        rounds = packets.time.max() // (6 * (topology.levels - 1) + 4 + 6) + 1
        if topology.uppers[0] == topology.downers[0]:
            assert rounds == 1
        assert run_model(network, traffic, packets).network_cycles == rounds
        assert len(record.clock) == topology.nodes * 3


def test_scheduled_packets_that_collide_are_delivered_later(judged):
    """Words that clash: the first in the order of the switch wins, the others come again."""
    network = Network.from_word(SCHEDULED)
    words = np.zeros((9, 1), np.int64)
    permutation = np.random.default_rng(2).permutation(9)
    packets = packets_of(network, np.arange(9), permutation, up_words=words)
    judged(network, packets)
    assert run_model(network, Traffic(), packets).network_cycles > 1

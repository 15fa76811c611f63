"""Circuits of whole permutations: in the golden model, and in the Verilog cycle by cycle."""

import numpy as np
import pytest
from helpers.circuits import CB22, CB42, SMALL, network_cycles
from knotwork import Network
from knotwork.routing.scheduling.permutations import named_permutation
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packet_table import packet_table

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


@pytest.mark.parametrize(
    "word",
    [
        "lcan:d=2,u=2,levels=3,max_packet=4,data_width=8",
        *(pytest.param(w, marks=pytest.mark.slow) for w in [*SMALL, "lcan:d=4,u=2,levels=1"]),
    ],
)
def test_adaptive_network_cycles_in_the_verilog(equal, word):
    """Packets of all lengths to slow nodes, so that circuits of all kinds end a network cycle."""
    network = Network.from_word(f"{word},cycle=adaptive")
    longest = min(network.hardware.max_packet, 6)
    for stall in (0.0, 0.7):
        equal(network, rate=0.7, packets=400, length=(1, longest), bubble=0.1, stall=stall)


@pytest.mark.parametrize(
    "word",
    [
        "kyklos:k=2,levels=3,max_packet=4,data_width=8,cycle=adaptive",
        *(
            pytest.param(w, marks=pytest.mark.slow)
            for w in [
                "kyklos:k=2,levels=3,max_packet=4",
                "kyklos:k=3,levels=2,max_packet=3,copies=3",
                "kyklos:k=2,levels=4,max_packet=2,copies=4,cycle=adaptive",
                "kyklos:k=4,levels=1,max_packet=2,copies=1",
            ]
        ),
    ],
)
def test_copies_of_a_tree_in_the_verilog(equal, word):
    network = Network.from_word(word)
    longest = network.hardware.max_packet
    for stall in (0.0, 0.6):
        equal(network, rate=0.8, packets=400, length=(1, longest), bubble=0.1, stall=stall)


@pytest.mark.parametrize(
    "word",
    [
        "banyan:d=2,u=2,levels=3,max_packet=4,data_width=8,cycle=adaptive",
        *(
            pytest.param(w, marks=pytest.mark.slow)
            for w in [
                "banyan:d=3,u=2,levels=2,max_packet=4",
                "banyan:d=2,u=3,levels=2,max_packet=3,data_width=8,cycle=adaptive",
                "banyan:d=4,u=1,levels=2,max_packet=2",
                "banyan:d=3,u=4,levels=1,max_packet=4,cycle=adaptive",
            ]
        ),
    ],
)
def test_one_way_use_in_the_verilog(equal, word):
    network = Network.from_word(word)
    longest = network.hardware.max_packet
    for stall, pattern in ((0.0, "uniform"), (0.6, "hotspot")):
        keys = {"traffic": pattern, "rate": 0.8, "packets": 400, "bubble": 0.1}
        equal(network, length=(1, longest + 1), stall=stall, **keys)


def test_one_way_network_cycles_last_as_the_levels_say():
    """Cycle 0 three cycles after the last beat; l = 3 switches; then 3 l + B + 3 cycles a try."""
    network = Network.from_word("banyan:d=2,u=2,levels=3,max_packet=4")
    table = packet_table(
        network,
        source=np.array([0, 1, 8]),
        destination=np.array([13, 13, 0]),  # two PEs ask for one terminal, which waits for nobody
        length=np.array([2, 2, 2]),
        time=np.zeros(3, np.int64),
        seed=1,
    )
    record = run_model(network, Traffic(), table)
    first = 1 + 3 + (2 * 3 + 2) + 3 + 1
    clocks = 3 * 3 + 4 + 3
    assert sorted(zip(record.clock.tolist(), record.node.tolist(), strict=True)) == [
        (first, 0),
        (first, 13),
        (first + 1, 0),
        (first + 1, 13),
        (first + clocks, 13),
        (first + clocks + 1, 13),
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

"""What every node test promises, whatever its router class."""

from dataclasses import replace

import pytest
from amaranth.hdl import Fragment, Module, Signal
from helpers.refusals import refuses
from knotwork import Fabric, Hypercube, Lcan, Mesh, Network
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork_boards.selftest import BuildHints, require_measuring
from knotwork_boards.selftest.batch.node_test import BatchNodeTest
from knotwork_boards.selftest.circuit import CircuitNodeTest
from knotwork_boards.selftest.node_test import Fault, WindowControl, flows
from knotwork_boards.selftest.packet.node_test import PacketNodeTest
from knotwork_boards.selftest.self_test import SELF_TESTS, self_test_of
from knotwork_boards.selftest.tally import COUNTERS, EVENTS

NETWORKS = {
    "packet": Network(Hypercube(n=2), data_width=8),
    "multicast": Network(Hypercube(n=2), data_width=8, multicast="yes", max_packet=3),
    "circuit": Network(Lcan(d=2, u=2, levels=2), data_width=8),
    "batch": Network(Hypercube(n=2), data_width=8, routing="lc1"),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_each_event_has_a_bit_per_node(name):
    network = NETWORKS[name]
    node_test = self_test_of(network).node_test(network)
    signals = [Signal(name=name) for name in ("start", "clear", "quiet", "restart")]
    start, clear, quiet, restart = signals
    control = WindowControl(
        start=start,
        clear=clear,
        timer=Signal(node_test.timer_width),
        quiet=quiet,
        restart=restart,
        fault=None,
    )
    m = Module()
    m.submodules.network = fabric = Fabric(network)
    events = node_test.add_to(m, fabric, control, rounds_log2=0)
    Fragment.get(m, None)
    assert set(events) == set(EVENTS) - {"refused"}
    for bits in events.values():
        assert [len(bit) for bit in bits] == [1] * network.topology.nodes


@pytest.mark.parametrize(
    ("name", "packets"),
    [
        ("packet", 4),
        ("multicast", 4 + 2),  # to all nodes, and a copy to each of two
        ("circuit", 4),
        ("batch", 2 * 16),  # sixteen permutations, each twice
    ],
)
def test_packets_of_a_round(name, packets):
    network = NETWORKS[name]
    assert self_test_of(network).node_test(network).packets_per_round == packets


def test_only_batches_ask_for_a_reset_after_a_failure():
    node_tests = {name: self_test_of(it).node_test(it) for name, it in NETWORKS.items()}
    assert [name for name, test in node_tests.items() if test.restarts] == ["batch"]


@pytest.mark.parametrize(
    ("word", "rule"),
    [
        (
            "moebius:n=3,data_width=13",
            "data_width must be at least 14 for a packet's time of creation "
            "(address 3, mark 1, time 10), not 13",
        )
    ],
)
def test_a_network_that_cannot_measure_is_refused(word, rule):
    network = Network.from_word(word)
    with refuses(f"{network.name}: measure must be no: {rule}"):
        require_measuring(self_test_of(network).node_test(network))


def test_a_network_that_takes_tables_need_not_measure():
    network = Network.from_word("ccc:n=4,routing=lc2")
    assert require_measuring(self_test_of(network).node_test(network)) is None


def test_a_network_that_can_measure_says_how():
    for word, how in (
        ("moebius:n=3,data_width=16", (16, 12, 7)),
        ("hypercube:n=2,multicast=yes,max_packet=3", (16, 16, 7)),
    ):
        network = Network.from_word(word)
        assert require_measuring(self_test_of(network).node_test(network)) == how


def test_every_router_class_has_an_entry():
    assert set(SELF_TESTS) == set(ROUTER_PARAMETERS)


@pytest.mark.parametrize(
    ("network", "kind"),
    [
        (Network(Hypercube(n=2)), PacketNodeTest),
        (Network(Lcan(d=2, u=2, levels=2)), CircuitNodeTest),
        (Network(Hypercube(n=2), routing="lc1"), BatchNodeTest),
    ],
)
def test_a_network_gets_the_node_test_of_its_router_class(network, kind):
    assert type(self_test_of(network).node_test(network)) is kind


HINTS = BuildHints(
    choices=lambda kind: 1,
    stores=lambda network: [],
    counters=flows,
    storage_key="words",
    has_pipeline=False,
)


def test_every_router_counts_with_the_choices_of_its_kind():
    network = Network(Mesh(x=3, y=4), data_width=16)
    assert HINTS.chosen_bits(network) == 12 * 16
    by_degree = replace(HINTS, choices=lambda kind: len(kind.ports) - 1)
    links = 3 * 3 + 2 * 4  # each has two ends
    assert by_degree.chosen_bits(network) == 2 * links * 16


def test_flows_are_pairs_of_nodes():
    assert flows(Network(Mesh(x=3, y=4))) == 144


def test_a_fault_is_named_after_the_counter_that_it_raises():
    names = {fault.name.lower() for fault in Fault} - {"none", "table", "word"}
    assert names == set(COUNTERS) - {"sent", "received"}

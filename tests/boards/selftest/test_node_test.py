"""What every node test promises, whatever its router class."""

import pytest
from amaranth.hdl import Fragment, Module, Signal
from knotwork import Fabric, Hypercube, Lcan, Network
from knotwork.errors import ConfigurationError
from knotwork_boards.selftest import require_measuring, self_test_of
from knotwork_boards.selftest.node_test import WindowControl
from knotwork_boards.selftest.tally import EVENTS

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
    events = node_test.place(m, fabric, control, rounds_log2=0)
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
        ),
    ],
)
def test_a_network_that_cannot_measure_is_refused(word, rule):
    network = Network.from_word(word)
    with pytest.raises(ConfigurationError) as wrong:
        require_measuring(self_test_of(network).node_test(network))
    assert str(wrong.value) == f"{network.name}: measure must be no: {rule}"


def test_a_network_that_takes_tables_need_not_measure():
    network = Network.from_word("ccc:n=4,routing=lc2")
    assert require_measuring(self_test_of(network).node_test(network)) is None


def test_a_network_that_can_measure_says_how():
    for word, how in (
        ("moebius:n=3,data_width=16", (16, 12, 10)),
        ("hypercube:n=2,multicast=yes,max_packet=3", (16, 16, 10)),
    ):
        network = Network.from_word(word)
        assert require_measuring(self_test_of(network).node_test(network)) == how

"""The whole self-test of networks of deflection routers, in Amaranth's simulator."""

import pytest
from helpers.self_tests import ModelFabric, expected_lines
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_boards.selftest import SelfTest, self_test_of
from knotwork_boards.selftest.deflection import DeflectionNodeTest

RING = "torus:x=2,y=2,directions=one,router=deflection,data_width=8,source=no"


def test_a_network_that_keeps_a_packet_for_itself_fails(self_test):
    network = Network.from_word(RING)
    passed = []

    def tamper(copies):
        passed.append(copies[0])
        return [] if len(passed) == 9 else copies

    fabric = ModelFabric(network, tamper=tamper)
    dut = self_test(network=network, rounds_log2=1, fabric=lambda _: fabric)
    assert dut.lines(1) == expected_lines(network.name, 32, ["lost"])


@pytest.mark.parametrize(
    ("word", "pause_log2"),
    [
        ("torus:x=4,y=4,directions=one,router=deflection", 6),
        ("torus:x=8,y=8,directions=one,router=deflection", 8),
        ("hypercube:n=6,router=deflection", 9),
    ],
)
def test_a_pause_outlasts_the_way_of_a_lone_packet(word, pause_log2):
    network = Network.from_word(word)
    node_test = DeflectionNodeTest(network)
    assert node_test.pause_log2 == pause_log2
    assert node_test.timer_width > pause_log2


def test_every_choice_takes_a_look_up_table_per_bit():
    network = Network.from_word("hypercube:n=4,router=deflection,data_width=32")
    hints = self_test_of(network).build_hints(network)
    # Four inputs, two rounds of two blocks with two outputs each, and the node.
    assert hints.chosen_bits(network) == 16 * 32 * (4 + 2 * 2 * 2 + 1)
    assert list(hints.stores(network)) == []
    ring = Network.from_word("torus:x=4,y=4,directions=one,router=deflection,sequence_width=5")
    hints = self_test_of(ring).build_hints(ring)
    assert hints.chosen_bits(ring) == 16 * 32 * 2
    assert list(hints.stores(ring)) == [(16, 5, 16)]


def test_data_must_have_room_for_a_source_that_packets_do_not_carry(refusal):
    network = Network.from_word("torus:x=4,y=4,directions=one,router=deflection,data_width=10")
    assert self_test_of(network).node_test(network).packets_per_round == 16
    network = Network.from_word(
        "torus:x=4,y=4,directions=one,router=deflection,data_width=10,source=no"
    )
    text = refusal(ConfigurationError, lambda: SelfTest(network, clock_hz=12_000_000))
    assert text == (
        f"{network.name}: data_width must be at least 12 for the self-test "
        "(address 4, source 4, sequence 3, check 1), not 10"
    )

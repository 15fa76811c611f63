"""Pace of the self-test where packets go by circuits; `test_self_test` injects its faults."""

import pytest
from amaranth.hdl import Fragment
from knotwork import Network
from knotwork.gateware.circuit.controller import CircuitController
from knotwork_boards.selftest.circuit import CircuitNodeTest
from knotwork_boards.selftest.packet.node_test import PacketNodeTest

LONG = "lcan d=2 u=2 levels=2 max_packet=500 data_width=8 name=net"


@pytest.mark.parametrize(
    "words", [LONG, "lcan d=3 u=2 levels=3", "cm5 levels=2", "fattree r=2,2,2 u=1,2,2 max_packet=1"]
)
def test_a_network_cycle_is_that_of_the_controller(words):
    network = Network.from_words(words.split())
    controller = CircuitController(network)
    Fragment.get(controller, None)
    node_test = CircuitNodeTest(network)
    assert node_test.network_cycle == controller.clocks
    assert 1 << node_test.timer_width > 4 * controller.clocks


@pytest.mark.parametrize(("patient", "verdict"), [(True, "PASS"), (False, "FAIL")])
def test_the_timer_outlasts_network_cycles(self_test, monkeypatch, patient, verdict):
    if not patient:
        monkeypatch.setattr(CircuitNodeTest, "timer_width", PacketNodeTest.timer_width)
    (text,) = self_test(network=Network.from_words(LONG.split()), rounds_log2=1).lines(1)
    assert text.split()[-1] == verdict

import pytest
from helpers.adder import ADDER, PORTS
from knotwork import Hypercube, Network
from knotwork.emit import network_verilog
from knotwork.emit.modules import router_ports, router_verilog
from quality.benchmarks.wrapped_router import Pin, pins


def test_pins_are_those_of_the_module_without_clock_and_reset():
    assert pins(ADDER, "adder") == PORTS
    assert pins(ADDER, "other") == [Pin("input", 1, "x")]


@pytest.mark.parametrize("net", ["hypercube:n=2", "lcan:d=2,u=2,levels=2", "ccc:n=3,routing=lc2"])
def test_pins_of_a_router_are_the_ports_that_it_was_made_with(net):
    network = Network.from_word(net)
    kind = network.router_kinds[0]
    found = pins(router_verilog(network, kind), kind.name)
    inputs, outputs = router_ports(network, kind)
    assert {pin.name: pin.width for pin in found if pin.way == "input"} == inputs
    assert {pin.name: pin.width for pin in found if pin.way == "output"} == outputs


def test_pins_of_a_network_are_those_of_its_nodes():
    network = Network(Hypercube(n=1))
    found = pins(network_verilog(network), network.name)
    # Data, destination, valid, ready and last to each node and from it, and `refused`.
    assert sum(port.width for port in found) == 2 * (2 * (32 + 1 + 3) + 1)
    assert {port.name for port in found} >= {"s_axis_0_tdata", "m_axis_1_tid", "refused_1"}

"""Monitors of networks: their widths, and the Verilog that has them."""

import pytest
from amaranth.hdl import Fragment
from amaranth.sim import Simulator
from helpers.emitted import module_ports, verilog_of
from helpers.lint import lint
from knotwork import Fabric, Network
from knotwork.emit import EmittedNetwork
from knotwork.emit.verilog import lint_waivers
from knotwork.errors import ConfigurationError
from knotwork.gateware.monitors.of_network import make_monitor, monitor_members
from knotwork.monitoring.channels import network_probes

WORDS = [
    "mesh:x=2,y=2,data_width=8,counters=yes,watchdog=100",
    "wk:w=3,levels=1,data_width=8,watchdog=100",
    "hypercube:n=2,multicast=yes,data_width=8,counters=yes,pipeline=2",
    "mesh:x=3,y=1,nodes_per_router=2,data_width=8,counters=yes",
]


@pytest.mark.parametrize("word", WORDS)
def test_the_verilog_with_a_monitor_is_clean(word, tmp_path):
    network, text = verilog_of(word)
    (tmp_path / "network.v").write_text(text)
    waivers = tmp_path / "network.vlt"
    waivers.write_text(lint_waivers(network).replace(f"*{network.name}.v", "*network.v"))
    assert lint(tmp_path / "network.v", waivers, top=network.name) == ""
    ports = module_ports(text, network.name)
    assert ports["s_axil_monitor_araddr"] == ("input", 12)
    assert ports["s_axil_monitor_rdata"] == ("output", 32)
    assert ports["s_axil_monitor_bready"] == ("input", 1)
    assert ports["alarm"] == ("output", 1)


def test_the_monitor_has_the_networks_widths():
    network = Network.from_word(WORDS[0])
    monitor, widths = make_monitor(network), network_probes(network)
    assert (len(monitor.flits), len(monitor.waits), len(monitor.wants)) == (
        widths.channels,
        widths.channels,
        widths.turns,
    )
    assert len(monitor.refused) == 4
    assert list(monitor_members(network)) == ["monitor", "alarm"]
    Simulator(monitor)


def test_the_emitted_network_has_the_members_of_the_fabric():
    network = Network.from_word(WORDS[0])
    emitted, fabric = EmittedNetwork(network), Fabric(network)
    assert emitted.signature == fabric.signature
    Simulator(fabric)
    Fragment.get(emitted, None).prepare()


def test_a_network_without_a_monitor_is_as_it_was():
    _, text = verilog_of("mesh:x=2,y=2,data_width=8")
    assert "probe" not in text
    assert "monitor" not in text


def test_loaded_tables_have_no_monitor():
    with pytest.raises(ConfigurationError) as caught:
        Network.from_word("mesh:x=2,y=2,tables=loaded,watchdog=5")
    text = "mesh: tables must be fixed with counters or a watchdog, not loaded"
    assert str(caught.value) == text

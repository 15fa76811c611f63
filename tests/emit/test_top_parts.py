"""Wires and instances of the top, where nodes have several links."""

import re

from helpers.long_links import network_of
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork.emit.top_parts import (
    chosen_wires,
    end_wires,
    latencies,
    link_wires,
    node_wires,
    wires_to,
)


def test_each_copy_of_a_node_has_wires_of_its_own():
    network = Network.from_word("kyklos:k=2,levels=2,data_width=8,max_packet=2,name=two")
    topology, text = network.topology, network_verilog(network)
    top = text[text.index("module two (") :]
    for node in range(4):
        label = topology.label(node)
        chooser = re.search(rf"two_chooser chooser_{label} \((.*?)\);", top, re.DOTALL)
        interface = re.search(rf"two_interface node_{label} \((.*?)\);", top, re.DOTALL)
        assert chooser is not None
        assert interface is not None
        assert f".sent_kind({node_wires(network, node)}_kind)" in chooser[1]
        assert f".given_kind({chosen_wires(network, node)}_kind)" in chooser[1]
        assert f".i_kind({chosen_wires(network, node)}_kind)" in interface[1]
        for copy in range(2):
            router = copy * 3 + topology.position_in_copy(copy, node) // 2
            port = 1 + topology.position_in_copy(copy, node) % 2
            wires = wires_to(network, router, port)
            assert f".o{copy}_kind({wires}_kind)" in chooser[1]
            switch = f"router_{topology.router_label(router)}"
            placed = re.search(rf"{switch} \((.*?)\);", top, re.DOTALL)
            assert placed is not None
            assert f".a{port - 1}_kind({wires}_kind)" in placed[1]
            assert (
                f".i{copy}_kind(link_{topology.router_label(router)}_c{port - 1}_kind)"
                in chooser[1]
            )


def test_a_node_with_one_link_has_no_chooser():
    network = Network.from_word("lcan:d=2,u=2,levels=2,data_width=8,max_packet=2")
    assert "chooser" not in network_verilog(network)
    assert wires_to(network, 0, 1) == node_wires(network, 0)


def test_registers_stand_between_the_ends_of_a_long_link():
    network = network_of([(0, 1, 3), (1, 2), (2, 0, 2)], directed=True, data_width=8, name="net")
    text = network_verilog(network)
    top = text[text.index("module net (") :]
    assert latencies(network) == [2, 3]
    assert sorted(re.findall(r"^module (net_link\d+) ", text, re.M)) == ["net_link2", "net_link3"]
    placed = dict(re.findall(r"(net_link\d+) along_(\w+) \(", top))
    assert placed == {"net_link3": "0_link0", "net_link2": "2_link0"}
    for sender, receiver, end in ((0, 1, "_end"), (1, 2, ""), (2, 0, "_end")):
        wires = link_wires(network, sender, 1)
        assert end_wires(network, sender, 1) == f"{wires}{end}"
        pins = re.search(rf"router_{receiver} \((.*?)\);", top, re.DOTALL)
        assert pins is not None
        assert f".link0_i_flit({wires}{end}_flit)" in pins[1]


def test_a_hierarchy_that_is_kept_keeps_the_registers_of_links():
    network = network_of([(0, 1, 3)], data_width=8, name="net")
    kept = network_verilog(network, keep_hierarchy=True)
    assert '(* keep_hierarchy = "yes" *)\nmodule net_link3 (' in kept
    assert "link" not in re.findall(r"^module (\w+) ", network_verilog(network_of([(0, 1)])), re.M)

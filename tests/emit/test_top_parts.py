"""Wires and instances of the top, where nodes have several links."""

import re

from knotwork import Network
from knotwork.emit import network_verilog
from knotwork.emit.top_parts import chosen_wires, node_wires, wires_to


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
            router = copy * 3 + topology.placed(copy, node) // 2
            port = 1 + topology.placed(copy, node) % 2
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

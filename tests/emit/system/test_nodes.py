"""Modules of what stands at nodes."""

import re

from knotwork.emit.system.nodes import modules_verilog, node_module, node_modules
from knotwork.system import System


def test_nodes_of_equal_keys_share_a_module():
    words = "mesh x=2 y=2 name=a node.0.width=64 node.1.width=64 node.2.width=16"
    system = System.from_words(words.split())
    shells = node_modules(system)
    assert list(shells) == ["a_node_stream64", "a_node_stream16", "a_node_stream32"]
    assert node_module(system, system.nodes[1]) == "a_node_stream64"
    text = modules_verilog(shells)
    assert {*re.findall(r"^module (\w+) \(", text, re.MULTILINE)} >= set(shells)

import re

import pytest
from helpers.lint import lint
from knotwork import Network
from knotwork.emit.verilog import lint_waivers, network_verilog
from knotwork_sim.datasheet.ports import instance, node_ports, shared_ports


def test_ports_are_those_of_the_verilog():
    for words in ("hypercube n=2 counters=yes", "lcan d=2 u=2 levels=2", "ccc n=2 routing=lc2"):
        network = Network.from_words(words.split())
        top = re.search(rf"module {network.name} \((.*?)\);", network_verilog(network), re.DOTALL)
        declared = set(re.findall(r"(\w+),?$", top[1], re.MULTILINE))
        named = {port.name for port in shared_ports(network)}
        for node in range(network.topology.nodes):
            named |= {port.name.replace("<i>", str(node)) for port in node_ports(network)}
        assert named == declared


@pytest.mark.parametrize("words", ["hypercube n=2", "lcan d=2 u=2 levels=2"])
def test_the_instance_fits(words, tmp_path):
    """Verilator sees every pin, and wires that nothing drives or reads but no other fault."""
    network = Network.from_words(words.split())
    (tmp_path / f"{network.name}.v").write_text(network_verilog(network))
    (tmp_path / "waivers.vlt").write_text(lint_waivers(network))
    board = tmp_path / "board.v"
    text = f"module board ();\n{instance(network)}\nendmodule\n"
    free = "/* verilator lint_off UNDRIVEN */\n/* verilator lint_off UNUSEDSIGNAL */\n"
    board.write_text(free + text)
    options = [str(tmp_path / f"{network.name}.v")]
    assert lint(board, tmp_path / "waivers.vlt", top="board", options=options) == ""
    board.write_text(free + text.replace(".refused_1(refused_1),", "", 1))
    assert "PINMISSING" in lint(board, tmp_path / "waivers.vlt", top="board", options=options)

"""Groups of nodes that have collectives share no wire in a network's Verilog."""

import json
from pathlib import Path

import pytest
from helpers.faults import changing
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork.tools import run_tool
from knotwork_sim.rtl.verilator import build_simulator

COMMON = {"clk", "rst"}
READ = """
read_verilog -formal network.v
hierarchy -top {name}
proc
flatten
memory_collect
opt_clean
chformal -remove
delete t:$print
"""


def group_of(port, groups):
    """Group that a port is of; the network itself is the empty one."""
    return next((one for one in groups if f"{one}_" in port), "")


def ports_read(network, verilog, folder):
    """All inputs; and those that the outputs of a group, or of the network, ever depend on."""
    groups = ["", *(group.name for group in network.collective_groups)]
    (folder / "network.v").write_text(verilog)

    def listed(commands, files):
        (folder / "list.ys").write_text("\n".join([READ.format(name=network.name), *commands]))
        run_tool(["yosys", "-q", "list.ys"], folder)
        lines = [(folder / file).read_text().split() for file in files]
        return [{line.rpartition("/")[2] for line in found} for found in lines]

    tee = "tee -q -o {file} select -list {what}"
    inputs, outputs = listed([tee.format(file=kind, what=f"{kind}:*") for kind in "io"], "io")
    commands = []
    for number, group in enumerate(groups):
        mine = [f"w:{port}" for port in sorted(outputs) if group_of(port, groups[1:]) == group]
        commands.append(f"select -set mine {' '.join(mine)}")
        commands.append(tee.format(file=f"cone{number}", what="@mine %ci* i:* %i"))
    cones = listed(commands, [f"cone{number}" for number in range(len(groups))])
    return inputs, dict(zip(groups, cones, strict=True))


NET = "mesh:x=2,y=2,collectives=yes,groups=all/all/0-2/1,data_width=8"


@pytest.mark.parametrize(
    "word", [NET, pytest.param(f"{NET},collective_watchdog=20", marks=pytest.mark.slow)]
)
def test_no_output_of_a_group_depends_on_an_input_of_another(word, tmp_path):
    network = Network.from_word(word)
    inputs, found = ports_read(network, network_verilog(network), tmp_path)
    groups = [group.name for group in network.collective_groups]
    for group, ports in found.items():
        assert ports > COMMON
        assert {group_of(port, groups) for port in ports - COMMON} == {group}
    assert set().union(*found.values()) == inputs  # so the search sees what is read


@pytest.mark.slow
@pytest.mark.fault
def test_a_group_that_waits_for_another_is_found(tmp_path):
    network = Network.from_word(NET)
    own, other = (f"m_axis_collective{group}_0_tready" for group in (1, 0))
    change = changing(f".m_axis_0_tready({own})", f".m_axis_0_tready({own} & {other})")
    _, found = ports_read(network, change(network_verilog(network)), tmp_path)
    assert other in found["collective1"]


GROUPS = "mesh:x=2,y=2,pipeline=1,collectives=yes,groups=all/all/0-2/1,3,data_width=32"
TESTBENCH = Path(__file__).parents[1] / "cocotb"


@pytest.mark.slow
@pytest.mark.parametrize("shares_port", [False, True])
def test_four_groups_in_any_order_do_what_their_models_do(shares_port, monkeypatch, tmp_path):
    """With one port per node they hang, in the Verilog as in the models."""
    monkeypatch.syspath_prepend(TESTBENCH)
    network = Network.from_word(GROUPS)
    sources = {
        f"{network.name}.v": network_verilog(network),
        "ports.vlt": f'`verilator_config\npublic_flat_rw -module "{network.name}" -var "*"\n',
    }
    facts = {"network": GROUPS, "seed": 1, "rounds": 100, "shares_port": shares_port}
    environment = {"COLLECTIVE_FACTS": json.dumps(facts), "COCOTB_LOG_LEVEL": "WARNING"}
    simulator = build_simulator(sources, network.name)
    simulator.run("collective_groups_testbench", tmp_path, environment=environment)

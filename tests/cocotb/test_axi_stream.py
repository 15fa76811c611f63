"""An outside referee, cocotbext-axi, on the ports of emitted Verilog."""

import json
from pathlib import Path

import pytest
from knotwork import Hypercube, Network
from knotwork.emit import network_verilog
from knotwork.emit.ports import (
    eject_fields,
    eject_prefix,
    inject_fields,
    inject_prefix,
    refused_port,
)
from knotwork.errors import ToolError
from knotwork_sim.rtl.verilator import build_simulator


def ports(network):
    yield from ("clk", "rst")
    for node in range(network.topology.nodes):
        yield refused_port(network, node)
        for prefix, fields in (
            (inject_prefix(network, node), inject_fields(network)),
            (eject_prefix(network, node), eject_fields(network)),
        ):
            yield from (f"{prefix}_{signal}" for signal in ("tvalid", "tready", *fields))


@pytest.fixture
def referee(monkeypatch, tmp_path):
    """Run the referee on a network's Verilog, changed by `edit`."""
    monkeypatch.syspath_prepend(Path(__file__).parent)

    def run(network, edit=lambda verilog: verilog):
        top, nodes = network.name, network.topology.nodes
        visible = "\n".join(f'public_flat_rw -module "{top}" -var "{p}"' for p in ports(network))
        sources = {
            f"{top}.v": edit(network_verilog(network)),
            "ports.vlt": f"`verilator_config\n{visible}\n",
        }
        environment = {
            "REFEREE_NODES": str(nodes),
            "REFEREE_CODES": json.dumps([network.topology.address(i) for i in range(nodes)]),
            "COCOTB_LOG_LEVEL": "WARNING",
            "REFEREE_BYTES": str(network.hardware.data_width // 8),
        }
        build_simulator(sources, top).run("axi_testbench", tmp_path, environment=environment)

    return run


@pytest.mark.parametrize(
    "network",
    [
        pytest.param(Network(Hypercube(n=2), buffer_depth=4), marks=pytest.mark.slow),
        Network(Hypercube(n=1), virtual_channels=2, pipeline=2),
    ],
    ids=["n2", "n1_vc2_p2"],
)
def test_frames_arrive_whole_and_the_streams_keep_the_rules(referee, network):
    referee(network)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        (  # the payload looks at tready, and is right in the clock of the transfer
            "assign m_axis_tdata = node_interface_eject_payload_data;",
            "assign m_axis_tdata = node_interface_eject_payload_data ^ {31'd0, ~m_axis_tready};",
            r"m_axis_\d: beat: .* became .* before it was taken",
        ),
        pytest.param(  # tvalid waits for tready
            "assign m_axis_tdata = node_interface_eject_payload_data;",
            "assign m_axis_tdata = node_interface_eject_payload_data; wire offered;\n"
            "assign m_axis_tvalid = offered & m_axis_tready;",
            r"m_axis_\d never waited",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["payload", "tvalid"],
)
def test_a_breach_of_the_rules_is_seen(referee, right, wrong, said):
    def edit(verilog):
        assert verilog.count(right) == 1
        if "offered" in wrong:
            assert verilog.count(".eject_valid(m_axis_tvalid)") == 1
            verilog = verilog.replace(".eject_valid(m_axis_tvalid)", ".eject_valid(offered)")
        return verilog.replace(right, wrong)

    with pytest.raises(ToolError, match=said):
        referee(Network(Hypercube(n=1)), edit)

"""The whole top as Verilog, at the boards' own clocks and baud rate."""

import json
from pathlib import Path

import pytest
from knotwork import Hypercube, Moebius, Network
from knotwork_boards.selftest import Fault, selftest_verilog
from knotwork_boards.table import BOARDS
from knotwork_sim.verilator import build_model

BAUD = 115200
PORTS = ("clk", "rst", "tx", "led_pass", "led_fail")


@pytest.fixture
def windows(monkeypatch, tmp_path):
    """Lines and LEDs of some windows, a fault (or None) each, from the Verilog in Verilator."""
    monkeypatch.syspath_prepend(Path(__file__).parent)

    def run(network, board, faults):
        with_faults = faults[0] is not None
        clock_hz = BOARDS[board].clock_hz
        verilog = selftest_verilog(
            network, clock_hz=clock_hz, baud=BAUD, rounds_log2=4, faults=with_faults
        )
        ports = (*PORTS, "fault") if with_faults else PORTS
        visible = "\n".join(f'public_flat_rw -module "selftest" -var "{port}"' for port in ports)
        sources = {"selftest.v": verilog, "ports.vlt": f"`verilator_config\n{visible}\n"}
        model = build_model(sources, "selftest")
        result = tmp_path / "result.json"
        environment = {
            "SELFTEST_CLOCK": str(clock_hz),
            "SELFTEST_BAUD": str(BAUD),
            "SELFTEST_FAULTS": json.dumps(faults),
            "SELFTEST_RESULT": str(result),
        }
        model.run("selftest_bench", tmp_path, environment=environment)
        return json.loads(result.read_text())

    return run


def line(name, window, sent, received, verdict="PASS", **errors):
    counts = dict.fromkeys(("lost", "duplicated", "corrupted", "misrouted", "refused"), 0) | errors
    words = " ".join(f"{key}={value}" for key, value in counts.items())
    return f"{name} window={window} sent={sent} received={received} {words} {verdict}\r\n"


@pytest.mark.parametrize(
    ("board", "network"),
    [
        ("ulx3s_85f", Network(Moebius(n=3))),
        ("icebreaker", Network(Moebius(n=2), data_width=8, buffer_depth=2)),
        ("ulx3s_85f", Network(Hypercube(n=3), multicast="yes", data_width=16)),
        ("ulx3s_85f", Network(Moebius(n=3), routing="spr", vc_scheme="escape", data_width=8)),
    ],
    ids=["ulx3s_85f", "icebreaker", "multicast", "escape"],
)
def test_the_uart_tells_of_packets_and_no_error(windows, board, network):
    nodes = network.topology.nodes
    copies = nodes - 1 if network.parameters.get("multicast") == "yes" else 0
    sent = nodes * (nodes + copies) << 4
    assert windows(network, board, [None, None]) == [
        [line(network.name, window, sent, sent), 1, 0] for window in range(2)
    ]


def test_a_fault_of_each_kind_fails(windows):
    network = Network(Moebius(n=2), data_width=8, buffer_depth=2)
    faults = [
        Fault.NONE,
        Fault.LOST,
        Fault.DUPLICATED,
        Fault.CORRUPTED,
        Fault.MISROUTED,
        Fault.NONE,
    ]
    lines = windows(network, "icebreaker", [fault.value for fault in faults])
    name, sent = network.name, 256
    assert lines == [
        [line(name, 0, sent, sent), 1, 0],
        [line(name, 1, sent, sent - 1, "FAIL", lost=1), 0, 1],
        [line(name, 2, sent, sent + 1, "FAIL", duplicated=1), 0, 1],
        [line(name, 3, sent, sent, "FAIL", corrupted=1), 0, 1],
        [line(name, 4, sent, sent, "FAIL", misrouted=1), 0, 1],
        [line(name, 5, sent, sent), 0, 1],
    ]

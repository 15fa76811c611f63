"""The whole self-test as Verilog, at the clocks of the boards and their baud rate."""

import json
from pathlib import Path

import pytest
from helpers.expected_line import expected_line
from knotwork import (
    CubeConnectedCycles,
    Hypercube,
    Lcan,
    Moebius,
    Network,
    Petersen,
    Torus,
    WkRecursive,
)
from knotwork_boards.selftest import Fault, selftest_verilog
from knotwork_boards.table import BOARDS
from knotwork_sim.rtl.verilator import build_simulator

BAUD = 115200
PORTS = ("clk", "rst", "tx", "led_pass", "led_fail")


@pytest.fixture
def windows(monkeypatch, tmp_path):
    """Lines and LEDs of windows from the Verilog in Verilator, one window per fault (or None).

    With `packets`, also the sources of that many packets at each node.
    """
    monkeypatch.syspath_prepend(Path(__file__).parent)

    def run(network, board, faults, *, packets=0):
        with_faults = faults[0] is not None
        clock_hz = BOARDS[board].clock_hz
        verilog = selftest_verilog(
            network, clock_hz=clock_hz, baud=BAUD, rounds_log2=4, faults=with_faults
        )
        ports = (*PORTS, "fault") if with_faults else PORTS
        visible = "\n".join(f'public_flat_rw -module "selftest" -var "{port}"' for port in ports)
        if packets:
            seen = ("tvalid", "tready", "tid")
            names = [f"m_axis_{node}_{s}" for node in range(network.topology.nodes) for s in seen]
            visible += "".join(
                f'\npublic_flat_rw -module "{network.name}" -var "{name}"' for name in names
            )
        sources = {"selftest.v": verilog, "ports.vlt": f"`verilator_config\n{visible}\n"}
        simulator = build_simulator(sources, "selftest")
        result = tmp_path / "result.json"
        environment = {
            "SELFTEST_CLOCK": str(clock_hz),
            "SELFTEST_BAUD": str(BAUD),
            "SELFTEST_FAULTS": json.dumps(faults),
            "SELFTEST_RESULT": str(result),
        }
        if packets:
            environment |= {
                "SELFTEST_SOURCES": str(tmp_path / "sources.json"),
                "SELFTEST_NODES": str(network.topology.nodes),
                "SELFTEST_PACKETS": str(packets),
            }
        simulator.run("uart_testbench", tmp_path, environment=environment)
        lines = json.loads(result.read_text())
        return (lines, json.loads((tmp_path / "sources.json").read_text())) if packets else lines

    return run


@pytest.mark.parametrize(
    ("board", "network"),
    [
        pytest.param("ulx3s_85f", Network(CubeConnectedCycles(n=3)), marks=pytest.mark.slow),
        ("icebreaker", Network(Moebius(n=2), data_width=8, buffer_depth=2)),
        pytest.param(
            "ulx3s_85f",
            Network(Hypercube(n=3), multicast="yes", data_width=16),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "ulx3s_85f",
            Network(Moebius(n=3), routing="spr", vc_scheme="escape", data_width=8),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "ulx3s_85f",
            Network(Lcan(d=2, u=2, levels=3), max_packet=4),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "ulx3s_85f",
            Network(WkRecursive(w=2, levels=2), data_width=8, buffer_depth=2),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "ulx3s_85f",
            Network(WkRecursive(w=3, levels=2), data_width=16, buffer_depth=4),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "icebreaker",
            Network(Torus(x=2, y=2), data_width=8, buffer_depth=2),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "ulx3s_85f",
            Network(Petersen(), data_width=16, buffer_depth=2),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "ulx3s_25f",
            Network.from_word("hypercube:n=3,router=deflection,data_width=16"),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "ulx3s_25f",
            Network.from_word("tcpg:k=1,m=1,router=deflection,data_width=16,source=no"),
            marks=pytest.mark.slow,
        ),
    ],
    ids=[
        *("ulx3s_85f", "icebreaker", "multicast", "escape", "circuits", "broadcast", "broadcasts"),
        *("torus", "petersen", "deflection", "no_source"),
    ],
)
def test_the_uart_tells_of_packets_and_no_error(windows, board, network):
    nodes = network.topology.nodes
    copies = nodes - 1 if network.has_multicast or network.has_broadcast else 0
    sent = nodes * (nodes + copies) << 4
    assert windows(network, board, [None, None]) == [
        [expected_line(network.name, window, "PASS", sent=sent, received=sent), 1, 0]
        for window in range(2)
    ]


@pytest.mark.parametrize(
    "word",
    [
        "moebius:n=2,data_width=8,buffer_depth=2",
        "torus:x=2,y=2,directions=one,router=deflection,data_width=8",
    ],
    ids=["packets", "deflection"],
)
def test_a_fault_of_each_kind_fails(windows, word):
    network = Network.from_word(word)
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
        [expected_line(name, 0, "PASS", sent=sent, received=sent), 1, 0],
        [expected_line(name, 1, "FAIL", sent=sent, received=sent - 1, lost=1), 0, 1],
        [expected_line(name, 2, "FAIL", sent=sent, received=sent + 1, duplicated=1), 0, 1],
        [expected_line(name, 3, "FAIL", sent=sent, received=sent, corrupted=1), 0, 1],
        [expected_line(name, 4, "FAIL", sent=sent, received=sent, misrouted=1), 0, 1],
        [expected_line(name, 5, "PASS", sent=sent, received=sent), 0, 1],
    ]


@pytest.mark.slow
def test_batches_route_the_reversal_and_then_random_linear_complement_permutations(windows):
    network = Network(CubeConnectedCycles(n=4), routing="lc2")
    faults = [Fault.NONE, Fault.LOST, Fault.CORRUPTED, Fault.NONE]
    lines, sources = windows(network, "ulx3s_85f", [fault.value for fault in faults], packets=32)
    name, sent = network.name, 16 * 32 << 4
    assert lines == [
        [expected_line(name, 0, "PASS", sent=sent, received=sent), 1, 0],
        [
            expected_line(name, 1, "FAIL", sent=32, received=16, lost=16),
            0,
            1,
        ],  # it stands still, and is reset
        [expected_line(name, 2, "FAIL", sent=sent, received=sent, corrupted=1), 0, 1],
        [expected_line(name, 3, "PASS", sent=sent, received=sent), 0, 1],
    ]
    batches = list(zip(*sources, strict=True))
    reversal = tuple(int(f"{node:04b}"[::-1], 2) for node in range(16))
    assert batches[:2] == [reversal, reversal]
    assert len(set(batches)) == 16
    for batch in batches:
        assert sorted(batch) == list(range(16))
        for a in range(16):
            for b in range(16):  # linear but for a constant
                assert batch[a] ^ batch[b] ^ batch[a ^ b] == batch[0]

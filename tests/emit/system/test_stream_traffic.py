"""cocotbext-axi's stream sources and sinks over the emitted Verilog, at clocks with jitter."""

import json
import shutil
from pathlib import Path

import pytest
from helpers.simulators import FAST, SIMULATOR
from knotwork.emit.system import system_verilog
from knotwork.system import System
from knotwork_sim.testbench.runner import run_tests

PROGRAM = Path(__file__).parents[2] / "cocotb" / "stream_testbench.py"
WIDTHS = (8, 32, 64, 128)
RATIOS = {
    "equal": (10_000, 10_000, 10_000, 10_000),
    "3_to_7": (7_000, 7_000, 16_300, 3_000),
    "10_to_1.7": (10_000, 1_700, 1_700, 5_900),
    "1.7_to_10": (10_000, 59_000, 58_900, 31_000),
}
"""Periods in ps of the nodes' clocks beside the network's of 10 ns or, in the second, 3 ns."""
NETWORK = {"3_to_7": 3_000}


def run(folder, monkeypatch, ratio, *, clock="own", arguments=(), **more):
    """Exit status of the testbench on a mesh of four nodes, each of a width and a clock."""
    nodes = [f"node.{node}.width={width}" for node, width in enumerate(WIDTHS)]
    keys = [*nodes, f"node.clock={clock}", "keep=yes", "user_width=3", "name=chip"]
    system = System.from_words(["mesh", "x=2", "y=2", "buffer_depth=4", *keys])
    own = {f"clk_{node}": period for node, period in enumerate(RATIOS[ratio])}
    topology = system.network.topology
    facts = {
        "nodes": len(WIDTHS),
        "addresses": [int(topology.address(node)) for node in range(topology.nodes)],
        "periods": {"clk": NETWORK.get(ratio, 10_000)} | own,
        "user_width": 3,
        "packets": 25,
        "longest": 40,
        "stall": 0.2,
        "seed": 7,
    }
    (folder / "chip.v").write_text(system_verilog(system))
    monkeypatch.setenv("STREAM_FACTS", json.dumps(facts | more))
    shutil.copy(PROGRAM, folder / "test_chip.py")
    monkeypatch.chdir(folder)
    return run_tests(
        sources=[folder / "chip.v"],
        top="chip",
        tests="test_chip",
        arguments=[SIMULATOR, *arguments],
        build_args=FAST,
    )


@pytest.mark.slow
@pytest.mark.parametrize("ratio", RATIOS)
def test_packets_cross_widths_and_clocks(tmp_path, monkeypatch, ratio):
    assert run(tmp_path, monkeypatch, ratio) == 0


@pytest.mark.slow
def test_packets_cross_to_mesochronous_clocks(tmp_path, monkeypatch):
    """Of random phases; one that stops is to be reset, so the other test does not go with it."""
    only = ["--test", "every_packet_arrives"]
    more = {"clock": "mesochronous", "arguments": only, "jitter": 0}
    assert run(tmp_path, monkeypatch, "equal", **more) == 0

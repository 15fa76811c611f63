"""cocotbext-axi's stream sources and sinks over the emitted Verilog, at clocks with jitter."""

import pytest
from knotwork_soc import System
from knotwork_soc.emit import system_verilog

WIDTHS = (8, 32, 64, 128)
RATIOS = {
    "equal": (10_000, 10_000, 10_000, 10_000),
    "3_to_7": (7_000, 7_000, 16_300, 3_000),
    "10_to_1.7": (10_000, 1_700, 1_700, 5_900),
    "1.7_to_10": (10_000, 59_000, 58_900, 31_000),
}
"""Periods in ps of the nodes' clocks beside the network's of 10 ns or, in the second, 3 ns."""
NETWORK = {"3_to_7": 3_000}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clock", "ratio", "arguments", "more"),
    [
        *(("own", ratio, (), {}) for ratio in RATIOS),
        # Of random phases; one that stops is to be reset, so the other test does not go with it.
        ("mesochronous", "equal", ("--test", "every_packet_arrives"), {"jitter": 0}),
    ],
)
def test_packets_cross_widths_and_clocks(simulate, clock, ratio, arguments, more):
    """A mesh of four nodes, each of a width and a clock."""
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
    verilog = system_verilog(system)
    status = simulate(verilog, "stream_testbench", arguments=arguments, STREAM_FACTS=facts | more)
    assert status == 0

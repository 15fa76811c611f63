"""Random bursts of cocotbext-axi's managers to its memories, over the emitted Verilog of systems.

A byte that a memory holds, or that a read brings, must be that of a reference kept beside.
"""

import json
import shutil
from pathlib import Path

import pytest
from helpers.simulators import FAST, SIMULATOR
from knotwork.emit.system import system_verilog
from knotwork.system import System
from knotwork_sim.testbench.runner import run_tests

PROGRAM = Path(__file__).parents[2] / "cocotb" / "bus_testbench.py"
"""The one that is sooner ready to run."""
SIZE = 0x8000
"""Bytes of a region; each memory has one."""
RATIOS = {
    "slow_nodes": (10_000, (23_000, 17_100, 31_700)),
    "unrelated": (10_000, (7_300, 13_900, 9_970)),
    "fast_nodes": (10_000, (3_100, 2_300, 5_300)),
}
"""Periods in ps of the network's clock, and in turn of the nodes' own."""
TOPOLOGIES = {
    "mesh": "mesh x=3 y=2",
    "torus": "torus x=3 y=3",
    "moebius": "moebius n=3",
    "wk": "wk w=3 levels=2",
    "tcpg": "tcpg k=1 m=1",
}
"""Networks of the acceptance test, small ones."""


def system_of(network, initiators, targets, *, more=""):
    """System with managers and memories of AXI4 at these nodes, and nothing elsewhere."""
    words = [*network.split(), "name=chip", "node.bus=none", *more.split()]
    for side, nodes in (("initiator", initiators), ("target", targets)):
        words += [f"node.{node}.bus=axi4" for node in nodes]
        words += [f"node.{node}.side={side}" for node in nodes]
    for number, node in enumerate(targets):
        region = {"base": number * SIZE, "size": SIZE, "node": node}
        words += [f"map.ram{number}.{key}={value}" for key, value in region.items()]
    return System.from_words(words)


def run_traffic(
    folder, monkeypatch, system, *, simulator=SIMULATOR, clocks=(), period=10_000, **facts
):
    """Exit status of the testbench on a system's Verilog."""
    targets = [node.index for node in system.targets]
    own = [node.index for node in system.nodes if node.has_own_clock]
    periods = {"clk": period} | {
        f"clk_{node}": clocks[place % len(clocks)] for place, node in enumerate(own)
    }
    told = {
        "initiators": [node.index for node in system.initiators],
        "targets": [(node, len(targets) * SIZE) for node in targets],
        "regions": [vars(region) for region in system.map.values()],
        "data_width": system.bus.data_width,
        "id_width": system.bus.id_width,
        "burst": system.bus.burst,
        "periods": periods,
    }
    design, verilog = folder / "chip.v", system_verilog(system)
    if not design.exists() or design.read_text() != verilog:  # else it is compiled already
        design.write_text(verilog)
    monkeypatch.setenv("BUS_FACTS", json.dumps(told | facts))
    shutil.copy(PROGRAM, folder / "test_chip.py")
    monkeypatch.chdir(folder)
    return run_tests(
        sources=[design],
        top="chip",
        tests="test_chip",
        arguments=[simulator],
        build_args=FAST,
    )


@pytest.mark.slow
def test_memories_hold_what_was_written(tmp_path, monkeypatch):
    """A mesh of 2 x 2, one manager and one memory at clocks of their own."""
    more = "data_width=40 buffer_depth=2 bus.burst=16 bus.outstanding=2 bus.id_width=2"
    clocks = "node.0.clock=own node.2.clock=own"
    system = system_of("mesh x=2 y=2", [0, 3], [1, 2], more=f"{more} {clocks}")
    facts = {"threads": 4, "bursts": 30, "stall": 0.3, "seed": 1}
    assert run_traffic(tmp_path, monkeypatch, system, clocks=(7_300, 13_900), **facts) == 0


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("network", TOPOLOGIES)
def test_four_managers_and_two_memories(tmp_path, monkeypatch, network):
    """10^5 bursts over 5 networks and 3 ratios of clocks, with stalls."""
    nodes = System.from_words(TOPOLOGIES[network].split()).network.topology.nodes
    initiators, targets = [0, 1, nodes // 2, nodes - 1], [2, nodes - 2]
    own = " ".join(f"node.{node}.clock=own" for node in (*initiators, *targets))
    more = "data_width=40 buffer_depth=4 bus.burst=32 bus.outstanding=4 bus.id_width=2"
    system = system_of(TOPOLOGIES[network], initiators, targets, more=f"{more} {own}")
    facts = {"threads": 4, "bursts": 420, "stall": 0.2, "seed": len(network)}
    statuses = {  # 420 x 16 threads x 15 cases = 100,800; the ratios share what was compiled
        ratio: run_traffic(
            tmp_path,
            monkeypatch,
            system,
            simulator="verilator",
            period=period,
            clocks=clocks,
            **facts,
        )
        for ratio, (period, clocks) in RATIOS.items()
    }
    assert statuses == dict.fromkeys(RATIOS, 0)

"""Managers and memories of other buses than AXI4, over the emitted Verilog of systems."""

import re

import pytest
from helpers.bridged import drive
from knotwork.emit.system import system_verilog
from knotwork.gateware.buses.bus_kinds import BUS_KINDS
from knotwork.system import System

PAIRS = [
    ("wishbone", "wishbone"),
    ("apb", "axi_lite"),
    ("axi_lite", "apb"),
    ("wishbone", "axi4"),
    ("axi4", "wishbone"),
    ("axi4", "apb"),
]
RATIOS = {
    "slow_nodes": {"": 10_000, "_0": 23_000, "_3": 31_700},
    "unrelated": {"": 10_000, "_0": 7_300, "_3": 13_900},
    "fast_nodes": {"": 10_000, "_0": 3_100, "_3": 5_300},
}
"""Periods in ps of the network's clock, of the manager's and of the memory's."""


def traffic(folder, monkeypatch, kinds, *words, **more):
    """Exit status of the testbench of bridges on a system with a manager and a memory."""
    nodes = [f"node.{node}.bus={kind}" for node, kind in zip((0, 3), kinds, strict=True)]
    nodes += ["node.0.side=initiator", "node.3.side=target", "node.bus=none"]
    region = ["map.ram.base=0", "map.ram.size=0x1000", "map.ram.node=3"]
    network = ["mesh", "x=2", "y=2", "name=chip", "data_width=40", "bus.burst=128"]
    verilog = system_verilog(System.from_words([*network, *nodes, *region, *words]))
    (folder / "chip.v").write_text(verilog)
    header = re.search(r"^module chip \((.*?)\);", verilog, re.M | re.S)[1]
    inputs = re.findall(r"input (?:\[\d+:0\] )?(\w+)", header)
    first, second = (BUS_KINDS[kind] for kind in kinds)
    prefixes = f"{first.initiator_prefix}_0", f"{second.target_prefix}_3"
    file = folder / "chip.v"
    return drive(monkeypatch, file, kinds, prefixes=prefixes, inputs=inputs, **more)


@pytest.mark.slow
def test_a_manager_of_wishbone_reaches_memory_at_apb(tmp_path, monkeypatch):
    assert traffic(tmp_path, monkeypatch, ("wishbone", "apb"), transfers=12) == 0


@pytest.mark.slow
@pytest.mark.parametrize("stalls", [0, 0.4])
@pytest.mark.parametrize("kinds", PAIRS, ids="_to_".join)
def test_memory_is_as_the_reference(kinds, stalls, tmp_path, monkeypatch):
    more = {"transfers": 60, "stalls": stalls}
    assert traffic(tmp_path, monkeypatch, kinds, "bus.outstanding=4", **more) == 0


@pytest.mark.slow
@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("kinds", [*PAIRS, ("wishbone", "apb")], ids="_to_".join)
def test_ends_have_clocks_of_their_own(kinds, ratio, tmp_path, monkeypatch):
    own = ["node.0.clock=own", "node.3.clock=own", "bus.outstanding=4"]
    more = {"transfers": 40, "stalls": 0.2, "clocks": RATIOS[ratio]}
    assert traffic(tmp_path, monkeypatch, kinds, *own, **more) == 0

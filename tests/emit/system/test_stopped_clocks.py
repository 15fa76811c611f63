"""A node at a bus whose clock stops, over the emitted Verilog: nothing hangs, nothing is lost."""

import json
from pathlib import Path

import pytest
from helpers.emitted import module_ports
from helpers.simulators import FAST, SIMULATOR
from knotwork.emit.system import system_verilog
from knotwork.gateware.buses.bus_kinds import BUS_KINDS
from knotwork.system import System
from knotwork_sim.testbench.runner import run_tests

PROGRAMS = Path(__file__).parents[2] / "cocotb"
PERIODS = {"clk": 10_000, "clk_0": 7_300, "clk_1": 13_900, "clk_2": 9_970, "clk_3": 12_100}
TIMEOUT = 256
"""Cycles of the network after which a memory is silent."""
BOUND = 200
"""Cycles for a transfer beside them: to the memory, through its crossing, and back."""
LENGTHS = [40, 1500, 900, 100, 1200]
"""Cycles of the network for which the clock stops; fewer than half of `TIMEOUT` lose nothing."""


def run(folder, monkeypatch, stops, kinds, *, edit=lambda text: text, **more):
    """Exit status of the testbench: managers at nodes 0 and 3, memories at nodes 1 and 2.

    The clock of node 1, or of node 0, is the one that `stops`.
    """
    words = ["mesh", "x=2", "y=2", "name=chip", "node.clock=own", "data_width=40"]
    words += [f"bus.timeout={TIMEOUT}", "bus.burst=128", "bus.outstanding=4", "bus.id_width=2"]
    prefixes = {}
    for node, kind in enumerate(kinds):
        is_target = node in (1, 2)
        words += [f"node.{node}.bus={kind}"]
        words += [f"node.{node}.side={'target' if is_target else 'initiator'}"]
        bus = BUS_KINDS[kind]
        prefix = bus.target_prefix if is_target else bus.initiator_prefix
        prefixes[node] = f"{prefix}_{node}"
    for number, node in enumerate((1, 2)):
        region = {"base": number * 0x1000, "size": 0x1000, "node": node}
        words += [f"map.ram{number}.{key}={value}" for key, value in region.items()]
    design = folder / "chip.v"
    design.write_text(edit(system_verilog(System.from_words(words))))
    ports = module_ports(design.read_text(), "chip")
    facts = {
        "stops": stops,
        "kinds": dict(enumerate(kinds)),
        "prefixes": prefixes,
        "inputs": [name for name, (way, _) in ports.items() if way == "input"],
        "periods": PERIODS,
        "timeout": TIMEOUT,
        "lengths": LENGTHS,
        "bound": BOUND,
        "stall": 0.1,
        "seed": 5,
    }
    monkeypatch.setenv("STOPPING_FACTS", json.dumps(facts | more))
    monkeypatch.setenv("COCOTB_LOG_LEVEL", "ERROR")
    monkeypatch.syspath_prepend(PROGRAMS)
    return run_tests(
        sources=[design],
        top="chip",
        tests="stopping_testbench",
        arguments=[SIMULATOR, "--seed", "1"],
        build_args=FAST,
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["axi4", "wishbone", "apb"])
def test_a_memory_whose_clock_stops_is_answered_for(tmp_path, monkeypatch, kind):
    assert run(tmp_path, monkeypatch, "clk_1", ("axi4", kind, "axi4", "axi4")) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("manager", "memory"), [("axi4", "wishbone"), ("wishbone", "axi4")])
def test_a_manager_whose_clock_stops_holds_up_nobody(tmp_path, monkeypatch, manager, memory):
    assert run(tmp_path, monkeypatch, "clk_0", (manager, memory, "axi4", "axi4")) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stops", "before", "after"),
    [
        # A silent memory is not told; it gets too few beats; a write leaves before its beats.
        ("clk_1", "silent <= late | (silent & ~over)", "silent <= silent & ~over"),
        ("clk_1", "fills = (lacking > 9'd1) | (lacks & ~known)", "fills = 1'b0"),
        ("clk_0", "whole = store_level > decoder_o_payload_request_length", "whole = 1'b1"),
    ],
)
def test_a_fault_is_found(tmp_path, monkeypatch, stops, before, after):
    kinds = ("axi4", "axi4", "axi4", "axi4")

    def edit(text):
        assert before in text
        return text.replace(before, after)

    assert run(tmp_path, monkeypatch, stops, kinds, edit=edit) == 1

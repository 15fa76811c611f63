"""Resets of a system's ports: low or high, at a clock's edges or at any time."""

import pytest
from helpers.emitted import instances, module_ports
from knotwork.emit.system import system_manifest, system_verilog
from knotwork.emit.system.resets import release_verilog
from knotwork.system import System

WORDS = "mesh x=2 y=1 name=chip node.1.clock=own {}"


@pytest.mark.parametrize(
    ("keys", "port", "releases"),
    [
        ("", "rst", 0),
        ("reset=low", "rst_n", 0),
        ("reset_style=asynchronous", "rst", 2),
        ("reset=low reset_style=asynchronous", "rst_n", 2),
    ],
)
def test_each_clock_has_a_reset(keys, port, releases):
    system = System.from_words(WORDS.format(keys).split())
    text = system_verilog(system)
    ports = module_ports(text, "chip")
    assert [name for name in ports if name.startswith("rst")] == [port, f"{port}_1"]
    assert len(instances(text, "chip_release")) == releases
    told = system_manifest(system)
    assert told["reset"]["synchronous"] is (releases == 0)
    assert told["nodes"][1]["reset"] == f"{port}_1"


def test_a_reset_begins_at_once_and_ends_at_edges():
    """The clock need not run for it to begin: its registers have asynchronous resets."""
    keys = "reset=low reset_style=asynchronous"
    text = release_verilog(System.from_words(WORDS.format(keys).split()))
    assert "always @(posedge clk or posedge asked)" in text
    assert text.count("ASYNC_REG") == 2
    assert "assign release_asked = ~i;" in text

"""A small module in Verilog, with an address as routers have one, and its ports."""

from pathlib import Path

from quality.benchmarks.wrapped_router import Pin

ADDER = Path(__file__).with_name("verilog").joinpath("adder.v").read_text()
PORTS = [
    Pin("input", 2, "address"),
    Pin("input", 4, "a"),
    Pin("input", 1, "b"),
    Pin("output", 4, "sum"),
]

"""Simulator for cocotb tests of the user's own, and what has it compile soon."""

import shutil

SIMULATOR = "icarus" if shutil.which("iverilog") else "verilator"
FAST = ["-CFLAGS", "-O0"] if SIMULATOR == "verilator" else []
"""Arguments of its compiler; these tests are short, and to optimise takes longer than they do."""

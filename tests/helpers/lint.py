"""Verilator's lint of a file."""

import subprocess

from knotwork.builds.compilation import tool_environment
from knotwork.errors import ToolError


def lint(verilog, *waivers, top, options=()):
    """Return what ``verilator --lint-only -Wall`` says about a file: nothing if it is clean."""
    with tool_environment():
        command = ["verilator", "--lint-only", "-Wall", "--top-module", top, *options]
        files = [str(path) for path in (*waivers, verilog)]
        result = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    if result.returncode and "%" not in result.stderr:
        raise ToolError(f"Verilator must run, but failed: {result.stderr.strip()[:200]}")
    return result.stderr

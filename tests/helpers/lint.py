"""Verilator's lint of a file."""

import subprocess
import tempfile

from knotwork.builds.compilation import tool_environment
from knotwork.errors import ToolError


def lint(verilog, *waivers, top, options=()):
    """Return what ``verilator --lint-only -Wall`` says about a file: nothing if it is clean."""
    files = [str(path) for path in (*waivers, verilog)]
    return _said(["--lint-only", "-Wall", "--top-module", top, *options, *files])


def cocotb_build(verilog, *, top):
    """Return what Verilator says when it builds a file as cocotb does: all signals are public.

    Each then is one, also where its fields would be apart: loops between them are found.
    """
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        words = ["--cc", "--vpi", "--public-flat-rw", "--assert", "--quiet", "-Mdir", folder]
        return _said([*words, "--top-module", top, str(verilog)])


def _said(words):
    with tool_environment():
        command = ["verilator", *words]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode and "%" not in result.stderr:
        raise ToolError(f"Verilator must run, but failed: {result.stderr.strip()[:200]}")
    return result.stderr

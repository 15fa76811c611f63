"""What modules load when they are imported."""

import subprocess
import sys
from collections.abc import Mapping

HEAVY: Mapping[str, tuple[str, ...]] = {
    "knotwork": ("amaranth", "cocotb", "numba"),
    "knotwork.cli.main": ("amaranth", "cocotb", "numba", "numpy"),
    "knotwork.network": ("amaranth", "cocotb", "numba"),
    "knotwork_sim.verbs.simulate": ("amaranth", "cocotb", "numba"),
    "knotwork_sim.traffic.keys": ("amaranth", "cocotb", "numba", "numpy"),
    "knotwork_sim.verbs.sweep": ("amaranth", "cocotb", "numba"),
    "knotwork_sim.verbs.survive": ("amaranth", "cocotb", "numba", "numpy"),
    "knotwork_sim.verbs.search": ("amaranth", "cocotb", "numba", "numpy"),
    "knotwork_sim.model.packet.model": ("amaranth", "cocotb"),
}
"""Packages that must not be loaded by a module: the command line answers at once, and the golden
model owes nothing to the hardware that it judges."""


def loaded(statement: str, packages: tuple[str, ...]) -> list[str]:
    """Which of these packages a fresh interpreter has loaded after a statement."""
    script = f"import sys\n{statement}\nprint(*sorted({set(packages)!r} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.split()

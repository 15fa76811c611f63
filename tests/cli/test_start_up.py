"""What each verb imports: a command that needs no compiler, table or chart does not load one."""

import os
import subprocess
import sys

import pytest

HEAVY = (
    *("amaranth", "cocotb", "cocotb_tools", "email", "llvmlite", "matplotlib", "networkx"),
    *("numba", "numpy", "pandas", "pyarrow", "pytest", "rich", "rustworkx", "scipy", "yaml"),
)

PROGRAM = f"""
import sys
from knotwork.cli.entry import main
sys.argv[1:] = sys.argv[1].split()
try:
    main()
except SystemExit as end:
    assert not end.code
finally:
    print(*sorted(set(sys.modules) & set({HEAVY})), file=sys.stderr)
"""


def imported(line, folder):
    environment = {name: os.environ[name] for name in os.environ if not name.startswith("COV_")}
    command = [sys.executable, "-c", PROGRAM, line]
    ran = subprocess.run(  # noqa: PLW1510 - its errors are shown
        command, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--help", ""),
        ("describe --help", ""),
        ("networks", "numpy"),
        ("describe moebius n=4", "numpy"),
        ("describe moebius n=4 --json", "numpy"),
        ("compare moebius:n=4 hypercube:n=4", "numpy"),
        ("route hypercube n=3 0 5", "numpy"),
        ("check mesh x=3 y=3", "numpy rustworkx"),
        ("check moebius n=6 routing=spr", "llvmlite numpy rustworkx"),
        ("draw mesh x=3 y=3 -o drawn.svg", "numpy"),
        ("generate mesh x=2 y=2 -o noc", "amaranth email numpy rustworkx"),
        ("simulate mesh x=2 y=2 packets=8 --engine model", "llvmlite numpy rustworkx"),
        ("sweep mesh x=2 y=2 --rates 0.1 --measure 100", "llvmlite numpy rustworkx"),
    ],
)
def test_a_verb_imports_what_it_uses(line, expected, tmp_path):
    found = imported(line, tmp_path)
    if "numba" in found:  # this machine compiled a loop for the first time
        found = imported(line, tmp_path)
    assert found == expected

"""What a network costs to import: the compiler and the graph library come when they are used."""

import subprocess
import sys

import pytest

HEAVY = ("amaranth", "llvmlite", "matplotlib", "numba", "rustworkx")


@pytest.mark.parametrize(
    "statement",
    [
        "from knotwork.routing import routings_of\n"
        "from knotwork.topology import TOPOLOGIES\n"
        "for name in TOPOLOGIES: routings_of(name)",
        "from knotwork import Moebius, Network\nNetwork(Moebius(n=4)).routing.path(0, 9)",
    ],
)
def test_networks_and_routings_import_nothing_heavy(statement):
    loaded = f"import sys\n{statement}\nprint(*(set(sys.modules) & set({HEAVY})))"
    run = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []

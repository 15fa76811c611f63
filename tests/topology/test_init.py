"""The registry of networks: names without imports."""

import subprocess
import sys

import pytest
from knotwork import topology
from knotwork.topology import TOPOLOGIES, Moebius, Topology


def test_the_registry_is_a_mapping_of_names_to_classes():
    assert len(TOPOLOGIES) == len(list(TOPOLOGIES)) == len(set(TOPOLOGIES.values()))
    assert TOPOLOGIES["moebius"] is Moebius
    assert "moebius" in TOPOLOGIES
    assert "Moebius" not in TOPOLOGIES
    assert all(issubclass(found, Topology) for found in TOPOLOGIES.values())
    with pytest.raises(KeyError):
        TOPOLOGIES["nothing"]


def test_every_public_name_is_there():
    assert all(getattr(topology, name) is not None for name in topology.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = topology.nothing  # pyright: ignore[reportAttributeAccessIssue]


def loaded_by(statement):
    """Networks' modules that a statement imports, and whether NumPy is among its imports."""
    told = f"{statement}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    modules = run.stdout.split()
    return {name for name in TOPOLOGIES if f"knotwork.topology.{name}" in modules}, (
        "numpy" in modules
    )


def test_names_of_networks_import_none_of_them():
    assert loaded_by("from knotwork.topology import TOPOLOGIES; list(TOPOLOGIES)") == (set(), False)


def test_a_network_is_imported_when_it_is_asked_for():
    networks, numpy = loaded_by("from knotwork.topology import TOPOLOGIES; TOPOLOGIES['rp']")
    assert (networks, numpy) == ({"rp", "petersen"}, True)

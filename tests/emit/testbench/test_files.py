"""The files of a generated testbench."""

import ast
import json

import knotwork
import pytest
from helpers.long_links import network_of
from knotwork import GraphFile, Network
from knotwork.emit import write_network
from knotwork.emit.testbench import testbench_files as files_of

NETWORK = Network.from_word("hypercube:n=2,name=noc")


def test_they_name_network_and_version():
    files = files_of(NETWORK)
    assert sorted(files) == ["Makefile", "run_noc.py", "test_noc.py"]
    assert f'VERSION = "{knotwork.__version__}"' in files["test_noc.py"]
    for name in ("run_noc.py", "test_noc.py"):
        ast.parse(files[name])
        assert max(map(len, files[name].splitlines())) <= 100
    assert "COCOTB_TOPLEVEL = noc\n" in files["Makefile"]
    assert "\n\tinclude" not in files["Makefile"]


def test_they_are_the_users_own_once_they_are_there(tmp_path):
    first = write_network(NETWORK, tmp_path, testbench=True)
    assert {path.name for path in first} >= {"test_noc.py", "run_noc.py", "Makefile"}
    (tmp_path / "test_noc.py").write_text("# mine\n")
    (tmp_path / "noc.v").write_text("old")
    again = write_network(NETWORK, tmp_path, testbench=True)
    assert {path.name for path in again} == {"noc.v", "noc.vlt", "noc.core", "manifest.json"}
    assert (tmp_path / "test_noc.py").read_text() == "# mine\n"
    assert (tmp_path / "noc.v").read_text() != "old"


@pytest.mark.parametrize(
    "word",
    [
        "hypercube:n=1",
        "hypercube:n=1,parity=yes",
        "hypercube:n=1,routing=lc1",
        "lcan:d=2,u=2,levels=2,routing=scheduled",
    ],
)
def test_they_import_what_they_use_and_no_more(word):
    network = Network.from_word(word)
    tree = ast.parse(files_of(network)[f"test_{network.name}.py"])
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported = {alias.name for node in froms for alias in node.names}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert imported <= used
    assert used & {"rounds", "table_entries", "upset", "ClockCycles"} <= imported


def test_what_files_held_is_told_beside_the_testbench_and_written_again(tmp_path):
    for latency in (3, 5):
        network = network_of([(0, 1, latency)], data_width=8, name="long")
        paths = write_network(network, tmp_path, testbench=True)
        assert tmp_path / "contents.json" in paths
        told = json.loads((tmp_path / "contents.json").read_text())
        assert GraphFile.from_told(told["file"]) == network.topology.file
    assert "contents.json" not in {path.name for path in write_network(network, tmp_path)}

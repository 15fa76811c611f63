"""The files of a generated testbench."""

import ast

import knotwork
import pytest
from knotwork import Network
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

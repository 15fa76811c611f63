"""Files of a generated testbench, and which tests it has."""

import ast
import json
import re

import knotwork
import pytest
from helpers.long_links import network_of
from knotwork import GraphFile, Network
from knotwork.emit import write_network
from knotwork.emit.testbench import longest_beats
from knotwork.emit.testbench import testbench_files as files_of
from knotwork.emit.testbench import tests_of as text_of

FREE = ["one_packet", "every_pair", "pauses", "reset_in_traffic"]
COLLECTIVES = [
    "every_collective",
    "collectives_at_once",
    "reset_in_collectives",
    "late_member",
    "messages_that_differ",
    "collectives_refused",
]


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("hypercube:n=2", FREE),
        ("mesh:x=3,y=2", [*FREE, "refused"]),  # two addresses are no node
        ("hypercube:n=2,multicast=yes", [*FREE, "multicasts"]),
        ("wk:w=2,levels=2", [*FREE, "broadcasts"]),
        ("hypercube:n=2,parity=yes", [*FREE, "parity", "upsets"]),
        ("lcan:d=2,u=2,levels=2", [*FREE, "refused"]),
        (
            "lcan:d=2,u=2,levels=2,routing=scheduled",
            ["permutations", "every_pair", "reset_in_traffic", "refused"],
        ),
        (
            "ccc:n=2,routing=lc2",
            ["permutations", "one_table_for_many", "wrong_tables", "reset_in_traffic", "refused"],
        ),
        ("torus:x=2,y=2,router=deflection", [*FREE, "refused"]),
        ("hypercube:n=2,collectives=yes", [*FREE, *COLLECTIVES]),
        ("hypercube:n=2,collectives=yes,groups=0,1/2", [*FREE, *COLLECTIVES]),
    ],
)
def test_a_network_is_tested_for_what_it_has(word, names):
    text = text_of(Network.from_word(word))
    assert re.findall(r"^@cocotb\.test\(\)\nasync def (\w+)\(dut\):", text, re.M) == names


@pytest.mark.parametrize(
    ("word", "beats"),
    [
        ("hypercube:n=2", (1, 8)),
        ("lcan:d=2,u=2,levels=2,max_packet=4", (1, 4)),
        ("ccc:n=2,routing=lc2,words=3", (3, 3)),
        ("ccc:n=2,routing=lc2,words=20", (20, 20)),
        ("torus:x=2,y=2,router=deflection", (1, 1)),
    ],
)
def test_packets_have_lengths_that_the_network_takes(word, beats):
    assert longest_beats(Network.from_word(word)) == beats


def test_a_table_of_one_entry_has_none_too_few():
    text = text_of(Network.from_word("hypercube:n=1,routing=lc1"))
    assert "for wrong in (right + right,):" in text
    text = text_of(Network.from_word("hypercube:n=2,routing=lc1"))
    assert "for wrong in (right + right, right[:-1]):" in text


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
    own = {"test_noc.py", "run_noc.py", "Makefile"}
    assert {path.name for path in first} >= own
    (tmp_path / "test_noc.py").write_text("# mine\n")
    (tmp_path / "noc.v").write_text("old")
    again = write_network(NETWORK, tmp_path, testbench=True)
    assert {path.name for path in again} == {path.name for path in first} - own
    assert (tmp_path / "test_noc.py").read_text() == "# mine\n"
    assert (tmp_path / "noc.v").read_text() != "old"


@pytest.mark.parametrize(
    "word",
    [
        "hypercube:n=1",
        "hypercube:n=1,parity=yes",
        "hypercube:n=1,routing=lc1",
        "lcan:d=2,u=2,levels=2,routing=scheduled",
        "lcan:d=2,u=2,levels=2,routing=scheduled,collectives=yes",
        "ccc:n=2,routing=lc2,collectives=yes",
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
        assert GraphFile.from_dict(told["file"]) == network.topology.file
    assert "contents.json" not in {path.name for path in write_network(network, tmp_path)}
